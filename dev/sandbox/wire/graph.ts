import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../context';
import { GraphError, unknownObject } from './errors';
import { faultBefore, postMessage } from './messages';
import type { Limits } from './limits';
import { deleteMedia, downloadMedia, getMedia, mediaOf, uploadMedia } from './media';
import {
  downloadFlowJson,
  getCatalog,
  getFlow,
  getFlowAssets,
  getProduct,
  listCatalogs,
  listFlows,
  listProducts,
} from './flows';
import { getAccount, getPhoneNumber, getUsername, getUsernameSuggestions, listPhoneNumbers } from './phoneNumbers';
import { controlThread } from './threads';
import { createTemplate, deleteTemplates, editTemplate, getTemplate, listTemplates } from './templates';
import type { Account, JsonObject, PhoneNumber, Reply } from '../types';
import { isObject, textOf } from '../util';

interface GraphRequest {
  method: string;
  /** Path segments after the optional version. */
  segments: string[];
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  data: Buffer;
  /** `http://host:port` as the caller addressed us, for links in answers. */
  origin: string;
  /** The full URL without its query, for paging links. */
  url: string;
}

/** Answers the platform's API: authentication, then one handler per node and edge. */
export function handleGraph(context: Context, limits: Limits, request: GraphRequest): Reply | Promise<Reply> {
  const [id = '', edge] = request.segments;
  if (id === '_flow-assets') return downloadFlowJson(context, context.state.flows.get(edge ?? '')?.flow, request.query);
  const path = `/${request.segments.join('/')}`;
  const fault = context.faults.forPath(request.method, path);
  if (fault) {
    const reply = faultBefore(fault, path.endsWith('/messages'));
    if (reply) return reply;
  }
  const accounts = authorized(context, request);
  if (id === '_media') return downloadMedia(context, accounts, edge ?? '', request.query);
  if (request.segments.length === 0 || request.segments.length > 2)
    throw new GraphError(2500, `Unknown path components: ${path}`);
  const reply = route(context, limits, request, accounts, id, edge);
  if (fault?.kind !== 'latency') return reply;
  return Promise.resolve(reply).then((done) => ({ ...done, delayMs: fault.delay_ms }));
}

/** Returns every account that the token opens; error 104 without one, 190 for a wrong one. */
function authorized(context: Context, request: GraphRequest): Account[] {
  const header = request.headers.authorization;
  const token = header ? /^(?:Bearer|OAuth)\s+(\S.*)$/i.exec(header)?.[1] : request.query.get('access_token');
  if (!token) throw new GraphError(104);
  const accounts: Account[] = [];
  for (const account of context.state.accounts.values()) if (account.access_token === token) accounts.push(account);
  if (accounts.length === 0) throw new GraphError(190, undefined, { subcode: 463 });
  return accounts;
}

function route(
  context: Context,
  limits: Limits,
  request: GraphRequest,
  accounts: Account[],
  id: string,
  edge: string | undefined,
): Reply | Promise<Reply> {
  const { state } = context;
  const mine = (account: Account | undefined): account is Account =>
    account !== undefined && accounts.includes(account);
  const phone = state.phones.get(id);
  if (phone) {
    const owner = state.accountOf(phone);
    if (!mine(owner)) throw unknownObject(id);
    return phoneRoute(context, limits, request, owner, phone, edge);
  }
  const account = state.accounts.get(id);
  if (mine(account)) return accountRoute(context, request, account, edge);
  const template = state.templates.get(id);
  if (template && mine(template.account)) return templateRoute(context, request, template.account, id, edge);
  const flow = state.flows.get(id);
  if (flow && mine(flow.account) && request.method === 'GET') {
    if (edge === undefined) return getFlow(context, flow.account, flow.flow, request.query, request.origin);
    if (edge === 'assets') return getFlowAssets(context, flow.flow, request.origin);
  }
  const catalog = state.catalog(id);
  if (mine(catalog) && request.method === 'GET') {
    if (edge === undefined) return getCatalog(catalog, request.query);
    if (edge === 'products') return listProducts(catalog, request.query, request.url);
  }
  const product = state.product(id);
  if (product && mine(product.account) && request.method === 'GET' && edge === undefined)
    return getProduct(product.product, request.query);
  const media = mediaOf(context, id);
  const owner = media ? state.accounts.get(media.business_account_id) : undefined;
  if (media && mine(owner) && edge === undefined) {
    if (request.method === 'GET') return getMedia(context, owner, id, request.query, request.origin);
    if (request.method === 'DELETE') return deleteMedia(context, owner, id);
  }
  throw unknownObject(id);
}

function phoneRoute(
  context: Context,
  limits: Limits,
  request: GraphRequest,
  account: Account,
  phone: PhoneNumber,
  edge: string | undefined,
): Reply | Promise<Reply> {
  const { method } = request;
  if (method === 'POST' && edge === 'messages') return postMessage(context, limits, account, phone, bodyOf(request));
  if (method === 'POST' && edge === 'thread_control') return controlThread(context, account, phone, bodyOf(request));
  if (method === 'POST' && edge === 'media')
    return uploadMedia(context, account, phone.id, request.headers, request.data);
  if (method === 'GET' && edge === undefined) return getPhoneNumber(account, phone, request.query);
  if (method === 'GET' && edge === 'username') return getUsername(phone);
  if (method === 'GET' && edge === 'username_suggestions') return getUsernameSuggestions(phone);
  throw unsupported(method, edge);
}

function accountRoute(
  context: Context,
  request: GraphRequest,
  account: Account,
  edge: string | undefined,
): Reply | Promise<Reply> {
  const { method, query, url } = request;
  if (method === 'GET') {
    switch (edge) {
      case undefined:
        return getAccount(account, query);
      case 'message_templates':
        return listTemplates(account, query, url);
      case 'phone_numbers':
        return listPhoneNumbers(account, query, url);
      case 'flows':
        return listFlows(context, account, query, url, request.origin);
      case 'product_catalogs':
        return listCatalogs(account, query, url);
      case 'subscribed_apps':
        return { status: 200, body: { data: account.subscribed ? [subscription(account)] : [] } };
      default:
        throw unsupported(method, edge);
    }
  }
  if (edge === 'message_templates' && method === 'POST') return createTemplate(context, account, bodyOf(request));
  if (edge === 'message_templates' && method === 'DELETE') return deleteTemplates(context, account, query);
  if (edge === 'subscribed_apps' && method === 'POST') return subscribe(context, account, request);
  if (edge === 'subscribed_apps' && method === 'DELETE') {
    account.subscribed = false;
    context.changed();
    return { status: 200, body: { success: true } };
  }
  throw unsupported(method, edge);
}

function templateRoute(
  context: Context,
  request: GraphRequest,
  account: Account,
  id: string,
  edge: string | undefined,
): Reply {
  const entry = context.state.templates.get(id);
  if (!entry || edge !== undefined) throw unsupported(request.method, edge);
  if (request.method === 'GET') return getTemplate(entry.template, request.query);
  if (request.method === 'POST') return editTemplate(context, account, entry.template, bodyOf(request));
  throw unsupported(request.method, edge);
}

function subscription(account: Account): JsonObject {
  return {
    whatsapp_business_api_data: {
      id: '100000000000001',
      name: 'Sandbox App',
      link: 'https://www.facebook.com/games/?app_id=1',
    },
    override_callback_uri: account.webhook_url,
  };
}

/** Subscribes the account; a new callback is only taken after its handshake. */
async function subscribe(context: Context, account: Account, request: GraphRequest): Promise<Reply> {
  const body = request.data.length > 0 ? bodyOf(request) : {};
  const input = isObject(body) ? body : {};
  const url = textOf(input['override_callback_uri']) ?? request.query.get('override_callback_uri');
  const token = textOf(input['verify_token']) ?? request.query.get('verify_token') ?? '';
  if (url) {
    const result = await context.webhooks.handshake(url, token);
    if (!result.verified)
      throw new GraphError(2200, `Callback verification failed with the following errors: ${result.error}`);
    account.webhook_url = url;
    account.verify_token = token;
  }
  account.subscribed = true;
  context.changed();
  return { status: 200, body: { success: true } };
}

/** Reads a body of JSON, or of a form: the platform takes both. */
function bodyOf(request: GraphRequest): unknown {
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(request.data.toString()));
  if (request.data.length === 0) return {};
  try {
    return JSON.parse(request.data.toString()) as unknown;
  } catch {
    throw new GraphError(100, 'The request body is not valid JSON.');
  }
}

function unsupported(method: string, edge: string | undefined): GraphError {
  return new GraphError(100, `Unsupported ${method.toLowerCase()} request${edge ? ` on edge ${edge}` : ''}.`, {
    subcode: 33,
  });
}

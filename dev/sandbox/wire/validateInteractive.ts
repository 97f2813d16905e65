import type { Context } from '../context';
import { GraphError } from './errors';
import { invalid, limit, missing, optionalText, requiredText, validateMedia } from './checks';
import type { Account, JsonObject } from '../types';
import { isObject, objectsOf, textOf } from '../util';

const hourMs = 3_600_000;
const throttledFlowPerHour = 10;

/** Checks an interactive message by its type. */
export function validateInteractive(context: Context, account: Account, content: JsonObject): void {
  const type = textOf(content['type']);
  if (!type) throw missing("interactive['type']");
  const check = kinds[type];
  if (!check) throw invalid(`Interactive type "${type}" is not supported.`);
  const action = content['action'];
  if (!isObject(action)) throw missing("interactive['action']");
  const bodyNeeded = type !== 'product';
  const body = content['body'];
  if (isObject(body)) requiredText(body, 'text', "interactive['body']", type === 'list' ? 4096 : 1024);
  else if (bodyNeeded) throw missing("interactive['body']");
  if (isObject(content['footer'])) requiredText(content['footer'], 'text', "interactive['footer']", 60);
  if (content['header'] !== undefined) checkHeader(context, account, type, content['header']);
  check(context, account, action);
}

function checkHeader(context: Context, account: Account, type: string, header: unknown): void {
  if (!isObject(header)) throw invalid("Param interactive['header'] must be a JSON object.");
  const kind = textOf(header['type']);
  if (kind === 'text') {
    requiredText(header, 'text', "interactive['header']", 60);
    return;
  }
  if (type === 'list' || type === 'product_list') throw invalid(`Header of a ${type} message must be text.`);
  if (kind !== 'image' && kind !== 'video' && kind !== 'document')
    throw invalid("Param interactive['header']['type'] is not valid.");
  const media = header[kind];
  if (!isObject(media)) throw missing(`interactive['header']['${kind}']`);
  validateMedia(context, account, media, kind);
}

type ActionCheck = (context: Context, account: Account, action: JsonObject) => void;

const kinds: Record<string, ActionCheck> = {
  button: (_context, _account, action) => {
    const buttons = objectsOf(action['buttons']);
    if (buttons.length < 1 || buttons.length > 3) throw invalid('Buttons count is not between 1 and 3.');
    const replies = buttons.map((button, index) => {
      if (button['type'] !== 'reply' || !isObject(button['reply']))
        throw invalid(`Button ${index} must be of type reply.`);
      const path = `interactive['action']['buttons'][${index}]['reply']`;
      return {
        id: requiredText(button['reply'], 'id', path, 256),
        title: requiredText(button['reply'], 'title', path, 20),
      };
    });
    unique(
      replies.map((reply) => reply.title),
      'Button titles',
    );
    unique(
      replies.map((reply) => reply.id),
      'Button ids',
    );
  },
  list: (_context, _account, action) => {
    requiredText(action, 'button', "interactive['action']", 20);
    const sections = objectsOf(action['sections']);
    if (sections.length < 1 || sections.length > 10) throw invalid('Sections count is not between 1 and 10.');
    const rows = sections.flatMap((section, index) => {
      if (sections.length > 1) requiredText(section, 'title', `interactive['action']['sections'][${index}]`, 24);
      else optionalText(section, 'title', `interactive['action']['sections'][${index}]`, 24);
      const own = objectsOf(section['rows']);
      if (own.length === 0) throw invalid(`Section ${index} has no rows.`);
      return own;
    });
    if (rows.length > 10) throw invalid('Total row count exceeds 10.');
    const ids = rows.map((row, index) => {
      requiredText(row, 'title', `row ${index}`, 24);
      optionalText(row, 'description', `row ${index}`, 72);
      return requiredText(row, 'id', `row ${index}`, 200);
    });
    unique(ids, 'Row ids');
  },
  flow: checkFlow,
  cta_url: (_context, _account, action) => {
    if (action['name'] !== 'cta_url') throw invalid("Param interactive['action']['name'] must be cta_url.");
    const parameters = parametersOf(action);
    requiredText(parameters, 'display_text', 'parameters', 20);
    const url = requiredText(parameters, 'url', 'parameters', 2000);
    if (!/^https?:\/\//i.test(url)) throw invalid("Param parameters['url'] is not a valid URL.");
  },
  location_request_message: (_context, _account, action) => {
    if (action['name'] !== 'send_location') throw invalid("Param interactive['action']['name'] must be send_location.");
  },
  product: (_context, account, action) => {
    checkCatalog(account, action);
    checkProduct(account, requiredText(action, 'product_retailer_id', "interactive['action']", 100));
  },
  product_list: (_context, account, action) => {
    checkCatalog(account, action);
    const sections = objectsOf(action['sections']);
    if (sections.length < 1 || sections.length > 10) throw invalid('Sections count is not between 1 and 10.');
    const items = sections.flatMap((section) => objectsOf(section['product_items']));
    if (items.length < 1 || items.length > 30) throw invalid('Product item count is not between 1 and 30.');
    items.forEach((item, index) =>
      checkProduct(account, requiredText(item, 'product_retailer_id', `product_items[${index}]`, 100)),
    );
  },
  catalog_message: (_context, _account, action) => {
    if (action['name'] !== 'catalog_message')
      throw invalid("Param interactive['action']['name'] must be catalog_message.");
  },
  order_details: (_context, _account, action) => {
    requiredText(parametersOf(action), 'reference_id', 'parameters', 35);
  },
  order_status: (_context, _account, action) => {
    requiredText(parametersOf(action), 'reference_id', 'parameters', 35);
  },
  call_permission_request: (_context, _account, action) => {
    if (action['name'] !== 'call_permission_request')
      throw invalid("Param interactive['action']['name'] must be call_permission_request.");
  },
  request_contact_info: () => undefined,
};

function parametersOf(action: JsonObject): JsonObject {
  if (!isObject(action['parameters'])) throw missing("interactive['action']['parameters']");
  return action['parameters'];
}

function checkFlow(context: Context, account: Account, action: JsonObject): void {
  if (action['name'] !== 'flow') throw invalid("Param interactive['action']['name'] must be flow.");
  const parameters = parametersOf(action);
  if (parameters['flow_message_version'] !== '3')
    throw invalid('Param parameters[\'flow_message_version\'] must be "3".');
  requiredText(parameters, 'flow_cta', 'parameters', 30);
  const kind = parameters['flow_action'] ?? 'navigate';
  if (kind !== 'navigate' && kind !== 'data_exchange') throw invalid("Param parameters['flow_action'] is not valid.");
  const payload = parameters['flow_action_payload'];
  if (kind === 'navigate' && isObject(payload)) requiredText(payload, 'screen', 'flow_action_payload', 200);
  const id = textOf(parameters['flow_id']);
  const name = textOf(parameters['flow_name']);
  if ((id === undefined) === (name === undefined)) throw invalid('Exactly one of flow_id and flow_name is required.');
  const flow = account.flows.find((item) => (id === undefined ? item.name === name : item.id === id));
  if (!flow) throw invalid(`Flow ${id ?? name} does not exist.`);
  if (flow.status === 'BLOCKED') throw new GraphError(132068);
  if (flow.status === 'DEPRECATED') throw invalid('The flow is deprecated.');
  const draft = parameters['mode'] === 'draft';
  if (flow.status === 'DRAFT' && !draft) throw invalid('The flow is not published; set mode to draft.');
  if (flow.status !== 'THROTTLED') return;
  const now = context.clock();
  flow.sends = flow.sends.filter((at) => now - at < hourMs);
  if (flow.sends.length >= throttledFlowPerHour) throw new GraphError(132069);
  flow.sends.push(now);
}

function checkCatalog(account: Account, action: JsonObject): void {
  const id = requiredText(action, 'catalog_id', "interactive['action']", 100);
  if (id !== account.catalog_id) throw invalid(`Catalog ${id} is not connected to this account.`);
}

function checkProduct(account: Account, retailerId: string): void {
  if (!account.products.some((product) => product.retailer_id === retailerId)) {
    throw invalid(`Product ${retailerId} was not found in the catalog.`);
  }
}

function unique(values: string[], what: string): void {
  values.forEach((value) => limit(value, what, 256));
  if (new Set(values).size !== values.length) throw invalid(`${what} must be unique.`);
}

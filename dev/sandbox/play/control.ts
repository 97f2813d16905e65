import type { IncomingHttpHeaders } from 'node:http';
import { accountView, upsertAccount } from './accounts';
import { chatList, chatView, userView } from './chat';
import type { Context } from '../context';
import { ControlError } from './controlError';
import { playEvent } from './events';
import { magicHelp } from './faults';
import { receiveInbound } from './inbound';
import type { Limits } from '../wire/limits';
import { defaultSettings } from '../state';
import type { JsonObject, Reply, SentRecord, Settings } from '../types';
import { accountFor, phoneFor, upsertUser } from './users';
import { digitsOf, isObject, textOf } from '../util';

const sentPage = 1000;
const drainMs = 10_000;

export interface ControlRequest {
  method: string;
  /** Segments after `/_control`. */
  segments: string[];
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  data: Buffer;
}

type Handler = (context: Context, limits: Limits, input: JsonObject, request: ControlRequest) => unknown;

/** Answers a call of the sandbox's own API. */
export async function handleControl(context: Context, limits: Limits, request: ControlRequest): Promise<Reply> {
  try {
    const [head = '', ...rest] = request.segments;
    const handler =
      routes[`${request.method} ${[head, ...rest.map((part) => (fixedSegments.has(part) ? part : ':id'))].join('/')}`];
    if (!handler)
      throw new ControlError(404, `No control route ${request.method} /_control/${request.segments.join('/')}.`);
    const result = await handler(context, limits, inputOf(request), request);
    if (isObject(result) && Buffer.isBuffer(result['raw']))
      return { status: 200, raw: result['raw'], contentType: String(result['contentType']) };
    return { status: 200, body: result };
  } catch (error) {
    if (error instanceof ControlError) return { status: error.status, body: { error: error.message } };
    throw error;
  }
}

const fixedSegments = new Set(['count', 'duplicates']);

function inputOf(request: ControlRequest): JsonObject {
  if (request.data.length === 0) return {};
  let value: unknown;
  try {
    value = JSON.parse(request.data.toString());
  } catch {
    throw new ControlError(400, 'The body is not JSON.');
  }
  if (!isObject(value)) throw new ControlError(400, 'The body must be a JSON object.');
  return value;
}

const routes: Record<string, Handler> = {
  'GET accounts': (context) => [...context.state.accounts.values()].map(accountView),
  'POST accounts': async (context, _limits, input) => {
    const account = upsertAccount(context, input);
    const verification =
      input['verify'] === true ? await context.webhooks.handshake(account.webhook_url, account.verify_token) : null;
    return { ...accountView(account), verification };
  },
  'DELETE flows/:id': (context, _limits, _input, request) => {
    const found = context.state.flows.get(request.segments[1] ?? '');
    if (!found) throw new ControlError(404, 'No such flow.');
    found.account.flows = found.account.flows.filter((flow) => flow !== found.flow);
    context.state.index(found.account);
    context.changed();
    return { success: true };
  },
  'DELETE products/:id': (context, _limits, _input, request) => {
    const found = context.state.product(request.segments[1] ?? '');
    if (!found) throw new ControlError(404, 'No such product.');
    found.account.products = found.account.products.filter((product) => product !== found.product);
    context.changed();
    return { success: true };
  },
  'POST inbound': (context, limits, input) => {
    const { wamid, user } = receiveInbound(context, limits, input);
    return { wamid, user };
  },
  'POST events': (context, _limits, input) => playEvent(context, input),
  'GET sent': (context, _limits, _input, request) => sentList(context, request.query),
  'GET sent/count': (context, _limits, _input, request) => sentCount(context, request.query),
  'GET sent/duplicates': (context) => duplicates(context),
  'GET calls': (context, _limits, _input, request) => context.calls.last(Number(request.query.get('limit') ?? 100)),
  'GET faults': (context) => ({ faults: context.faults.all(), magic: magicHelp }),
  'POST faults': (context, _limits, input) => {
    try {
      return context.faults.add(input);
    } catch (error) {
      throw new ControlError(400, error instanceof Error ? error.message : String(error));
    }
  },
  'DELETE faults': (context) => {
    context.faults.clear();
    return { success: true };
  },
  'DELETE faults/:id': (context, _limits, _input, request) => {
    context.faults.clear(Number(request.segments[1]));
    return { success: true };
  },
  'GET settings': (context) => context.state.settings,
  'POST settings': (context, _limits, input) => applySettings(context, input),
  'GET users': (context, _limits, _input, request) => {
    const account = accountFor(context, Object.fromEntries(request.query));
    return context.state.users(account.business_account_id);
  },
  'POST users': (context, _limits, input) => {
    const given = isObject(input['user']) ? input['user'] : input;
    const account = accountFor(context, input);
    const key = textOf(given['key']);
    const known = key ? context.state.userByKey(account.business_account_id, key) : undefined;
    if (key && !known) throw new ControlError(404, `No user ${key}.`);
    return upsertUser(context, account, known ? { ...given, user_id: known.user_id } : given);
  },
  'POST reset': (context, limits, input) => {
    context.scheduler.clear();
    context.webhooks.clear();
    context.webhooks.paused = false;
    context.state.clearMessages();
    context.faults.clear();
    context.calls.clear();
    limits.clear();
    context.state.settings = defaultSettings();
    for (const account of context.state.accounts.values()) {
      for (const user of context.state.users(account.business_account_id)) {
        if (input['users'] === true) context.state.dropUser(user);
        else Object.assign(user, { windows: {}, referrals: {} });
      }
    }
    context.changed();
    return { success: true };
  },
  'POST pause_webhooks': (context) => {
    context.webhooks.paused = true;
    return { paused: true };
  },
  'POST resume_webhooks': (context) => {
    context.webhooks.resume();
    return { paused: false };
  },
  'POST flush': async (context, _limits, input) => {
    context.scheduler.flush();
    context.webhooks.retryNow();
    const drained = await context.webhooks.drained(Number(input['timeout_ms'] ?? drainMs));
    return { drained, pending: context.webhooks.pending + context.scheduler.pending };
  },
  'GET webhooks': (context, _limits, _input, request) => ({
    paused: context.webhooks.paused,
    pending: context.webhooks.pending,
    scheduled: context.scheduler.pending,
    delivered: context.webhooks.delivered,
    failed_posts: context.webhooks.failedPosts,
    deliveries: context.webhooks.log.last(Number(request.query.get('limit') ?? 50)).reverse(),
  }),
  'GET chats': (context, _limits, _input, request) => {
    const query = Object.fromEntries(request.query);
    const account = accountFor(context, query);
    return chatList(context, account.business_account_id, phoneFor(context, query, account).id, query['q'] ?? '');
  },
  'GET chats/:id': (context, _limits, _input, request) => {
    const query = Object.fromEntries(request.query);
    const account = accountFor(context, query);
    const user = context.state.userByKey(account.business_account_id, request.segments[1] ?? '');
    if (!user) throw new ControlError(404, 'No such user.');
    return chatView(context, phoneFor(context, query, account).id, user);
  },
  'GET users/:id': (context, _limits, _input, request) => {
    const query = Object.fromEntries(request.query);
    const account = accountFor(context, query);
    const id = request.segments[1] ?? '';
    const user =
      context.state.userByKey(account.business_account_id, id) ??
      context.state.findUser(
        account.business_account_id,
        /^\+?\d+$/.test(id) ? { phone: digitsOf(id) } : { user_id: id },
      );
    if (!user) throw new ControlError(404, 'No such user.');
    return userView(context, user, phoneFor(context, query, account).id);
  },
  'GET media/:id': (context, _limits, _input, request) => {
    const file = context.state.media.get(request.segments[1] ?? '');
    if (!file) throw new ControlError(404, 'No such media.');
    return { raw: file.data, contentType: file.mime_type };
  },
  'GET health': (context) => ({ ok: true, accounts: context.state.accounts.size, sent: context.state.sent.length }),
};

function recordView(record: SentRecord): JsonObject {
  const { direction: _direction, arrived: _arrived, lost: _lost, ...view } = record;
  return view;
}

function sentFilter(query: URLSearchParams): (record: SentRecord) => boolean {
  const phone = query.get('phone_number_id');
  const to = query.get('to');
  const wanted = to && /^[\d\s+()-]+$/.test(to) ? digitsOf(to) : to;
  const opaque = query.get('opaque');
  const type = query.get('type');
  const wamid = query.get('wamid');
  return (record) =>
    (!phone || record.phone_number_id === phone) &&
    (!wanted || record.to === wanted || record.user_id === wanted) &&
    (!opaque || record.opaque === opaque) &&
    (!type || record.type === type) &&
    (!wamid || record.wamid === wamid);
}

/** Lists sends in order of acceptance; `after` is a seq, found by bisection because seqs only grow. */
function sentList(context: Context, query: URLSearchParams): JsonObject[] {
  const { sent } = context.state;
  const after = Number(query.get('after') ?? 0);
  const most = Number(query.get('limit') ?? sentPage);
  const fits = sentFilter(query);
  const out: JsonObject[] = [];
  for (let i = firstAfter(sent, after); i < sent.length && out.length < most; i += 1) {
    const record = sent[i] as SentRecord;
    if (fits(record)) out.push(recordView(record));
  }
  return out;
}

function firstAfter(sent: SentRecord[], seq: number): number {
  let low = 0;
  let high = sent.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sent[middle] as SentRecord).seq <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sentCount(context: Context, query: URLSearchParams): JsonObject {
  const { sent } = context.state;
  const filtered = ['phone_number_id', 'to', 'opaque', 'type', 'wamid', 'after'].some((name) => query.get(name));
  if (!filtered) return { count: sent.length, last_seq: sent.at(-1)?.seq ?? 0 };
  const fits = sentFilter(query);
  let count = 0;
  for (let i = firstAfter(sent, Number(query.get('after') ?? 0)); i < sent.length; i += 1)
    if (fits(sent[i] as SentRecord)) count += 1;
  return { count, last_seq: sent.at(-1)?.seq ?? 0 };
}

/** Lists opaque ids that were accepted more than once, alone and together with the recipient. */
function duplicates(context: Context): JsonObject {
  const byOpaque: JsonObject[] = [];
  const byBoth: JsonObject[] = [];
  for (const [key, records] of context.state.opaqueCounts) {
    if (!Array.isArray(records)) continue;
    const first = records[0] as SentRecord;
    const entry = {
      opaque: first.opaque,
      to: [...new Set(records.map((record) => record.to))],
      count: records.length,
      wamids: records.map((record) => record.wamid),
    };
    (key.startsWith('o') ? byOpaque : byBoth).push(entry);
  }
  return { count: byOpaque.length, opaque: byOpaque, opaque_and_recipient: byBoth };
}

/** Takes known keys of the right kind only: a typo in a test must not pass unnoticed. */
function applySettings(context: Context, input: JsonObject): Settings {
  const settings = context.state.settings as unknown as JsonObject;
  const shapes = defaultSettings() as unknown as JsonObject;
  for (const [key, value] of Object.entries(input)) {
    if (!(key in shapes))
      throw new ControlError(400, `Unknown setting ${key}; known are ${Object.keys(shapes).join(', ')}.`);
    const shape = shapes[key];
    const number = typeof shape === 'number' && typeof value === 'boolean' ? Number(value) : value;
    if (typeof number !== typeof shape || Array.isArray(number) !== Array.isArray(shape))
      throw new ControlError(400, `Setting ${key} must be like ${JSON.stringify(shape)}.`);
    settings[key] = number;
  }
  context.changed();
  return context.state.settings;
}

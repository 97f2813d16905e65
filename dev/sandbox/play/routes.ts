import type { Context } from '../context';
import { mediaOf } from '../wire/media';
import {
  demoBusinessAccountId as accountId,
  demoFlowId as flowId,
  demoPhoneNumberId as numberId,
  demoProductId as productId,
} from '../demo';
import { exampleRules } from '../receiver/rules';
import type { JsonObject } from '../types';
import { digitsOf, isObject, textOf } from '../util';
import type { Limits } from '../wire/limits';
import { accountView, upsertAccount } from './accounts';
import { chatList, chatView, userView } from './chat';
import { billOf } from '../wire/prices';
import { ControlError } from './controlError';
import { playEvent } from './events';
import { magicHelp } from './faults';
import { receiveInbound } from './inbound';
import { oddities } from './oddities';
import { reset } from './reset';
import { duplicates, sentCount, sentList } from './sent';
import { applySettings } from './settings';
import { accountFor, phoneFor, upsertUser } from './users';

interface ControlCall {
  context: Context;
  limits: Limits;
  input: JsonObject;
  query: URLSearchParams;
  /** The path's second segment. */
  id: string;
}

/** One call of the control API; what it does and an example stand in `GET /_control/`. */
export interface ControlRoute {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below `/_control/`; a segment with a colon stands for any value. */
  path: string;
  about: string;
  example: { path?: string; body?: JsonObject };
  handle: (call: ControlCall) => unknown;
}

const drainMs = 10_000;
const success = { success: true };

/** Everything that the control API can do. */
const routes: readonly ControlRoute[] = [
  {
    method: 'POST',
    path: 'inbound',
    about: 'Lets a customer write; `message` takes any type in the form of the platform, `text` is short for a text.',
    example: {
      body: {
        phone_number_id: numberId,
        from: { phone: '4915112345678', name: 'Anna' },
        text: 'Is my order on its way?',
      },
    },
    handle: ({ context, limits, input }) => {
      const { wamid, user } = receiveInbound(context, limits, input);
      return { wamid, user };
    },
  },
  {
    method: 'POST',
    path: 'events',
    about: 'Plays an event of the platform: changes the state here and sends the webhook. A wrong kind lists all.',
    example: { body: { kind: 'user_preferences', phone_number_id: numberId, from: '4915112345678', value: 'stop' } },
    handle: ({ context, input }) => playEvent(context, input),
  },
  {
    method: 'GET',
    path: 'accounts',
    about: 'Lists business accounts with their numbers, templates, flows and products.',
    example: {},
    handle: ({ context }) => [...context.state.accounts.values()].map(accountView),
  },
  {
    method: 'POST',
    path: 'accounts',
    about: 'Registers or changes an account; lists are merged by id. `verify` makes the webhook handshake at once.',
    example: { body: { business_account_id: accountId, products: [{ retailer_id: 'GG-RAKE', name: 'Rake' }] } },
    handle: async ({ context, input }) => {
      const account = upsertAccount(context, input);
      const verification =
        input['verify'] === true ? await context.webhooks.handshake(account.webhook_url, account.verify_token) : null;
      return { ...accountView(account), verification };
    },
  },
  {
    method: 'DELETE',
    path: 'flows/:id',
    about: 'Removes a flow from the platform.',
    example: { path: `flows/${flowId}` },
    handle: ({ context, id }) => {
      const found = context.state.flows.get(id);
      if (!found) throw new ControlError(404, 'No such flow.');
      found.account.flows = found.account.flows.filter((flow) => flow !== found.flow);
      context.state.index(found.account);
      context.changed();
      return success;
    },
  },
  {
    method: 'DELETE',
    path: 'products/:id',
    about: 'Removes a product from the catalogue.',
    example: { path: `products/${productId}` },
    handle: ({ context, id }) => {
      const found = context.state.product(id);
      if (!found) throw new ControlError(404, 'No such product.');
      found.account.products = found.account.products.filter((product) => product !== found.product);
      context.changed();
      return success;
    },
  },
  {
    method: 'GET',
    path: 'sent',
    about: 'Lists accepted sends in order. Filters: phone_number_id, to, opaque, type, wamid, after (a seq), limit.',
    example: { path: 'sent?to=4915112345678&limit=10' },
    handle: ({ context, query }) => sentList(context, query),
  },
  {
    method: 'GET',
    path: 'sent/count',
    about: 'Counts accepted sends, with the same filters.',
    example: {},
    handle: ({ context, query }) => sentCount(context, query),
  },
  {
    method: 'GET',
    path: 'sent/duplicates',
    about: 'Lists what was accepted more than once, by `biz_opaque_callback_data`.',
    example: {},
    handle: ({ context }) => duplicates(context),
  },
  {
    method: 'GET',
    path: 'bill',
    about: 'Shows what the platform charges: messages that arrived and cost something, of a number or of all.',
    example: { path: `bill?phone_number_id=${numberId}` },
    handle: ({ context, query }) => billOf(context.state, query.get('phone_number_id')),
  },
  {
    method: 'GET',
    path: 'calls',
    about: 'Lists the last requests of the product to the platform and what they were answered.',
    example: { path: 'calls?limit=10' },
    handle: ({ context, query }) => context.calls.last(Number(query.get('limit') ?? 100)),
  },
  {
    method: 'GET',
    path: 'faults',
    about: 'Lists faults (`armed`: it can still fire) and the phone numbers that always fail in a certain way.',
    example: {},
    handle: ({ context }) => ({
      faults: context.faults.all().map((fault) => ({ ...fault, armed: context.faults.isArmed(fault) })),
      magic: magicHelp,
    }),
  },
  {
    method: 'POST',
    path: 'faults',
    about: 'Arms a fault for sends, or with `path` for other requests; `times` limits it, `ratio` makes it a chance.',
    example: { body: { kind: 'error', code: 130429, retry_after: 2, times: 1, phone_number_id: numberId } },
    handle: ({ context, input }) => {
      try {
        return context.faults.add(input);
      } catch (error) {
        throw new ControlError(400, error instanceof Error ? error.message : String(error));
      }
    },
  },
  {
    method: 'DELETE',
    path: 'faults',
    about: 'Disarms all faults.',
    example: {},
    handle: ({ context }) => {
      context.faults.clear();
      return success;
    },
  },
  {
    method: 'DELETE',
    path: 'faults/:id',
    about: 'Disarms one fault.',
    example: { path: 'faults/1' },
    handle: ({ context, id }) => {
      context.faults.clear(Number(id));
      return success;
    },
  },
  {
    method: 'GET',
    path: 'settings',
    about: 'Shows how webhooks come, what is limited and how templates are reviewed.',
    example: {},
    handle: ({ context }) => context.state.settings,
  },
  {
    method: 'POST',
    path: 'settings',
    about: 'Changes settings, here: every webhook comes twice, statuses come in any order.',
    example: { body: { duplicate: 1, reorder: true } },
    handle: ({ context, input }) => applySettings(context, input),
  },
  {
    method: 'GET',
    path: 'webhooks',
    about: 'Shows the deliveries of webhooks to the product, the newest first, with body and answer.',
    example: { path: 'webhooks?limit=10' },
    handle: ({ context, query }) => ({
      paused: context.webhooks.paused,
      pending: context.webhooks.pending,
      scheduled: context.scheduler.pending,
      delivered: context.webhooks.delivered,
      failed_posts: context.webhooks.failedPosts,
      deliveries: context.webhooks.log.last(Number(query.get('limit') ?? 50)).reverse(),
    }),
  },
  {
    method: 'POST',
    path: 'pause_webhooks',
    about: 'Holds webhooks back; they come after `resume_webhooks`.',
    example: {},
    handle: ({ context }) => {
      context.webhooks.paused = true;
      context.changed();
      return { paused: true };
    },
  },
  {
    method: 'POST',
    path: 'resume_webhooks',
    about: 'Sends what was held back.',
    example: {},
    handle: ({ context }) => {
      context.webhooks.resume();
      context.changed();
      return { paused: false };
    },
  },
  {
    method: 'POST',
    path: 'flush',
    about: 'Runs every scheduled status now and waits until all webhooks are answered.',
    example: { body: { timeout_ms: 2000 } },
    handle: async ({ context, input }) => {
      context.scheduler.flush();
      context.webhooks.retryNow();
      const drained = await context.webhooks.drained(Number(input['timeout_ms'] ?? drainMs));
      return { drained, pending: context.webhooks.pending + context.scheduler.pending };
    },
  },
  {
    method: 'GET',
    path: 'receiver',
    about: 'Shows how the receiver of outgoing webhooks behaves and what arrived there, the newest first.',
    example: { path: 'receiver?limit=10' },
    handle: ({ context, query }) => context.receiver.view(Number(query.get('limit') ?? 50)),
  },
  {
    method: 'POST',
    path: 'receiver',
    about: 'Changes how the receiver behaves: mode, slow_ms, retry_after, the rules of its answers, one more secret.',
    example: { body: { mode: 'ok', rules: exampleRules } },
    handle: ({ context, input }) => {
      context.receiver.change(input);
      return context.receiver.view(1);
    },
  },
  {
    method: 'DELETE',
    path: 'receiver/received',
    about: 'Forgets what arrived at the receiver.',
    example: {},
    handle: ({ context }) => {
      context.receiver.clear();
      context.changed();
      return success;
    },
  },
  {
    method: 'GET',
    path: 'users',
    about: 'Lists the customers of an account.',
    example: { path: `users?business_account_id=${accountId}` },
    handle: ({ context, query }) => {
      const account = accountFor(context, Object.fromEntries(query));
      return context.state.users(account.business_account_id);
    },
  },
  {
    method: 'POST',
    path: 'users',
    about: 'Makes or changes a customer: name, username, hidden, opted_out, blocked, windows, respell (a number).',
    example: { body: { business_account_id: accountId, phone: '4915112345678', name: 'Anna Berg' } },
    handle: ({ context, input }) => {
      const given = isObject(input['user']) ? input['user'] : input;
      const account = accountFor(context, input);
      const key = textOf(given['key']);
      const known = key ? context.state.userByKey(account.business_account_id, key) : undefined;
      if (key && !known) throw new ControlError(404, `No user ${key}.`);
      return upsertUser(context, account, known ? { ...given, user_id: known.user_id } : given);
    },
  },
  {
    method: 'GET',
    path: 'users/:id',
    about: 'Shows one customer by phone, user id or key.',
    example: { path: 'users/4915112345678' },
    handle: ({ context, query, id }) => {
      const account = accountFor(context, Object.fromEntries(query));
      const user =
        context.state.userByKey(account.business_account_id, id) ??
        context.state.findUser(
          account.business_account_id,
          /^\+?\d+$/.test(id) ? { phone: digitsOf(id) } : { user_id: id },
        );
      if (!user) throw new ControlError(404, 'No such user.');
      return userView(context, user, phoneFor(context, Object.fromEntries(query), account).id);
    },
  },
  {
    method: 'GET',
    path: 'oddities',
    about: 'Lists names, texts, file names and taps that programs stumble over.',
    example: {},
    handle: () => oddities,
  },
  {
    method: 'GET',
    path: 'chats',
    about: 'Lists the chats of a number, the newest first; `q` searches.',
    example: { path: `chats?phone_number_id=${numberId}&q=anna` },
    handle: ({ context, query }) => {
      const given = Object.fromEntries(query);
      const account = accountFor(context, given);
      return chatList(context, account.business_account_id, phoneFor(context, given, account).id, given['q'] ?? '');
    },
  },
  {
    method: 'GET',
    path: 'chats/:key',
    about: 'Shows the chat of a customer, by key, as their phone does.',
    example: { path: `chats/u1?phone_number_id=${numberId}` },
    handle: ({ context, query, id }) => {
      const given = Object.fromEntries(query);
      const user = context.state.userByKey(accountFor(context, given).business_account_id, id);
      if (!user) throw new ControlError(404, 'No such user.');
      return chatView(context, phoneFor(context, given).id, user);
    },
  },
  {
    method: 'GET',
    path: 'media/:id',
    about: 'Gives the bytes of a media file.',
    example: { path: 'media/1000000000000001' },
    handle: ({ context, id }) => {
      const file = mediaOf(context, id);
      if (!file) throw new ControlError(404, 'No such media.');
      return { raw: file.data, contentType: file.mime_type };
    },
  },
  {
    method: 'GET',
    path: 'stream',
    about: 'A stream of server-sent events: one for every change.',
    example: {},
    handle: () => {
      throw new ControlError(500, 'The stream is answered by the server itself.');
    },
  },
  {
    method: 'GET',
    path: 'health',
    about: 'Says that the sandbox runs, with two counts.',
    example: {},
    handle: ({ context }) => ({ ok: true, accounts: context.state.accounts.size, sent: context.state.sent.length }),
  },
  {
    method: 'POST',
    path: 'reset',
    about: 'Forgets messages, faults, logs and changed settings; `users` also the customers. Accounts stay.',
    example: { body: { users: false } },
    handle: ({ context, limits, input }) => {
      reset(context, limits, input['users'] === true);
      return success;
    },
  },
];

/** Returns every call of the control API; of two that fit a path, the first counts. */
export function controlRoutes(): readonly ControlRoute[] {
  return routes;
}

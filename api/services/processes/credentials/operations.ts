import { boolean, described, input, integer, list, required, text } from '../../../core/http/fields';
import { operation } from '../../../core/http/operations';
import { isoTime, wire } from '../../../core/http/shapes';
import { getKey } from '../../identity/apiKeys/service';
import { passwordRule } from '../../identity/members/passwordStrength';
import { keptFields } from './fields';
import { leftProperties, leftView, madeBy, madeShape, madeView } from './ownedByMember';
import { reason } from '../../resources/reasons';
import { listRescue, rescue, rescueKinds, wordOf, type RescueItem } from './rescue';
import { changePassword, revokeKey } from './service';

const password = (): ReturnType<typeof text> => text({ max: 1_024, blank: false, trim: false });

const usualDays = 30;
const days = described(integer({ min: 1, max: 365 }), `Of how many days; ${usualDays} unless told.`);

/** What goes on for a member. */
export const rescueShape = wire.named('RescueItem', {
  word: wire.text('By which it is kept.'),
  kind: wire.oneOf(rescueKinds),
  id: wire.integer(),
  name: wire.text('What it is called: a browser, an address, a name.'),
  places: wire.text('The networks from which it was used, as far as is known.'),
  uses: wire.integer('How often it was used: actions of a session, calls, deliveries, agents of a client.'),
  created_at: wire.datetime(),
  last_used_at: wire.nullable(wire.datetime()),
});

/** What was ended of it. */
export const rescuedShape = wire.named('Rescue', {
  ended: { ...wire.list(rescueShape), description: 'What was ended.' },
});

function rescueView(item: RescueItem): Record<string, unknown> {
  const { created_at: createdAt, last_used_at: usedAt } = item;
  return { ...item, word: wordOf(item), created_at: isoTime(createdAt), last_used_at: isoTime(usedAt) };
}

/**
 * Changing the member's own password, ending what is in wrong hands, and revoking keys with what was created with them.
 */
export const credentialOperations = [
  operation({
    id: 'password.change',
    method: 'POST',
    path: '/api/v1/password/',
    tag: 'Account',
    summary: 'Change your password',
    description:
      'Ends all of your sessions, this one included: sign in again with the new password. Your ' +
      'API keys and connected agents go on working unless you say otherwise. What revoked keys made is stopped as by ' +
      '*Revoke an API key*.',
    scope: null,
    audience: 'session',
    body: input({
      current_password: required(password()),
      new_password: required(described(password(), String(passwordRule))),
      revoke_api_keys: required(described(boolean(), 'Whether your API keys are revoked.')),
      disconnect_agents: required(described(boolean(), 'Whether the agents that you connected are disconnected.')),
      ...keptFields,
    }),
    status: 200,
    output: wire.named('PasswordChange', {
      sessions_ended: wire.integer(),
      api_keys_revoked: wire.integer(),
      agents_disconnected: wire.integer(),
      ...leftProperties,
    }),
    run: async (ctx, values) => {
      const ended = await changePassword(ctx, values);
      return {
        sessions_ended: ended.sessions,
        api_keys_revoked: ended.keys,
        agents_disconnected: ended.agents,
        ...leftView(ended),
      };
    },
  }),
  operation({
    id: 'rescue.list',
    method: 'GET',
    path: '/api/v1/rescue/',
    tag: 'Account',
    summary: 'List what goes on for you',
    description:
      'Your other sessions, and what you made in the last days that works on by itself, with what each has done: ' +
      'browsers that take push, links for passwords, API keys, agents, OAuth clients, webhooks that you made or ' +
      'changed, scheduled broadcasts, messages that are sent later.',
    scope: null,
    audience: 'session',
    query: input({ days }),
    status: 200,
    output: wire.list(rescueShape),
    run: async (ctx, given) => (await listRescue(ctx, given.days ?? usualDays)).map(rescueView),
  }),
  operation({
    id: 'rescue.end',
    asksAgain: true,
    method: 'POST',
    path: '/api/v1/rescue/',
    tag: 'Account',
    summary: 'End all that goes on for you',
    description:
      'For an account that was in wrong hands: ends all that *List what goes on for you* shows, this session ' +
      'excepted, also what was made since you looked; `keep` names what goes on. The password stays.',
    scope: null,
    audience: 'session',
    body: input({
      days,
      keep: described(
        list(text({ max: 40, pattern: /^[a-z_]+:\d{1,15}$/, patternMessage: reason('noKindAndId') }), {
          max: 1_000,
        }),
        'What goes on: the `word` of each.',
        ['api_key:12'],
      ),
    }),
    status: 200,
    output: rescuedShape,
    examples: { request: { days: 30, keep: ['api_key:12'] } },
    run: async (ctx, given) => ({
      ended: (await rescue(ctx, given.days ?? usualDays, given.keep ?? [])).map(rescueView),
    }),
  }),
  operation({
    id: 'apiKeys.made',
    method: 'GET',
    path: '/api/v1/api-keys/{id}/made/',
    intParams: ['id'],
    tag: 'Workspace',
    summary: 'List what a key made that goes on by itself',
    description:
      'Active webhooks and scheduled broadcasts that were made with the key: they are stopped when it is revoked, ' +
      'unless you say otherwise.',
    scope: 'workspace.manage',
    audience: 'session',
    status: 200,
    output: madeShape,
    run: async (ctx, { id }) => madeView(await madeBy(ctx, { keyIds: [(await getKey(ctx, id)).id] })),
  }),
  operation({
    id: 'apiKeys.revoke',
    asksAgain: true,
    method: 'DELETE',
    path: '/api/v1/api-keys/{id}/',
    intParams: ['id'],
    tag: 'Workspace',
    summary: 'Revoke an API key',
    description:
      'Its next request is refused. Webhooks and scheduled broadcasts that were made with it (`…/made/` lists them) ' +
      'are stopped, unless the request says otherwise. Revoking it again changes nothing.',
    scope: 'workspace.manage',
    audience: 'session',
    query: input(keptFields),
    status: 204,
    output: null,
    locate: (ctx, { id }) => getKey(ctx, id),
    run: async (ctx, { id, keep_webhooks: keepWebhooks, keep_broadcasts: keepBroadcasts }) => {
      await revokeKey(ctx, id, { keepWebhooks: keepWebhooks ?? false, keepBroadcasts: keepBroadcasts ?? false });
    },
  }),
];

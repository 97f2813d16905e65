import { boolean, described, input, required, text } from '../../../core/http/fields';
import { operation, type Operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { getKey } from '../../identity/apiKeys/service';
import { passwordRule } from '../../identity/members/passwordStrength';
import { keptFields } from './fields';
import { leftProperties, leftView, madeBy, madeShape, madeView } from './made';
import { changePassword, revokeKey } from './service';

const password = (): ReturnType<typeof text> => text({ max: 1_024, blank: false, trim: false });

/** Changing the member's own password, and revoking keys with what was created with them. */
export const credentialOperations: readonly Operation[] = [
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
      new_password: required(described(password(), passwordRule)),
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

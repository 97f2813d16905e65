import { invalid } from '../../../core/http/errors';
import { choice, described, input, integer, list, text } from '../../../core/http/fields';
import { operation } from '../../../core/http/operations';
import { isoTime, wire } from '../../../core/http/shapes';
import { addressRange, maxRanges } from '../apiKeys/addresses';
import { autonomyLevels } from '../../../core/http/access';
import { userFromJson } from '../members/userColumns';
import { userObject, userObjectShape } from '../members/userObject';
import {
  clientTypes,
  createClient,
  createClientByMetadata,
  disableClient,
  listClients,
  publicId,
  type ClientRecord,
} from './clients';
import { changeGrant, disconnectGrant, findGrant, listGrants, type ConnectionRow } from './connections';
import { reason } from '../reasons';

/** An agent that a member connected. */
export const agentShape = wire.named('ConnectedAgent', {
  id: wire.integer(),
  client_id: wire.text(),
  client_name: wire.text(),
  member: userObjectShape,
  scopes: wire.list(wire.text()),
  autonomy: wire.oneOf(autonomyLevels),
  allowed_addresses: {
    ...wire.list(wire.text()),
    description: 'Addresses and networks that it may call from; none: from anywhere.',
  },
  created_at: wire.datetime(),
  last_used_at: wire.nullable(wire.datetime()),
});

const clientProperties = {
  id: wire.integer(),
  client_id: wire.text(),
  name: wire.text(),
  client_type: wire.oneOf(clientTypes),
  redirect_uris: wire.list(wire.text()),
  metadata_url: wire.nullable(wire.text()),
  created_at: wire.datetime(),
  disabled_at: wire.nullable(wire.datetime()),
};
/** A client that may connect. */
export const clientShape = wire.named('OAuthClient', clientProperties);
/** A new one, with the secret that is shown once. */
export const createdClientShape = wire.named('CreatedOAuthClient', {
  ...clientProperties,
  client_secret: wire.nullable(wire.text()),
});

/** Returns the wire form of a connected agent. */
export function serializeAgent(row: ConnectionRow): Record<string, unknown> {
  return {
    id: row.id,
    client_id: row.client_id,
    client_name: row.client_name,
    member: userObject(userFromJson(row.member)),
    scopes: row.scopes,
    autonomy: row.autonomy,
    allowed_addresses: row.allowed_addresses,
    created_at: isoTime(row.created_at),
    last_used_at: isoTime(row.last_used_at),
  };
}

/** Returns the wire form of a client, without the hash of its secret. */
export function serializeClient(row: ClientRecord): Record<string, unknown> {
  return {
    id: row.id,
    client_id: publicId(row),
    name: row.name,
    client_type: row.client_type,
    redirect_uris: row.redirect_uris,
    metadata_url: row.metadata_url,
    created_at: isoTime(row.created_at),
    disabled_at: isoTime(row.disabled_at),
  };
}

/** Connected agents and the clients that may connect (contract 11); dashboard sessions only. */
export const connectedAgentOperations = [
  operation({
    id: 'connectedAgents.list',
    method: 'GET',
    path: '/api/v1/connected-agents/',
    tag: 'Agents',
    summary: 'List connected agents',
    description: 'Connections that members allowed by OAuth and that still work.',
    scope: 'workspace.manage',
    audience: 'session',
    status: 200,
    output: wire.list(agentShape),
    run: async (ctx) => (await listGrants(ctx)).map(serializeAgent),
  }),
  operation({
    id: 'connectedAgents.update',
    asksAgain: true,
    method: 'PATCH',
    path: '/api/v1/connected-agents/{id}/',
    intParams: ['id'],
    tag: 'Agents',
    summary: 'Set whether the messages of an agent need approval, and from where it may call',
    description:
      '`approval`: a member has 24 hours to approve each message. `draft`: the same without a time limit. ' +
      '`autonomous`: messages are sent at once.',
    scope: 'workspace.manage',
    audience: 'session',
    body: input({
      autonomy: choice(autonomyLevels),
      allowed_addresses: described(
        list(addressRange(), { max: maxRanges }),
        'Addresses and networks that it may call from; an empty list: from anywhere. Others are a 403.',
      ),
    }),
    status: 200,
    output: agentShape,
    examples: { request: { autonomy: 'approval' } },
    locate: (ctx, { id }) => findGrant(ctx, id),
    run: async (ctx, { id, ...changes }) => serializeAgent(await changeGrant(ctx, id, changes)),
  }),
  operation({
    id: 'connectedAgents.disconnect',
    method: 'DELETE',
    path: '/api/v1/connected-agents/{id}/',
    intParams: ['id'],
    tag: 'Agents',
    summary: 'Disconnect an agent',
    description: 'Its next call is refused.',
    scope: 'workspace.manage',
    audience: 'session',
    status: 204,
    output: null,
    run: (ctx, { id }) => disconnectGrant(ctx, id),
  }),
  operation({
    id: 'oauthClients.list',
    method: 'GET',
    path: '/api/v1/oauth-clients/',
    tag: 'Agents',
    summary: 'List registered OAuth clients',
    description: 'The applications that may ask members for access, with the disabled ones.',
    scope: 'workspace.manage',
    audience: 'session',
    status: 200,
    output: wire.list(clientShape),
    run: async (ctx) => (await listClients(ctx)).map(serializeClient),
  }),
  operation({
    id: 'oauthClients.create',
    asksAgain: true,
    method: 'POST',
    path: '/api/v1/oauth-clients/',
    tag: 'Agents',
    summary: 'Register an OAuth client',
    description:
      'Redirect URIs are compared character by character. A confidential client gets a secret, which is shown in ' +
      'this answer only. With `metadata_url` in place of the rest, name and redirect URIs are read from the document ' +
      'there, once; registering it again takes over what it says by then.',
    scope: 'workspace.manage',
    audience: 'session',
    body: input({
      name: text({ max: 255, blank: false }),
      redirect_uris: list(text({ max: 2_000, blank: false }), { min: 1, max: 20 }),
      client_type: choice(clientTypes),
      metadata_url: text({ max: 2_000, blank: false }),
      callback_port: integer({ min: 1, max: 65_535 }),
    }),
    status: 201,
    output: createdClientShape,
    examples: {
      request: {
        name: 'Claude',
        redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
        client_type: 'confidential',
      },
    },
    run: async (ctx, { name, redirect_uris, client_type, metadata_url: url, callback_port: callbackPort = null }) => {
      if (url !== undefined)
        return { ...serializeClient(await createClientByMetadata(ctx, { url, callbackPort })), client_secret: null };
      if (name === undefined || redirect_uris === undefined)
        throw invalid({
          ...(name === undefined ? { name: [reason('required')] } : {}),
          ...(redirect_uris === undefined ? { redirect_uris: [reason('required')] } : {}),
        });
      const { client, clientSecret } = await createClient(ctx, {
        name,
        redirectUris: redirect_uris,
        type: client_type ?? 'public',
      });
      return { ...serializeClient(client), client_secret: clientSecret };
    },
  }),
  operation({
    id: 'oauthClients.disable',
    method: 'POST',
    path: '/api/v1/oauth-clients/{id}/disable/',
    intParams: ['id'],
    tag: 'Agents',
    summary: 'Disable an OAuth client',
    description: 'Agents that are connected with it are refused from their next request on.',
    scope: 'workspace.manage',
    audience: 'session',
    body: input({}),
    status: 200,
    output: clientShape,
    run: async (ctx, { id }) => serializeClient(await disableClient(ctx, id)),
  }),
];

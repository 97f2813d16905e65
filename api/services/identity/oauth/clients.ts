import { randomBytes } from 'node:crypto';
import { literal } from 'sequelize';
import type { OauthClientRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { invalidField, notFound } from '../../../core/errors';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/scoped';
import { randomToken, safeEqual, sha256 } from '../../../core/secrets';
import { redirectUriFault } from './redirectUris';
import { OAuthRefusal } from './refusal';

export const clientTypes = ['public', 'confidential'] as const;
export type ClientType = (typeof clientTypes)[number];

const maxRedirectUris = 20;

/** A client with the hash of its secret, for the protocol's own use. */
export type StoredClient = Readonly<OauthClientRow>;

/** A client without the hash of its secret. */
export type ClientRecord = Omit<StoredClient, 'secret_hash'>;

interface ClientInput {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly type: ClientType;
}

const attributes = { exclude: ['secret_hash'] };

/** Registers a client, the only way to become one (contract 11.4). The secret is in the answer and nowhere else. */
export async function createClient(
  ctx: Ctx,
  input: ClientInput,
): Promise<{ client: ClientRecord; clientSecret: string | null }> {
  const name = input.name.trim();
  if (name === '') throw invalidField('name', 'This field may not be blank.');
  if ([...name].length > 255) throw invalidField('name', 'Ensure this field has no more than 255 characters.');

  const redirectUris = [...new Set(input.redirectUris)];
  if (redirectUris.length === 0) throw invalidField('redirect_uris', 'This list may not be empty.');
  if (redirectUris.length > maxRedirectUris)
    throw invalidField('redirect_uris', `Ensure this field has no more than ${maxRedirectUris} elements.`);
  for (const uri of redirectUris) {
    const fault = redirectUriFault(uri);
    if (fault) throw invalidField('redirect_uris', `${uri.slice(0, 200)}: ${fault}`);
  }

  // URL-safe characters only: they survive every way of sending them in a Basic header (RFC 6749 section 2.3.1).
  const clientSecret = input.type === 'confidential' ? `mcp_cs_${randomToken(32)}` : null;
  const client = await ctx.runtime.db.models.OauthClient.create({
    workspace_id: ctx.workspaceId,
    client_id: `client_${randomBytes(16).toString('hex')}`,
    name,
    client_type: input.type,
    secret_hash: clientSecret === null ? null : sha256(clientSecret),
    redirect_uris: redirectUris,
    disabled_at: null,
  });
  return { client: client.get({ plain: true }), clientSecret };
}

/** Returns all clients of the workspace, the newest first, disabled ones included. */
export async function listClients(ctx: Ctx): Promise<ClientRecord[]> {
  return of(ctx, ctx.runtime.db.models.OauthClient).findAll({ attributes, order: [['id', 'DESC']], raw: true });
}

/** Disables a client: everything it was granted is refused from the next request on. Doing it again changes nothing. */
export async function disableClient(ctx: Ctx, id: number): Promise<ClientRecord> {
  const clients = of(ctx, ctx.runtime.db.models.OauthClient);
  await clients.update({ disabled_at: literal('now()') }, { where: { id, disabled_at: null } });
  const client = await clients.findOne({ attributes, where: { id }, raw: true });
  if (!client) throw notFound();
  return client;
}

/** Returns the client with this public id wherever it is: for the provisioning CLI, which is given the id alone. */
export async function clientAnywhere(runtime: Runtime, clientId: string): Promise<ClientRecord> {
  const client = await runtime.db.models.OauthClient.findOne({ attributes, where: { client_id: clientId }, raw: true });
  if (!client) throw notFound(`OAuth client ${clientId} does not exist.`);
  return client;
}

/** Returns the client with this public id, or null when it is unknown or disabled: the id says whose client asks. */
export async function findClientAnywhere(runtime: Runtime, clientId: string): Promise<StoredClient | null> {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(clientId)) return null;
  return runtime.db.models.OauthClient.findOne({ where: { client_id: clientId, disabled_at: null }, raw: true });
}

/** Throws `invalid_client` unless the client has proved itself: by its secret, where it has one. */
export function verifyClient(client: StoredClient | null, secret: string | null): StoredClient {
  const refusal = new OAuthRefusal('invalid_client', 'Client authentication failed.', 401);
  if (!client) throw refusal;
  if (client.secret_hash === null) {
    if (secret !== null) throw refusal;
    return client;
  }
  if (secret === null || !safeEqual(sha256(secret), client.secret_hash)) throw refusal;
  return client;
}

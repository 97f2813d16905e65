import { randomBytes } from 'node:crypto';
import { literal } from 'sequelize';
import { cut } from '../../../core/text/cut';
import type { OauthClientRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { invalidField, notFound } from '../../../core/http/errors';
import { showInvisible } from '../../../core/http/invisible';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/db/scoped';
import { randomToken, safeEqual, sha256 } from '../../../core/secrets';
import { isMetadataUrl, readMetadata } from './metadata';
import { redirectUriFault } from './redirectUris';
import { OAuthRefusal } from './refusal';
import { reason } from '../reasons';

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
  const name = showInvisible(input.name.trim());
  if (name === '') throw invalidField('name', reason('blank'));
  if ([...name].length > 255) throw invalidField('name', reason('tooLong', { max: 255 }));
  const redirectUris = checkedUris(input.redirectUris);

  // URL-safe characters only: they survive every way of sending them in a Basic header (RFC 6749 section 2.3.1).
  const clientSecret = input.type === 'confidential' ? `mcp_cs_${randomToken(32)}` : null;
  const client = await ctx.runtime.db.models.OauthClient.create({
    workspace_id: ctx.workspaceId,
    client_id: newClientId(),
    name,
    client_type: input.type,
    secret_hash: clientSecret === null ? null : sha256(clientSecret),
    redirect_uris: redirectUris,
    metadata_url: null,
    disabled_at: null,
  });
  return { client: client.get({ plain: true }), clientSecret };
}

const newClientId = (): string => `client_${randomBytes(16).toString('hex')}`;

function checkedUris(given: readonly string[]): string[] {
  const redirectUris = [...new Set(given)];
  if (redirectUris.length === 0) throw invalidField('redirect_uris', reason('emptyList'));
  if (redirectUris.length > maxRedirectUris)
    throw invalidField('redirect_uris', reason('tooMany', { max: maxRedirectUris }));
  for (const uri of redirectUris) {
    const fault = redirectUriFault(uri);
    if (fault) throw invalidField('redirect_uris', `${cut(uri, 200)}: ${fault}`);
  }
  return redirectUris;
}

/**
 * Registers a client by the address of its metadata document, which is its id from then on. The document is read only
 * now: later changes of it take effect when the client is registered again.
 */
export async function createClientByMetadata(
  ctx: Ctx,
  input: { readonly url: string; readonly callbackPort: number | null },
): Promise<ClientRecord> {
  const { name, redirectUris } = await readMetadata(ctx.runtime, input.url, input.callbackPort);
  const row = await ctx.runtime.db.row<StoredClient>(
    `INSERT INTO oauth_clients (workspace_id, client_id, name, client_type, redirect_uris, metadata_url)
     VALUES ($workspaceId, $clientId, $name, 'public', $redirectUris::text[], $url)
     ON CONFLICT (workspace_id, metadata_url) WHERE disabled_at IS NULL AND metadata_url IS NOT NULL
     DO UPDATE SET name = excluded.name, redirect_uris = excluded.redirect_uris
     RETURNING *`,
    {
      workspaceId: ctx.workspaceId,
      clientId: newClientId(),
      name,
      redirectUris: checkedUris(redirectUris),
      url: input.url,
    },
  );
  if (!row) throw new Error('an upsert returns its row');
  const { secret_hash: _hash, ...client } = row;
  return client;
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

/**
 * Returns the client with this public id wherever it is: for the provisioning CLI, which is given the id alone. The
 * address of a document may be registered in several workspaces.
 */
export async function clientAnywhere(runtime: Runtime, clientId: string, within?: number): Promise<ClientRecord> {
  const own = within === undefined ? {} : { workspace_id: within };
  const id = isMetadataUrl(clientId) ? { metadata_url: clientId, disabled_at: null } : { client_id: clientId };
  const found = await runtime.db.models.OauthClient.findAll({ attributes, where: { ...id, ...own }, raw: true });
  const [client] = found;
  if (!client) throw notFound(`OAuth client ${clientId} does not exist.`);
  if (found.length > 1) throw new Error(`${clientId} is registered in several workspaces: give --workspace.`);
  return client;
}

/** What tells which workspace's registration of a document is meant: where the answer goes, or a code or token. */
interface Registration {
  readonly redirectUri?: string | null;
  readonly token?: string | null;
}

/** Returns the client with this public id, or null when it is unknown or disabled: the id says whose client asks. */
export async function findClientAnywhere(
  runtime: Runtime,
  clientId: string,
  { redirectUri = null, token = null }: Registration = {},
): Promise<StoredClient | null> {
  if (isMetadataUrl(clientId))
    return runtime.db.row<StoredClient>(
      `SELECT c.* FROM oauth_clients c
       WHERE c.metadata_url = $clientId AND c.disabled_at IS NULL
       ORDER BY coalesce($redirectUri = ANY (c.redirect_uris), false) OR c.id IN (
         SELECT client_pk FROM oauth_codes WHERE code_hash = $hash
         UNION ALL SELECT g.client_pk FROM oauth_refresh_tokens x JOIN oauth_grants g ON g.id = x.grant_id
           WHERE x.token_hash = $hash
         UNION ALL SELECT g.client_pk FROM oauth_access_tokens x JOIN oauth_grants g ON g.id = x.grant_id
           WHERE x.token_hash = $hash) DESC, c.id
       LIMIT 1`,
      { clientId, redirectUri, hash: sha256(token ?? '') },
    );
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(clientId)) return null;
  return runtime.db.models.OauthClient.findOne({ where: { client_id: clientId, disabled_at: null }, raw: true });
}

/** Returns the id by which a client names itself. */
export function publicId(client: Pick<ClientRecord, 'client_id' | 'metadata_url'>): string {
  return client.metadata_url ?? client.client_id;
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

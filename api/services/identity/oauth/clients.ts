import { randomBytes } from 'node:crypto';
import type { Ctx } from '../../../core/context';
import { invalidField, notFound } from '../../../core/errors';
import type { Runtime } from '../../../core/runtime';
import { randomToken, safeEqual, sha256 } from '../../../core/secrets';
import { redirectUriFault } from './redirectUris';
import { OAuthRefusal } from './refusal';

export const clientTypes = ['public', 'confidential'] as const;
export type ClientType = (typeof clientTypes)[number];

const maxRedirectUris = 20;

export interface ClientRecord {
  readonly id: number;
  readonly workspace_id: number;
  readonly client_id: string;
  readonly name: string;
  readonly client_type: ClientType;
  readonly redirect_uris: string[];
  readonly created_at: Date;
  readonly disabled_at: Date | null;
}

/** A client with the hash of its secret, for the protocol's own use. */
export type StoredClient = ClientRecord & { readonly secret_hash: Buffer | null };

export interface ClientInput {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly type: ClientType;
}

const columns = 'id, workspace_id, client_id, name, client_type, redirect_uris, created_at, disabled_at';

/** Registers a client (contract 11.4: there is no other way to become one). The secret is in the answer and nowhere else. */
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
  const client = await ctx.runtime.db.row<ClientRecord>(
    `INSERT INTO oauth_clients (workspace_id, client_id, name, client_type, secret_hash, redirect_uris)
     VALUES ($workspaceId, $clientId, $name, $type, $hash, $redirectUris::text[]) RETURNING ${columns}`,
    {
      workspaceId: ctx.workspaceId,
      clientId: `client_${randomBytes(16).toString('hex')}`,
      name,
      type: input.type,
      hash: clientSecret === null ? null : sha256(clientSecret),
      redirectUris,
    },
  );
  if (!client) throw new Error('the client was not stored');
  return { client, clientSecret };
}

/** All clients of the workspace, the newest first, disabled ones included. */
export async function listClients(ctx: Ctx): Promise<ClientRecord[]> {
  return ctx.runtime.db.rows<ClientRecord>(
    `SELECT ${columns} FROM oauth_clients WHERE workspace_id = $workspaceId ORDER BY id DESC`,
    { workspaceId: ctx.workspaceId },
  );
}

/** Disables a client: everything that it was granted is refused from the next request on. Doing it again changes nothing. */
export async function disableClient(ctx: Ctx, id: number): Promise<ClientRecord> {
  const client = await ctx.runtime.db.row<ClientRecord>(
    `UPDATE oauth_clients SET disabled_at = coalesce(disabled_at, now()) WHERE workspace_id = $workspaceId AND id = $id RETURNING ${columns}`,
    { workspaceId: ctx.workspaceId, id },
  );
  if (!client) throw notFound();
  return client;
}

/** The client with this public id wherever it is: for the provisioning CLI, which is given the id alone. */
export async function clientAnywhere(runtime: Runtime, clientId: string): Promise<ClientRecord> {
  const client = await runtime.db.row<ClientRecord>(
    `SELECT ${columns} FROM oauth_clients WHERE client_id = $clientId`,
    { clientId },
  );
  if (!client) throw notFound(`OAuth client ${clientId} does not exist.`);
  return client;
}

/** The client with this public id, or null when it is unknown or disabled. */
export async function findClient(runtime: Runtime, clientId: string): Promise<StoredClient | null> {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(clientId)) return null;
  return runtime.db.row<StoredClient>(
    `SELECT ${columns}, secret_hash FROM oauth_clients WHERE client_id = $clientId AND disabled_at IS NULL`,
    { clientId },
  );
}

/** Throws `invalid_client` unless the client has proved itself: confidential ones by their secret, public ones have none. */
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

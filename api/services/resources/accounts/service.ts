import type { BusinessAccountRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { invalidField, notFound } from '../../../core/http/errors';
import { kept, type Runtime } from '../../../core/runtime';
import { of } from '../../../core/db/scoped';
import { decryptSecret, encryptSecret, sha256 } from '../../../core/secrets';
import { dbNow } from '../../../core/db/columnValues';
import { reason } from '../reasons';

/** A business account without its credentials; `account_id` is the upstream's. */
export type BusinessAccountRecord = Pick<
  BusinessAccountRow,
  'id' | 'workspace_id' | 'account_id' | 'name' | 'synced_at'
>;

interface BusinessAccountInput {
  readonly accountId: string;
  readonly name?: string;
  readonly accessToken: string;
  readonly appSecret: string;
  readonly verifyToken: string;
}

interface AccountCredentials {
  readonly accessToken: string;
  readonly appSecret: string;
}

const columns = ['id', 'workspace_id', 'account_id', 'name', 'synced_at'] as const;

/**
 * Connects an upstream account to the workspace with encrypted credentials; for an account that the workspace has
 * already it replaces them. An account belongs to one workspace of the installation (contract 7).
 */
export async function connectAccount(ctx: Ctx, input: BusinessAccountInput): Promise<BusinessAccountRecord> {
  if (!/^[A-Za-z0-9_.-]{1,64}$/.test(input.accountId)) throw invalidField('business_account_id', reason('noAccountId'));
  for (const [field, value] of [
    ['access_token', input.accessToken],
    ['app_secret', input.appSecret],
    ['verify_token', input.verifyToken],
  ] as const) {
    if (value.trim() === '') throw invalidField(field, reason('blank'));
  }

  const keys = ctx.runtime.config.secretsKeys;
  // SQL: an upsert with a condition. Without a row the id is another workspace's: the update's condition did not hold.
  const row = await ctx.runtime.db.row<BusinessAccountRecord>(
    `INSERT INTO business_accounts (workspace_id, account_id, name, access_token, app_secret, verify_token_hash)
     VALUES ($workspaceId, $accountId, $name, $accessToken, $appSecret, $verifyTokenHash)
     ON CONFLICT (account_id) DO UPDATE SET
       name = CASE WHEN excluded.name = '' THEN business_accounts.name ELSE excluded.name END,
       access_token = excluded.access_token, app_secret = excluded.app_secret,
       verify_token_hash = excluded.verify_token_hash, updated_at = now()
     WHERE business_accounts.workspace_id = excluded.workspace_id
     RETURNING ${columns.join(', ')}`,
    {
      workspaceId: ctx.workspaceId,
      accountId: input.accountId,
      name: input.name ?? '',
      accessToken: encryptSecret(keys, input.accessToken.trim(), placeOf(input.accountId, 'access_token')),
      appSecret: encryptSecret(keys, input.appSecret.trim(), placeOf(input.accountId, 'app_secret')),
      verifyTokenHash: sha256(input.verifyToken.trim()),
    },
  );
  if (row) return row;
  throw invalidField('business_account_id', reason('accountElsewhere', { id: input.accountId }));
}

/** Replaces only the access token of an account. Throws 400 when it is blank. */
export async function setAccessToken(
  ctx: Ctx,
  account: Pick<BusinessAccountRecord, 'id' | 'account_id'>,
  accessToken: string,
): Promise<void> {
  if (accessToken.trim() === '') throw invalidField('access_token', reason('blank'));
  const sealed = encryptSecret(
    ctx.runtime.config.secretsKeys,
    accessToken.trim(),
    placeOf(account.account_id, 'access_token'),
  );
  await accounts(ctx).update({ access_token: sealed, updated_at: dbNow }, { where: { id: account.id } });
}

const accounts = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.BusinessAccount);

/** Returns the business accounts of the workspace. */
export async function listAccounts(ctx: Ctx): Promise<BusinessAccountRecord[]> {
  return accounts(ctx).findAll({ attributes: [...columns], order: ['id'], raw: true });
}

/** Returns one business account of the workspace. Throws 404. */
export async function getAccount(ctx: Ctx, businessAccountPk: number): Promise<BusinessAccountRecord> {
  const row = await accounts(ctx).findOne({ attributes: [...columns], where: { id: businessAccountPk }, raw: true });
  if (!row) throw notFound();
  return row;
}

interface Opened {
  readonly sealed: string;
  readonly credentials: AccountCredentials;
}

const opened = kept(() => new Map<number, Opened>());

const sealedColumns = 'id, account_id, access_token, app_secret';

/**
 * Returns the decrypted credentials of an account (SQL: hot, and of any workspace). The row is read each time;
 * deciphering is done once per stored text.
 */
export async function credentialsOf(runtime: Runtime, businessAccountPk: number): Promise<AccountCredentials> {
  const row = await runtime.db.row<SealedCredentials>(
    `SELECT ${sealedColumns} FROM business_accounts WHERE id = $businessAccountPk`,
    { businessAccountPk },
  );
  if (!row) throw notFound();
  return unseal(runtime, row);
}

/** An account that a webhook names, with the secret that must have signed it. */
export interface Sender {
  readonly id: number;
  readonly workspace_id: number;
  readonly account_id: string;
  readonly appSecret: string;
  /** Those of its numbers that the webhook names. */
  readonly phoneNumberIds: readonly string[];
}

/**
 * Returns the accounts that a webhook names by themselves or by a number of theirs, whichever workspaces they belong
 * to: the sender is not known yet.
 */
export async function findSenders(
  runtime: Runtime,
  {
    accountIds,
    phoneNumberIds,
  }: { readonly accountIds: readonly string[]; readonly phoneNumberIds: readonly string[] },
): Promise<readonly Sender[]> {
  if (accountIds.length === 0 && phoneNumberIds.length === 0) return [];
  const rows = await runtime.db.rows<
    SealedCredentials & { readonly workspace_id: number; readonly phone_number_ids: readonly string[] }
  >(
    `WITH named AS (
       SELECT business_account_id AS id, phone_number_id FROM phone_numbers
       WHERE phone_number_id = ANY($phoneNumberIds::text[])
       UNION ALL
       SELECT id, NULL FROM business_accounts WHERE account_id = ANY($accountIds::text[])
     ), senders AS (
       SELECT id, coalesce(array_agg(phone_number_id) FILTER (WHERE phone_number_id IS NOT NULL), '{}') AS numbers
       FROM named GROUP BY id
     )
     SELECT a.id, a.workspace_id, a.account_id, a.access_token, a.app_secret, s.numbers AS phone_number_ids
     FROM senders s JOIN business_accounts a ON a.id = s.id`,
    { phoneNumberIds, accountIds },
  );
  return rows.map((row) => ({
    id: row.id,
    workspace_id: row.workspace_id,
    account_id: row.account_id,
    appSecret: unseal(runtime, row).appSecret,
    phoneNumberIds: row.phone_number_ids,
  }));
}

/** Names the place that a sealed credential belongs to. */
function placeOf(accountId: string, column: 'access_token' | 'app_secret'): string {
  return `business_accounts/${accountId}/${column}`;
}

/** The credentials of an account as they are stored. */
export interface SealedCredentials {
  readonly id: number;
  readonly account_id: string;
  readonly access_token: string;
  readonly app_secret: string;
}

/** SQL: the credentials of a number's account as they are stored, for `unseal`; `number` names the number's key. */
export function sealedCredentialsSql(number: string): string {
  return `(SELECT json_build_object('id', a.id, 'account_id', a.account_id, 'access_token', a.access_token,
      'app_secret', a.app_secret)
    FROM phone_numbers p JOIN business_accounts a ON a.id = p.business_account_id WHERE p.id = ${number})`;
}

/** Returns credentials deciphered. Throws where the key that they were stored with is not configured. */
export function unseal(runtime: Runtime, row: SealedCredentials): AccountCredentials {
  const cache = opened(runtime);
  const sealed = `${row.access_token} ${row.app_secret}`;
  const known = cache.get(row.id);
  if (known?.sealed === sealed) return known.credentials;
  const keys = runtime.config.secretsKeys;
  const credentials = {
    accessToken: decryptSecret(keys, row.access_token, placeOf(row.account_id, 'access_token')),
    appSecret: decryptSecret(keys, row.app_secret, placeOf(row.account_id, 'app_secret')),
  };
  cache.set(row.id, { sealed, credentials });
  return credentials;
}

/** Encrypts every stored credential again with the current key. Returns how many accounts it changed. */
export async function resealCredentials(runtime: Runtime): Promise<number> {
  const keys = runtime.config.secretsKeys;
  const rows = await runtime.db.rows<SealedCredentials>(`SELECT ${sealedColumns} FROM business_accounts ORDER BY id`);
  let resealed = 0;
  for (const row of rows) {
    const { accessToken, appSecret } = unseal(runtime, row);
    // Only if the credentials were not replaced meanwhile.
    const changed = await runtime.db.row(
      `UPDATE business_accounts SET access_token = $accessToken, app_secret = $appSecret
       WHERE id = $id AND access_token = $oldToken AND app_secret = $oldSecret RETURNING id`,
      {
        id: row.id,
        accessToken: encryptSecret(keys, accessToken, placeOf(row.account_id, 'access_token')),
        appSecret: encryptSecret(keys, appSecret, placeOf(row.account_id, 'app_secret')),
        oldToken: row.access_token,
        oldSecret: row.app_secret,
      },
    );
    if (changed) resealed += 1;
  }
  return resealed;
}

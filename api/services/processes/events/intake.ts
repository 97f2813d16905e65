import { cut } from '../../../core/text/cut';
import { inTurnOf } from '../../../core/db/database';
import { AppError } from '../../../core/http/errors';
import type { Runtime } from '../../../core/runtime';
import { hmacHex, safeEqual, sha256 } from '../../../core/secrets';
import { findSenders, type Sender } from '../../resources/accounts/service';
import { announceEvents } from './announce';
import { readEnvelope, splitChange, type Change, type Envelope, type Item } from './envelope';
import { storableJson } from '../../../core/http/jsonbText';

/**
 * The most entries with an invalid signature that are noted for one account in a day, because a stranger can send them.
 */
const maxUnverifiedPerDay = 100;

interface Row extends Item {
  readonly businessAccountId: number;
  readonly workspaceId: number;
}

/** Returns the challenge of the upstream's verification handshake when the token is one of ours, else null. */
export async function verifyHandshakeAnywhere(
  runtime: Runtime,
  mode: string,
  token: string,
  challenge: string,
): Promise<string | null> {
  if (mode !== 'subscribe' || token === '') return null;

  // Searches all workspaces, because only the token says which one is meant.
  const known = await runtime.db.models.BusinessAccount.count({ where: { verify_token_hash: sha256(token) } });
  return known > 0 ? challenge : null;
}

/**
 * Returns the digest in a signature header, which is checked before the body is read. Throws 401 when it is malformed.
 */
export function readSignature(header: string | undefined): string {
  const digest = /^sha256=([0-9a-f]{64})$/i.exec(header ?? '')?.[1];
  if (digest === undefined) throw new AppError('unauthorized', 'Missing or malformed X-Hub-Signature-256.');
  return digest;
}

/**
 * Verifies and stores a webhook of the platform; workers process it later. An entry is accepted only if the secret of
 * its own account verifies the raw bytes. When there is no such entry it throws 401; unverified entries beside a
 * verified one are noted and never processed. The drainers of the workers (`worker/events.ts`) go on with the rows.
 */
export async function receiveWebhook(runtime: Runtime, raw: Buffer, digest: string): Promise<void> {
  const envelope = readEnvelope(raw);
  if (!envelope) throw new AppError('unauthorized', 'Invalid signature.');
  const accounts = await findAccounts(runtime, envelope);
  const verified = verifiedAccounts(accounts.all, raw, digest);
  if (verified.size === 0) throw new AppError('unauthorized', 'Invalid signature.');

  const bytes = { bytes: raw.length, sha256: sha256(raw).toString('hex') };
  const rows: Row[] = [];
  const unverified: Row[] = [];
  let unknown = 0;
  for (const change of envelope.changes) {
    const account = accounts.of(change);
    if (!account) {
      unknown += 1;
      continue;
    }
    const owner = { businessAccountId: account.id, workspaceId: account.workspace_id };
    if (verified.has(account.id)) for (const item of splitChange(change)) rows.push({ ...owner, ...item });
    else
      unverified.push({ ...owner, kind: 'unverified', orderKey: '', payload: { ...noteOf(change), webhook: bytes } });
  }
  if (unknown > 0)
    runtime.logger.warn(
      { event: 'inbound.unknown_account', changes: unknown },
      'webhook changes of unknown accounts dropped',
    );

  await store(runtime, rows);
  await storeUnverified(runtime, unverified);
  if (rows.length > 0)
    announceEvents(
      runtime,
      rows.map(({ kind }) => kind),
    );
}

interface NamedAccounts {
  readonly all: readonly Sender[];
  /** Returns the account of a change: by its phone number, else by the entry's account id. */
  of(change: Change): Sender | null;
}

async function findAccounts(runtime: Runtime, envelope: Envelope): Promise<NamedAccounts> {
  const senders = await findSenders(runtime, envelope);
  const byNumber = new Map(senders.flatMap((sender) => sender.phoneNumberIds.map((number) => [number, sender])));
  const byAccount = new Map(senders.map((sender) => [sender.account_id, sender]));
  return {
    all: senders,
    of: ({ phoneNumberId, accountId }) =>
      (phoneNumberId === null ? undefined : byNumber.get(phoneNumberId)) ?? byAccount.get(accountId) ?? null,
  };
}

/**
 * Returns the accounts whose secret verifies the bytes. A digest matches one secret only, so the first match ends the
 * search.
 */
function verifiedAccounts(accounts: readonly Sender[], raw: Buffer, digest: string): ReadonlySet<number> {
  const given = Buffer.from(digest, 'hex');
  const bySecret = new Map<string, number[]>();
  for (const { id, appSecret } of accounts) bySecret.set(appSecret, [...(bySecret.get(appSecret) ?? []), id]);
  for (const [secret, ids] of bySecret)
    if (safeEqual(Buffer.from(hmacHex(secret, raw), 'hex'), given)) return new Set(ids);
  return new Set();
}

/** Returns the part that is kept of an unverified entry: enough to find its sender, and nothing of its content. */
function noteOf(change: Change): Record<string, unknown> {
  return {
    field: change.field,
    account_id: cut(change.accountId, 64),
    phone_number_id: change.phoneNumberId === null ? null : cut(change.phoneNumberId, 64),
  };
}

const itemsSql = `jsonb_to_recordset($items::jsonb)
  AS i("workspaceId" bigint, "businessAccountId" bigint, kind text, "orderKey" text, payload jsonb, before int)`;

/** Whether events of the same customer stand in a line; statuses and events of no customer do not. */
const hasPlace = ({ kind, orderKey }: Row): boolean => kind !== 'status' && orderKey !== '';

/** Returns the events with how many of the same customer stand before each in their webhook. */
function inLines(items: readonly Row[]): (Row & { readonly before: number })[] {
  const lines = new Map<string, number>();
  return items.map((item) => {
    const line = `${item.workspaceId} ${item.orderKey}`;
    const before = hasPlace(item) ? (lines.get(line) ?? 0) : 0;
    lines.set(line, before + 1);
    return { ...item, before };
  });
}

/**
 * SQL: how many events of an item's customer stand before it, as the last of them was told. Two webhooks of the same
 * moment may be told the same: the place says who is looked at first, not in which order one customer's events are.
 */
const placeSql = `CASE WHEN i.kind = 'status' OR i."orderKey" = '' THEN 0 ELSE i.before + coalesce((
  SELECT e.place + 1 FROM inbox_events e
  WHERE e.state = 'new' AND e.kind <> 'status' AND e.order_key <> '' AND e.workspace_id = i."workspaceId"
    AND e.order_key = i."orderKey"
  ORDER BY e.id DESC LIMIT 1), 0) END`;

/**
 * Stores a webhook's events in their order, on a database connection in the workspace's turn. Where none of them stands
 * in a line, as in two of three webhooks, no line is asked.
 */
async function store(runtime: Runtime, items: readonly Row[]): Promise<void> {
  const [first] = items;
  if (!first) return;
  await inTurnOf(first.workspaceId, () =>
    runtime.db.rows(
      `INSERT INTO inbox_events (workspace_id, business_account_id, kind, order_key, place, payload)
       SELECT i."workspaceId", i."businessAccountId", i.kind, i."orderKey", ${items.some(hasPlace) ? placeSql : '0'},
         i.payload
       FROM ${itemsSql}`,
      { items: storableJson(inLines(items)) },
    ),
  );
}

/** Notes entries without a valid signature under the account that they name, up to a number per account and day. */
async function storeUnverified(runtime: Runtime, items: readonly Row[]): Promise<void> {
  if (items.length === 0) return;
  await runtime.db.rows(
    `INSERT INTO inbox_events (workspace_id, business_account_id, kind, order_key, payload, state, error)
     SELECT i."workspaceId", i."businessAccountId", i.kind, '', i.payload, 'parked',
       'The signature is not the one of this workspace.'
     FROM (SELECT *, row_number() OVER (PARTITION BY "businessAccountId") AS place FROM ${itemsSql}) AS i
     WHERE i.place + (
       SELECT count(*)
       FROM inbox_events e
       WHERE e.business_account_id = i."businessAccountId" AND e.kind = 'unverified'
         AND e.received_at > now() - interval '1 day'
     ) <= ${maxUnverifiedPerDay}`,
    { items: storableJson(items) },
  );
}

import { AppError } from '../../core/errors';
import { isPlainObject } from '../../core/fields';
import type { Runtime } from '../../core/runtime';
import { hmacHex, safeEqual, sha256 } from '../../core/secrets';
import { credentialsOf } from '../accounts/service';

/** Channel on which workers hear of new events. */
export const inboxChannel = 'msgdesk_inbox';

/** Most items of one webhook (upstream-wire.md 2.3 says up to 1000; a margin for siblings). */
const maxItems = 5_000;

/** Deeper than anything that the upstream sends. */
const maxPayloadDepth = 100;

interface Account {
  id: number;
  workspace_id: number;
  account_id: string;
}

interface Item {
  readonly businessAccountId: number;
  readonly workspaceId: number;
  readonly kind: string;
  readonly orderKey: string;
  readonly payload: unknown;
  readonly parked: string | null;
}

type Json = Record<string, unknown>;

/** Answers the upstream's verification handshake: the challenge when the token is one of ours, else null (upstream-wire.md 2.1). */
export async function verifyHandshake(
  runtime: Runtime,
  mode: string,
  token: string,
  challenge: string,
): Promise<string | null> {
  if (mode !== 'subscribe' || token === '') return null;
  const known = await runtime.db.row('SELECT 1 AS ok FROM business_accounts WHERE verify_token_hash = $hash LIMIT 1', {
    hash: sha256(token),
  });
  return known ? challenge : null;
}

/**
 * Verifies and stores a webhook; processing comes later (contract C7). An entry counts only where its own workspace's
 * secret verifies the raw bytes: none verified is a 401, entries of others beside a verified one are parked.
 */
export async function receiveWebhook(runtime: Runtime, raw: Buffer, signature: string | undefined): Promise<number> {
  const given = /^sha256=([0-9a-f]{64})$/i.exec(signature ?? '')?.[1];
  if (!given) throw new AppError('unauthorized', 'Missing or malformed X-Hub-Signature-256.');
  const changes = readChanges(raw);
  if (!changes) throw new AppError('unauthorized', 'Invalid signature.');
  const accounts = await accountsOf(runtime, changes);
  const verified = new Set<number>();
  for (const account of new Set(accounts.filter((found) => found !== null))) {
    const { appSecret } = await credentialsOf(runtime, account.id);
    if (safeEqual(Buffer.from(hmacHex(appSecret, raw), 'hex'), Buffer.from(given, 'hex'))) verified.add(account.id);
  }
  if (verified.size === 0) throw new AppError('unauthorized', 'Invalid signature.');
  const items: Item[] = [];
  for (const [index, change] of changes.entries()) {
    const account = accounts[index];
    if (!account) {
      runtime.logger.warn({ field: change.field }, 'webhook entry of an unknown account dropped');
      continue;
    }
    items.push(...splitChange(change, account, verified.has(account.id)));
  }
  await store(runtime, items.slice(0, maxItems));
  return items.length;
}

interface Change {
  readonly accountId: string;
  readonly entryTime: unknown;
  readonly field: string;
  readonly value: Json;
  readonly phoneNumberId: string | null;
}

/** All changes of all entries; null when the body is not a webhook at all. */
function readChanges(raw: Buffer): Change[] | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(raw.toString('utf8'));
  } catch {
    return null;
  }
  if (!isPlainObject(parsed) || !Array.isArray(parsed['entry'])) return null;
  const changes: Change[] = [];
  for (const entry of parsed['entry'] as unknown[]) {
    if (!isPlainObject(entry) || !Array.isArray(entry['changes'])) continue;
    for (const change of entry['changes'] as unknown[]) {
      if (!isPlainObject(change) || !isPlainObject(change['value'])) continue;
      const metadata = change['value']['metadata'];
      const number = isPlainObject(metadata) ? metadata['phone_number_id'] : null;
      changes.push({
        accountId: textOf(entry['id']),
        entryTime: entry['time'] ?? null,
        field: textOf(change['field']).slice(0, 64),
        value: change['value'],
        phoneNumberId: number === null || number === undefined ? null : textOf(number),
      });
    }
  }
  return changes;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/** The account of each change: by its phone number, else by the entry's account id (contract C7). */
async function accountsOf(runtime: Runtime, changes: readonly Change[]): Promise<(Account | null)[]> {
  const numbers = [...new Set(changes.map((change) => change.phoneNumberId).filter((id) => id !== null))];
  const ids = [...new Set(changes.map((change) => change.accountId))];
  const rows = await runtime.db.rows<Account & { phone_number_id: string | null }>(
    `SELECT a.id, a.workspace_id, a.account_id, p.phone_number_id FROM business_accounts a JOIN phone_numbers p ON p.business_account_id = a.id AND p.phone_number_id = ANY($numbers::text[])
     UNION ALL SELECT id, workspace_id, account_id, NULL FROM business_accounts WHERE account_id = ANY($ids::text[])`,
    { numbers, ids },
  );
  const byId = new Map(
    rows.map((row) => [row.id, { id: row.id, workspace_id: row.workspace_id, account_id: row.account_id }]),
  );
  const byNumber = new Map(
    rows.filter((row) => row.phone_number_id !== null).map((row) => [row.phone_number_id, byId.get(row.id)]),
  );
  const byAccount = new Map(rows.map((row) => [row.account_id, byId.get(row.id)]));
  return changes.map(
    (change) =>
      (change.phoneNumberId === null ? undefined : byNumber.get(change.phoneNumberId)) ??
      byAccount.get(change.accountId) ??
      null,
  );
}

/** The contact entries that speak of the person of one item; a webhook's only entry speaks of all its items. */
function contactsByIdentity(listed: readonly Json[]): (phone: unknown, userId: unknown) => readonly Json[] {
  if (listed.length < 2) return () => listed;
  const byId = new Map<string, Json>();
  for (const entry of [...listed].reverse())
    for (const key of ['wa_id', 'user_id'])
      if (typeof entry[key] === 'string' && entry[key] !== '') byId.set(entry[key], entry);
  return (phone, userId) => [
    ...new Set([phone, userId].map((id) => byId.get(textOf(id))).filter((entry) => entry !== undefined)),
  ];
}

/** One stored row per message, per status, and per change of any other kind: a bad one never blocks its neighbours. */
function splitChange(change: Change, account: Account, verified: boolean): Item[] {
  const base = { businessAccountId: account.id, workspaceId: account.workspace_id };
  if (!verified)
    return [
      {
        ...base,
        kind: 'unverified',
        orderKey: '',
        payload: { field: change.field, value: change.value },
        parked: 'The signature is not the one of this workspace.',
      },
    ];
  const shared = {
    metadata: change.value['metadata'] ?? null,
    ...(change.value['errors'] === undefined ? {} : { errors: change.value['errors'] }),
  };
  const listed = (key: string): Json[] =>
    Array.isArray(change.value[key]) ? (change.value[key] as unknown[]).filter(isPlainObject) : [];
  if (change.field !== 'messages') {
    return [
      {
        ...base,
        kind: change.field || 'unknown',
        orderKey: '',
        payload: { time: change.entryTime, value: change.value },
        parked: null,
      },
    ];
  }
  const contacts = contactsByIdentity(listed('contacts'));
  const items: Item[] = [];
  for (const message of listed('messages')) {
    items.push({
      ...base,
      kind: 'message',
      orderKey: (textOf(message['from_user_id']) || textOf(message['from'])).slice(0, 200),
      payload: { ...shared, contacts: contacts(message['from'], message['from_user_id']), message },
      parked: null,
    });
  }
  for (const status of listed('statuses')) {
    items.push({
      ...base,
      kind: 'status',
      orderKey: textOf(status['id']).slice(0, 200),
      payload: { ...shared, contacts: contacts(status['recipient_id'], status['recipient_user_id']), status },
      parked: null,
    });
  }
  if (items.length === 0)
    items.push({ ...base, kind: 'messages_other', orderKey: '', payload: { value: change.value }, parked: null });
  return items;
}

async function store(runtime: Runtime, items: readonly Item[]): Promise<void> {
  if (items.length === 0) return;
  await runtime.db.rows(
    `WITH stored AS (
       INSERT INTO inbox_events (workspace_id, business_account_id, kind, order_key, payload, state, error)
       SELECT i."workspaceId", i."businessAccountId", i.kind, i."orderKey", i.payload, CASE WHEN i.parked IS NULL THEN 'new' ELSE 'parked' END, i.parked
       FROM jsonb_to_recordset($items::jsonb) AS i("workspaceId" int, "businessAccountId" int, kind text, "orderKey" text, payload jsonb, parked text)
     ) SELECT pg_notify('${inboxChannel}', '') IS NULL AS notified`,
    { items: storableJson(items) },
  );
}

/** Items as jsonb can hold them. Hardly any webhook has something to clean, which its text tells faster than a copy. */
function storableJson(items: readonly Item[]): string {
  let text: string;
  try {
    text = JSON.stringify(items);
  } catch {
    // Nested beyond what the engine itself can write.
    return JSON.stringify(storable(items, 0));
  }
  return /\\u(?:0000|d[89a-f])/.test(text) || depthOf(text) > maxPayloadDepth
    ? JSON.stringify(storable(items, 0))
    : text;
}

/** How deep a JSON text nests. */
function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (quoted) {
      if (code === backslash) at += 1;
      else if (code === quote) quoted = false;
    } else if (code === quote) quoted = true;
    else if (code === openBrace || code === openBracket) deepest = Math.max(deepest, (depth += 1));
    else if (code === closeBrace || code === closeBracket) depth -= 1;
  }
  return deepest;
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = Array.from('"\\{}[]', (character) =>
  character.charCodeAt(0),
);

/** What jsonb cannot hold, out of the way: NUL and half characters, which mean nothing in a message, and endless nesting. */
function storable(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxPayloadDepth) return null;
  if (Array.isArray(value)) return value.map((item) => storable(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [storable(key, depth), storable(inner, depth + 1)]),
  );
}

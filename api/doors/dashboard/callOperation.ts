import { setTimeout } from 'node:timers/promises';
import type { Ctx } from '../../core/context';
import { AppError, conflict, type FieldErrors, type PublicCode } from '../../core/http/errors';
import { coerceForm } from '../../core/http/forms';
import { claimKey, fingerprint, isIdempotencyKey } from '../../core/db/idempotency';
import { isReply, linkedOffset, type Operation } from '../../core/http/operations';
import type { Credential } from '../../services/identity/apiKeys/authenticate';
import { refuseExpiredTrial } from '../http/authenticate';
import { readInput, refuseUnpermitted } from '../http/input';
import { runClaimed } from '../http/mount';
import { refusalText, refusalTexts } from './refusals';
import { words } from './words';

const { refusals } = words;

/** Values for an operation in one flat record; texts of forms are read as the operation's fields want them. */
export type CallInput = Readonly<Record<string, unknown>>;

/** The operations that pages can call, by id. */
export type OperationTable = ReadonlyMap<string, Operation>;

/**
 * Does for a member what the REST endpoint of the operation does: the rule of the expired trial, the scope, the
 * validation and the service. Values that the path names go there; of the others, reads take theirs as query.
 */
export async function callOperation(
  table: OperationTable,
  ctx: Ctx,
  credential: Credential,
  id: string,
  input: CallInput,
): Promise<unknown> {
  const operation = table.get(id);
  if (!operation) throw new Error(`there is no operation ${id}`);
  if (!operation.reactivates) refuseExpiredTrial(credential, operation.method);
  refuseUnpermitted(operation, credential);
  const names = new Set([...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const params = Object.fromEntries(given.filter(([name]) => names.has(name)));
  const rest = Object.fromEntries(given.filter(([name]) => !names.has(name)));
  const isRead = operation.method === 'GET' || operation.method === 'DELETE';
  const values = await readInput(operation, ctx, {
    params,
    query: isRead ? rest : {},
    body: isRead || !operation.body ? {} : coerceForm(operation.body, rest),
  });
  const result = await operation.run(ctx, values);
  if (!isReply(result)) return result;
  const total = result.headers['X-Total-Count'];
  if (total === undefined) return result.value;
  // A list whose neighbours are told by headers comes as all others do.
  const [next, previous] = (['next', 'prev'] as const).map((rel) => {
    const offset = linkedOffset(result, rel);
    return offset === undefined ? null : { offset };
  });
  return { items: result.value, count: Number(total), next, previous };
}

/**
 * Does it once for a key that a form carries: the same form sent again, by what is told of it, is answered with what
 * the first one did. Works for operations that take an Idempotency-Key over REST.
 */
export async function callOperationOnce(
  table: OperationTable,
  ctx: Ctx,
  credential: Credential,
  id: string,
  key: string,
  input: CallInput,
  same: CallInput,
): Promise<unknown> {
  const operation = table.get(id);
  if (!operation?.idempotent || !isIdempotencyKey(key)) return callOperation(table, ctx, credential, id, input);
  const claim = await claimFor(ctx, credential, id, key, same);
  if (claim.kind === 'replay') {
    if (claim.body === null) throw conflict(refusals.sentBefore);
    return JSON.parse(claim.body) as unknown;
  }
  const answer = await runClaimed(claim, { ...ctx, idempotencyKey: key }, operation, async (own) => {
    const value = await callOperation(table, own, credential, id, input);
    const made = (value as { id?: unknown } | null)?.id;
    const subjectId = typeof made === 'number' ? made : null;
    return { status: operation.status, body: JSON.stringify(value), headers: {}, subjectId };
  });
  return JSON.parse(answer.body) as unknown;
}

/**
 * Creates a value that is shown only once (a key, a secret), at most once for the idempotency key of a form. The value
 * is not stored, so sending the form again, for example by a reload, returns null. For operations whose work is one
 * transaction.
 */
export async function makeOnce(
  table: OperationTable,
  ctx: Ctx,
  credential: Credential,
  id: string,
  key: string,
  input: CallInput,
): Promise<unknown> {
  const operation = table.get(id);
  if (!operation || !isIdempotencyKey(key)) return callOperation(table, ctx, credential, id, input);
  // The key alone identifies the form, not its values: the browser's back button returns to the form that was sent.
  const claim = await claimFor(ctx, credential, id, key, null);
  if (claim.kind === 'replay') return null;
  let made: unknown = null;
  await runClaimed(claim, ctx, { ...operation, idempotent: 'atomic' }, async (own) => {
    made = await callOperation(table, own, credential, id, input);
    return { status: operation.status, body: '', headers: {}, subjectId: null };
  });
  return made;
}

/** How often, and after how long, the first of two clicks is asked for again. */
const [tries, waitMs] = [50, 100];

/** What a key that was used before means to members, who know of no key. */
const usedBefore = (code: PublicCode): string | undefined =>
  ({ idempotency_in_flight: refusals.maybeDone, idempotency_key_reused: refusals.maybeDoneBefore })[code as string];

/**
 * Claims a form's key for a call of the operation; what is sent with it must be what was sent with it before. Of two
 * clicks the browser shows the answer to the second one only, so that one waits for what the first does.
 */
async function claimFor(
  ctx: Ctx,
  credential: Credential,
  id: string,
  key: string,
  sent: CallInput | null,
): ReturnType<typeof claimKey> {
  const { workspaceId, runtime } = ctx;
  const use = { workspaceId, credential: credential.bucket, path: `dashboard/${id}`, key, print: fingerprint(sent) };
  for (let left = tries; ; left -= 1)
    try {
      return await claimKey(runtime, use);
    } catch (error) {
      const code = error instanceof AppError ? error.publicCode : 'internal_error';
      if (code !== 'idempotency_in_flight' || left === 0) {
        const said = usedBefore(code);
        throw said === undefined ? error : conflict(said, code);
      }
      await setTimeout(waitMs);
    }
}

/** Returns whether the member may call the operation, apart from what the object itself says. */
export function isPermitted(table: OperationTable, credential: Credential, id: string): boolean {
  const operation = table.get(id);
  if (!operation) throw new Error(`there is no operation ${id}`);
  return operation.scope === null || credential.scopes.has(operation.scope);
}

/** Returns what a refusal says, by field. */
export function errorsOf(error: AppError): FieldErrors {
  return error.fields ? refusalTexts(error.fields) : { non_field_errors: [refusalText(error.why)] };
}

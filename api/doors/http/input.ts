import type { AnySchema } from 'yup';
import { requireScope } from '../../core/http/access';
import { requireMaySend } from '../../core/autonomy';
import type { Ctx } from '../../core/context';
import { AppError, invalid, notFound } from '../../core/http/errors';
import type { InputSchema } from '../../core/http/fields';
import type { Operation } from '../../core/http/operations';
import { validate } from '../../core/http/validate';
import { requireRecent, type Credential } from '../../services/identity/apiKeys/authenticate';
import { knowsParameter } from './ignored';
import { reason } from '../../core/http/reasons';
import { notAccepted } from '../../core/http/fields';

const maxId = Number.MAX_SAFE_INTEGER;

/** What a request carries for an operation, before it is checked. */
interface OperationRequest {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Record<string, unknown>;
}

/** Throws the 403 unless the credential may use the operation; the trial is asked for by `refuseExpiredTrial`. */
export function refuseUnpermitted(operation: Operation, credential: Credential): void {
  if (operation.audience === 'session' && credential.kind !== 'session')
    throw new AppError('forbidden', 'This endpoint is for dashboard sessions only.');
  const scope = (credential.kind === 'session' ? undefined : operation.keyScope) ?? operation.scope;
  if (scope) requireScope(credential, scope);
  if (operation.audience === 'notes' && credential.kind !== 'session' && !credential.notes)
    throw new AppError('forbidden', 'Only a key that was made with `notes: true` reads notes.');
  if (operation.sends) requireMaySend(credential);
  if (operation.asksAgain === true) requireRecent(credential);
}

/** Reads the input; where it is refused, an object of the path that is not there is told first. */
export async function readInput(
  operation: Operation,
  ctx: Ctx,
  request: OperationRequest,
): Promise<Record<string, unknown>> {
  try {
    return readValues(operation, request);
  } catch (error) {
    await operation.locate?.(ctx, readParams(operation, request.params));
    throw error;
  }
}

/** Returns what the path names; ids that nothing can have are a 404. */
export function readParams(operation: Operation, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  for (const [name, raw] of Object.entries(given)) {
    const value = String(raw);
    if (operation.intParams?.includes(name)) {
      if (!/^\d{1,16}$/.test(value) || Number(value) > maxId || Number(value) < 1) throw notFound();
      params[name] = Number(value);
    } else {
      if (value.length > 200 || value.includes('\0') || !value.isWellFormed()) throw notFound();
      params[name] = value;
    }
  }
  return params;
}

/** Path parameters, query and body in one record, each checked by its own schema. */
function readValues(operation: Operation, { params, query, body }: OperationRequest): Record<string, unknown> {
  const named = readParams(operation, params);
  if (operation.closedBody) {
    const unknown = Object.keys(body).filter((key) => !operation.body || !Object.hasOwn(operation.body.fields, key));
    if (unknown.length > 0) throw invalid(Object.fromEntries(unknown.map((key) => [key, [notAccepted]])));
    // A value that was meant for the body must not be passed over either.
    const misplaced = operation.query ? [] : Object.keys(query);
    if (misplaced.length > 0) throw invalid(Object.fromEntries(misplaced.map((key) => [key, [reason('notInQuery')]])));
  }
  const filters = operation.query ? readQuery(operation, operation.query, query) : {};
  const values = operation.body ? validate(operation.body, body) : {};
  return { ...(filters as object), ...(values as object), ...named };
}

/** Reads the parameters that the operation knows: a list may come as repeated ones, anything else comes once. */
function readQuery(
  operation: Operation,
  schema: InputSchema,
  query: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const isList = (name: string): boolean =>
    (schema.fields[name] as AnySchema | undefined)?.spec.meta?.items !== undefined;
  const repeated = Object.keys(query).filter(
    (name) => Array.isArray(query[name]) && knowsParameter(operation, name) && !isList(name),
  );
  if (repeated.length > 0) throw invalid(Object.fromEntries(repeated.map((name) => [name, [reason('givenTwice')]])));
  const joined = Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : value]);
  return validate(schema, gatherPrefixes(operation, Object.fromEntries(joined) as Record<string, unknown>));
}

/** Puts the parameters of a prefix together under their key; the key itself cannot be sent. */
function gatherPrefixes(operation: Operation, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const gathered = { ...values };
  for (const [prefix, key] of Object.entries(operation.queryPrefixes ?? {})) {
    const found = Object.entries(values).filter(([name]) => name.startsWith(prefix));
    delete gathered[key];
    if (found.length > 0)
      gathered[key] = Object.fromEntries(found.map(([name, value]) => [name.slice(prefix.length), value]));
  }
  return gathered;
}

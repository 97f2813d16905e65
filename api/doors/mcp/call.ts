import type { CallToolResult, ImageContent } from '@modelcontextprotocol/sdk/types.js';
import { consentableScopes, type Scope } from '../../core/http/access';
import { isBound } from '../../core/autonomy';
import type { Ctx } from '../../core/context';
import { hasCommitted, isDatabaseAway } from '../../core/db/database';
import { AppError, missingScopeText } from '../../core/http/errors';
import { reportFault } from '../../core/http/faults';
import {
  claimKey,
  fingerprint,
  isIdempotencyKey,
  keyInFlight,
  type Claim,
  type KeptAnswer,
  type Replay,
} from '../../core/db/idempotency';
import { retryWrite } from '../../core/queue/retry';
import { Fault } from '../../core/http/fields';
import { guard, inputBoundary } from '../../core/http/validate';
import type { Credential } from '../../services/identity/apiKeys/authenticate';
import { readParkedCall, rehearse, type ParkedCall, type Rehearsal } from '../../services/processes/approvals/calls';
import { parkCall } from '../../services/processes/approvals/service';
import {
  recordCall,
  recordEffect,
  type AuditConnection,
  type AuditEntry,
  type AuditOutcome,
} from '../../services/identity/audit/service';
import { needsTicketing } from '../../services/processes/macroRuns/service';
import { isRefusal, toAppError } from '../http/errorHandler';
import type { Format } from './messagesForAgents';
import { bordered, untrustedName } from './untrustedText';
import { asMeant } from './readArguments';
import { missing, withChoices } from './suggestions';
import { withPictures } from './pictures';
import { sentMessage } from './present';
import { preview } from './previews';
import { resolveNames } from './references';
import { readBounded, tell } from './resultForAgents';
import { fieldLines, readArguments, refuseArguments, type Tool } from './tools';

/** Where a call carries its idempotency key, and where a repeated answer says that it is one. */
const keyName = 'msgdesk/idempotencyKey';
const replayedName = 'msgdesk/idempotentReplayed';

/** What became of a call, for the agent and for the audit log: its result, or why there is none. */
type Answer =
  | {
      readonly outcome: AuditOutcome;
      readonly result: Readonly<Record<string, unknown>>;
      readonly pictures?: readonly ImageContent[];
      readonly text?: undefined;
    }
  | { readonly outcome: 'error' | 'refused'; readonly text: string };

/**
 * Returns the scope that an OAuth connection could still be granted for this call; null when it has it, or could never
 * get it. Such a call is answered by a challenge, anything else by a tool error (mcp-oauth A4).
 */
export function scopeToChallenge(credential: Credential, tool: Tool | undefined): Scope | null {
  const scope = tool?.operation.scope;
  if (credential.kind !== 'oauth' || !scope || credential.scopes.has(scope)) return null;
  return consentableScopes.includes(scope) ? scope : null;
}

/** Writes the audit row of a call that is answered with a scope challenge. */
export function recordChallenge(
  ctx: Ctx,
  credential: Credential,
  tool: string,
  args: unknown,
  scope: Scope,
): Promise<void> {
  return recordCall(ctx, {
    connection: connectionOf(credential),
    tool,
    args,
    outcome: 'refused',
    detail: missingScopeText(scope),
    durationMs: 0,
  });
}

function connectionOf(credential: Credential): AuditConnection {
  return { kind: credential.kind === 'oauth' ? 'oauth' : 'api_key', id: credential.id, name: credential.name };
}

/** A call that has been read: whose, of which tool, with what. */
interface Call {
  readonly ctx: Ctx;
  readonly credential: Credential;
  readonly tool: Tool;
  readonly args: Record<string, unknown>;
  readonly input: Record<string, unknown>;
  readonly dryRun: boolean;
  readonly format: Format;
  readonly withImages: boolean;
  readonly started: number;
}

/**
 * Calls a tool for an agent; every call leaves its row in the audit log, refusals and dry runs too. What a call did,
 * its row and the answer under its idempotency key commit together: once something is done the answer is a success.
 */
export async function callTool(
  ctx: Ctx,
  credential: Credential,
  tool: Tool,
  args: Record<string, unknown>,
  meta: Record<string, unknown>,
): Promise<CallToolResult> {
  const started = Date.now();
  const unread = { input: {}, dryRun: false, format: 'concise', withImages: false } as const;
  const call: Call = { ctx, credential, tool, args, ...unread, started };
  const read = await readCall(call);
  if ('outcome' in read) return resultOf(tool, await recorded(call, read));
  if (tool.definition.annotations.readOnlyHint || read.dryRun) {
    const answer = await answerQuestion(read).catch((error: unknown) => refused(read, error));
    return resultOf(tool, await recorded(read, answer));
  }
  return callOnce(read, meta[keyName]);
}

/** Returns an answer as the protocol has it; words of customers in it are marked each time anew. */
function resultOf(tool: Tool, answer: Answer, isRepeat = false): CallToolResult {
  const repeated = isRepeat ? { [replayedName]: true } : {};
  if (answer.text !== undefined) {
    const content = [{ type: 'text' as const, text: answer.text }];
    return { content, isError: true, ...(isRepeat ? { _meta: repeated } : {}) };
  }
  const { text, paths } = bordered(tool.definition.name, answer.result);
  const meta = { ...(paths.length > 0 ? { [untrustedName]: paths } : {}), ...repeated };
  return {
    content: [{ type: 'text', text }, ...(answer.pictures ?? [])],
    structuredContent: answer.result,
    ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}),
  };
}

function entryOf(call: Call, answer: Answer): AuditEntry {
  return {
    connection: connectionOf(call.credential),
    tool: call.tool.definition.name,
    args: call.args,
    outcome: answer.outcome,
    detail: answer.text ?? '',
    durationMs: Date.now() - call.started,
  };
}

/** Writes the row of a call that changed nothing. */
async function recorded(call: Call, answer: Answer): Promise<Answer> {
  await recordCall(call.ctx, entryOf(call, answer));
  return answer;
}

/** Returns the call with its arguments read, or why it is refused before anything is done. */
async function readCall(call: Call): Promise<Call | Answer> {
  const { credential, tool, args } = call;
  const { definition, operation } = tool;
  if (operation.scope && !credential.scopes.has(operation.scope)) {
    return {
      outcome: 'refused',
      text:
        `${missingScopeText(operation.scope)} This connection may not use ${definition.name}; ` +
        wayTo(credential, operation.scope),
    };
  }
  if (definition.addon === 'ticketing' && !credential.ticketing) return { outcome: 'refused', text: withoutTicketing };
  try {
    const wrong = (text: string): Answer => ({ outcome: 'error', text });
    inputBoundary(() => guard(args));
    const meant = asMeant(credential.timezone, tool, args);
    if (meant instanceof Fault) return wrong(meant.messages.join(' '));
    const fault = inputBoundary(() => refuseArguments(tool, meant));
    if (fault !== null) return wrong(fault);
    const resolved = await resolveNames(call.ctx, meant);
    if ('faults' in resolved) return wrong(fieldLines(resolved.faults));
    const read = inputBoundary(() => readArguments(tool, resolved.args));
    return typeof read === 'string' ? wrong(read) : { ...call, ...read };
  } catch (error) {
    return await refused(call, error);
  }
}

/** Says how a connection comes by a scope that it lacks. */
function wayTo(credential: Credential, scope: Scope): string {
  if (credential.kind === 'oauth' && !consentableScopes.includes(scope))
    return (
      'no consent can grant it to an OAuth connection. ' +
      'A member can connect this agent with an API key that has it.'
    );
  return 'ask a member of the workspace to grant it.';
}

const withoutTicketing =
  'This workspace does not have the Ticketing add-on. Ticket tools, and macros that touch tickets, work once a ' +
  'member ' +
  'adds it.';

/** Answers a read or a dry run: nothing is changed. */
async function answerQuestion(call: Call): Promise<Answer> {
  const { ctx } = call;
  const parked = parkable(call);
  if (!call.dryRun || !parked) {
    const { result, told } = await readBounded(call);
    if (!call.withImages) return { outcome: 'ok', result: told };
    const seen = await withPictures(ctx, result, told);
    return { outcome: 'ok', result: seen.told, pictures: seen.pictures };
  }
  await refuseTickets(call, parked);
  const { sends, shown } = await preview(ctx, parked);
  const { autonomy } = call.credential;
  const status = !sends ? 'would_change' : autonomy === 'autonomous' ? 'would_send' : 'would_queue';
  return {
    outcome: 'dry_run',
    result: tell({ ...call, format: 'detailed' }, { status, autonomy_level: autonomy, ...shown }),
  };
}

/** Returns the call in the form in which it can be parked; null when it can send nothing to a customer. */
function parkable({ tool, input }: Call): ParkedCall | null {
  return tool.definition.sends ? { kind: tool.definition.sends, input } : null;
}

/** Throws the refusal of a macro that touches tickets where the workspace has none. */
async function refuseTickets({ ctx, credential }: Call, parked: ParkedCall): Promise<void> {
  if (parked.kind !== 'macro' || credential.ticketing) return;
  const call = readParkedCall(parked);
  if (call.kind === 'macro' && (await needsTicketing(ctx, call.id, call.target)))
    throw new AppError('forbidden', withoutTicketing);
}

/** Does what changes something, once for each idempotency key. */
async function callOnce(call: Call, key: unknown): Promise<CallToolResult> {
  let claim: Claim | null = null;
  try {
    const claimed = key === undefined ? null : await claimCall(call, key);
    if (claimed?.kind === 'replay') return await repeated(call, claimed);
    claim = claimed;
    const done = await perform(
      claim === null
        ? call
        : { ...call, ctx: { ...call.ctx, idempotencyKey: `mcp ${call.credential.bucket} ${String(key)}` } },
      claim,
    );
    return resultOf(call.tool, done);
  } catch (error) {
    const undone = call.tool.definition.sends !== 'macro' || isRefusal(error);
    await claim?.release(undone).catch((fault: unknown) => reportFault(call.ctx.logger, call.ctx.requestId, fault));
    return resultOf(call.tool, await recorded(call, await refused(call, error)));
  }
}

function keptOf(answer: Answer): KeptAnswer {
  return { status: 200, body: JSON.stringify(answer), subjectId: null };
}

function claimCall({ ctx, credential, tool, args }: Call, key: unknown): Promise<Claim | Replay> {
  if (typeof key !== 'string' || !isIdempotencyKey(key))
    throw new AppError('validation', `_meta["${keyName}"] must be 1 to 255 printable ASCII characters.`);
  return claimKey(ctx.runtime, {
    workspaceId: credential.workspaceId,
    credential: credential.bucket,
    path: `/mcp/${tool.definition.name}`,
    key,
    print: fingerprint(args),
  });
}

/** Returns the first answer to the same call. */
async function repeated(call: Call, kept: Replay): Promise<CallToolResult> {
  const answer: Answer =
    kept.body === null
      ? { outcome: 'error', text: 'This was done before, and its answer was erased with the customer.' }
      : (JSON.parse(kept.body) as Answer);
  return resultOf(call.tool, await recorded(call, answer), true);
}

/** Does the call as freely as the connection's autonomy lets it: a send below `autonomous` is parked. */
async function perform(call: Call, claim: Claim | null): Promise<Answer> {
  const parked = parkable(call);
  if (parked?.kind !== 'macro') return inTransaction(call, claim, () => effect(call, parked));
  await refuseTickets(call, parked);
  if (isBound(call.ctx)) {
    const rehearsal = await rehearse(call.ctx, parked);
    if (rehearsal.sends) return inTransaction(call, claim, () => park(call, parked, rehearsal));
  }
  // The run is applied by a worker, in a transaction of its own, and this waits for it.
  const result = await call.tool.operation.run(call.ctx, call.input);
  const answer: Answer = { outcome: 'ok', result: tell(call, result) };
  const unkept = (error: unknown): void => reportFault(call.ctx.logger, call.ctx.requestId, error);
  await retryWrite(() => recordCall(call.ctx, entryOf(call, answer))).catch(unkept);
  if (claim) await retryWrite(() => claim.finish(keptOf(answer))).catch(unkept);
  return answer;
}

async function effect(call: Call, parked: ParkedCall | null): Promise<Answer> {
  const { ctx, tool, input, credential } = call;
  const rehearsal = parked && isBound(ctx) ? await rehearse(ctx, parked) : null;
  if (parked && rehearsal?.sends) return park(call, parked, rehearsal);
  const result = await tool.operation.run(ctx, input);
  if (parked?.kind !== 'message') return { outcome: 'ok', result: tell(call, result) };
  return {
    outcome: 'ok',
    result: { ...sentMessage(result), autonomy_level: credential.autonomy },
  };
}

async function park({ ctx, credential, tool }: Call, call: ParkedCall, rehearsal: Rehearsal): Promise<Answer> {
  const { autonomy } = credential;
  if (autonomy === 'autonomous') throw new Error('a connection that may send has nothing parked');
  const id = await parkCall(ctx, connectionOf(credential), autonomy, tool.definition.name, call, rehearsal);
  return {
    outcome: 'queued_for_approval',
    result: {
      status: 'queued_for_approval',
      approval_id: id,
      autonomy_level: autonomy,
      decision: decisionShows[call.kind],
    },
  };
}

/** Says where an agent sees what a member has decided (contract 11). */
const decisionShows: Readonly<Record<ParkedCall['kind'], string>> = {
  message: 'A member decides. Once approved, the message appears in read_messages; do not send it again.',
  macro: 'A member decides. Once approved, its messages appear in read_messages; do not run it again.',
  ticket: 'A member decides. Once approved, get_ticket shows the change; do not make it again.',
};

/**
 * Returns the effect, its audit row and its kept answer in one transaction; a COMMIT whose answer was lost is looked
 * up.
 */
async function inTransaction(call: Call, claim: Claim | null, work: () => Promise<Answer>): Promise<Answer> {
  const { db } = call.ctx.runtime;
  let done: { readonly answer: Answer; readonly xid: string } | null = null;
  try {
    return await db.transaction(async () => {
      const answer = await work();
      if (claim && !(await claim.finish(keptOf(answer)))) throw keyInFlight();
      done = { answer, xid: await recordEffect(call.ctx, entryOf(call, answer)) };
      return answer;
    });
  } catch (error) {
    const last = done as { readonly answer: Answer; readonly xid: string } | null;
    if (!last || !isDatabaseAway(error)) throw error;
    const committed = await hasCommitted(db, last.xid);
    if (committed) return last.answer;
    if (committed === null) throw new AppError('unavailable', outcomeUnknown);
    throw error;
  }
}

const outcomeUnknown =
  'The database went away at the last moment, and it is not known whether this was done. Look before you call again, ' +
  'or call again with the same idempotency key.';

/**
 * Returns a refusal of the API in words that tell the agent what to do; a fault of ours tells nothing but the request.
 */
async function refused({ ctx, tool, args }: Call, error: unknown): Promise<Answer> {
  const refusal = toAppError(error);
  if (!refusal) {
    return { outcome: 'error', text: faultAnswer(ctx, error) };
  }
  const outcome = refusal.code === 'forbidden' ? 'refused' : 'error';
  try {
    return { outcome, text: await explained(ctx, tool, args, refusal) };
  } catch (fault) {
    // The refusal is answered even if no choices can be offered.
    reportFault(ctx.logger, ctx.requestId, fault);
    return { outcome, text: wordsOf(refusal) };
  }
}

/** Returns the words of a refusal; one about a reference lists what can be chosen. */
async function explained(ctx: Ctx, tool: Tool, args: Record<string, unknown>, refusal: AppError): Promise<string> {
  if (refusal.code !== 'not_found') return withChoices(ctx, args, refusal, wordsOf(refusal));
  // Only the tools of a conversation have to be told by its receiver_id.
  if (tool.operation.path.includes('{receiver_id}')) return missing(ctx, 'contact', args['receiver_id']);
  if (args['macro_id'] !== undefined) return missing(ctx, 'macro', args['macro_id']);
  const ticket = args['ticket_id'] ?? args['id'];
  return ticket === undefined ? wordsOf(refusal) : missing(ctx, 'ticket', ticket);
}

/** Logs an unexpected error, and returns the text for the agent, which contains only the request's id. */
export function faultAnswer(ctx: Ctx, error: unknown): string {
  reportFault(ctx.logger, ctx.requestId, error);
  return `The service could not do this. Try again later; request id ${ctx.requestId}.`;
}

function wordsOf(error: AppError): string {
  if (error.details.fields) return fieldLines(error.details.fields);
  const body = error.details.body?.['error'];
  return typeof body === 'string' ? body : error.message;
}

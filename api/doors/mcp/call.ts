import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { consentableScopes, type Scope } from '../../core/access';
import type { Ctx } from '../../core/context';
import type { AppError } from '../../core/errors';
import { guard, inputBoundary } from '../../core/validate';
import type { Credential } from '../../services/apiKeys/authenticate';
import { rehearse, type ParkedCall } from '../../services/approvals/calls';
import { parkCall } from '../../services/approvals/service';
import { recordCall, type AuditConnection, type AuditOutcome } from '../../services/audit/service';
import { toAppError } from '../http/errorHandler';
import { maxResult, present } from './present';
import { fieldLines, halved, readArguments, type Tool } from './tools';

/** What became of a call, for the agent and for the audit log. */
interface Answer {
  readonly outcome: AuditOutcome;
  readonly text: string;
  readonly isError?: boolean;
}

/**
 * The scope that an OAuth connection could still be granted for this call; null when it has it, or could never get it.
 * Such a call is answered by a challenge, anything else by a tool error (mcp-oauth A4).
 */
export function scopeToChallenge(credential: Credential, tool: Tool | undefined): Scope | null {
  const scope = tool?.operation.scope;
  if (credential.kind !== 'oauth' || !scope || credential.scopes.has(scope)) return null;
  return consentableScopes.includes(scope) ? scope : null;
}

/** The audit row of a call that the door answers with a scope challenge. */
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
    detail: `Missing scope: ${scope}.`,
    durationMs: 0,
  });
}

function connectionOf(credential: Credential): AuditConnection {
  return { kind: credential.kind === 'oauth' ? 'oauth' : 'api_key', id: credential.id, name: credential.name };
}

/** Calls a tool for an agent; every call leaves its row in the audit log, refusals and dry runs too (contract C11). */
export async function callTool(
  ctx: Ctx,
  credential: Credential,
  tool: Tool,
  args: Record<string, unknown>,
): Promise<CallToolResult> {
  const started = Date.now();
  const answer = await answerCall(ctx, credential, tool, args).catch((error: unknown) => refused(ctx, error));
  await recordCall(ctx, {
    connection: connectionOf(credential),
    tool: tool.face.name,
    args,
    outcome: answer.outcome,
    detail: answer.isError ? answer.text : '',
    durationMs: Date.now() - started,
  });
  return { content: [{ type: 'text', text: answer.text }], ...(answer.isError ? { isError: true } : {}) };
}

async function answerCall(
  ctx: Ctx,
  credential: Credential,
  tool: Tool,
  args: Record<string, unknown>,
): Promise<Answer> {
  const { face, operation } = tool;
  if (operation.scope && !credential.scopes.has(operation.scope)) {
    return {
      outcome: 'refused',
      isError: true,
      text: `Missing scope: ${operation.scope}. This connection may not use ${face.name}; ask a member of the workspace to grant it.`,
    };
  }
  if (face.addon === 'ticketing' && !credential.ticketing) {
    return {
      outcome: 'refused',
      isError: true,
      text: 'This workspace does not have the Ticketing add-on. Ticket tools work once a member adds it.',
    };
  }
  const read = inputBoundary(() => {
    guard(args);
    return readArguments(tool, args);
  });
  if (typeof read === 'string') return { outcome: 'error', isError: true, text: read };
  if (face.sends) return send(ctx, credential, tool, { kind: face.sends, input: read.input }, read.dryRun);
  return { outcome: 'ok', text: await runBounded(ctx, tool, read.input) };
}

/** A send, as freely as the connection's autonomy lets it (specification 4.2). */
async function send(ctx: Ctx, credential: Credential, tool: Tool, call: ParkedCall, dryRun: boolean): Promise<Answer> {
  const { autonomy } = credential;
  const parks = autonomy !== 'autonomous' && (await rehearse(ctx, call)).sends;
  if (dryRun) {
    if (autonomy === 'autonomous') await rehearse(ctx, call);
    return {
      outcome: 'dry_run',
      text: JSON.stringify({ status: parks ? 'would_queue' : 'would_send', autonomy_level: autonomy }),
    };
  }
  if (parks) {
    const id = await parkCall(ctx, connectionOf(credential), autonomy, tool.face.name, call);
    return {
      outcome: 'queued_for_approval',
      text: JSON.stringify({ status: 'queued_for_approval', approval_id: id, autonomy_level: autonomy }),
    };
  }
  const result = await tool.operation.run(ctx, call.input);
  const body = present(result) as Record<string, unknown>;
  return {
    outcome: 'ok',
    text: JSON.stringify(
      call.kind === 'message'
        ? { status: body['message_status'], message_id: body['id'], autonomy_level: autonomy }
        : body,
    ),
  };
}

/** Runs a read until its text fits: fewer items rather than a result that the client cuts off. */
async function runBounded(ctx: Ctx, tool: Tool, given: Record<string, unknown>): Promise<string> {
  let current: Record<string, unknown> | null = given;
  let text = '';
  while (current) {
    text = JSON.stringify(present(await tool.operation.run(ctx, current)));
    if (text.length <= maxResult) return text;
    current = halved(tool, current);
  }
  return `${text.slice(0, maxResult)}… [truncated]`;
}

/** A refusal of the API in words that tell the agent what to do; a fault of ours tells nothing but the request. */
function refused(ctx: Ctx, error: unknown): Answer {
  const refusal = toAppError(error);
  if (!refusal) {
    return { outcome: 'error', isError: true, text: describeFault(ctx, error) };
  }
  return { outcome: refusal.code === 'forbidden' ? 'refused' : 'error', isError: true, text: wordsOf(refusal) };
}

/** Logs a fault of ours; what it gives for the agent says nothing but the request. */
export function describeFault(ctx: Ctx, error: unknown): string {
  ctx.logger.error(
    {
      requestId: ctx.requestId,
      errorName: error instanceof Error ? error.name : 'unknown',
      stack: error instanceof Error ? error.stack?.split('\n').slice(1, 6).join('\n') : undefined,
    },
    'tool call failed',
  );
  return `The service could not do this. Try again later; request id ${ctx.requestId}.`;
}

function wordsOf(error: AppError): string {
  if (error.details.fields) return fieldLines(error.details.fields);
  const body = error.details.body?.['error'];
  return typeof body === 'string' ? body : error.message;
}

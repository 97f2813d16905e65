import { cut } from '../../../core/text/cut';
import type { Ctx, WorkspaceCtx } from '../../../core/context';
import { isPlainObject } from '../../../core/http/fields';
import { isReply, type Operation } from '../../../core/http/operations';
import { ringByMail } from '../mails/queue';
import { audienceOf } from './securityNotices';

/** Operations whose use is recorded in the transaction of their effect. */
const recordedWithEffect = new Set([
  'apiKeys.create',
  'apiKeys.revoke',
  'approvals.answer',
  'calendars.create',
  'calendars.delete',
  'calendars.update',
  'connectedAgents.disconnect',
  'connectedAgents.update',
  'contacts.delete',
  'contacts.merge',
  'macros.create',
  'macros.delete',
  'macros.update',
  'rules.brake',
  'rules.create',
  'rules.delete',
  'rules.endRun',
  'rules.moveRun',
  'rules.update',
  'oauthClients.create',
  'oauthClients.disable',
  'factors.addPasskey',
  'factors.addTotp',
  'factors.remove',
  'factors.renewCodes',
  'factors.startPasskey',
  'sessions.end',
  'rescue.end',
  'sso.update',
  'sessions.endAll',
  'teamMembers.create',
  'teamMembers.endSessions',
  'teamMembers.forgetFactors',
  'teamMembers.makeLink',
  'teamMembers.update',
  'usage.importRates',
  'webhooks.create',
  'webhooks.delete',
  'webhooks.replay',
  'webhooks.rotateSecret',
  'webhooks.update',
  'workspace.choosePlan',
  'workspace.update',
]);
/** These commit more than once, or keep what they count when they refuse: they are recorded when they are done. */
const recordedAfterwards = new Set(['approvals.approve', 'approvals.reject', 'password.change', 'sessions.confirm']);

/** Names of the operations whose use is recorded. */
export const recordedActions: readonly string[] = [...recordedWithEffect, ...recordedAfterwards];

/** Secrets, and what is written to or about a customer: it stays with the approval, and is erased there. */
const unkeptNames = /password|secret|token|code|passkey|enrolment|^(note|text)$/i;
const maxValue = 200;

/** What was done, for the log. */
interface Recorded {
  readonly action: string;
  readonly subjectId?: number | null;
  readonly given?: Readonly<Record<string, unknown>>;
}

/** Who did something, and where: in a workspace, or as its operator in the installation. */
export type Recorder = Pick<Ctx, 'runtime' | 'actor' | 'address' | 'requestId'> & {
  readonly workspaceId: number | null;
};

/**
 * Writes down what a member, a key or the operator did, and tells it to whom it is told. In a transaction it is written
 * with it, or not at all.
 */
export async function recordSecurity(ctx: Recorder, { action, subjectId = null, given = {} }: Recorded): Promise<void> {
  const { type, memberId, apiKeyId, sessionId = null } = ctx.actor;
  // The operator is not watched by the members.
  const told = memberId === null ? null : audienceOf(action);
  const { created_at: since } = await ctx.runtime.db.models.SecurityEntry.create({
    workspace_id: ctx.workspaceId,
    action,
    told,
    actor_type: type,
    member_id: memberId,
    api_key_id: apiKeyId,
    session_id: sessionId,
    address: cut(ctx.address ?? '', 64),
    subject_id: subjectId,
    given: withoutSecrets(given),
    request_id: cut(ctx.requestId, 128),
  });
  if (told !== null && ctx.workspaceId !== null && memberId !== null)
    await ringByMail(ctx.runtime, { workspaceId: ctx.workspaceId, memberId, isForOwners: told === 'owners', since });
}

/** Returns how many entries a member has of some actions with these values; of the last hours where these are given. */
export async function countEntries(
  { runtime, workspaceId }: WorkspaceCtx,
  memberId: number,
  {
    actions,
    given,
    hours = null,
  }: { readonly actions: readonly string[]; readonly given: object; readonly hours?: number | null },
): Promise<number> {
  // SQL: a part of what was asked for.
  const row = await runtime.db.row<{ count: number }>(
    `SELECT count(*)::int AS count FROM security_log
     WHERE workspace_id = $workspaceId AND member_id = $memberId AND action = ANY($actions::text[])
       AND given @> $given::jsonb AND ($hours::int IS NULL OR created_at > now() - $hours::int * interval '1 hour')`,
    { workspaceId, memberId, actions: [...actions], given: JSON.stringify(given), hours },
  );
  return row?.count ?? 0;
}

/** Returns the operation as it is served: one that concerns security also records who used it. */
export function recorded(operation: Operation): Operation {
  const { id, run } = operation;
  const isWithEffect = recordedWithEffect.has(id);
  if (!isWithEffect && !recordedAfterwards.has(id)) return operation;
  async function runRecorded(ctx: Ctx, values: Record<string, unknown>): Promise<unknown> {
    const work = async (): Promise<unknown> => {
      const result = await run(ctx, values);
      const made = isReply(result) ? result.value : result;
      await recordSecurity(ctx, { action: id, ...subjectOf(operation, values, made) });
      return result;
    };
    return isWithEffect ? ctx.runtime.db.transaction(work) : work();
  }
  return { ...operation, run: runRecorded };
}

/**
 * Returns the subject of a call (the integer in its path, else the id of the object it created), and its other values.
 */
function subjectOf(operation: Operation, values: Record<string, unknown>, result: unknown): Omit<Recorded, 'action'> {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const place = names.map((name) => values[name]).find((value) => typeof value === 'number');
  const made = isPlainObject(result) && typeof result['id'] === 'number' ? result['id'] : null;
  const given = Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
  return {
    subjectId: typeof place === 'number' ? place : made,
    given,
  };
}

/** Returns values that may be kept: no secret, no words about a customer, nothing long. */
function withoutSecrets(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      if (value === undefined || unkeptNames.test(name)) return [];
      const text = JSON.stringify(value) ?? '';
      return [[name, text.length > maxValue ? `${cut(text, maxValue)}…`.toWellFormed() : value]];
    }),
  );
}

import { cut } from '../../../core/text/cut';
import type { FlowReadRow, FlowRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { AppError, notFound } from '../../../core/http/errors';
import { of } from '../../../core/db/scoped';
import { isUnknownObject } from '../../../core/platform/upstream';
import { credentialsOf, listAccounts } from '../accounts/service';
import { readFlow, readFlowJson } from './readUpstream';
import { findFlow } from './service';
import { markFlowGone, storeFlows, withoutDefinition } from './store';
import { reason } from '../reasons';

/** One question to the upstream per flow and span, over all replicas. */
const readEverySeconds = 5;
/** An answer that takes longer is of no use to the caller, and must end before the next one may ask. */
const readTimeoutMs = 4_000;
const lookAgainMs = 100;
/** The upstream's ids are digits; nothing else is worth a question. */
const upstreamId = /^\d{1,32}$/;

/** A flow, and why it may not be what the upstream has now. */
export interface LiveFlow {
  readonly flow: FlowRow;
  readonly stale: 'away' | 'gone' | null;
}

type Outcome = FlowReadRow['outcome'];

/**
 * Returns a flow as the upstream has it now. When the upstream is away, slow or refuses, or no longer has the flow, it
 * returns the stored copy, marked as stale. A flow that is not stored is fetched; throws 404 when the upstream does not
 * have it either.
 */
export async function readLiveFlow(ctx: Ctx, flowId: string): Promise<LiveFlow> {
  const stored = await findFlow(ctx, flowId);
  if (!stored && !upstreamId.test(flowId)) throw notFound();
  const claimedAt = await claimRead(ctx, flowId);
  const outcome = claimedAt ? await ask(ctx, flowId, stored, claimedAt) : await answerOfOthers(ctx, flowId);
  const flow = await findFlow(ctx, flowId);
  if (flow) return { flow, stale: flow.gone_at ? 'gone' : outcome === 'fresh' ? null : 'away' };
  if (outcome === 'gone') throw notFound();
  throw new AppError('unavailable', reason('flowSilent'), {
    retryAfter: readEverySeconds,
  });
}

/**
 * Claims a read of a flow from the upstream: possible if no request and no sync has read it in the last seconds. A
 * guarded claim in one statement, by the database's clock.
 */
async function claimRead(ctx: Ctx, flowId: string): Promise<Date | null> {
  const recently = `clock_timestamp() - interval '${readEverySeconds} seconds'`;
  const row = await ctx.runtime.db.row<{ read_at: Date }>(
    `INSERT INTO flow_reads AS r (workspace_id, flow_id, read_at, outcome)
     SELECT $workspaceId::bigint, $flowId::text, clock_timestamp(), 'reading'
     WHERE NOT EXISTS (
       SELECT 1 FROM flows
         WHERE workspace_id = $workspaceId::bigint AND flow_id = $flowId::text AND synced_at > ${recently})
     ON CONFLICT (workspace_id, flow_id) DO UPDATE SET read_at = excluded.read_at, outcome = 'reading'
     WHERE r.read_at <= ${recently} RETURNING r.read_at`,
    { workspaceId: ctx.workspaceId, flowId },
  );
  return row?.read_at ?? null;
}

/** Reads the flow from the upstream, stores the result, and gives it to all callers that wait. */
async function ask(ctx: Ctx, flowId: string, stored: FlowRow | null, claimedAt: Date): Promise<Outcome> {
  let outcome: Outcome = 'away';
  try {
    outcome = await readAndStore(ctx, flowId, stored, claimedAt);
  } catch (error) {
    ctx.logger.warn(
      { event: 'flow.read_failed', flowId, reason: errorText(error) },
      'a flow could not be read from the platform',
    );
  }
  if (outcome === 'gone' && stored) await markFlowGone(ctx, flowId);
  await of(ctx, ctx.runtime.db.models.FlowRead).update({ outcome }, { where: { flow_id: flowId, read_at: claimedAt } });
  return outcome;
}

async function readAndStore(ctx: Ctx, flowId: string, stored: FlowRow | null, readAt: Date): Promise<Outcome> {
  const signal = AbortSignal.timeout(readTimeoutMs);
  const accounts = await listAccounts(ctx);
  const { upstream } = ctx.runtime;
  let refusal: unknown = null;
  for (const account of accounts.filter(({ id }) => !stored || id === stored.business_account_id)) {
    const { accessToken } = await credentialsOf(ctx.runtime, account.id);
    try {
      const flow = await readFlow(upstream, accessToken, account.account_id, flowId, signal);
      if (!flow) continue;
      // The definition comes from two more calls, so only when the upstream says that the flow has changed.
      const wanted = (await withoutDefinition(ctx, [flow], 1)).size > 0;
      const flow_json = wanted
        ? await readFlowJson(upstream, accessToken, flowId, signal).catch(() => undefined)
        : undefined;
      await storeFlows(ctx, account.id, [flow_json === undefined ? flow : { ...flow, flow_json }], readAt);
      return 'fresh';
    } catch (error) {
      refusal = error;
    }
  }
  if (refusal !== null && !isUnknownObject(refusal)) throw refusal;
  return 'gone';
}

/** Waits for the answer that another request is getting; a reader that died gives none. */
async function answerOfOthers(ctx: Ctx, flowId: string): Promise<Outcome> {
  const until = performance.now() + readEverySeconds * 1_000;
  for (;;) {
    const read = await ctx.runtime.db.row<{ outcome: Outcome; synced: boolean }>(
      `SELECT coalesce(r.outcome, 'fresh') AS outcome, coalesce(f.synced_at >= r.read_at, r.read_at IS NULL) AS synced
       FROM (SELECT 1) AS one
       LEFT JOIN flow_reads r ON r.workspace_id = $workspaceId AND r.flow_id = $flowId
       LEFT JOIN flows f ON f.workspace_id = $workspaceId AND f.flow_id = $flowId`,
      { workspaceId: ctx.workspaceId, flowId },
    );
    if (!read || read.synced) return 'fresh';
    if (read.outcome !== 'reading' || performance.now() > until)
      return read.outcome === 'reading' ? 'away' : read.outcome;
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
  }
}

function errorText(error: unknown): string {
  return error instanceof Error ? cut(`${error.name}: ${error.message}`, 300) : 'unknown';
}

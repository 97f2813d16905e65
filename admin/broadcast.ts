import type { Command } from 'commander';
import { AppError } from '../api/core/http/errors';
import type { Runtime } from '../api/core/runtime';
import {
  standingOfAnyWorkspace,
  whyWaiting,
  type Standing,
} from '../api/services/resources/broadcasts/runs/watchBroadcast';
import { endByOperator } from '../api/services/resources/broadcasts/runs/run';
import { previewBroadcast } from '../api/services/resources/broadcasts/preview';
import { readBroadcast } from '../api/services/resources/broadcasts/queries';
import { ctxOf, group, id, recorded, type Deps, type Result } from './deps';

const everyMs = 1_000;
/** Where the output is no terminal: a line this often, and whenever the status changes. */
const lineEveryMs = 10_000;
/** The rate is measured over this many readings, one a second. */
const maxReadings = 10;
const barWidth = 30;

/** `broadcast watch`: progress until the broadcast has ended. */
export function registerBroadcast(program: Command, deps: Deps): void {
  const broadcast = group(program, 'broadcast', 'List, watch, take back and end broadcasts.');
  broadcast
    .command('watch')
    .description(
      'Show the progress of a broadcast with rate and remaining time until it has ended. Ends at once for a draft.',
    )
    .argument('<id>', 'id of the broadcast', id)
    .action(async (broadcastId: number) => {
      await deps.run((runtime) => watch(runtime, broadcastId, deps));
    });
  broadcast
    .command('end')
    .description(
      'End a running broadcast that cannot go on: it is failed, and who was not sent to is skipped. This cannot be ' +
        'undone; `POST /broadcasts/{id}/resend/` makes a draft for them.',
    )
    .argument('<id>', 'id of the broadcast', id)
    .requiredOption('--reason <text>', 'shown as `failure_reason`')
    .action((broadcastId: number, { reason }: { readonly reason: string }) =>
      deps.run((runtime) => end(runtime, broadcastId, reason)),
    );
}

async function end(runtime: Runtime, broadcastId: number, reason: string): Promise<Result> {
  const { workspace_id: workspaceId } = await standingOfAnyWorkspace(runtime, broadcastId);
  const ctx = await ctxOf(runtime, workspaceId);
  return recorded(ctx, 'broadcasts.end', { reason }, async () => {
    await endByOperator(ctx, broadcastId, reason);
    return readBroadcast(ctx, broadcastId);
  });
}

async function watch(runtime: Runtime, broadcastId: number, deps: Deps): Promise<Result> {
  const seen: { atMs: number; done: number }[] = [];
  let lastLineMs = 0;
  let lastStatus = '';
  for (;;) {
    const standing = await standingOfAnyWorkspace(runtime, broadcastId);
    seen.push({ atMs: Date.now(), done: doneOf(standing) });
    if (seen.length > maxReadings) seen.shift();
    const ended = !['scheduled', 'running'].includes(standing.status);
    const rate = rateOf(seen);
    const line = progressLine(
      standing,
      rate,
      rate === 0 && standing.status === 'running' ? await whyWaiting(runtime, standing) : '',
    );
    const drawn = deps.draw(`\r\u001b[K${line}${ended ? '\n' : ''}`);
    if (!drawn && !deps.json() && (ended || standing.status !== lastStatus || Date.now() - lastLineMs >= lineEveryMs)) {
      deps.note(line);
      lastLineMs = Date.now();
    }
    lastStatus = standing.status;
    if (ended)
      return {
        id: standing.id,
        workspace_id: standing.workspace_id,
        status: standing.status,
        failure_reason: standing.failure_reason,
        ...standing.stats,
        ...(standing.status === 'draft' ? await reachOf(runtime, standing) : {}),
      };
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** Returns the cost of a draft and its part of the messaging limit; nothing when it cannot be sent. */
async function reachOf(runtime: Runtime, { id, workspace_id: workspaceId }: Standing): Promise<Result> {
  const ctx = await ctxOf(runtime, workspaceId);
  const preview = await previewBroadcast(ctx, id).catch((error: unknown) => {
    if (error instanceof AppError) return null;
    throw error;
  });
  return preview ? { estimate: preview.estimate, messaging_limit: preview.messaging_limit } : {};
}

/** Recipients with a known outcome: nothing can be predicted from calls whose outcome is unknown. */
function doneOf({ stats }: Standing): number {
  return stats.audience - stats.pending - stats.unknown;
}

/** Recipients per second over the last readings; null after the first one, from which no rate follows. */
function rateOf(seen: readonly { readonly atMs: number; readonly done: number }[]): number | null {
  const [first, last] = [seen[0], seen.at(-1)];
  if (!first || !last || last.atMs === first.atMs) return null;
  return ((last.done - first.done) / (last.atMs - first.atMs)) * 1000;
}

/** Returns one line: bar, share, numbers, rate and remaining time, or why nothing moves. */
function progressLine(standing: Standing, rate: number | null, why: string): string {
  const { stats, status } = standing;
  if (status === 'scheduled')
    return `Broadcast ${standing.id} is scheduled for ${standing.scheduled_at?.toISOString() ?? '-'}`;
  if (status === 'draft') return `Broadcast ${standing.id} is a draft`;
  const done = doneOf(standing);
  const share = stats.audience === 0 ? 1 : done / stats.audience;
  const filled = Math.floor(share * barWidth);
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}]`;
  const counts = (['sent', 'delivered', 'failed', 'skipped', 'unknown'] as const)
    .map((name) => `${name} ${stats[name]}`)
    .join('  ');
  const numbers = `${done}/${stats.audience}  ${counts}`;
  const pace =
    status === 'running'
      ? `  ${paceOf(stats.pending, rate, why)}`
      : `  ${status}${standing.failure_reason ? `: ${standing.failure_reason}` : ''}`;
  return `${bar} ${Math.floor(share * 100)} %  ${numbers}${pace}`;
}

function paceOf(pending: number, rate: number | null, why: string): string {
  if (pending === 0) return 'finishing';
  if (rate === null) return 'measuring the rate';
  return rate > 0 ? `${rate.toFixed(1)}/s  ${duration(pending / rate)} left` : `0.0/s  ${why}`;
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  return hours > 0 ? `${hours} h ${minutes} min` : minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}

import type { Command } from 'commander';
import type { Runtime } from '../api/core/runtime';
import { standingOfAnyWorkspace, type Standing } from '../api/services/broadcasts/watch';
import { group, id, type Deps, type Result } from './deps';

const everyMs = 1_000;
/** Without a terminal a line this often, and whenever the status changes. */
const lineEveryMs = 10_000;
/** The rate is that of the last so many looks. */
const looks = 10;
const barWidth = 30;

/** `broadcast watch`: progress until the broadcast has ended. */
export function registerBroadcast(program: Command, deps: Deps): void {
  const broadcast = group(program, 'broadcast', 'Watch broadcasts.');
  broadcast
    .command('watch')
    .description('Show the progress of a broadcast, with rate and remaining time, until it has ended. A draft ends the watch at once.')
    .argument('<id>', 'id of the broadcast', id)
    .action(async (broadcastId: number) => {
      await deps.run((runtime) => watch(runtime, broadcastId, deps));
    });
}

async function watch(runtime: Runtime, broadcastId: number, deps: Deps): Promise<Result> {
  const seen: { atMs: number; settled: number }[] = [];
  let lastLineMs = 0;
  let lastStatus = '';
  for (;;) {
    const standing = await standingOfAnyWorkspace(runtime, broadcastId);
    seen.push({ atMs: Date.now(), settled: settledOf(standing) });
    if (seen.length > looks) seen.shift();
    const ended = !['scheduled', 'running'].includes(standing.status);
    const line = progressLine(standing, rateOf(seen));
    const drawn = deps.draw(`\r\u001b[K${line}${ended ? '\n' : ''}`);
    if (!drawn && !deps.json() && (ended || standing.status !== lastStatus || Date.now() - lastLineMs >= lineEveryMs)) {
      deps.note(line);
      lastLineMs = Date.now();
    }
    lastStatus = standing.status;
    if (ended) return { id: standing.id, workspace_id: standing.workspace_id, status: standing.status, failure_reason: standing.failure_reason, ...standing.stats };
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

function settledOf({ stats }: Standing): number {
  return stats.audience - stats.pending;
}

/** Recipients per second over the last looks. */
export function rateOf(seen: readonly { readonly atMs: number; readonly settled: number }[]): number {
  const [first, last] = [seen[0], seen.at(-1)];
  if (!first || !last || last.atMs === first.atMs) return 0;
  return ((last.settled - first.settled) / (last.atMs - first.atMs)) * 1000;
}

/** One line: bar, share, numbers, rate and remaining time. */
export function progressLine(standing: Standing, rate: number): string {
  const { stats, status } = standing;
  if (status === 'scheduled') return `Broadcast ${standing.id} is scheduled for ${standing.scheduled_at?.toISOString() ?? '-'}`;
  if (status === 'draft') return `Broadcast ${standing.id} is a draft`;
  const settled = settledOf(standing);
  const share = stats.audience === 0 ? 1 : settled / stats.audience;
  const filled = Math.floor(share * barWidth);
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}]`;
  const numbers = `${settled}/${stats.audience}  sent ${stats.sent}  delivered ${stats.delivered}  failed ${stats.failed}  skipped ${stats.skipped}  unknown ${stats.unknown}`;
  const pace = status === 'running' ? `  ${rate.toFixed(1)}/s  ${rate > 0 ? `${duration(stats.pending / rate)} left` : 'waiting'}` : `  ${status}${standing.failure_reason ? `: ${standing.failure_reason}` : ''}`;
  return `${bar} ${Math.floor(share * 100)} %  ${numbers}${pace}`;
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  return hours > 0 ? `${hours} h ${minutes} min` : minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}

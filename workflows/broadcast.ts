import {
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { activities, withSummary } from './activities';
import {
  signals,
  type BroadcastEnd,
  type BroadcastRange,
  type BroadcastRun,
  type BroadcastState,
  type BroadcastTally,
  type BroadcastTarget,
} from './contract';
import { Deadline } from './deadline';
import { failsOnErrors } from './failures';
import { tellWaits } from './waits';

/** Sent by operators: what the endpoints do. */
const confirmSignal = defineSignal(signals.confirm);
const unscheduleSignal = defineSignal(signals.unschedule);
const progressQuery = defineQuery<BroadcastProgress>('progress');

/** What an operator sees of a run. */
interface BroadcastProgress {
  phase: 'scheduled' | 'sending' | 'ending' | 'completed' | 'failed' | 'not sent';
  audience: number;
  settled: number;
  tally: BroadcastTally;
  /** Why nothing is sent at the moment; empty while it is. */
  waiting: string;
}

/** The number of chunks under way at the same time, if the opening names none. */
const usualLanes = 4;
const maxPauseMs = 60_000;

/** Requests that an operator may make before it runs. */
type Manual = 'confirm' | 'unschedule';
type Schedule = Deadline<BroadcastState, Manual>;
type Opened = { audience: number; skipped: number; lanes?: number };

/**
 * A broadcast from its confirmation to its end: waits for its time, freezes the audience, sends in chunks. The rows
 * decide. A cancellation, which the Web UI offers first, takes a scheduled one back to draft and lets a running one
 * run.
 */
export async function broadcast(
  initial: BroadcastState,
  resumed?: BroadcastRun,
): Promise<BroadcastEnd | 'unscheduled' | 'superseded' | 'refused'> {
  const schedule = new Deadline<BroadcastState, Manual>(initial, 'unschedule');
  CancellationScope.current().cancelRequested.catch(() => schedule.request('unschedule'));
  return CancellationScope.nonCancellable(() => runBroadcast(schedule, initial, resumed));
}

async function runBroadcast(
  schedule: Schedule,
  initial: BroadcastState,
  resumed?: BroadcastRun,
): Promise<BroadcastEnd | 'unscheduled' | 'superseded' | 'refused'> {
  const run: BroadcastRun = resumed ?? { audience: 0, tally: { sent: 0, failed: 0, skipped: 0, unknown: 0 } };
  const now: { phase: BroadcastProgress['phase']; waiting: string } = {
    phase: resumed ? 'sending' : 'scheduled',
    waiting: '',
  };
  setHandler(confirmSignal, () => schedule.request('confirm'), {
    description: 'Sends a draft now.',
  });
  setHandler(unscheduleSignal, () => schedule.request('unschedule'), {
    description: 'Takes a scheduled broadcast back to draft; one that runs goes on.',
  });
  setHandler(
    progressQuery,
    () => ({
      phase: now.phase,
      audience: run.audience,
      settled: settledOf(run.tally),
      tally: run.tally,
      waiting: now.waiting,
    }),
    { description: 'How far the broadcast is, and what it waits for.' },
  );

  const target = { workspaceId: initial.workspaceId, broadcastId: initial.broadcastId };
  if (!resumed) {
    const opened = await awaitOpening(schedule, now);
    now.waiting = '';
    if (typeof opened === 'string' || 'status' in opened) {
      now.phase = typeof opened === 'string' ? 'not sent' : opened.status;
      return opened;
    }
    run.audience = opened.audience;
    if (opened.lanes !== undefined) run.lanes = opened.lanes;
    run.tally.skipped = opened.skipped;
    now.phase = 'sending';
  }
  setCurrentDetails(describeRun(run, target));
  const reason = await sendAll(schedule, run, now);
  now.phase = 'ending';
  const end = await activities.endBroadcast({ ...target, reason });
  now.phase = end.status;
  setCurrentDetails(describeEnd(end, target));
  return end;
}
failsOnErrors(broadcast);

/** Waits for the time, which may change, and lets the row decide whether the send may begin. */
async function awaitOpening(
  schedule: Schedule,
  now: { waiting: string },
): Promise<Opened | BroadcastEnd | 'unscheduled' | 'superseded' | 'refused'> {
  const { workspaceId, broadcastId } = schedule.state;
  const target = { workspaceId, broadcastId };
  let behind: number | undefined;
  const end = await schedule.wait<Opened | BroadcastEnd>({
    async ask({ version }) {
      const opening = await activities.openBroadcast({ ...target, version });
      behind = opening.kind === 'not_due' ? opening.behind : undefined;
      if (opening.kind === 'running') {
        const { audience, skipped, lanes } = opening;
        return { kind: 'ended', end: { audience, skipped, ...(lanes === undefined ? {} : { lanes }) } };
      }
      if (opening.kind === 'failed')
        return { kind: 'ended', end: await activities.endBroadcast({ ...target, reason: opening.reason }) };
      return opening;
    },
    async act(what) {
      // The change comes back as a signal with its version.
      if (what === 'unschedule') await activities.unscheduleBroadcast(target);
      else await activities.confirmBroadcast(target);
      return null;
    },
    show(time, { version }) {
      now.waiting =
        behind === undefined
          ? `Scheduled for ${time}`
          : `Waits for broadcast ${behind}, which is sent from the same phone number`;
      return {
        summary: now.waiting,
        details:
          `${now.waiting} (version ${version}). ` +
          'The signal "unschedule", or a cancellation, takes it back to draft.',
      };
    },
  });
  return end === 'cancelled' ? 'unscheduled' : end === 'done' ? 'superseded' : end;
}

/**
 * Sends to all recipients in chunks, a bounded number of them at the same time, until none is left or the run must
 * stop. Returns the reason to stop, else an empty text. Continues as new between chunks: the rows say which recipients
 * are left.
 */
async function sendAll(schedule: Schedule, run: BroadcastRun, now: { waiting: string }): Promise<string> {
  const { state } = schedule;
  const target = { workspaceId: state.workspaceId, broadcastId: state.broadcastId };
  let troubles = 0;
  for (;;) {
    schedule.heard = false;
    const round = new Round(target, run, troubles);
    await Promise.all(Array.from({ length: round.lanes }, () => round.lane()));
    if (round.stop !== null) return round.stop;
    if (round.draining) return await continueAsNew<typeof broadcast>(state, run);
    const rest = await activities.planBroadcast({ ...target, after: 0 });
    if (rest.stop !== undefined) return rest.stop;
    if (rest.paused !== undefined) {
      now.waiting = `${rest.paused} It goes on when that is lifted.`;
      setCurrentDetails(`${describeRun(run, target)}\n\n${now.waiting}`);
      tellWaits('hold');
      await condition(() => schedule.heard, rest.waitMs, { summary: 'Sending is stopped' });
      now.waiting = '';
      tellWaits('nothing');
      // After a refusal of everything, one recipient is tried first.
      troubles = round.troubled ? 1 : 0;
      continue;
    }
    if (rest.ranges.length === 0 && rest.open === 0) return '';
    troubles = round.troubled ? troubles + 1 : 0;
    const pauseMs = Math.max(
      rest.ranges.length > 0 ? 0 : rest.waitMs,
      troubles > 0 ? Math.min(1_000 * 2 ** Math.min(troubles, 10), maxPauseMs) : 0,
    );
    if (pauseMs > 0) {
      const why =
        troubles > 0
          ? `${troubleOf(round.code)}. The next attempt is with one recipient`
          : `${rest.open} recipients wait for another attempt`;
      const until = new Date(Date.now() + pauseMs).toISOString();
      now.waiting = `Paused for ${Math.ceil(pauseMs / 1000)} s, until ${until}: ${why}.`;
      setCurrentDetails(`${describeRun(run, target)}\n\n${now.waiting}`);
      tellWaits('platform');
      await sleep(pauseMs, {
        summary: troubles > 0 ? 'The platform returns errors' : 'Some recipients wait for another attempt',
      });
      now.waiting = '';
      tellWaits('nothing');
    }
  }
}

/** One pass over the due recipients: parallel lanes take ranges from a common queue, which is refilled page by page. */
class Round {
  stop: string | null = null;
  draining = false;
  troubled = false;
  code: number | undefined;
  held = false;
  readonly lanes: number;
  private readonly queue: BroadcastRange[] = [];
  private after = 0;
  private first = -1;
  private exhausted = false;
  private filling: Promise<void> | null = null;

  constructor(
    private readonly target: { workspaceId: number; broadcastId: number },
    private readonly run: BroadcastRun,
    /** After trouble one lane tries first. */
    private readonly troubles: number,
  ) {
    this.lanes = run.lanes ?? usualLanes;
  }

  async lane(): Promise<void> {
    while (this.stop === null && !this.draining && !this.troubled && !this.held) {
      const range = this.queue.shift();
      // Refilled before it is empty, so that no lane waits for a page.
      if (this.queue.length < this.lanes && !this.exhausted) {
        const filled = this.fill();
        if (range === undefined) await filled;
      }
      if (range === undefined) {
        if (this.exhausted && this.queue.length === 0) return;
        continue;
      }
      if (this.troubles > 0 && range.from !== this.first) {
        // A later round sends the rest of the range.
        return;
      }
      const chunk = await this.send(range);
      this.count(chunk.tally);
      if (chunk.stop !== null) this.stop = chunk.stop;
      if (chunk.troubled) {
        this.troubled = true;
        this.code = chunk.code;
      }
      if (chunk.held === true) this.held = true;
      if (chunk.more) this.queue.unshift(range);
      if (chunk.waitMs !== undefined) await sleep(chunk.waitMs, { summary: 'No throughput to be had' });
      if (workflowInfo().continueAsNewSuggested) this.draining = true;
    }
  }

  private send(range: BroadcastRange): ReturnType<typeof activities.sendBroadcastChunk> {
    return withSummary(
      'sendBroadcastChunk',
      `Recipients ${range.from} to ${range.to}`,
    )({ ...this.target, ...range, ...(this.troubles > 0 ? { cautious: true } : {}) });
  }

  private fill(): Promise<void> {
    this.filling ??= activities.planBroadcast({ ...this.target, after: this.after }).then((plan) => {
      this.queue.push(...plan.ranges);
      this.after = plan.ranges.at(-1)?.to ?? this.after;
      this.exhausted = plan.ranges.length === 0;
      if (this.first < 0) this.first = plan.ranges[0]?.from ?? -1;
      this.filling = null;
    });
    return this.filling;
  }

  private count(tally: BroadcastTally): void {
    this.run.tally.sent += tally.sent;
    this.run.tally.failed += tally.failed;
    this.run.tally.skipped += tally.skipped;
    this.run.tally.unknown += tally.unknown;
    setCurrentDetails(describeRun(this.run, this.target));
  }
}

function troubleOf(code: number | undefined): string {
  if (code === undefined) return 'the answers of the platform cannot be read';
  return code === -1 ? 'the platform cannot be reached' : `the platform returns errors (${code})`;
}

function settledOf(tally: BroadcastTally): number {
  return tally.sent + tally.failed + tally.skipped + tally.unknown;
}

function describeRun(run: BroadcastRun, target: BroadcastTarget): string {
  const { sent, failed, skipped, unknown } = run.tally;
  const settled = settledOf(run.tally);
  const share = run.audience === 0 ? 100 : Math.floor((settled / run.audience) * 100);
  const outcomes = `${sent} sent, ${failed} failed, ${skipped} skipped, ${unknown} unknown`;
  return `Sending: ${settled} of ${run.audience} settled (${share} %): ${outcomes}.${whoFailed(failed, target)}`;
}

function describeEnd(end: BroadcastEnd, target: BroadcastTarget): string {
  const { sent, failed, skipped, unknown } = end.tally;
  const how = end.status === 'completed' ? 'Completed' : `Failed: ${end.reason}`;
  const outcomes = `${sent} sent, ${failed} failed, ${skipped} skipped, ${unknown} unknown`;
  return `${how}. Audience ${end.audience}: ${outcomes}.${whoFailed(failed, target)}`;
}

/**
 * Returns a text that says where the recipients that were not reached are listed; the results of the chunks count them
 * by code.
 */
function whoFailed(failed: number, { broadcastId }: BroadcastTarget): string {
  return failed === 0 ? '' : `\n\nWho failed: \`GET /api/v1/broadcasts/${broadcastId}/recipients/?status=failed\``;
}

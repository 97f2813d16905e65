import {
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  isCancellation,
  log,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { activities } from './activities';
import {
  signals,
  sweepNames,
  type ReconcileInput,
  type SweepName,
  type SweepResult,
  type SweepRound,
} from './contract';
import { failsOnErrors } from './failures';
import { isoTime } from './time';

/** Starts a round at once, for operators and tests. */
const sweepSignal = defineSignal(signals.sweep);
const lastRoundQuery = defineQuery<SweepRound | null>('lastRound');

const everyMs = 60_000;

/**
 * Runs all sweeps every minute, one after the other: each repairs rows that a lost or late step left behind. A failing
 * sweep does not stop the others, each stops after some 8 s, and those that may have much to do run beside them. A
 * round that left something is followed by the next one at once. One workflow that goes on for ever: a run per minute
 * would fill the operators' list of workflows.
 */
export async function reconcile(input: ReconcileInput): Promise<never> {
  let { last, witness = null } = input;
  let asked = false;
  const beside = besideNames.map((name) => besideRounds(name));
  setHandler(sweepSignal, () => {
    asked = true;
  });
  setHandler(lastRoundQuery, () => last, { description: 'Rows that each sweep of the last round touched.' });

  for (;;) {
    asked = false;
    const began = Date.now();
    // Before the sweeps, because they start again what a restart of the database had held.
    witness = await compare(witness);
    for (const lane of beside) lane.begin();
    const { rows, more } = await sweepAll();
    for (const lane of beside) rows[lane.name] = lane.rows();
    last = { round: (last?.round ?? 0) + 1, rows };
    const nextMs = more ? Date.now() : began + everyMs;
    setCurrentDetails(describeRound(last, began, nextMs));
    await condition(() => asked, Math.max(nextMs - Date.now(), 1), { summary: `Next round ${isoTime(nextMs)}` });
    // After the pause: the new run begins with a round, so that no signal is lost.
    if (!workflowInfo().continueAsNewSuggested) continue;
    for (const lane of beside) await lane.ended();
    await continueAsNew<typeof reconcile>({ last, witness });
  }
}
failsOnErrors(reconcile);

/** Compares the database with the witness; after a failure the next round compares again. */
async function compare(seen: string | null): Promise<string | null> {
  try {
    return await activities.witnessDatabase({ seen });
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn('the database could not be compared with its witness');
    return seen;
  }
}

/** The sweeps that no round waits for: they read from the platform, or remove what may be millions of rows. */
const besideNames = Object.freeze<SweepName[]>(['removeExpiredRows', 'syncUpstream']);
const rounds = sweepNames.filter((name) => !besideNames.includes(name));

async function sweepAll(): Promise<{ rows: SweepRound['rows']; more: boolean }> {
  const rows: SweepRound['rows'] = {};
  let isMore = false;
  for (const name of rounds) {
    const result = await sweep(name);
    rows[name] = result?.rows ?? null;
    isMore ||= result?.more ?? false;
  }
  return { rows, more: isMore };
}

/** Runs one sweep; null where it failed. */
async function sweep(name: SweepName): Promise<SweepResult | null> {
  try {
    return await activities[name]();
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn('a sweep failed', { sweep: name });
    return null;
  }
}

/** A sweep that no round waits for: one at a time, whose last result the rounds show. */
function besideRounds(name: SweepName): {
  readonly name: SweepName;
  begin(): void;
  ended(): Promise<void>;
  rows(): number | null | undefined;
} {
  let running: Promise<void> | null = null;
  let rows: number | null | undefined;

  /** Sweeps until nothing is left, or the run is to end. */
  async function sweepOn(): Promise<void> {
    let result: SweepResult | null;
    let total = 0;
    do {
      result = await sweep(name);
      total += result?.rows ?? 0;
      rows = result && total;
    } while (result?.more && !workflowInfo().continueAsNewSuggested);
  }

  return {
    name,
    begin() {
      running ??= sweepOn()
        // The workflow was cancelled: its loop ends by itself.
        .catch(() => undefined)
        .finally(() => {
          running = null;
        });
    },
    ended: async () => running ?? undefined,
    rows: () => rows,
  };
}

function describeRound({ round, rows }: SweepRound, beganMs: number, nextMs: number): string {
  const said = (touched: number | null | undefined): string =>
    touched === undefined ? 'under way' : String(touched ?? 'failed');
  const lines = sweepNames.map((name) => `- ${name}: ${said(rows[name])}`);
  return [
    `Round ${round} began ${isoTime(beganMs)}; the next one ${isoTime(nextMs)}. Rows touched:`,
    '',
    ...lines,
  ].join('\n');
}

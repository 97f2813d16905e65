import {
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  isCancellation,
  log,
  patched,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { activities } from './activities';
import { signals, sweepNames, type ReconcileInput, type SweepRound } from './contract';
import { failsOnErrors } from './failures';
import { isoTime } from './time';

/** Starts a round at once, for operators and tests. */
export const sweepSignal = defineSignal(signals.sweep);
export const lastRoundQuery = defineQuery<SweepRound | null>('lastRound');

const everyMs = 60_000;
/** The rounds of a run that were done before there was a witness replay without it. */
const witnessPatch = 'database-witness';

/**
 * Runs all sweeps every minute, one after the other: each repairs rows that a lost or late step left behind. A failing
 * sweep does not stop the others. One workflow that goes on for ever: a run per minute would fill the operators' list
 * of workflows.
 */
export async function reconcile(input: ReconcileInput): Promise<never> {
  let { last, witness = null } = input;
  let asked = false;
  setHandler(sweepSignal, () => {
    asked = true;
  });
  setHandler(lastRoundQuery, () => last, { description: 'Rows that each sweep of the last round touched.' });

  for (;;) {
    asked = false;
    const began = Date.now();
    // Before the sweeps: they start again what a crash of the database held up.
    if (patched(witnessPatch)) witness = await compare(witness);
    last = { round: (last?.round ?? 0) + 1, rows: await sweepAll() };
    const nextMs = began + everyMs;
    setCurrentDetails(describeRound(last, began, nextMs));
    await condition(() => asked, Math.max(nextMs - Date.now(), 1), { summary: `Next round ${isoTime(nextMs)}` });
    // After the pause: the new run begins with a round, so that no signal is lost.
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof reconcile>({ last, witness });
  }
}
failsOnErrors(reconcile);

/** Compares database and witness; what fails is asked again in the next round. */
async function compare(seen: string | null): Promise<string | null> {
  try {
    return await activities.witnessDatabase({ seen });
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn('the database could not be compared with its witness');
    return seen;
  }
}

async function sweepAll(): Promise<SweepRound['rows']> {
  const rows: SweepRound['rows'] = {};
  for (const name of sweepNames) {
    try {
      rows[name] = await activities[name]();
    } catch (error) {
      if (isCancellation(error)) throw error;
      rows[name] = null;
      log.warn('a sweep failed', { sweep: name });
    }
  }
  return rows;
}

function describeRound({ round, rows }: SweepRound, beganMs: number, nextMs: number): string {
  const lines = sweepNames.map((name) => `- ${name}: ${rows[name] ?? 'failed'}`);
  return [
    `Round ${round} began ${isoTime(beganMs)}; the next one ${isoTime(nextMs)}. Rows touched:`,
    '',
    ...lines,
  ].join('\n');
}

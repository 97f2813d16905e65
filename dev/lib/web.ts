import { setTimeout as sleep } from 'node:timers/promises';
import { endOf, lastLines, type Child } from './children';
import { UserError } from './launcher';
import { until } from './processes';

const startLimitMs = 90_000;
const answerLimitMs = 5_000;

async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(answerLimitMs) });
    await answer.body?.cancel();
    return answer.status === 200;
  } catch {
    return false;
  }
}

/** Waits until a page of a child answers; throws with its last lines when it ends first or takes too long. */
export async function waitForPage(url: string, child: Child): Promise<void> {
  const isUp = await until(async () => !child.running || (await answers(url)), startLimitMs);
  if (isUp && child.running) return;
  // The pipe may still hold what it said last.
  await sleep(100);
  const what = child.running ? `does not answer at ${url}` : `ended at start (${endOf(child)})`;
  throw new UserError(`${child.name} ${what}${lastLines(child)}`);
}

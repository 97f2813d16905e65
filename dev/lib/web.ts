import http from 'node:http';
import { endOf, lastLines, type Child } from './children';
import { UserError } from './launcher';
import { sleep, until } from './processes';

const startLimitMs = 90_000;
const answerLimitMs = 5_000;

function statusOf(url: string): Promise<number> {
  return new Promise((resolve) => {
    const request = http.get(url, { timeout: answerLimitMs }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(0));
  });
}

/**
 * Waits until a page of a child answers as it should; throws with its last lines when it ends first or takes too long.
 */
export async function waitForPage(
  url: string,
  child: Child,
  accept: (status: number) => boolean = (status) => status === 200,
): Promise<void> {
  const isUp = await until(async () => !child.running || accept(await statusOf(url)), startLimitMs);
  if (isUp && child.running) return;
  // The pipe may still hold what it said last.
  await sleep(100);
  const what = child.running ? `does not answer at ${url}` : `ended at start (${endOf(child)})`;
  throw new UserError(`${child.name} ${what}${lastLines(child)}`);
}

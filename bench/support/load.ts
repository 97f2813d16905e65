import autocannon from 'autocannon';
import { processorMs, type Child } from './processes';
import { median } from './stats';

/** A server under load and the requests that each connection repeats. */
export interface Target {
  readonly server: Child;
  readonly headers: Record<string, string>;
  /** Returns the requests of connection number `index`, in turns. */
  requests(index: number): { method: string; path: string; body?: string }[];
}

interface Load {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Processor time of the server per request: what the machine's other work disturbs least. */
  readonly processorMs: number;
}

const connections = 10;
/** Until most of what a request runs is compiled: measured cold, a server with more code looks slower than it is. */
const warmUpSeconds = 8;

async function shoot(target: Target, seconds: number): Promise<Load> {
  let index = 0;
  const before = processorMs(target.server.pid);
  const result = await autocannon({
    url: target.server.url,
    connections,
    duration: seconds,
    headers: target.headers,
    setupClient: (client) => {
      client.setRequests(target.requests(index).map((request) => ({ ...request, headers: target.headers })));
      index += 1;
    },
  });
  if (result.errors + result.timeouts + result.non2xx > 0) {
    throw new Error(
      `${target.server.url}: ${result.errors} errors, ${result.timeouts} timeouts and ${result.non2xx} refusals ` +
        `of ${result.requests.total} requests`,
    );
  }
  return {
    perSecond: result.requests.total / result.duration,
    p99Ms: result.latency.p99,
    processorMs: (processorMs(target.server.pid) - before) / result.requests.total,
  };
}

/**
 * Loads two servers in turns, so that what else the machine does falls on both, and gives for each the median of its
 * rounds. The order changes each round.
 */
export async function compare(
  ours: Target,
  bare: Target,
  quick: boolean,
): Promise<{ ours: Load; bare: Load; ratio: number }> {
  const options = quick ? { rounds: 3, seconds: 2 } : { rounds: 7, seconds: 6 };
  await shoot(ours, warmUpSeconds);
  await shoot(bare, warmUpSeconds);
  const rounds: { ours: Load; bare: Load }[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    if (round % 2 === 0) {
      const first = await shoot(ours, options.seconds);
      rounds.push({ ours: first, bare: await shoot(bare, options.seconds) });
    } else {
      const first = await shoot(bare, options.seconds);
      rounds.push({ ours: await shoot(ours, options.seconds), bare: first });
    }
  }
  const of = (which: 'ours' | 'bare'): Load => ({
    perSecond: median(rounds.map((round) => round[which].perSecond)),
    p99Ms: median(rounds.map((round) => round[which].p99Ms)),
    processorMs: median(rounds.map((round) => round[which].processorMs)),
  });
  return {
    ours: of('ours'),
    bare: of('bare'),
    ratio: median(rounds.map((round) => round.ours.perSecond / round.bare.perSecond)),
  };
}

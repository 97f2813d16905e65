import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Context } from '../support/context';
import { exactly, type Figure, type Line } from '../support/figure';
import { familyMs, processorMs, type Child } from '../support/processes';
import { seedContacts } from '../support/seed';
import { snoozeAll, spreadOver } from '../support/snoozes';
import { percentile, until } from '../support/stats';

/** The newest that runs on Node 20. */
const peer = 'pg-boss@10.4.2';
const temporalPid = Number(process.env['BENCH_TEMPORAL_PID']);
const postgresPid = Number(process.env['BENCH_POSTGRES_PID']);

/**
 * Snoozes beside the same on pg-boss, which a team would take that builds a helpdesk on PostgreSQL alone: how late they
 * wake, and processor time of all that takes part. The package is fetched for the time of the figure.
 */
export const figure: Figure = {
  name: 'peer',
  async run(context: Context) {
    const count = context.quick ? 300 : 3_000;
    const spreadMs = context.quick ? 10_000 : 60_000;
    const folder = await mkdtemp(path.join(process.env['BENCH_TMP'] ?? tmpdir(), 'peer-'));
    try {
      await install(folder);
      return [
        ...(await measureOurs(context, count, spreadMs)),
        ...(await measurePeer(context, folder, count, spreadMs)),
      ];
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function install(folder: string): Promise<void> {
  await writeFile(path.join(folder, 'package.json'), '{"private": true}');
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', peer], {
    cwd: folder,
    timeout: 180_000,
  });
}

async function measureOurs(context: Context, count: number, spreadMs: number): Promise<Line[]> {
  const installation = await context.install();
  const handles = await seedContacts(installation, count);
  const api = await installation.startApi();
  const worker = await installation.startWorker();
  const used = processorOf([api, worker], [temporalPid]);
  const { lateMs, lost } = await snoozeAll(context, installation, api, handles, spreadOver(count, spreadMs), 50);
  return linesOf('Msgdesk', count, lateMs, lost, used());
}

async function measurePeer(context: Context, folder: string, count: number, spreadMs: number): Promise<Line[]> {
  const installation = await context.install();
  await seedContacts(installation, count);
  const before = processorOf([], []);
  const worker = await installation.startOwn('queuePeer.js', {
    PEER_FOLDER: folder,
    PEER_FIRST_AT: String(Date.now() + 15_000),
    PEER_SPREAD_MS: String(spreadMs),
  });
  const woken = async (): Promise<number[]> => (await (await fetch(worker.url)).json()) as number[];
  await until('the jobs', spreadMs + 120_000, async () => (await woken()).length >= count, 500);
  const late = await woken();
  return linesOf('pg-boss', count, late, count - late.length, before() + processorMs(worker.pid));
}

/** Returns how much processor time these, and PostgreSQL, have used since, in ms. */
function processorOf(children: readonly Child[], others: readonly number[]): () => number {
  const pids = [...children.map(({ pid }) => pid), ...others];
  const read = (): number => pids.reduce((sum, pid) => sum + processorMs(pid), familyMs(postgresPid));
  const before = read();
  return () => read() - before;
}

function linesOf(who: string, count: number, lateMs: readonly number[], lost: number, usedMs: number): Line[] {
  return [
    { what: `${who}: ${count} snoozes, wake latency p50 in ms`, value: percentile(lateMs, 0.5) },
    { what: `${who}: wake latency p99 in ms`, value: percentile(lateMs, 0.99) },
    { what: `${who}: processor ms per snooze, armed and woken`, value: usedMs / count },
    exactly(`${who}: never woken`, lost, 0),
  ];
}

import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { snoozeIntent } from '../../workflows/starts';
import type { Context, Installation } from '../support/context';
import { atMost, exactly, type Figure } from '../support/figure';
import { familyMs, memoryOf, processorMs } from '../support/processes';
import { seedContacts } from '../support/seed';
import { sleep, until } from '../support/stats';

const chunk = 500;
const month = 30 * 86_400_000;
const temporalPid = Number(process.env['BENCH_TEMPORAL_PID']);
const postgresPid = Number(process.env['BENCH_POSTGRES_PID']);

/**
 * Snoozes of a month, armed by their intents and left to wait: what they cost while nothing happens. `BENCH_TIMERS`
 * says how many.
 */
export const figure: Figure = {
  name: 'timers',
  async run(context: Context) {
    const count = Number(process.env['BENCH_TIMERS'] ?? (context.quick ? 1_000 : 10_000));
    const installation = await context.install();
    await seedContacts(installation, count);
    const worker = await installation.startWorker();
    await sleep(5_000);
    const parts: readonly (readonly [string, () => number])[] = [
      ['worker', () => processorMs(worker.pid)],
      ['Temporal', () => processorMs(temporalPid)],
      ['PostgreSQL', () => familyMs(postgresPid)],
    ];
    const [workerBefore, temporalBefore] = [memoryOf(worker.pid).nowMb, memoryOf(temporalPid).nowMb];
    const [fileBefore, rowsBefore] = [temporalFileMb(), await databaseMb(installation)];
    const usedBefore = parts.map(([, read]) => read());

    const begun = Date.now();
    await arm(installation, new Date(begun + month), (armed) =>
      context.log(
        `${armed} of ${count} after ${((Date.now() - begun) / 1000).toFixed(0)} s: ` +
          `worker ${memoryOf(worker.pid).nowMb} MB, Temporal ${memoryOf(temporalPid).nowMb} MB, ` +
          `its file ${temporalFileMb().toFixed(0)} MB`,
      ),
    );
    const seconds = (Date.now() - begun) / 1000;
    const used = parts.map(([name, read], index) => ({
      what: `processor ms per armed timer: ${name}`,
      value: (read() - (usedBefore[index] ?? 0)) / count,
    }));
    // What is still being collected or checkpointed is not what a waiting timer costs.
    await sleep(20_000);
    const [left] = await installation.sql<{ count: number }>('SELECT count(*)::int AS count FROM outbox');
    return [
      { what: `${count} timers: armed per second`, value: count / seconds },
      ...used,
      { what: 'worker memory before, in MB', value: workerBefore },
      atMost('worker memory with all of them armed, in MB', memoryOf(worker.pid).nowMb, 350),
      { what: 'worker memory at its highest, in MB', value: memoryOf(worker.pid).peakMb },
      { what: 'Temporal memory before, in MB', value: temporalBefore },
      { what: 'Temporal memory with all of them armed, in MB', value: memoryOf(temporalPid).nowMb },
      { what: "Temporal's file has grown by, in MB", value: temporalFileMb() - fileBefore },
      { what: 'PostgreSQL has grown by, in MB', value: (await databaseMb(installation)) - rowsBefore },
      exactly('intents left', left?.count ?? -1, 0),
    ];
  },
};

/** Snoozes every conversation, some hundred in a transaction, and waits until Temporal has all of them. */
async function arm(installation: Installation, at: Date, onTenThousand: (armed: number) => void): Promise<void> {
  const { runtime, ctx } = installation;
  const ids = (await installation.sql<{ id: number }>('SELECT id FROM conversations ORDER BY id')).map(({ id }) => id);
  for (let from = 0; from < ids.length; from += chunk) {
    const some = ids.slice(from, from + chunk).map(Number);
    await runtime.db.transaction(async () => {
      await runtime.db.rows(
        `UPDATE conversations SET conv_status = 'snoozed', snoozed_until = $until, snooze_version = snooze_version + 1
         WHERE workspace_id = $workspaceId AND id = ANY($some::bigint[])`,
        { workspaceId: ctx.workspaceId, until: at, some },
      );
      await runtime.outbox.addMany(
        ctx.workspaceId,
        some.map((id) => snoozeIntent(ctx.workspaceId, id, at, 1)),
      );
    });
    // What waits in the table is the relay's; a table of a hundred thousand would measure something else.
    await until('the relay', 600_000, async () => (await intentsLeft(installation)) < 4 * chunk, 100);
    if ((from + chunk) % 10_000 === 0) onTenThousand(from + chunk);
  }
  await until('the last of them', 600_000, async () => (await intentsLeft(installation)) === 0, 100);
}

async function intentsLeft(installation: Installation): Promise<number> {
  return (await installation.sql<{ count: number }>('SELECT count(*)::int AS count FROM outbox'))[0]?.count ?? 0;
}

async function databaseMb(installation: Installation): Promise<number> {
  const [row] = await installation.sql<{ mb: number }>(
    'SELECT (pg_database_size(current_database()) / 1048576.0)::float8 AS mb',
  );
  return row?.mb ?? 0;
}

/** The size of Temporal's file with its log, which lies in the folder of the run. */
function temporalFileMb(): number {
  const folder = process.env['BENCH_TMP'] ?? '.';
  const bytes = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => /temporal[^/]*\.(db|sqlite)[^/]*$/.test(name))
    .reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
  return bytes / 1_048_576;
}

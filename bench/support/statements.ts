import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Ctx } from '../../api/core/context';
import type { Bind } from '../../api/core/db/database';
import { PostgresRateLimitStore } from '../../api/core/db/rateLimits';
import type { Runtime } from '../../api/core/runtime';
import { authenticateKey } from '../../api/services/identity/apiKeys/authenticate';
import type { Installation } from './context';

/** A statement as the service ran it, with the values it had then. */
export interface Statement {
  readonly sql: string;
  readonly bind: Bind;
}

/** What the service runs before it looks at what is asked for. */
interface Entry {
  readonly authenticate: Statement;
  readonly limit: Statement;
}

/**
 * Runs `work` and gives the statements that it ran, in order: the bare servers run just these, whatever the service
 * becomes.
 */
export async function recordStatements(
  installation: Installation,
  work: (runtime: Runtime, ctx: Ctx) => Promise<unknown>,
): Promise<Statement[]> {
  const statements: Statement[] = [];
  const { db } = installation.runtime;
  const note = <T>(sql: string, bind: Bind = {}, run: () => Promise<T>): Promise<T> => {
    statements.push({ sql, bind });
    return run();
  };
  const recording: Runtime = {
    ...installation.runtime,
    db: {
      ...db,
      rows: (sql, bind, how) => note(sql, bind, () => db.rows(sql, bind, how)),
      row: (sql, bind, how) => note(sql, bind, () => db.row(sql, bind, how)),
    },
  };
  await work(recording, { ...installation.ctx, runtime: recording });
  return statements;
}

/** Returns the statements of authentication and rate limit. */
export async function recordEntry(installation: Installation): Promise<Entry> {
  // The first use of a key writes its time of use, which is no part of an ordinary request.
  await authenticateKey(installation.runtime, installation.apiKey, '127.0.0.1');
  await new Promise((resolve) => setTimeout(resolve, 200));
  const statements = await recordStatements(installation, async (runtime) => {
    await authenticateKey(runtime, installation.apiKey, '127.0.0.1');
    await new PostgresRateLimitStore(runtime.db, 'bare:').increment('key');
  });
  const [authenticate, limit] = statements;
  if (!authenticate || !limit || statements.length !== 2)
    throw new Error(`authentication and rate limit ran ${statements.length} statements`);
  return { authenticate, limit };
}

/** Writes what a bare server reads at its start, and gives the file. */
export function writeStatements(name: string, statements: object): string {
  const file = path.join(process.env['BENCH_TMP'] ?? '.', `${name}.json`);
  writeFileSync(file, JSON.stringify(statements));
  return file;
}

import type { Config } from '../config';
import type { Db } from './database';

/** PostgreSQL: undefined_table. */
const noSuchTable = '42P01';

/** The installation that this process is part of (contract 16). */
export interface Installation {
  /**
   * Returns what begins the ids of workflows and the names of task queues: TEMPORAL_PREFIX, else the id that `migrate`
   * drew. Asks the database once; throws while that is away or not migrated.
   */
  prefix(): Promise<string>;
  /** Returns the same once it was read; null before. */
  knownPrefix(): string | null;
}

/** Makes the installation of a process; nothing is read before it is asked for. */
export function createInstallation(config: Config, db: Db): Installation {
  let known: string | null = null;
  return {
    async prefix() {
      if (known !== null) return known;
      // Read even if the setting names a prefix: a database without the row is not migrated.
      const id = await readId(db);
      known = config.temporal.prefix || id;
      return known;
    },
    knownPrefix: () => known,
  };
}

async function readId(db: Db): Promise<string> {
  const row = await db.models.Installation.findOne({ attributes: ['installation_id'], raw: true }).catch(
    (error: unknown) => {
      if ((error as { original?: { code?: unknown } }).original?.code === noSuchTable) return null;
      throw error;
    },
  );
  if (!row) throw new Error('The database has no tables of this version yet. Run `npm run migrate` first.');
  return row.installation_id;
}

import fs from 'node:fs';
import path from 'node:path';
import { UserError, type Log } from './launcher';
import type { Settings } from './settings';

/** What `npm start` keeps in its data folder, logs apart. */
const kept = [
  'postgres',
  'temporal.db',
  'temporal.db-shm',
  'temporal.db-wal',
  'sandbox.json',
  'demo.json',
  'secrets.json',
];

/** Removes what earlier runs kept in the data folder, and nothing else that may lie there. */
export function startOver({ dataDir, databaseUrl, temporalAddress }: Settings, log: Log): void {
  if (databaseUrl || temporalAddress)
    throw new UserError(
      '--fresh empties the embedded PostgreSQL and Temporal; DATABASE_URL and TEMPORAL_ADDRESS are yours to empty.',
    );
  const postgres = path.join(dataDir, 'postgres');
  // Under a folder that is closed to PostgreSQL's user, the data lie elsewhere.
  const note = path.join(postgres, 'location');
  const elsewhere = fs.existsSync(note) ? fs.readFileSync(note, 'utf8').trim() : '';
  for (const target of [...(elsewhere ? [elsewhere] : []), ...kept.map((name) => path.join(dataDir, name))])
    fs.rmSync(target, { recursive: true, force: true, maxRetries: 5 });
  log(`Starting over: the data in ${dataDir} are removed`);
}

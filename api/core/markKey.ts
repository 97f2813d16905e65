import type { Config } from './config';
import { apart, type Db } from './db/database';
import { decryptSecret, encryptSecret, randomToken } from './secrets';

/** Where the key opens. */
const place = 'installation/mark_key';

/**
 * The key of the hashes by which erased people are recognised. It is generated once and never changes: SECRETS_KEY,
 * which encrypts it, can be changed, but the hash of an erased person cannot be computed again.
 */
export interface MarkKey {
  /** Returns the key; asks the database once. Throws where SECRETS_KEY does not open it. */
  open(): Promise<Buffer>;
  /** Seals it with the key of SECRETS_KEY that is in use. */
  reseal(): Promise<void>;
}

/** Makes that of a process; nothing is read before it is asked for. */
export function createMarkKey({ secretsKeys }: Config, db: Db): MarkKey {
  let known: Buffer | null = null;
  const unsealed = (sealed: string): Buffer => Buffer.from(decryptSecret(secretsKeys, sealed, place), 'base64url');
  const sealed = (key: string): string => encryptSecret(secretsKeys, key, place);

  return {
    async open() {
      if (known) return known;
      const stored = await db.models.Installation.findOne({ attributes: ['mark_key'], raw: true });
      // `migrate` has no SECRETS_KEY, so the first who needs it draws it; never in a transaction that may be undone.
      known = unsealed(stored?.mark_key ?? (await apart(() => draw(db, sealed(randomToken())))));
      return known;
    },
    async reseal() {
      await db.transaction(async () => {
        const row = await db.models.Installation.findOne({ lock: true });
        if (!row || row.mark_key === null) return;
        await row.update({ mark_key: sealed(unsealed(row.mark_key).toString('base64url')) });
      });
    },
  };
}

async function draw(db: Db, drawn: string): Promise<string> {
  // Guarded: of several who draw at once, the first one's stays.
  const row = await db.row<{ mark_key: string }>(
    'UPDATE installation SET mark_key = coalesce(mark_key, $drawn) RETURNING mark_key',
    { drawn },
  );
  if (!row) throw new Error('the installation has no row');
  return row.mark_key;
}

import pg from 'pg';
import { findContact } from '../../api/services/resources/contacts/service';
import { mergeContacts } from '../../api/services/processes/contactMerge/merge';
import { claimRecipients, readDue } from '../../api/services/processes/broadcastRuns/claims';
import { openBroadcast } from '../../api/services/processes/broadcastRuns/run';
import { createBroadcast } from '../factories/broadcasts';
import { createContact } from '../factories/contacts';
import { startApi, type TestApi } from '../support/api';
import { eventually } from '../support/eventually';

/** Contract C5: two contacts become one while something else has their rows. */
let desk: TestApi;
let holder: pg.Client;
beforeAll(async () => {
  desk = await startApi();
  holder = new pg.Client({ connectionString: desk.test.env['DATABASE_URL'] });
  await holder.connect();
});
afterAll(async () => {
  await holder.end();
  await desk.close();
});

type TestContact = Awaited<ReturnType<typeof createContact>>;

const twoContacts = async (): Promise<readonly [TestContact, TestContact]> => [
  await createContact(desk.workspace),
  await createContact(desk.workspace),
];

/** The older one stays. */
const merge = (kept: TestContact, gone: TestContact): Promise<number> =>
  desk.runtime.db.transaction(() => mergeContacts(desk.workspace.ctx, kept.id, gone.id));

/** Waits until so many others wait for locks. */
const lockedOut = (count: number): Promise<void> =>
  eventually(async () => {
    const { rows } = await holder.query<{ count: number }>(
      `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect(rows).toEqual([{ count }]);
  });

it('who waited for the contact that goes finds the one that stays', async () => {
  const [kept, gone] = await twoContacts();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM contacts WHERE id = $1 FOR UPDATE', [gone.id]);
  const merged = merge(kept, gone);
  await lockedOut(1);
  const found = desk.runtime.db.transaction(() => findContact(desk.workspace.ctx, gone.receiver_id, true));
  await lockedOut(2);
  await holder.query('ROLLBACK');
  expect([await merged, (await found).id]).toEqual([kept.id, kept.id]);
});

it('two recipients of a chunk whose rows a claim held meanwhile are claimed as one', async () => {
  const [kept, gone] = await twoContacts();
  const { ctx } = desk.workspace;
  const broadcastId = await createBroadcast(desk.workspace, {
    audience: { receiver_ids: [kept.receiver_id, gone.receiver_id] },
  });
  await desk.runtime.db.rows(
    `UPDATE broadcasts SET status = 'scheduled', scheduled_at = now() - interval '1 second' WHERE id = $broadcastId`,
    { broadcastId },
  );
  expect(await openBroadcast(ctx, broadcastId)).toMatchObject({ kind: 'running', audience: 2 });
  await holder.query('BEGIN');
  await holder.query('SELECT FROM broadcast_recipients WHERE broadcast_id = $1 FOR UPDATE', [broadcastId]);
  await merge(kept, gone);
  await holder.query('ROLLBACK');

  const { due, skipped } = await readDue(ctx, { broadcastId, from: 1, to: 2 });
  expect([due.map(({ contact }) => contact), skipped]).toEqual([[kept.id], 1]);
  const { claimed } = await claimRecipients(
    ctx,
    broadcastId,
    due.map((one) => ({ ...one, body: { type: 'template' } })),
    false,
  );
  expect(claimed).toMatchObject([{ contact_id: kept.id }]);
  expect(await readDue(ctx, { broadcastId, from: 1, to: 2 })).toEqual({ due: [], skipped: 0 });
});

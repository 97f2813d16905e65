import pg from 'pg';
import { findContact } from '../../api/services/resources/contacts/service';
import { mergeContacts } from '../../api/services/processes/contactMerge/merge';
import {
  claimRecipients,
  readDue,
  type ClaimedMessage,
  type Due,
} from '../../api/services/resources/broadcasts/runs/claims';
import { endBroadcast, openBroadcast } from '../../api/services/resources/broadcasts/runs/run';
import { recordOutcomes } from '../../api/services/resources/messages/rows/outcomes';
import { createBroadcast } from '../factories/broadcasts';
import { createContact } from '../factories/contacts';
import { unique } from '../factories/unique';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { lockedOut } from '../support/locks';

/** Contract C5: two contacts become one while something else has their rows. */
let desk: TestApi;
let holder: pg.Client;
beforeAll(async () => {
  desk = await sharedDesk('plain');
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

it('who waited for the contact that goes finds the one that stays', async () => {
  const [kept, gone] = await twoContacts();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM contacts WHERE id = $1 FOR UPDATE', [gone.id]);
  const merged = merge(kept, gone);
  await lockedOut(holder, 1);
  const found = desk.runtime.db.transaction(() => findContact(desk.workspace.ctx, gone.receiver_id, true));
  await lockedOut(holder, 2);
  await holder.query('ROLLBACK');
  expect([await merged, (await found).id]).toEqual([kept.id, kept.id]);
});

/** Two contacts who are the recipients of a running broadcast. */
async function twoRecipients(): Promise<{ broadcastId: number; kept: TestContact; gone: TestContact }> {
  const [kept, gone] = await twoContacts();
  const broadcastId = await createBroadcast(desk.workspace, {
    audience: { receiver_ids: [kept.receiver_id, gone.receiver_id] },
  });
  await desk.runtime.db.rows(
    `UPDATE broadcasts SET status = 'scheduled', scheduled_at = now() - interval '1 second' WHERE id = $broadcastId`,
    { broadcastId },
  );
  expect(await openBroadcast(desk.workspace.ctx, broadcastId)).toMatchObject({ kind: 'running', audience: 2 });
  return { broadcastId, kept, gone };
}

const claim = async (broadcastId: number, due: readonly Due[]): Promise<readonly ClaimedMessage[]> => {
  const prepared = due.map((one) => ({ ...one, body: { type: 'template' } }));
  return (await claimRecipients(desk.workspace.ctx, broadcastId, prepared, false)).claimed;
};

it('two recipients of a chunk whose rows a claim held meanwhile are claimed as one', async () => {
  const { broadcastId, kept, gone } = await twoRecipients();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM broadcast_recipients WHERE broadcast_id = $1 FOR UPDATE', [broadcastId]);
  await merge(kept, gone);
  await holder.query('ROLLBACK');

  const range = { broadcastId, from: 1, to: 2 };
  const { due, skipped } = await readDue(desk.workspace.ctx, range);
  expect([due.map(({ contact }) => contact), skipped]).toEqual([[kept.id], 1]);
  expect(await claim(broadcastId, due)).toMatchObject([{ contact_id: kept.id }]);
  expect(await readDue(desk.workspace.ctx, range)).toEqual({ due: [], skipped: 0 });
  // A number sends one at a time.
  await endBroadcast(desk.workspace.ctx, { broadcastId, reason: 'The test is over.' });
});

it('a recipient who was refused for now is not told again where the other one was being told', async () => {
  const { broadcastId, kept, gone } = await twoRecipients();
  const { ctx } = desk.workspace;
  const range = { broadcastId, from: 1, to: 2 };
  const claimed = await claim(broadcastId, (await readDue(ctx, range)).due);
  const idOf = ({ id }: TestContact): number => claimed.find((one) => one.contact_id === id)?.id ?? 0;
  await merge(kept, gone);
  await recordOutcomes(desk.runtime, ctx.workspaceId, [
    { id: idOf(kept), attempts: 1, kind: 'retry', waitMs: 0 },
    { id: idOf(gone), attempts: 1, kind: 'accepted', wamid: `wamid.merged${unique()}`, held: false },
  ]);
  await desk.runtime.db.rows(`UPDATE messages SET next_attempt_at = now() - interval '1 second' WHERE id = $id`, {
    id: idOf(kept),
  });
  expect(await readDue(ctx, range)).toEqual({ due: [], skipped: 1 });
});

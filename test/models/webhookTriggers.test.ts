import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

describe('the trigger that notes messages for subscribers', () => {
  let desk: TestApi;
  beforeAll(async () => {
    desk = await sharedDesk('no sandbox');
  });
  afterAll(() => desk.close());

  /** Returns how often a bulk insert of messages looked into their own table, and how many events it noted. */
  async function insertMessages(): Promise<{ looks: number; noted: number }> {
    const { db } = desk.runtime;
    return db.transaction(async () => {
      await db.rows(
        `WITH contact AS (
           INSERT INTO contacts (workspace_id, receiver_id, phone)
           SELECT $id, n::text, n::text
           FROM (SELECT 4915100000000 + count(*) AS base FROM contacts WHERE workspace_id = $id) taken,
             generate_series(1, 20) place,
             LATERAL (SELECT base + place AS n) numbered
           RETURNING id
         ), conversation AS (
           INSERT INTO conversations (id, workspace_id, contact_id) SELECT id, $id, id FROM contact RETURNING id
         )
         INSERT INTO messages (workspace_id, conversation_id, direction, type, body, message_status)
         SELECT $id, id, 'inbound', 'text', '{}', 'received' FROM conversation`,
        { id: desk.workspace.id },
      );
      const looked = await db.row<{ looks: number }>(
        `SELECT (coalesce(idx_scan, 0) + seq_scan)::int AS looks
         FROM pg_stat_xact_user_tables WHERE relname = 'messages'`,
      );
      const noted = await db.row<{ noted: number }>(
        'SELECT count(*)::int AS noted FROM webhook_events WHERE workspace_id = $id',
        { id: desk.workspace.id },
      );
      return { looks: looked?.looks ?? -1, noted: noted?.noted ?? -1 };
    });
  }

  it('asks nothing of the messages of a workspace without subscribers, and each of those of another', async () => {
    expect(await insertMessages()).toEqual({ looks: 0, noted: 0 });
    await desk.runtime.db.rows(
      `INSERT INTO webhook_subscriptions (workspace_id, url, events, autonomy, active_since, sealed_secret)
       VALUES ($id, 'https://example.com/', '{*}', 'draft', now(), '')`,
      { id: desk.workspace.id },
    );
    const { looks, noted } = await insertMessages();
    expect(looks).toBeGreaterThan(0);
    expect(noted).toBe(40);
  });
});

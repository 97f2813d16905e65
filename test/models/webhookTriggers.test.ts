import { peopleSql, writtenSql } from '../../dev/makers/people';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

describe('the trigger that notes messages for subscribers', () => {
  let desk: TestApi;
  beforeAll(async () => {
    desk = await sharedDesk('no sandbox');
  });
  afterAll(() => desk.close());

  /** Returns how often a bulk insert of messages looked into their own table, and how many events it noted. */
  let made = 0;
  async function insertMessages(): Promise<{ looks: number; noted: number }> {
    const { db } = desk.runtime;
    return db.transaction(async () => {
      await db.rows(
        `WITH ${peopleSql({ workspaceId: desk.workspace.id, count: 20, firstPhone: 4_915_100_000_000, from: made })}
         ${writtenSql('opened')}`,
      );
      made += 20;
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

import pg from 'pg';
import { maxBroadcastCalls, maxNotificationCalls } from '../../api/core/sendLimits';
import { giveBackPermits, takePermits } from '../../api/services/delivery/permits';
import { createDesk } from '../support/desk';
import { eventually } from '../support/eventually';
import { createTestRuntime, type TestRuntime } from '../support/runtime';

/**
 * Permits of broadcasts: no number waits for permits that another one only held for a moment, or has used up its turn.
 */
describe('the permits that phone numbers share', () => {
  let test: TestRuntime;
  let holder: pg.Client;
  let first: number;
  let second: number;
  beforeEach(async () => {
    test = await createTestRuntime({ sandbox: true });
    await createDesk(test);
    const { db } = test.runtime;
    await db.rows('UPDATE phone_numbers SET throughput_mps = 1000');
    const numbers = await db.rows<{ id: number }>('SELECT id FROM phone_numbers ORDER BY id LIMIT 2');
    [first, second] = [numbers[0]?.id ?? 0, numbers[1]?.id ?? 0];
    await db.rows('INSERT INTO send_slots (phone_number_id) SELECT id FROM phone_numbers ON CONFLICT DO NOTHING');
    holder = new pg.Client({ connectionString: test.env['DATABASE_URL'] });
    await holder.connect();
  });
  afterEach(async () => {
    await holder.end();
    await test.close();
  });

  const waitsForALock = async (): Promise<void> =>
    eventually(async () => {
      const { rows } = await holder.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      expect(rows).toHaveLength(1);
    });

  it('a number that came while another one held every permit is served when those come back unused', async () => {
    // The first number's slots cannot be reserved yet: it asks for all permits, and holds them meanwhile.
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM send_slots WHERE phone_number_id = $1 FOR UPDATE', [first]);
    const blocked = takePermits(test.runtime, first, maxBroadcastCalls, { waitMs: 20_000 });
    await waitsForALock();
    const waiting = takePermits(test.runtime, second, maxBroadcastCalls, { waitMs: 20_000 });
    // It gets none: the number is booked for long, so all permits are free again, and no call's end wakes anybody.
    await holder.query(
      `UPDATE send_slots SET booked_until = clock_timestamp() + interval '1 hour' WHERE phone_number_id = $1`,
      [first],
    );
    await holder.query('COMMIT');
    expect(await waiting).toBe(maxBroadcastCalls);
    giveBackPermits(test.runtime, maxBroadcastCalls);
    await test.runtime.db.rows('UPDATE send_slots SET booked_until = clock_timestamp()');
    expect(await blocked).toBeGreaterThan(0);
  }, 30_000);

  it.each([
    ['broadcast', maxBroadcastCalls],
    ['notification', maxNotificationCalls],
  ] as const)(
    'permits of a %s that gave up while slots were reserved for it come back to its kind',
    async (kind, all) => {
      await holder.query('BEGIN');
      await holder.query('SELECT 1 FROM send_slots WHERE phone_number_id = $1 FOR UPDATE', [first]);
      const givenUp = takePermits(test.runtime, first, all, { kind, waitMs: 4_000 });
      await waitsForALock();
      expect(await givenUp).toBe(0);
      await holder.query('COMMIT');
      expect(await takePermits(test.runtime, second, all, { kind, waitMs: 20_000 })).toBe(all);
    },
    30_000,
  );

  it('numbers take turns: who was served goes behind who waits', async () => {
    const turns: string[] = [];
    const ask = async (name: string, number: number): Promise<void> => {
      const granted = await takePermits(test.runtime, number, maxBroadcastCalls, { waitMs: 20_000 });
      turns.push(`${name} ${granted}`);
      // A call of broadcasts that goes on long enough for slots to be free again.
      await test.runtime.db.rows(`UPDATE send_slots SET booked_until = clock_timestamp() - interval '1 second'`);
      giveBackPermits(test.runtime, granted);
    };
    await Promise.all([ask('first', first), ask('first', first), ask('second', second)]);
    expect(turns).toEqual(['first', 'second', 'first'].map((name) => `${name} ${maxBroadcastCalls}`));
  }, 30_000);

  describe('beside people who write, in whatever workspace', () => {
    /** People who go on writing, as long as the test takes. */
    beforeEach(() => test.runtime.db.rows(`UPDATE send_slots SET agent_at = clock_timestamp() + interval '1 hour'`));
    /** Statements that reserve throughput for broadcasts, with the numbers they are for. */
    const reservations = (): jest.SpyInstance => jest.spyOn(test.runtime.db, 'row');
    const numbersOf = (spy: jest.SpyInstance): unknown[] =>
      (spy.mock.calls as [string, { numberPk?: number }?][])
        .filter(([sql]) => sql.includes('UPDATE send_slots'))
        .map(([, values]) => values?.numberPk);

    it('numbers reserve one after the other: who came later waits for who came first', async () => {
      const spy = reservations();
      await holder.query('BEGIN');
      await holder.query('SELECT 1 FROM send_slots WHERE phone_number_id = $1 FOR UPDATE', [first]);
      const earlier = takePermits(test.runtime, first, 20, { waitMs: 20_000 });
      await waitsForALock();
      const later = takePermits(test.runtime, second, 20, { waitMs: 20_000 });
      await test.runtime.db.ping();
      expect(numbersOf(spy)).toEqual([first]);
      await holder.query('COMMIT');
      expect([await earlier, await later]).toEqual([20, 20]);
      expect(numbersOf(spy)).toEqual([first, second]);
    }, 30_000);

    it('a number that asks again goes behind those who wait', async () => {
      const spy = reservations();
      const ask = async (number: number): Promise<void> => {
        const granted = await takePermits(test.runtime, number, 10, { waitMs: 20_000 });
        expect(granted).toBe(10);
        giveBackPermits(test.runtime, granted);
      };
      await Promise.all([ask(first).then(() => ask(first)), ask(second)]);
      expect(numbersOf(spy)).toEqual([first, second, first]);
    }, 30_000);

    it('without them each reserves at once, whoever else waits for the database', async () => {
      await test.runtime.db.rows('UPDATE send_slots SET agent_at = NULL');
      const spy = reservations();
      await holder.query('BEGIN');
      await holder.query('SELECT 1 FROM send_slots WHERE phone_number_id = $1 FOR UPDATE', [first]);
      const blocked = takePermits(test.runtime, first, 20, { waitMs: 20_000 });
      await waitsForALock();
      expect(await takePermits(test.runtime, second, 20, { waitMs: 20_000 })).toBe(20);
      await holder.query('COMMIT');
      expect(await blocked).toBe(20);
      expect(numbersOf(spy)).toEqual([first, second]);
    }, 30_000);
  });
});

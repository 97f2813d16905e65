import { countInbound, reserveSlots, slowDown } from '../../api/services/delivery/slots';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

/** Contract C9, "Rate": one row per number on the database's clock, agents first, inbound counted. */
describe('the send limiter of a phone number', () => {
  let desk: TestApi;
  let number: number;
  beforeAll(async () => {
    desk = await sharedDesk('plain');
  });
  beforeEach(async () => {
    const { id } = await createWorkspace(desk);
    const row = await desk.runtime.db.row<{ id: number }>(
      'SELECT id FROM phone_numbers WHERE workspace_id = $id ORDER BY id LIMIT 1',
      { id },
    );
    number = row?.id ?? 0;
  });
  afterAll(() => desk.close());

  const throughput = (mps: number): Promise<unknown> =>
    desk.runtime.db.rows('UPDATE phone_numbers SET throughput_mps = $mps WHERE id = $number', { mps, number });
  /** Sets how far ahead the number is booked. */
  const booked = (seconds: number): Promise<unknown> =>
    desk.runtime.db.rows(
      `UPDATE send_slots SET booked_until = clock_timestamp() + $seconds * interval '1 second'
        WHERE phone_number_id = $number`,
      { seconds, number },
    );
  const untilOf = async (time: 'booked_until' | 'clock_timestamp()'): Promise<number> =>
    (
      await desk.runtime.db.row<{ at: number }>(
        `SELECT extract(epoch FROM ${time})::float8 AS at FROM send_slots WHERE phone_number_id = $number`,
        { number },
      )
    )?.at ?? 0;
  const ahead = async (): Promise<number> =>
    (
      await desk.runtime.db.row<{ ahead: number }>(
        `SELECT extract(epoch FROM booked_until - clock_timestamp())::float8 AS ahead FROM send_slots
          WHERE phone_number_id = $number`,
        { number },
      )
    )?.ahead ?? 0;

  it('grants a mass send part of a second at once and says how long to wait for more', async () => {
    await throughput(80);
    const before = await untilOf('clock_timestamp()');
    const first = await reserveSlots(desk.runtime, number, 1_000, 'mass');
    expect(first).toEqual({ granted: 11, waitMs: 0 });
    expect((await untilOf('booked_until')) - before).toBeGreaterThanOrEqual(11 / 80);
    // So far ahead that the time which the test takes frees nothing.
    await booked(60);
    const second = await reserveSlots(desk.runtime, number, 1_000, 'mass');
    expect(second).toEqual({ granted: 0, waitMs: expect.any(Number) as number });
    expect(second.waitMs).toBeGreaterThan(0);
    expect(second.waitMs).toBeLessThanOrEqual(60_000);
  });

  it('keeps headroom for agents', async () => {
    await throughput(80);
    await reserveSlots(desk.runtime, number, 1_000, 'mass');
    await booked(0.15);
    expect(await reserveSlots(desk.runtime, number, 5, 'people')).toEqual({ granted: 5, waitMs: 0 });
  });

  it('lets what agents book push mass sends back', async () => {
    await throughput(80);
    await reserveSlots(desk.runtime, number, 1, 'mass');
    // So far ahead that the time which the test takes frees nothing.
    await booked(60);
    const before = await untilOf('booked_until');
    expect((await reserveSlots(desk.runtime, number, 5, 'people')).granted).toBe(5);
    expect((await untilOf('booked_until')) - before).toBeCloseTo(5 / (80 * 0.99), 3);
    const pushed = await reserveSlots(desk.runtime, number, 10, 'mass');
    expect(pushed.granted).toBe(0);
    expect(pushed.waitMs).toBeGreaterThan(0);
  });

  it('books agents minutes ahead, each its own slot, and lets only what is beyond ask again', async () => {
    await throughput(80);
    await reserveSlots(desk.runtime, number, 1, 'people');
    await booked(1);
    const turn = await reserveSlots(desk.runtime, number, 1, 'people');
    expect(turn.granted).toBe(1);
    expect(turn.waitMs).toBeGreaterThan(0);
    await booked(60);
    const later = await reserveSlots(desk.runtime, number, 1, 'people');
    const next = await reserveSlots(desk.runtime, number, 1, 'people');
    expect([later.granted, next.granted]).toEqual([1, 1]);
    expect(later.waitMs).toBeGreaterThan(50_000);
    expect(next.waitMs).toBeLessThanOrEqual(later.waitMs + 1_000 / 79 + 1);
    expect(await ahead()).toBeGreaterThan(50);
    await booked(700);
    const beyond = await reserveSlots(desk.runtime, number, 1, 'people');
    expect(beyond.granted).toBe(0);
    expect(beyond.waitMs).toBeGreaterThan(400_000);
    expect(await ahead()).toBeLessThanOrEqual(700);
  });

  it('never gives more than the throughput to callers at the same time', async () => {
    await throughput(200);
    await reserveSlots(desk.runtime, number, 1, 'mass');
    await booked(0);
    const began = Date.now();
    let granted = 0;
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let turn = 0; turn < 40; turn += 1) {
          const slots = await reserveSlots(desk.runtime, number, 7, 'mass');
          // Added after the wait: a sum that is read before it loses what others add meanwhile.
          granted += slots.granted;
        }
      }),
    );
    const seconds = (Date.now() - began) / 1000;
    expect(granted).toBeLessThanOrEqual(Math.ceil((seconds + 0.15) * 200));
    expect(granted).toBeGreaterThan(0);
  });

  it('follows a changed throughput at once, slows down when told to, and counts inbound messages', async () => {
    await throughput(1_000);
    expect((await reserveSlots(desk.runtime, number, 1_000, 'mass')).granted).toBe(148);
    await booked(0);
    await slowDown(desk.runtime, number);
    expect(await ahead()).toBeGreaterThan(0.5);
    await booked(-1);
    expect((await reserveSlots(desk.runtime, number, 1_000, 'mass')).granted).toBeLessThan(120);
    await booked(0);
    const { phone_number_id: id } = (await desk.runtime.db.row<{ phone_number_id: string }>(
      'SELECT phone_number_id FROM phone_numbers WHERE id = $number',
      { number },
    )) ?? { phone_number_id: '' };
    await countInbound(desk.runtime, new Map([[id, 100]]));
    expect(await ahead()).toBeGreaterThan(0.05);
    await countInbound(desk.runtime, new Map([[id, 1_000_000]]));
    expect(await ahead()).toBeLessThanOrEqual(1);
  });

  it('counts inbound messages of many numbers from two sides without a deadlock', async () => {
    const numbers = await desk.runtime.db.rows<{ id: string }>(
      `INSERT INTO phone_numbers (workspace_id, business_account_id, phone_number_id, display_phone_number)
       SELECT workspace_id, business_account_id, 'many' || n, '+49' || n
       FROM phone_numbers, generate_series(1, 40) AS n WHERE id = $number RETURNING phone_number_id AS id`,
      { number },
    );
    await desk.runtime.db.rows(
      `INSERT INTO send_slots (phone_number_id) SELECT id FROM phone_numbers WHERE phone_number_id LIKE 'many%'
       ON CONFLICT DO NOTHING`,
    );
    const ids = numbers.map(({ id }) => id);
    // Each statement meets the rows in another order, as batches of different customers do.
    const rounds = Array.from({ length: 60 }, (_unused, round) => {
      const turned = [...ids.slice(round % 40), ...ids.slice(0, round % 40)];
      return new Map((round % 2 ? turned.reverse() : turned).map((id) => [id, 1] as const));
    });
    await Promise.all(rounds.map((counts) => countInbound(desk.runtime, counts)));
  });

  it('gives a slow number its single messages', async () => {
    await throughput(1);
    expect(await reserveSlots(desk.runtime, number, 5, 'mass')).toEqual({ granted: 1, waitMs: 0 });
    expect((await reserveSlots(desk.runtime, number, 5, 'mass')).granted).toBe(0);
  });
});

import pg from 'pg';
import { permitsOf, takeForMass } from '../../api/services/delivery/permits';
import { createDesk } from '../support/desk';
import { eventually } from '../support/eventually';
import { createTestRuntime, type TestRuntime } from '../support/runtime';

/** Mass sends: permits and throughput together, and whatever is not used is there for others at once. */
describe('what a mass send may begin', () => {
  let test: TestRuntime;
  let target: { workspaceId: number; numberPk: number };
  const wanted = 40;
  beforeEach(async () => {
    test = await createTestRuntime({ sandbox: true });
    const { ctx } = await createDesk(test);
    const { db } = test.runtime;
    await db.rows('UPDATE phone_numbers SET throughput_mps = 80');
    const number = await db.row<{ id: number }>('SELECT id FROM phone_numbers ORDER BY id LIMIT 1');
    target = { workspaceId: ctx.workspaceId, numberPk: number?.id ?? 0 };
    await db.rows('INSERT INTO send_slots (phone_number_id) SELECT id FROM phone_numbers ON CONFLICT DO NOTHING');
  });
  afterEach(() => test.close());

  /** All that mass sends may have: nobody holds any. */
  const allFree = async (): Promise<void> => {
    const all = await permitsOf(test.runtime).takeMany(99, 1_000_000, 1);
    expect(all).toBe(500);
    permitsOf(test.runtime).giveBack('mass', 99, all);
  };
  const booked = (until: string): Promise<unknown> =>
    test.runtime.db.rows(`UPDATE send_slots SET booked_until = clock_timestamp() + interval '${until}'`);

  it('is what the number has throughput for; the other permits come back', async () => {
    const granted = await takeForMass(test.runtime, target, wanted);
    expect(granted).toBeGreaterThan(0);
    expect(granted).toBeLessThan(wanted);
    permitsOf(test.runtime).giveBack('mass', target.workspaceId, granted);
    await allFree();
  });

  it('is nothing while the number is booked for longer than a worker is held', async () => {
    await booked('1 hour');
    expect(await takeForMass(test.runtime, target, wanted, 100)).toBe(0);
    await allFree();
  });

  it('is asked for again when throughput comes back', async () => {
    await booked('1 hour');
    const asking = takeForMass(test.runtime, target, wanted, 20_000);
    await booked('0');
    const granted = await asking;
    expect(granted).toBeGreaterThan(0);
    permitsOf(test.runtime).giveBack('mass', target.workspaceId, granted);
    await allFree();
  });

  it('keeps no permit where the database refuses to say', async () => {
    const holder = new pg.Client({ connectionString: test.env['DATABASE_URL'] });
    await holder.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT 1 FROM send_slots FOR UPDATE');
      const refused = takeForMass(test.runtime, target, wanted).catch((error: unknown) => error);
      await eventually(async () => {
        const { rows } = await holder.query<{ pid: number }>(
          `SELECT pg_cancel_backend(pid) AS pid FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        expect(rows).toHaveLength(1);
      });
      expect(await refused).toBeInstanceOf(Error);
    } finally {
      await holder.end();
    }
    await allFree();
  });
});

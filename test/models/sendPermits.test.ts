import pg from 'pg';
import { permitsOf, takeForMass } from '../../api/services/delivery/permits';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { eventually } from '../support/eventually';
import { sharedDesk } from '../support/sharedDesk';

/** Mass sends: permits and throughput together, and whatever is not used is there for others at once. */
describe('what a mass send may begin', () => {
  let desk: TestApi;
  let target: { workspaceId: number; numberPk: number };
  const wanted = 40;
  beforeAll(async () => {
    desk = await sharedDesk('plain');
  });
  beforeEach(async () => {
    const { id } = await createWorkspace(desk);
    const { db } = desk.runtime;
    const number = await db.row<{ id: number }>(
      'UPDATE phone_numbers SET throughput_mps = 80 WHERE workspace_id = $id RETURNING id',
      { id },
    );
    target = { workspaceId: id, numberPk: number?.id ?? 0 };
    await db.rows('INSERT INTO send_slots (phone_number_id) VALUES ($numberPk) ON CONFLICT DO NOTHING', target);
  });
  afterAll(() => desk.close());

  /** All that mass sends may have: nobody holds any. */
  const allFree = async (): Promise<void> => {
    const all = await permitsOf(desk.runtime).takeMany(99, 1_000_000, 1);
    expect(all).toBe(500);
    permitsOf(desk.runtime).giveBack('mass', 99, all);
  };
  const booked = (until: string): Promise<unknown> =>
    desk.runtime.db.rows(
      `UPDATE send_slots SET booked_until = clock_timestamp() + $until::interval WHERE phone_number_id = $numberPk`,
      { ...target, until },
    );

  it('is what the number has throughput for; the other permits come back', async () => {
    const granted = await takeForMass(desk.runtime, target, wanted);
    expect(granted).toBeGreaterThan(0);
    expect(granted).toBeLessThan(wanted);
    permitsOf(desk.runtime).giveBack('mass', target.workspaceId, granted);
    await allFree();
  });

  it('is nothing while the number is booked for longer than a worker is held', async () => {
    await booked('1 hour');
    expect(await takeForMass(desk.runtime, target, wanted, 100)).toBe(0);
    await allFree();
  });

  it('is asked for again when throughput comes back', async () => {
    await booked('1 hour');
    const asking = takeForMass(desk.runtime, target, wanted, 20_000);
    await booked('0');
    const granted = await asking;
    expect(granted).toBeGreaterThan(0);
    permitsOf(desk.runtime).giveBack('mass', target.workspaceId, granted);
    await allFree();
  });

  it('keeps no permit where the database refuses to say', async () => {
    const holder = new pg.Client({ connectionString: desk.test.env['DATABASE_URL'] });
    await holder.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT 1 FROM send_slots WHERE phone_number_id = $1 FOR UPDATE', [target.numberPk]);
      const refused = takeForMass(desk.runtime, target, wanted).catch((error: unknown) => error);
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

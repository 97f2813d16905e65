import { createLogger } from '../../api/core/logger';
import { drainInbox } from '../../api/services/processes/events/service';
import { countSetAside } from '../../api/core/queue/outboxAside';
import { messageDeliveryStart } from '../../workflows/starts';
import type { TestApi } from '../support/api';
import { testSetting } from '../support/handed';
import { leaveNothingTo } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';

const lines: string[] = [];
let desk: TestApi;
beforeAll(async () => {
  const logger = createLogger('info', 'test', { write: (line) => void lines.push(line) });
  desk = await sharedDesk('plain', { logger, env: { TEMPORAL_ADDRESS: testSetting('TEST_TEMPORAL_ADDRESS') } });
  await leaveNothingTo(desk, 'drainInbox');
  await leaveNothingTo(desk, 'relay');
});
afterAll(() => desk.close());

describe('an inbound event that stops the process each time', () => {
  const add = async (kind: string, attempts: number): Promise<number> => {
    const row = await desk.runtime.db.row<{ id: number }>(
      `INSERT INTO inbox_events (workspace_id, business_account_id, kind, payload, attempts, available_at)
       SELECT workspace_id, id, $kind, '{}', $attempts, now() - interval '1 second'
       FROM business_accounts WHERE workspace_id = $id RETURNING id`,
      { id: desk.workspace.id, kind, attempts },
    );
    return row?.id ?? 0;
  };
  const state = (id: number): Promise<{ state: string; attempts: number } | null> =>
    desk.runtime.db.row('SELECT state, attempts FROM inbox_events WHERE id = $id', { id });

  it('is handed out alone after some tries, so that its neighbours are spared, and then set aside', async () => {
    const neighbour = await add('nothing_we_know', 0);
    const suspect = await add('nothing_we_know', 3);
    const killer = await add('nothing_we_know', 6);
    // The suspect alone: it turns out to be harmless.
    expect(await drainInbox(desk.runtime, 100)).toMatchObject({ taken: 1 });
    expect((await state(suspect))?.state).toBe('ignored');
    expect(await state(neighbour)).toEqual({ state: 'new', attempts: 0 });
    // The next one has had its lone tries: it is not processed again.
    expect(await drainInbox(desk.runtime, 100)).toMatchObject({ taken: 1 });
    expect((await state(killer))?.state).toBe('parked');
    expect(await drainInbox(desk.runtime, 100)).toMatchObject({ taken: 1 });
    expect((await state(neighbour))?.state).toBe('ignored');
  });

  it('is told in the log with its workspace, by which the operator finds it', async () => {
    const parked = await add('call', 0);
    await drainInbox(desk.runtime, 100);
    expect((await state(parked))?.state).toBe('parked');
    const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(told).toContainEqual(
      expect.objectContaining({
        event: 'inbound.event_failed',
        workspaceId: desk.workspace.id,
        inboxEvent: parked,
        parked: true,
      }),
    );
  });
});

describe('an intent that cannot be handed over', () => {
  const row = (id: string): Promise<Record<string, unknown> | null> =>
    desk.runtime.db.row(
      'SELECT refusals, error, set_aside_at IS NOT NULL AS aside FROM outbox WHERE workflow_id = $id',
      {
        id,
      },
    );
  const makeDue = (id: string, refusals: number): Promise<object[]> =>
    desk.runtime.db.rows(
      `UPDATE outbox SET available_at = now() - interval '1 second', refusals = $refusals WHERE workflow_id = $id`,
      { id, refusals },
    );
  async function add(id: string, refusals: number): Promise<void> {
    const start = { ...messageDeliveryStart(desk.workspace.id, 1), id };
    await desk.runtime.outbox.addMany(desk.workspace.id, [
      { start, input: { workspaceId: desk.workspace.id, conversationId: 1 }, signal: 'deliver' },
    ]);
    await desk.runtime.outbox.drain();
    await makeDue(id, refusals);
  }

  it('is tried less and less often, then set aside and counted, and others go on', async () => {
    // Longer than Temporal takes, but not than the table does.
    const bad = 'x'.repeat(190);
    const temporal = desk.runtime.temporal as { signalWithStart: (...args: never[]) => Promise<void> };
    const real = temporal.signalWithStart;
    temporal.signalWithStart = (async (start: { id: string }) => {
      if (start.id === bad) throw Object.assign(new Error('3 INVALID_ARGUMENT: refused'), { code: 3 });
    }) as never;
    try {
      await add(bad, 0);
      await desk.runtime.outbox.relay();
      expect(await row(bad)).toEqual({ refusals: 1, error: '3 INVALID_ARGUMENT: refused', aside: false });
      await add('good', 0);
      await desk.runtime.outbox.relay();
      expect(await row('good')).toBeNull();
      await makeDue(bad, 19);
      await desk.runtime.outbox.relay();
      expect(await row(bad)).toMatchObject({ refusals: 20, aside: true });
      expect(await countSetAside(desk.runtime.db)).toBe(1);
      await makeDue(bad, 20);
      expect(await desk.runtime.outbox.relay()).toBe(0);
    } finally {
      temporal.signalWithStart = real;
    }
  });

  it('is set aside with the words of Temporal itself', async () => {
    const start = messageDeliveryStart(desk.workspace.id, 2);
    // More than Temporal takes.
    const input = { workspaceId: desk.workspace.id, conversationId: 2, ballast: 'x'.repeat(3_000_000) };
    await desk.runtime.outbox.addMany(desk.workspace.id, [{ start, input }]);
    await desk.runtime.outbox.drain();
    await makeDue(start.id, 19);
    await desk.runtime.outbox.relay();
    expect(await row(start.id)).toEqual({
      refusals: 20,
      error: expect.stringMatching(/^Failed to start Workflow: 3 INVALID_ARGUMENT: .*exceeds/) as string,
      aside: true,
    });
    expect(desk.runtime.temporal.state()).toBe('up');
  });

  it('is not counted as refused while Temporal is away, and is tried again within seconds', async () => {
    const temporal = desk.runtime.temporal as { signalWithStart: (...args: never[]) => Promise<void> };
    const real = temporal.signalWithStart;
    temporal.signalWithStart = () => Promise.reject(Object.assign(new Error('14 UNAVAILABLE'), { code: 14 }));
    try {
      await add('away', 0);
      await desk.runtime.outbox.relay();
      expect(await row('away')).toEqual({ refusals: 0, error: '14 UNAVAILABLE', aside: false });
      const pause = await desk.runtime.db.row<{ seconds: number }>(
        'SELECT extract(epoch FROM available_at - now())::float8 AS seconds FROM outbox WHERE workflow_id = $id',
        { id: 'away' },
      );
      expect(pause?.seconds).toBeLessThanOrEqual(5);
    } finally {
      temporal.signalWithStart = real;
    }
  });
});

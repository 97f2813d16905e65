import { usualTiming } from '../../api/core/process';
import { createOutbox, type Outbox } from '../../api/core/queue/outbox';
import type { Temporal } from '../../api/core/temporal/client';
import { noTracing } from '../../api/core/http/tracing';
import { createWorkspace } from '../../api/services/processes/workspaceSetup/service';
import { eventually } from '../support/eventually';
import { createTestRuntime, type TestRuntime } from '../support/runtime';

/** Intents left to the relays of several workers: each goes to Temporal once, also while Temporal is slow. */
describe('two relays at once', () => {
  const count = 40;
  /** Calls of one relay at one time. */
  const lanes = 16;
  let test: TestRuntime;
  let workspaceId: number;
  beforeAll(async () => {
    test = await createTestRuntime();
  });
  afterAll(() => test.close());
  beforeEach(async () => {
    workspaceId = (await createWorkspace(test.runtime, { name: 'Desk', plan: 'test' })).id;
    await test.runtime.db.rows('DELETE FROM outbox');
  });
  afterEach(() => jest.restoreAllMocks());

  interface Relay {
    readonly outbox: Outbox;
    /** Workflow ids that it signalled, in order. */
    readonly signalled: string[];
    /** Lets its calls end, those under way and those that come. */
    release(): void;
  }

  /** A relay of its own process, whose Temporal answers nothing until it is released. */
  function relay(failing?: (id: string) => Error | null): Relay {
    const signalled: string[] = [];
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const temporal = {
      available: () => true,
      signalWithStart: async ({ id }: { id: string }): Promise<void> => {
        signalled.push(id);
        await gate;
        const fails = failing?.(id);
        if (fails) throw fails;
      },
    } as unknown as Temporal;
    return {
      outbox: createOutbox(test.runtime.db, temporal, test.runtime.logger, noTracing, usualTiming),
      signalled,
      release,
    };
  }

  /** Intents whose own process died after its commit. */
  const leave = (of = workspaceId, many = count, workflow = 'snoozeTimer'): Promise<object[]> =>
    test.runtime.db.rows(
      `INSERT INTO outbox (workspace_id, workflow, workflow_id, signal, version, available_at, input)
       SELECT $of::bigint, $workflow, w.id, 'reschedule', 1, now() - interval '1 second',
         jsonb_build_object('start', jsonb_build_object('workflow', $workflow::text, 'id', w.id), 'input', '{}'::jsonb)
       FROM generate_series(1, $many::int) AS n,
         LATERAL (SELECT CASE $workflow::text WHEN 'snoozeTimer' THEN 'snooze-timer/' ELSE $workflow::text || '/' END
           || $of::bigint || '/' || n AS id) w`,
      { of, many, workflow },
    );
  const due = (): Promise<object[]> => test.runtime.db.rows('UPDATE outbox SET available_at = created_at');

  it('share what waits: the second takes nothing that the first one holds', async () => {
    await leave();
    const [first, second] = [relay(), relay()];
    const working = first.outbox.relay();
    await eventually(() => expect(first.signalled).toHaveLength(lanes));
    second.release();
    expect(await second.outbox.relay()).toBe(0);
    first.release();
    expect(await working).toBe(count);
    expect([first.signalled.length, second.signalled.length]).toEqual([count, 0]);
    expect(await test.runtime.db.rows('SELECT 1 FROM outbox')).toEqual([]);
  });

  it('that begin together divide them', async () => {
    await leave();
    const relays = [relay(), relay()];
    for (const { release } of relays) release();
    const handled = await Promise.all(relays.map(({ outbox }) => outbox.relay(count / 2)));
    expect(handled.reduce((sum, each) => sum + each, 0)).toBe(count);
    expect(new Set(relays.flatMap(({ signalled }) => signalled)).size).toBe(count);
  });

  it('give workspaces their turns: few do not wait behind the many of another one', async () => {
    await leave();
    const other = (await createWorkspace(test.runtime, { name: 'Another desk', plan: 'test' })).id;
    await leave(other, 3);
    const { outbox, signalled, release } = relay();
    release();
    expect(await outbox.relay(10)).toBe(5 + 3);
    const spaces = signalled.map((id) => Number(id.split('/')[1]));
    expect(spaces.filter((id) => id === other)).toHaveLength(3);
    expect(await outbox.relay(count)).toBe(count - 5);
  });

  it('a slow one begins nothing when its lease comes to an end, and leaves the rest to the other', async () => {
    await leave();
    const [slow, other] = [relay(), relay()];
    const working = slow.outbox.relay();
    await eventually(() => expect(slow.signalled).toHaveLength(lanes));
    // Temporal took so long to answer.
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(now + 8_000);
    slow.release();
    await working;
    clock.mockRestore();
    expect(slow.signalled).toHaveLength(lanes);

    // What was not tried is in its place again, without a pause.
    other.release();
    expect(await other.outbox.relay()).toBe(count - lanes);
    expect(await test.runtime.db.rows('SELECT 1 FROM outbox')).toEqual([]);
  });

  it('take the workspaces in turn within a batch: whoever has one is not behind fifty', async () => {
    await leave(workspaceId, 90);
    const others = await Promise.all(
      ['One', 'Two'].map(async (name) => (await createWorkspace(test.runtime, { name, plan: 'test' })).id),
    );
    for (const other of others) await leave(other, 1);
    const { outbox, signalled, release } = relay();
    release();
    await outbox.relay();
    const spaces = signalled.map((id) => Number(id.split('/')[1]));
    for (const other of others) expect(spaces.slice(0, 3)).toContain(other);
  });

  it('take fewer of what is answered too late, and all again when it is answered', async () => {
    const code = (of: number): Error => Object.assign(new Error(`${of} of gRPC`), { code: of });
    await leave(workspaceId, 200);
    let isSlow = true;
    const { outbox, signalled, release } = relay(() => (isSlow ? code(4) : null));
    release();
    const batch = async (): Promise<number> => {
      const before = signalled.length;
      await outbox.relay();
      return signalled.length - before;
    };
    const batches: number[] = [];
    while (batches.at(-1) !== 1) batches.push(await batch());
    expect(batches).toEqual([100, 50, 25, 12, 6, 3, 1]);
    expect(await test.runtime.db.rows('SELECT 1 FROM outbox WHERE refusals > 0 OR set_aside_at IS NOT NULL')).toEqual(
      [],
    );
    isSlow = false;
    await due();
    const after: number[] = [];
    while (after.length < 3) after.push(await batch());
    expect(after).toEqual([1, 2, 4]);
  });

  it('leave intents of a workflow that they do not know to newer versions, however many', async () => {
    await leave(workspaceId, 3, 'ofNextYear');
    await leave(workspaceId, 2);
    const { outbox, signalled, release } = relay();
    release();
    expect(await outbox.relay()).toBe(2);
    expect(signalled.every((id) => id.startsWith('snooze-timer/'))).toBe(true);
    expect(await outbox.relay()).toBe(0);
    expect(await test.runtime.db.rows('SELECT attempts, refusals FROM outbox')).toEqual(
      Array.from({ length: 3 }, () => ({ attempts: 0, refusals: 0 })),
    );
  });
});

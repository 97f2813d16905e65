import { timerDelay, wakeIfDue, wakeWhileBehind } from '../../api/services/resources/conversations/snooze';
import type { SnoozeState } from '../../workflows/contract';
import { createConversation } from '../factories/contacts';
import { movedClock } from '../support/clock';
import { startApi, type TestApi } from '../support/api';

let desk: TestApi;
let now = Date.now();

beforeAll(async () => {
  desk = await startApi({ clock: movedClock(() => new Date(now)) });
});
afterAll(() => desk.close());

describe('many snoozes that end in one second', () => {
  const until = new Date('2035-03-05T09:00:00.400Z');
  /** Customers who are snoozed until about then: their handles. */
  const crowd = (count: number): Promise<string[]> =>
    Promise.all(
      Array.from({ length: count }, async (_unused, index) => {
        const at = new Date(until.getTime() + (index % 5) * 100);
        const { receiver_id: handle } = await createConversation(desk.workspace, {
          status: 'snoozed',
          snoozed_until: at.toISOString(),
        });
        return handle ?? '';
      }),
    );
  const status = async (handle: string): Promise<unknown> =>
    (await desk.api.get(`/api/v1/conversations/${handle}/`)).body['conv_status'];

  it('have a few timers that fire in time or soon, and others over the next hour', async () => {
    const random = jest.spyOn(Math, 'random').mockReturnValue(0.99);
    const add = jest.spyOn(desk.runtime.outbox, 'add');
    try {
      expect(await timerDelay(desk.runtime, until)).toBe(0);
      await crowd(10);
      expect(await timerDelay(desk.runtime, until)).toBe(0);
      const [last = ''] = await crowd(1);
      expect(await timerDelay(desk.runtime, until)).toBe(3_564_000);
      expect(await timerDelay(desk.runtime, new Date(until.getTime() + 1_000))).toBe(0);
      const written = add.mock.calls.map(([, intent]) => intent.input as SnoozeState);
      expect(written.map(({ lateMs }) => lateMs ?? 0)).toEqual([...written.slice(1).map(() => 0), 3_564_000]);
      expect(written.at(-1)?.dueAt).toBe(until.toISOString());
      random.mockReturnValue(0.5);
      expect(await timerDelay(desk.runtime, until)).toBe(10_000);
      random.mockReturnValue(0.05);
      expect(await timerDelay(desk.runtime, until)).toBe(0);
      await desk.api.patch(`/api/v1/conversations/${last}/`, { conv_status: 'open' });
    } finally {
      random.mockRestore();
      add.mockRestore();
    }
  });

  it('wake with the first of them that comes in time', async () => {
    const [first = '', second = ''] = await crowd(2);
    const alone = '2035-03-05T10:00:00Z';
    const { receiver_id: lonely = '' } = await createConversation(desk.workspace, {
      status: 'snoozed',
      snoozed_until: alone,
    });
    const wake = async (handle: string): Promise<unknown> => {
      const row = await desk.runtime.db.row<{ id: number; snooze_version: number }>(
        `SELECT v.id, v.snooze_version FROM conversations v JOIN contacts c ON c.id = v.contact_id
          WHERE c.receiver_id = $handle AND v.workspace_id = $workspaceId`,
        { handle, workspaceId: desk.workspace.id },
      );
      return wakeIfDue(desk.workspace.ctx, { conversationId: row?.id ?? 0, version: row?.snooze_version ?? 0 });
    };
    now = until.getTime() + 10;
    expect(await wakeWhileBehind(desk.runtime)).toBe(0);
    expect(await wake(first)).toEqual({ kind: 'done' });
    expect([await status(first), await status(second)]).toEqual(['open', 'snoozed']);
    now += 1_000;
    expect(await wakeWhileBehind(desk.runtime)).toBeGreaterThan(0);
    expect([await status(second), await status(lonely)]).toEqual(['open', 'snoozed']);
  });
});

import { contactsSql } from '../../dev/makers/people';
import { reopenByOperator, wakeIfDue, wakeOverdue } from '../../api/services/resources/conversations/snooze';
import { createConversation } from '../factories/contacts';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { changedRows, leaveNothingTo } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';
import { movedClock } from '../support/clock';
import { captureStatements } from '../support/statements';

let desk: TestApi;
let now = Date.now();

beforeAll(async () => {
  desk = await sharedDesk('plain', { clock: movedClock(() => new Date(now)) });
});
afterAll(() => desk.close());

interface Snoozed {
  readonly handle: string;
  readonly id: number;
  readonly version: number;
}

async function snoozed(minutes: number): Promise<Snoozed> {
  const { receiver_id: handle = '' } = await createConversation(desk.workspace, {
    status: 'snoozed',
    snoozed_until: new Date(now + minutes * 60_000).toISOString(),
  });
  const row = await desk.runtime.db.row<{ id: number; version: number }>(
    `SELECT v.id, v.snooze_version AS version FROM conversations v JOIN contacts c ON c.id = v.contact_id
     WHERE c.receiver_id = $handle`,
    { handle },
  );
  return { handle, id: row?.id ?? 0, version: row?.version ?? 0 };
}
const timerOf = ({ id, version }: Snoozed): Promise<unknown> =>
  wakeIfDue(desk.workspace.ctx, { conversationId: id, version });
const woken = (): Promise<number[]> => changedRows(desk.workspace, 'conversations', wakeOverdue);
const status = async ({ handle }: Snoozed): Promise<unknown> =>
  (await desk.api.get(`/api/v1/conversations/${handle}/`)).body['conv_status'];

it('wakes what is overdue by two seconds, and leaves the rest to its timers', async () => {
  const [first, second, later] = [await snoozed(10), await snoozed(10), await snoozed(11)];
  now += 10 * 60_000 + 1_000;
  expect(await woken()).toEqual([]);
  expect(await timerOf(first)).toEqual({ kind: 'done' });
  expect([await status(first), await status(second)]).toEqual(['open', 'snoozed']);
  now += 2_000;
  expect(await woken()).toEqual([second.id]);
  expect([await status(second), await status(later)]).toEqual(['open', 'snoozed']);
  const told = await desk.runtime.db.rows<{ id: number }>(
    `SELECT subject_id AS id FROM events WHERE kind = 'woken' AND subject_id = ANY($ids::bigint[]) ORDER BY id`,
    { ids: [first.id, second.id, later.id] },
  );
  expect(told.map(({ id }) => id)).toEqual([first.id, second.id]);
  now += 60_000;
  expect(await woken()).toEqual([later.id]);
});

describe('a timer that comes late says what became of its snooze', () => {
  it('woken by itself, when its first answer was lost', async () => {
    const one = await snoozed(1);
    now += 61_000;
    expect([await timerOf(one), await timerOf(one)]).toEqual([{ kind: 'done' }, { kind: 'done' }]);
  });

  it('woken with others', async () => {
    const one = await snoozed(1);
    now += 120_000;
    expect(await woken()).toEqual([one.id]);
    expect(await timerOf(one)).toEqual({ kind: 'woken_with_others' });
  });

  it('superseded, when somebody opened or snoozed it meanwhile', async () => {
    const [patched, operated, again] = [await snoozed(1), await snoozed(1), await snoozed(1)];
    await desk.api.patch(`/api/v1/conversations/${patched.handle}/`, { conv_status: 'open' });
    await reopenByOperator(desk.workspace.ctx, operated.id);
    now += 120_000;
    expect(await woken()).toEqual([again.id]);
    const until = new Date(now + 60_000).toISOString();
    await desk.api.patch(`/api/v1/conversations/${again.handle}/`, { conv_status: 'snoozed', snoozed_until: until });
    expect(await timerOf({ ...again, version: again.version + 1 })).toEqual({ kind: 'superseded' });
    expect([await timerOf(patched), await timerOf(operated)]).toEqual([{ kind: 'superseded' }, { kind: 'superseded' }]);
    // Of two snoozes of one conversation each timer is told of its own.
    expect(await timerOf(again)).toEqual({ kind: 'woken_with_others' });
    now += 120_000;
    expect(await woken()).toEqual([again.id]);
  });
});

it('takes a thousand at a time, the workspaces in turn', async () => {
  const { runtime, workspace } = desk;
  await leaveNothingTo(desk, 'wakeOverdue');
  await runtime.db.rows(
    `WITH ${contactsSql({ workspaceId: workspace.id, count: 1_500, firstPhone: 17_771_000_001 })}
     INSERT INTO conversations (id, workspace_id, contact_id, conv_status, snoozed_until)
     SELECT id, $workspaceId, id, 'snoozed', now() - interval '1 hour' FROM made`,
    { workspaceId: workspace.id },
  );
  const other = await createWorkspace(desk);
  const { receiver_id: handle = '' } = await createConversation(other);
  await runtime.db.rows(
    `UPDATE conversations SET conv_status = 'snoozed', snoozed_until = now() - interval '1 minute'
     WHERE workspace_id = $workspaceId`,
    { workspaceId: other.id },
  );
  const { result, statements } = await captureStatements(() => wakeOverdue(runtime));
  // In a transaction of its own, which rules would need.
  expect([result, statements.length]).toEqual([501, 3]);
  // The latest of all, and yet among the first: each workspace has its share.
  expect((await other.api.get(`/api/v1/conversations/${handle}/`)).body['conv_status']).toBe('open');
  expect([await wakeOverdue(runtime), await wakeOverdue(runtime)]).toEqual([1_000, 0]);
});

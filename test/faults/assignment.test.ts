import { peopleSql } from '../../dev/makers/people';
import { randomInt } from 'node:crypto';
import { updateConversation } from '../../api/services/resources/conversations/service';
import { changeAssignment } from '../../api/services/resources/inboxes/assignment/service';
import { createInbox } from '../../api/services/resources/inboxes/service';
import { changeOwnSettings, createMember, updateMember } from '../../api/services/identity/members/service';
import { playAssignment } from '../support/assignmentModel';
import { createDesk } from '../support/desk';
import { eventually } from '../support/eventually';
import { createTestRuntime, type TestRuntime } from '../support/runtime';
import { impatient } from '../support/timing';
import { spawnWorker } from '../support/worker';

it.each(['balanced', 'round_robin'] as const)('%s keeps its promises over a million random events', (mode) =>
  playAssignment(randomInt(2 ** 31), 1_000_000, mode),
);

let test: TestRuntime;
beforeEach(async () => {
  test = await createTestRuntime({ timing: impatient });
});
afterEach(() => test.close());

const conversations = 2_000;
const rounds = 5;

it('workers killed while 2,000 come and go: nobody waits while somebody has room, none has two owners', async () => {
  const { runtime } = test;
  const { db } = runtime;
  const { ctx } = await createDesk(test);
  const members: number[] = [];
  for (const name of ['Ann', 'Ben', 'Cem', 'Dee', 'Eve'])
    members.push((await createMember(ctx, { email: `${name}@desk.test`, name, role: 'agent' })).id);
  const inbox = (await createInbox(ctx, { name: 'Support', memberIds: members })).id;
  const capacity = (member_id: number, most: number | null) =>
    changeAssignment(ctx, inbox, { capacities: [{ member_id, capacity: most }] });
  await changeAssignment(ctx, inbox, {
    mode: 'balanced',
    capacities: members.map((member_id) => ({ member_id, capacity: 60 })),
  });
  const as = (member: number) => ({ ...ctx, actor: { type: 'member' as const, memberId: member, apiKeyId: null } });
  const away = (member: number, is_away: boolean) => changeOwnSettings(as(member), { is_away });

  /** So many customers whose conversations come into the inbox. */
  const arrive = (from: number, count: number) =>
    db
      .rows(`WITH ${peopleSql({ workspaceId: ctx.workspaceId, count, firstPhone: 15_553_000_001, from })} SELECT`)
      .then(() =>
        db.rows(
          `UPDATE conversations SET assigned_team_inbox_id = $inbox
         WHERE workspace_id = $ws AND assigned_team_inbox_id IS NULL`,
          { ws: ctx.workspaceId, inbox },
        ),
      );
  const some = (condition: string, count: number) =>
    db.rows<{ id: number; receiver_id: string }>(
      `SELECT v.id, c.receiver_id FROM conversations v JOIN contacts c ON c.id = v.contact_id
       WHERE v.workspace_id = $ws AND ${condition} ORDER BY random() LIMIT $count`,
      { ws: ctx.workspaceId, count },
    );
  const write = async (condition: string, count: number, patch: Parameters<typeof updateConversation>[2]) => {
    for (const { receiver_id: handle } of await some(condition, count)) await updateConversation(ctx, handle, patch);
  };

  for (let round = 0; round < rounds; round += 1) {
    const doomed = await spawnWorker(test);
    const deadline = Date.now() + randomInt(300, 2_500);
    const killed = new Promise((resolve) => setTimeout(resolve, deadline - Date.now())).then(() =>
      doomed.kill('SIGKILL'),
    );
    await arrive((round * conversations) / rounds, conversations / rounds);
    const [one = 0, other = 0] = [members[round % 5], members[(round + 1) % 5]];
    await away(one, true);
    await write("v.conv_status = 'open' AND v.assigned_member_id IS NOT NULL", 60, { conv_status: 'resolved' });
    await capacity(other, round === 3 ? null : 40 + 20 * round);
    await write("v.conv_status = 'resolved'", 30, { conv_status: 'open' });
    // By hand, also over a capacity.
    await write("v.conv_status = 'open'", 20, { assigned_member: other });
    await away(one, round === 2);
    if (round === 3) await updateMember(ctx, one, { isActive: false });
    await killed;
  }
  await spawnWorker(test);

  /** Who waits, who is there with room, and what deactivated members have. */
  const wrong = () =>
    db.row<{ waiting: number; room: number; abandoned: number }>(
      `SELECT
         (SELECT count(*) FROM conversations WHERE assigned_team_inbox_id = $inbox AND queued_at IS NOT NULL)::int
           AS waiting,
         (SELECT count(*) FROM conversations v JOIN members m ON m.id = v.assigned_member_id
          WHERE v.assigned_team_inbox_id = $inbox AND v.conv_status = 'open' AND NOT m.is_active)::int AS abandoned,
         (SELECT count(*) FROM team_inbox_members s JOIN members m ON m.id = s.member_id
          WHERE s.team_inbox_id = $inbox AND m.is_active AND NOT m.is_away AND (s.capacity IS NULL OR s.capacity >
            (SELECT count(*) FROM conversations v WHERE v.assigned_member_id = m.id AND v.conv_status = 'open'
              AND v.assigned_team_inbox_id = $inbox AND v.queued_at IS NULL)))::int AS room`,
      { inbox },
    );
  await eventually(
    async () => {
      const { waiting = -1, room = -1, abandoned = -1 } = (await wrong()) ?? {};
      expect([room > 0 ? waiting : 0, abandoned]).toEqual([0, 0]);
    },
    { timeoutMs: 120_000 },
  );

  // A member who comes with room for some is given the first of the queue, and then the rest.
  const last = (await createMember(ctx, { email: 'last@desk.test', name: 'Last', role: 'agent' })).id;
  for (const member of members) await capacity(member, 1);
  await write("v.conv_status = 'resolved'", 20, { conv_status: 'open' });
  await eventually(async () => expect(await db.row('SELECT 1 AS some FROM outbox LIMIT 1')).toBeNull());
  const queue = await db.rows<{ id: number }>(
    `SELECT id FROM conversations WHERE assigned_team_inbox_id = $inbox AND queued_at IS NOT NULL
     ORDER BY queued_at, id`,
    { inbox },
  );
  const room = 10;
  expect(queue.length).toBeGreaterThan(room);
  await db.rows('INSERT INTO team_inbox_members (team_inbox_id, member_id, capacity) VALUES ($inbox, $last, $room)', {
    inbox,
    last,
    room,
  });
  const served = async () =>
    (
      await db.rows<{ id: number }>('SELECT id FROM conversations WHERE assigned_member_id = $last ORDER BY id', {
        last,
      })
    ).map(({ id }) => id);
  await eventually(async () => expect(await served()).toHaveLength(room));
  const first = queue.slice(0, room).map(({ id }) => id);
  expect(await served()).toEqual(first.sort((left, right) => left - right));
  await capacity(last, null);
  await eventually(async () => expect((await wrong())?.waiting).toBe(0), { timeoutMs: 120_000 });

  // Each activity begins with the owner with whom the one before ended: none was taken out of another one's hands.
  const trail = await db.rows<{ subject_id: number; from: number | null; to: number | null }>(
    `SELECT subject_id, (changes->'assigned_member'->>'from')::bigint AS "from",
       (changes->'assigned_member'->>'to')::bigint AS "to"
     FROM events WHERE workspace_id = $ws AND changes ? 'assigned_member' ORDER BY id`,
    { ws: ctx.workspaceId },
  );
  const owners = new Map<number, number | null>();
  for (const { subject_id: id, from, to } of trail) {
    expect([id, from]).toEqual([id, owners.get(id) ?? null]);
    owners.set(id, to);
  }
  const rows = await db.rows<{ id: number; assigned_member_id: number | null }>(
    'SELECT id, assigned_member_id FROM conversations WHERE workspace_id = $ws',
    { ws: ctx.workspaceId },
  );
  expect(rows).toHaveLength(conversations);
  for (const { id, assigned_member_id: owner } of rows) expect([id, owner]).toEqual([id, owners.get(id) ?? null]);
}, 600_000);

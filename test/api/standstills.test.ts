import { createProcessMetrics } from '../../api/services/processes/maintenance/metrics';
import { createConversation } from '../factories/contacts';
import { createMember } from '../factories/members';
import { createTicket } from '../factories/tickets';
import { watchAlerts } from '../support/alerts';
import { startApi, type TestApi } from '../support/api';

/** What stands still rings, by the rules that are shipped and the figures that the service serves. */
let desk: TestApi;
beforeAll(async () => {
  desk = await startApi({ worker: false });
  await createMember(desk.workspace);
  await createConversation(desk.workspace);
  await createTicket(desk.workspace);
  // Nothing of these waits for a relay, of which there is none.
  await desk.runtime.db.rows('DELETE FROM outbox');
});
afterAll(() => desk.close());

const minuteMs = 60_000;

/** Returns what rings when the figures of now stay as they are for so many minutes. */
async function ringing(minutes: number): Promise<string[]> {
  const watch = watchAlerts();
  const page = await createProcessMetrics(desk.runtime).read();
  let firing: string[] = [];
  for (let atMs = 0; atMs <= minutes * minuteMs; atMs += minuteMs)
    firing = watch.scraped({ atMs, pages: { api: page } });
  return firing;
}

interface Standstill {
  readonly alert: string;
  /** Statements that bring it about, in this workspace (`$id`). */
  readonly begins: readonly string[];
  /** The same, not yet long enough, or with a reason. */
  readonly excused: string;
  readonly ends: string;
}

const standstills: readonly Standstill[] = [
  {
    alert: 'IntentsOfNewerVersion',
    begins: [
      `INSERT INTO outbox (workspace_id, workflow, workflow_id, created_at)
       VALUES ($id, 'ofNextYear', 'of-next-year/1', now() - interval '6 minutes')`,
    ],
    excused: `UPDATE outbox SET created_at = now() - interval '4 minutes' WHERE workspace_id = $id`,
    ends: 'DELETE FROM outbox WHERE workspace_id = $id',
  },
  {
    alert: 'BroadcastLate',
    begins: [
      `INSERT INTO broadcasts (workspace_id, name, phone_number_id, audience, status, scheduled_at, confirmed_at)
       SELECT $id, 'late', min(id), '{}', 'scheduled', now() - interval '6 minutes', now()
       FROM phone_numbers WHERE workspace_id = $id`,
    ],
    excused: `INSERT INTO delivery_holds (workspace_id, reason) VALUES ($id, 'held')`,
    ends: `WITH gone AS (DELETE FROM broadcasts WHERE workspace_id = $id)
      DELETE FROM delivery_holds WHERE workspace_id = $id`,
  },
  {
    alert: 'StageMoveStuck',
    begins: [
      `INSERT INTO ticket_stage_moves
         (workspace_id, ticket_id, stage_id, stage_name, template, variables, ticket_values, created_at)
       SELECT $id, id, stage_id, 'Done', '{}', '{}', '{}', now() - interval '16 minutes' FROM tickets
       WHERE workspace_id = $id LIMIT 1`,
    ],
    excused: `UPDATE ticket_stage_moves SET created_at = now() - interval '14 minutes' WHERE workspace_id = $id`,
    ends: 'DELETE FROM ticket_stage_moves WHERE workspace_id = $id',
  },
  {
    alert: 'ConversationsQueue',
    begins: [
      `INSERT INTO team_inboxes (workspace_id, name, assignment) VALUES ($id, 'Busy', 'balanced')`,
      `INSERT INTO team_inbox_members (team_inbox_id, member_id, capacity)
       SELECT i.id, m.id, 1 FROM team_inboxes i, members m
       WHERE i.name = 'Busy' AND m.workspace_id = $id ORDER BY m.id LIMIT 1`,
      `UPDATE conversations SET conv_status = 'open', assigned_member_id = NULL,
         assigned_team_inbox_id = (SELECT id FROM team_inboxes WHERE name = 'Busy') WHERE workspace_id = $id`,
      `UPDATE conversations SET queued_at = now() - interval '2 minutes' WHERE workspace_id = $id`,
      // The triggers ask for the assignment, and no relay runs here.
      'DELETE FROM outbox WHERE workspace_id = $id',
    ],
    excused: `UPDATE members SET is_away = true WHERE workspace_id = $id`,
    ends: `WITH back AS (UPDATE members SET is_away = false WHERE workspace_id = $id), gone AS (DELETE FROM outbox)
      UPDATE conversations SET assigned_team_inbox_id = NULL WHERE workspace_id = $id`,
  },
  {
    alert: 'MacroRunsStuck',
    begins: [
      `INSERT INTO macro_runs (workspace_id, actions, conversation_id, actor_type, created_at)
       VALUES ($id, '[]', 1, 'system', now() - interval '3 minutes')`,
    ],
    excused: `UPDATE macro_runs SET created_at = now() WHERE workspace_id = $id`,
    ends: 'DELETE FROM macro_runs WHERE workspace_id = $id',
  },
  {
    alert: 'MailsWait',
    begins: [
      `INSERT INTO mails (member_id, kind, created_at, expires_at)
       SELECT id, 'link', now() - interval '11 minutes', now() + interval '1 hour' FROM members WHERE workspace_id = $id
       LIMIT 1`,
    ],
    excused: `UPDATE mails SET expires_at = now() - interval '1 second'`,
    ends: 'DELETE FROM mails',
  },
];

it.each(standstills)('$alert', async ({ alert, begins, excused, ends }) => {
  const { id } = desk.workspace;
  const run = (sql: string): Promise<unknown> => desk.runtime.db.rows(sql, { id });
  const usual = await ringing(30);
  expect(usual).not.toContain(alert);
  for (const sql of begins) await run(sql);
  // It alone: nothing else rings for it.
  expect((await ringing(10)).filter((name) => !usual.includes(name))).toEqual([alert]);
  await run(excused);
  expect(await ringing(0)).not.toContain(alert);
  await run(ends);
  expect(await ringing(30)).toEqual(usual);
});

import { expireIfDue, expireOverdueAnywhere } from '../../api/services/processes/approvals/service';
import { openBroadcast, rearmBroadcasts } from '../../api/services/processes/broadcastRuns/run';
import { wakeIfDue, wakeOverdue } from '../../api/services/resources/conversations/snooze';
import { breachIfDue, breachOverdue } from '../../api/services/resources/sla/breaches';
import { createBroadcast } from '../factories/broadcasts';
import { createContact, createConversation } from '../factories/contacts';
import { createTicket } from '../factories/tickets';
import { startApi, type TestApi } from '../support/api';

const minute = 60_000;
const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * minute).toISOString();

/**
 * The database's clock decides what is due: one machine that is ahead wakes nobody early, one that is behind nobody
 * late.
 */
describe.each([
  ['ahead', 10 * minute],
  ['behind', -10 * minute],
])('a worker whose clock is ten minutes %s', (_name, offsetMs) => {
  let desk: TestApi;
  beforeAll(async () => {
    desk = await startApi({ clock: { now: () => new Date(Date.now() + offsetMs) } });
  });
  afterAll(() => desk.close());
  const set = (sql: string, bind: Record<string, unknown>): Promise<unknown[]> => desk.runtime.db.rows(sql, bind);
  const outcomes = { early: { kind: 'not_due' }, due: { kind: 'done' } };

  it('judges snoozes by the database', async () => {
    const contact = await createConversation(desk.workspace, { conv_status: 'snoozed', snoozed_until: inMinutes(60) });
    const until = async (sql: string): Promise<{ id: number; version: number }> => {
      const [row] = await desk.runtime.db.rows<{ id: number; version: number }>(
        `UPDATE conversations SET snoozed_until = ${sql} WHERE contact_id = $id
          RETURNING id, snooze_version AS version`,
        { id: contact.id },
      );
      return row ?? { id: 0, version: 0 };
    };
    const { id, version } = await until(`now() + interval '5 minutes'`);
    const target = { conversationId: id, version };
    expect(await wakeIfDue(desk.workspace.ctx, target)).toMatchObject(outcomes.early);
    expect(await wakeOverdue(desk.runtime)).toBe(0);
    await until(`now() - interval '1 second'`);
    expect(await wakeIfDue(desk.workspace.ctx, target)).toEqual(outcomes.due);
  });

  it('judges service levels by the database', async () => {
    const ticket = await createTicket(desk.workspace);
    await set(
      `UPDATE tickets SET first_response_sla = now() + interval '5 minutes', resolution_sla = now() + interval '1 hour',
         first_response_at = NULL, sla_version = 1 WHERE id = $id`,
      { id: ticket.id },
    );
    const target = { subject: 'ticket' as const, subjectId: ticket.id, version: 1 };
    expect(await breachIfDue(desk.workspace.ctx, target)).toMatchObject(outcomes.early);
    expect(await breachOverdue(desk.runtime)).toBe(0);
    await set(`UPDATE tickets SET first_response_sla = now() - interval '1 second' WHERE id = $id`, { id: ticket.id });
    expect(await breachIfDue(desk.workspace.ctx, target)).toEqual(outcomes.due);
  });

  it('judges broadcasts by the database', async () => {
    await createContact(desk.workspace);
    const id = await createBroadcast(desk.workspace);
    await set(
      `UPDATE broadcasts SET status = 'scheduled', scheduled_at = now() + interval '5 minutes' WHERE id = $id`,
      { id },
    );
    expect(await openBroadcast(desk.workspace.ctx, id)).toMatchObject(outcomes.early);
    expect(await rearmBroadcasts(desk.runtime)).toBe(0);
    await set(`UPDATE broadcasts SET scheduled_at = now() - interval '1 second' WHERE id = $id`, { id });
    expect(await openBroadcast(desk.workspace.ctx, id)).toMatchObject({ kind: 'running' });
  });

  it('judges approvals by the database', async () => {
    const [row] = await desk.runtime.db.rows<{ id: number }>(
      `INSERT INTO approvals (workspace_id, connection_kind, connection_id, autonomy, tool, call_kind, input,
        expires_at)
       VALUES ($workspaceId, 'api_key', 1, 'approval', 'send_message', 'message', '{}', now() + interval '5 minutes')
       RETURNING id`,
      { workspaceId: desk.workspace.id },
    );
    const id = row?.id ?? 0;
    expect(await expireIfDue(desk.workspace.ctx, id)).toMatchObject(outcomes.early);
    expect(await expireOverdueAnywhere(desk.runtime)).toBe(0);
    await set(`UPDATE approvals SET expires_at = now() - interval '1 second' WHERE id = $id`, { id: row?.id });
    expect(await expireIfDue(desk.workspace.ctx, id)).toEqual(outcomes.due);
  });
});

import { allScopes } from '../../api/core/http/access';
import { expireIfDue, expireOverdueAnywhere, reject } from '../../api/services/processes/approvals/service';
import { performActions } from '../../api/services/processes/macroRuns/steps';
import { restartBroadcasts } from '../../api/services/resources/broadcasts/runs/restart';
import { openBroadcast } from '../../api/services/resources/broadcasts/runs/run';
import { wakeIfDue, wakeOverdue } from '../../api/services/resources/conversations/snooze';
import { breachIfDue, breachOverdue } from '../../api/services/resources/sla/breaches';
import { broadcastStart } from '../../workflows/starts';
import { createBroadcast } from '../factories/broadcasts';
import { createContact, createConversation } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createTicket } from '../factories/tickets';
import type { TestApi } from '../support/api';
import { changedRows, startedAgain } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';

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
    desk = await sharedDesk('plain', { clock: { now: () => new Date(Date.now() + offsetMs) } });
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
    expect(await changedRows(desk.workspace, 'conversations', wakeOverdue)).toEqual([]);
    await until(`now() - interval '1 second'`);
    expect(await wakeIfDue(desk.workspace.ctx, target)).toEqual(outcomes.due);
  });

  it('takes what lies in the future of the database, and nothing else', async () => {
    const { handle } = createCustomer(desk.workspace);
    const contact = await createContact(desk.workspace, { phone: `+${handle}` });
    const snooze = async (snoozed_until: string): Promise<number> =>
      (await desk.api.patch(`/api/v1/conversations/${handle}/`, { conv_status: 'snoozed', snoozed_until })).status;
    expect([await snooze(inMinutes(-5)), await snooze(inMinutes(5))]).toEqual([400, 200]);

    const [ran] = await desk.runtime.db.transaction(() =>
      performActions(desk.workspace.ctx, {
        actions: [{ type: 'set_status', params: { status: 'snoozed', snooze_minutes: 5 } }],
        target: { conversationId: contact.id, ticketId: null },
        dedupePrefix: 'test',
      }),
    );
    const until = Date.parse(/Snoozed until (.+)\.$/.exec(ran?.detail ?? '')?.[1] ?? '');
    expect(Math.abs(until - Date.parse(inMinutes(5)))).toBeLessThan(4 * minute);

    const broadcast = await createBroadcast(desk.workspace);
    const confirm = async (scheduled_at: string): Promise<number> =>
      (await desk.api.post(`/api/v1/broadcasts/${broadcast}/confirm/`, { scheduled_at })).status;
    expect([await confirm(inMinutes(-5)), await confirm(inMinutes(5))]).toEqual([400, 200]);

    const expiring = (minutes: number): Promise<unknown> =>
      desk.workspace.key(['chat.view'], { expiresAt: new Date(inMinutes(minutes)) });
    await expect(expiring(-5)).rejects.toThrow();
    await expect(expiring(5)).resolves.toBeDefined();
  });

  it('begins a broadcast now, so that its sweep finds it after a crash held it up', async () => {
    const broadcast = await createBroadcast(desk.workspace);
    const { body } = await desk.api.post(`/api/v1/broadcasts/${broadcast}/confirm/`, {});
    expect(body['status']).toBe('running');
    expect(Math.abs(Date.parse(String(body['started_at'])) - Date.now())).toBeLessThan(4 * minute);
    expect(await startedAgain(desk.workspace, (runtime) => restartBroadcasts(runtime, { quietForMs: 0 }))).toEqual([
      broadcastStart(desk.workspace.id, broadcast).id,
    ]);
  });

  it('judges the 24-hour window by the database', async () => {
    const customer = createCustomer(desk.workspace);
    await customer.writes('Hello');
    const send = async (): Promise<number> =>
      (await desk.api.post('/api/v1/messages/', { to: customer.phone, body: 'Hi' })).status;
    const ends = (minutes: number): Promise<unknown> =>
      set(
        `UPDATE conversation_windows SET open_until = now() + $minutes::int * interval '1 minute'
         WHERE conversation_id IN (SELECT id FROM contacts WHERE phone = $phone)`,
        { minutes, phone: customer.handle },
      );
    await ends(5);
    expect(await send()).toBe(201);
    await ends(-5);
    expect(await send()).toBe(400);
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
    expect(await changedRows(desk.workspace, 'tickets', breachOverdue)).toEqual([]);
    await set(`UPDATE tickets SET first_response_sla = now() - interval '1 second' WHERE id = $id`, { id: ticket.id });
    expect(await breachIfDue(desk.workspace.ctx, target)).toEqual(outcomes.due);
  });

  it('writes deadlines of messages, answers and escalations by the database', async () => {
    const time = async (sql: string, id: unknown): Promise<number> => {
      const [found] = await desk.runtime.db.rows<{ at: Date }>(sql, { id });
      return (found?.at ?? new Date(0)).getTime();
    };
    const isNow = (at: number): void => expect(Math.abs(at - Date.now())).toBeLessThan(4 * minute);
    const customer = createCustomer(desk.workspace);
    await customer.writes('Hello');
    await set(
      `UPDATE conversations SET sla_started_at = now(), sla_stopped_at = NULL, sla_responded_at = NULL,
         sla_first_response_deadline = now() + interval '1 hour'
       WHERE contact_id IN (SELECT id FROM contacts WHERE phone = $phone)`,
      { phone: customer.handle },
    );
    const { body } = await desk.api.post('/api/v1/messages/', { to: customer.phone, body: 'Hi' });
    const dayMs = 24 * 60 * minute;
    isNow((await time('SELECT deliver_by AS at FROM messages WHERE id = $id', body['id'])) - dayMs);
    isNow(
      await time(
        `SELECT sla_responded_at AS at FROM conversations
         WHERE id = (SELECT conversation_id FROM messages WHERE id = $id)`,
        body['id'],
      ),
    );
    const { id } = await createTicket(desk.workspace);
    const colleague = { escalated_to: desk.workspace.owner.id, reason: 'Urgent' };
    expect((await desk.api.post(`/api/v1/tickets/${id}/escalate/`, colleague)).status).toBe(200);
    isNow(await time('SELECT escalated_at AS at FROM tickets WHERE id = $id', id));
  });

  it('judges broadcasts by the database', async () => {
    await createContact(desk.workspace);
    const id = await createBroadcast(desk.workspace);
    await set(
      `UPDATE broadcasts SET status = 'scheduled', scheduled_at = now() + interval '5 minutes' WHERE id = $id`,
      { id },
    );
    expect(await openBroadcast(desk.workspace.ctx, id)).toMatchObject(outcomes.early);
    expect(await startedAgain(desk.workspace, restartBroadcasts)).toEqual([]);
    // Before the broadcast that was begun above: its turn comes first.
    await set(`UPDATE broadcasts SET scheduled_at = now() - interval '1 hour' WHERE id = $id`, { id });
    expect(await openBroadcast(desk.workspace.ctx, id)).toMatchObject({ kind: 'running' });
  });

  it('judges approvals by the database, also when somebody decides', async () => {
    const [row] = await desk.runtime.db.rows<{ id: number }>(
      `INSERT INTO approvals (workspace_id, connection_kind, connection_id, autonomy, tool, call_kind, input,
        expires_at)
       VALUES ($workspaceId, 'api_key', 1, 'approval', 'send_message', 'message', '{}', now() + interval '5 minutes')
       RETURNING id`,
      { workspaceId: desk.workspace.id },
    );
    const id = row?.id ?? 0;
    expect(await expireIfDue(desk.workspace.ctx, id)).toMatchObject(outcomes.early);
    await expireOverdueAnywhere(desk.runtime);
    expect(await desk.runtime.db.row('SELECT status FROM approvals WHERE id = $id', { id })).toEqual({
      status: 'pending',
    });
    const later = await desk.runtime.db.rows<{ id: number }>(
      `INSERT INTO approvals
         (workspace_id, connection_kind, connection_id, autonomy, tool, call_kind, input, expires_at)
       VALUES ($workspaceId, 'api_key', 1, 'approval', 'send_message', 'message', '{}', now() + interval '5 minutes'),
         ($workspaceId, 'api_key', 1, 'approval', 'send_message', 'message', '{}', now() - interval '5 minutes')
       RETURNING id`,
      { workspaceId: desk.workspace.id },
    );
    const member = { ...desk.workspace.ctx, scopes: new Set(allScopes) };
    expect(await reject(member, later[0]?.id ?? 0)).toMatchObject({ status: 'rejected' });
    await expect(reject(member, later[1]?.id ?? 0)).rejects.toThrow('expired');
    await set(`UPDATE approvals SET expires_at = now() - interval '1 second' WHERE id = $id`, { id: row?.id });
    expect(await expireIfDue(desk.workspace.ctx, id)).toEqual(outcomes.due);
  });
});

import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { fanOutEvents, maxBytes } from '../../api/services/processes/webhookDelivery/fanOut';
import { payloadSchema } from '../../api/services/processes/webhookDelivery/schemas';
import { webhookEventTypes } from '../../api/services/resources/webhooks/eventTypes';
import { insertContacts } from '../factories/broadcasts';
import { createContact } from '../factories/contacts';
import { createTicket, ticketsPath } from '../factories/tickets';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { adminJson } from '../support/cli';
import { captureStatements } from '../support/statements';

/* How events become deliveries, pass by pass: no worker runs, and nothing is sent. */

type Json = Record<string, unknown>;

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
/** The largest ticket, and how many of its contacts are told of a move. */
const [maxContacts, toldContacts] = [2_500, 600];
let desk: TestApi;
let large: TestWorkspace;
let neighbour: TestWorkspace;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());
beforeEach(async () => {
  [large, neighbour] = [await createWorkspace(desk), await createWorkspace(desk)];
  for (const { api } of [large, neighbour])
    expect((await api.post('/api/v1/webhooks/', { url: 'http://127.0.0.1:9/', events: ['*'] })).status).toBe(201);
});

const pass = (): Promise<boolean> => fanOutEvents(desk.runtime);
async function allPasses(): Promise<void> {
  while (await pass());
}
const rows = <T extends object>(sql: string, { id }: TestWorkspace): Promise<T[]> =>
  desk.runtime.db.rows<T>(sql, { id });
const told = (workspace: TestWorkspace): Promise<{ type: string; sequence: number; payload: Json }[]> =>
  rows(
    `SELECT type, sequence, payload FROM webhook_events
     WHERE workspace_id = $id AND fanned_out_at IS NOT NULL ORDER BY id`,
    workspace,
  );

it('one move of the largest ticket is told in pieces, and a neighbour in the next pass', async () => {
  await insertContacts(large, maxContacts, 49_600_000_000);
  const contacts = await rows<{ id: number }>('SELECT id FROM contacts WHERE workspace_id = $id', large);
  const ticket = await createTicket(large, {
    description: 'ä'.repeat(65_535),
    affected_contact_ids: contacts.map(({ id }) => id),
  });
  await allPasses();
  await desk.runtime.db.rows(
    `INSERT INTO events (workspace_id, subject_type, subject_id, kind, webhook_type, actor_type,
       data)
     SELECT workspace_id, 'ticket', $ticket, 'stage_notification_sent', 'stage_notification.sent', 'system',
       jsonb_build_object('contact_id', id)
     FROM contacts WHERE workspace_id = $workspaceId ORDER BY id LIMIT ${toldContacts}`,
    { workspaceId: large.id, ticket: ticket.id },
  );
  let isMore = true;
  for (let passes = 0; isMore; passes += 1) {
    if (passes < 3) await createContact(neighbour);
    const { result, statements } = await captureStatements(pass);
    isMore = result;
    if (passes < 3) expect(await told(neighbour)).toHaveLength(passes + 1);
    const bytes = statements.map(({ values }) => Buffer.byteLength(values.map(String).join()));
    expect(Math.max(...bytes)).toBeLessThanOrEqual(maxBytes);
  }
  const moved = await rows<{ sequence: number }>(
    `SELECT sequence FROM webhook_events WHERE workspace_id = $id AND type = 'stage_notification.sent' ORDER BY id`,
    large,
  );
  const first = Number(moved[0]?.sequence);
  expect(moved.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: toldContacts }, (_unused, index) => first + index),
  );
  const [one] = await rows<{ payload: Json }>(
    `SELECT payload FROM webhook_events WHERE workspace_id = $id AND type = 'stage_notification.sent' LIMIT 1`,
    large,
  );
  const shown = one?.payload['data'] as { ticket: { affected_contacts: Json[] } };
  expect(shown.ticket).toMatchObject({ id: ticket.id, affected_contacts_total: maxContacts });
  const { body } = await large.api.get(`${ticketsPath}${ticket.id}/`);
  expect(body.affected_contacts).toHaveLength(maxContacts);
  expect(shown.ticket.affected_contacts).toEqual(body.affected_contacts.slice(0, 50));
  const deliveries = await rows('SELECT 1 FROM webhook_deliveries WHERE workspace_id = $id', large);
  expect(deliveries.length).toBeGreaterThanOrEqual(toldContacts);
}, 300_000);

it('a group that takes too long is split, one such event set aside and told when an operator asks', async () => {
  const { db } = desk.runtime;
  await db.rows(`CREATE FUNCTION take_long() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN
      RAISE EXCEPTION 'too long' USING ERRCODE = '57014';
    END $body$`);
  await db.rows(`CREATE TRIGGER long BEFORE UPDATE OF payload ON webhook_events FOR EACH ROW
    WHEN (NEW.payload #>> '{data,company}' = 'Slow') EXECUTE FUNCTION take_long()`);
  for (const company of ['First', 'Slow', 'Last']) await createContact(large, { company });
  const companies = async (): Promise<unknown[]> =>
    (await told(large)).map(({ payload }) => (payload['data'] as Json)['company']);
  await pass();
  await createContact(neighbour);
  await pass();
  expect(await told(neighbour)).toHaveLength(1);
  for (let passes = 0; (await companies()).length < 2; passes += 1) {
    expect(passes).toBeLessThan(20);
    await pass();
  }
  expect(await companies()).toEqual(['First', 'Last']);

  await db.rows('DROP TRIGGER long ON webhook_events');
  const admin = (command: string): Promise<Json> =>
    adminJson(desk.test, 'webhook', command, '--workspace', String(large.id));
  expect(await admin('list')).toMatchObject({ events_set_aside: [{ type: 'contact.created' }] });
  expect(await admin('retry-events')).toEqual({ retried: 1 });
  await allPasses();
  expect(await companies()).toEqual(['First', 'Slow', 'Last']);
});

it('what is gone before it could be shown is told by its id, with its changes and in its place', async () => {
  const { id } = await createTicket(large);
  const comment = await large.api.post(`${ticketsPath}${id}/comments/`, { body: 'Noted' });
  await large.api.patch(`${ticketsPath}${id}/`, { priority: 'urgent' });
  expect((await large.api.delete(`${ticketsPath}${id}/`)).status).toBe(204);
  await allPasses();
  const events = await told(large);
  expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  expect(events.map(({ type, payload }) => [type, payload['data']])).toEqual([
    ['ticket.created', { id }],
    ['ticket.commented', { id: comment.body['id'], ticket: { id } }],
    ['ticket.updated', { id }],
    ['ticket.deleted', { id }],
  ]);
  expect(events[2]?.payload['changes']).toMatchObject({ priority: { to: 'urgent' } });
  for (const { type, payload } of events) {
    const known = webhookEventTypes.find((one) => one === type) ?? 'ticket.created';
    expect([type, ajv.validate(payloadSchema(known), payload), ajv.errors]).toEqual([type, true, null]);
  }
});

it('an erased contact is told by ids alone, also what was fanned out and not sent yet', async () => {
  const { id, receiver_id: handle } = await createContact(large, { name: 'Quaxilla Doe' });
  await allPasses();
  await large.api.patch(`/api/v1/contacts/${handle}/`, { name: 'Quaxilla Roe' });
  const { id: ticket } = await createTicket(large, { title: 'Parcel', receiver: id });
  expect((await large.api.delete(`/api/v1/contacts/${handle}/`)).status).toBe(204);
  await allPasses();
  const events = await told(large);
  expect(events.map(({ type, sequence, payload }) => [type, sequence, payload['data']])).toEqual([
    ['contact.created', 1, { id }],
    ['contact.updated', 2, { id }],
    ['ticket.created', 1, expect.objectContaining({ id: ticket, receiver: null })],
    ['contact.deleted', 3, { id }],
  ]);
  expect(JSON.stringify(events)).not.toMatch(new RegExp(`Quaxilla|${handle}`));
  expect(
    await rows("SELECT id FROM webhook_deliveries WHERE workspace_id = $id AND state = 'pending'", large),
  ).toHaveLength(events.length);
  for (const { type, payload } of events) {
    const known = webhookEventTypes.find((one) => one === type) ?? 'contact.created';
    expect([type, ajv.validate(payloadSchema(known), payload), ajv.errors]).toEqual([type, true, null]);
  }
});

it('an idle worker asks one question', async () => {
  await allPasses();
  const { result, statements } = await captureStatements(pass);
  expect([result, statements.length]).toEqual([false, 1]);
});

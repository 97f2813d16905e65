import type { Operation } from '../../api/core/http/operations';
import { operations } from '../../api/operations';
import { createBroadcast, templateId, twoValues } from '../factories/broadcasts';
import { createContact } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { ownerSession } from '../factories/macros';
import { createMember } from '../factories/members';
import { createPipeline, createTicket, pipelinesPath, ticketsPath } from '../factories/tickets';
import { unique, uniquePhone } from '../factories/unique';
import { writeSamples } from '../factories/writeSamples';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiClient } from '../support/client';

type Json = Record<string, unknown>;

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

const patches = operations.filter((operation) => operation.method === 'PATCH');
const gets = operations.filter((operation) => operation.method === 'GET');

/** How the object of a PATCH is shown: by its own GET, or in the list or object that holds it. */
async function shown(operation: Operation, path: string, client: ApiClient): Promise<Json> {
  if (gets.some((get) => get.path === operation.path)) return (await client.get(path)).body;
  const id = Number(/(\d+)\/$/.exec(path)?.[1]);
  const holder = path.replace(/(?:stages\/)?\d+\/$/, '');
  const body: unknown = (await client.get(holder)).body;
  const held = body as { results?: Json[]; stages?: Json[] };
  const items = Array.isArray(body) ? (body as Json[]) : (held.results ?? held.stages ?? []);
  const found = items.find((item) => item['id'] === id);
  if (!found) throw new Error(`${operation.id}: nothing shows ${path}`);
  return found;
}

const still = ({ updated_at: _at, ...rest }: Json): Json => rest;

describe('what a GET shows can be sent back by PATCH, and changes nothing', () => {
  it.each(patches.map((operation) => [operation.id, operation] as const))('%s', async (_id, operation) => {
    const sample = await writeSamples[operation.id]!(desk.workspace, `b${unique()}`, uniquePhone());
    const path = operation.path.replace(/\{(\w+)\}/g, (_whole, name: string) => String(sample.params?.[name]));
    const client = operation.audience === 'session' ? (await ownerSession(desk.workspace)).api : desk.api;
    for (const prepare of [null, sample.body]) {
      if (prepare) expect((await client.patch(path, prepare)).status).toBe(200);
      const before = await shown(operation, path, client);
      const answer = await client.patch(path, before);
      expect([answer.status, answer.status === 200 ? {} : answer.body]).toEqual([200, {}]);
      expect(still(await shown(operation, path, client))).toEqual(still(before));
      for (const [key, value] of Object.entries(before)) {
        // To snooze needs a time: alone it is half of what was shown.
        if (value === 'snoozed') continue;
        const single = await client.patch(path, { [key]: value });
        expect([key, single.status, single.body]).toEqual([key, 200, expect.anything()]);
      }
      expect(still(await shown(operation, path, client))).toEqual(still(before));
    }
  });
});

describe('what is stored already is not judged again by what has changed around it', () => {
  const sendBack = async (path: string, client: ApiClient = desk.api): Promise<void> => {
    const before = (await client.get(path)).body;
    const answer = await client.patch(path, before);
    expect([answer.status, answer.status === 200 ? {} : answer.body]).toEqual([200, {}]);
    expect(still((await client.get(path)).body)).toEqual(still(before));
  };

  it('an assignee who has left', async () => {
    const leaver = await createMember(desk.workspace, { role: 'agent', permissions: ['chat.view'] });
    const contact = await createContact(desk.workspace);
    const ticket = await createTicket(desk.workspace, { assigned_to: leaver.id });
    const conversation = `/api/v1/conversations/${contact.receiver_id}/`;
    await desk.api.patch(conversation, { assigned_member: leaver.id });
    await desk.runtime.db.rows('UPDATE members SET is_active = false WHERE id = $id', { id: leaver.id });
    await sendBack(conversation);
    await sendBack(`${ticketsPath}${ticket.id}/`);
    expect(
      (await desk.api.patch(`${ticketsPath}${(await createTicket(desk.workspace)).id}/`, { assigned_to: leaver.id }))
        .status,
    ).toBe(400);
  });

  it('an option that the field no longer has', async () => {
    const field = await desk.api.post('/api/v1/custom-fields/', {
      name: `plan${unique()}`,
      field_type: 'select',
      options: ['gold', 'free'],
      applies_to: ['contacts', 'conversations', 'tickets'],
    });
    const values = { custom_fields: { [String(field.body['name'])]: 'gold' } };
    const contact = await createContact(desk.workspace, values);
    const ticket = await createTicket(desk.workspace, values);
    expect(
      (await desk.api.patch(`/api/v1/custom-fields/${String(field.body['id'])}/`, { options: ['free'] })).status,
    ).toBe(200);
    await sendBack(`/api/v1/contacts/${contact.receiver_id}/`);
    await sendBack(`/api/v1/conversations/${contact.receiver_id}/`);
    await sendBack(`${ticketsPath}${ticket.id}/`);
    const other = await createContact(desk.workspace);
    expect((await desk.api.patch(`/api/v1/contacts/${other.receiver_id}/`, values)).status).toBe(400);
  });

  it('a template that is no longer approved, and a recipient who was erased', async () => {
    const contact = await createContact(desk.workspace);
    const broadcast = await createBroadcast(desk.workspace, { audience: { receiver_ids: [contact.receiver_id] } });
    const pipeline = await createPipeline(desk.workspace, ['New']);
    const stage = `${pipelinesPath}${pipeline.id}/stages/${pipeline.stages[0]?.id ?? 0}/`;
    const id = templateId(desk.workspace, 'ticket_update');
    const notify = { notify_template_id: id, notify_template_variables: twoValues };
    expect((await desk.api.patch(stage, notify)).status).toBe(200);
    await desk.api.delete(`/api/v1/contacts/${contact.receiver_id}/`);
    const setStatus = (status: string): Promise<unknown> =>
      desk.runtime.db.rows('UPDATE templates SET status = $status WHERE template_id = $id', { id, status });
    await setStatus('PAUSED');
    await sendBack(`/api/v1/broadcasts/${broadcast}/`);
    expect((await desk.api.patch(stage, notify)).status).toBe(200);
    const other = await createPipeline(desk.workspace, ['New']);
    expect(
      (await desk.api.patch(`${pipelinesPath}${other.id}/stages/${other.stages[0]?.id ?? 0}/`, notify)).status,
    ).toBe(400);
    await setStatus('APPROVED');
  });

  it('a snooze whose time has come before its timer', async () => {
    const anna = createCustomer(desk.workspace);
    await anna.writes('Hi');
    const path = `/api/v1/conversations/${anna.handle}/`;
    await desk.api.patch(path, { status: 'snoozed', snoozed_until: '2031-05-04T10:00:00Z' });
    await desk.runtime.db.rows(
      `UPDATE conversations SET snoozed_until = date_trunc('milliseconds', now() - interval '1 second')
        WHERE workspace_id = $workspaceId AND conv_status = 'snoozed'`,
      { workspaceId: desk.workspace.id },
    );
    await sendBack(path);
  });
});

describe('an object that is not there is told before what is wrong with the request', () => {
  const asked = operations.filter(
    (operation) => operation.path.includes('{') && (operation.body !== undefined || operation.query !== undefined),
  );

  it.each(asked.map((operation) => [operation.id, operation] as const))('%s', async (_id, operation) => {
    const client = operation.audience === 'session' ? (await ownerSession(desk.workspace)).api : desk.api;
    const path = operation.path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
      operation.intParams?.includes(name) ? '2000000001' : '4900000000',
    );
    const wrong = (fields: object | undefined): [string, unknown][] =>
      Object.keys(fields ?? {}).map((key) => [key, { wrong: true }]);
    const query = wrong(operation.query?.fields)
      .map(([key]) => `${key}=%7Bwrong%7D`)
      .join('&');
    const body = operation.body ? Object.fromEntries(wrong(operation.body.fields)) : undefined;
    const answer = await client.request(operation.method, query === '' ? path : `${path}?${query}`, body);
    expect([answer.status, answer.body]).toEqual([404, { error: 'Not found.' }]);
  });
});

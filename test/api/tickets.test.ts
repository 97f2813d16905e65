import { peopleSql } from '../../dev/makers/people';
import { createContact } from '../factories/contacts';
import { createTeamInbox } from '../factories/inboxes';
import { createMember } from '../factories/members';
import { activityOf, createPipeline, createTicket, defaultPipeline, ticketsPath as path } from '../factories/tickets';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sentFrom } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;
let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

const noPk = (id: number): string => `Invalid pk "${id}" - object does not exist.`;
const foreignContact = async (): Promise<number> =>
  (await createContact(await createWorkspace(desk, { connected: false }))).id;

describe('create (C8)', () => {
  it('needs a title only; everything else has its default', async () => {
    const pipeline = await defaultPipeline(desk.workspace);
    const { status, body } = await desk.api.post(path, { title: ' Parcel is late ' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number) as number,
      title: 'Parcel is late',
      description: '',
      pipeline: pipeline.id,
      pipeline_name: 'Support',
      stage: pipeline.stages[0]?.id,
      stage_name: 'New',
      stage_color: '#3B82F6',
      receiver: null,
      receiver_name: null,
      receiver_phone: null,
      affected_contacts: [],
      assigned_to: null,
      assigned_to_name: null,
      assigned_inbox: null,
      watchers: [],
      sub_tickets: [],
      parent_ticket: null,
      duplicate_of: null,
      duplicates: [],
      reopened_count: 0,
      last_customer_at: null,
      escalated_at: null,
      escalated_to: null,
      escalated_to_name: null,
      created_by: desk.workspace.owner.id,
      comment_count: '0',
      created_at: expect.any(String) as string,
      updated_at: expect.any(String) as string,
      due_at: null,
      type: 'other',
      severity: 'sev3',
      priority: 'normal',
      source: 'api',
      outcome: null,
      sla_policy: null,
      first_response_at: null,
      first_response_sla: null,
      resolution_sla: null,
      sla_paused_at: null,
      sla_paused_duration: '0',
      sla_breached: false,
      tags: [],
      custom_fields: {},
    });
    expect((await desk.api.get(`${path}${String(body['id'])}/`)).body).toEqual(body);
    expect((await activityOf(desk.workspace, body.id)).map(({ kind }) => kind)).toEqual(['ticket_created']);
  });

  it('takes every writable field', async () => {
    const [one, two] = [
      await createContact(desk.workspace, { name: 'Anna' }),
      await createContact(desk.workspace, { name: 'Ben' }),
    ];
    const member = await createMember(desk.workspace, { name: 'Mia Meier' });
    const inbox = await createTeamInbox(desk.workspace);
    const parent = await createTicket(desk.workspace);
    const pipeline = await createPipeline(desk.workspace, ['First', { name: 'Second', color: '#ABCDEF' }]);
    const { status, body } = await desk.api.post(path, {
      title: 'Everything',
      description: 'Long story',
      pipeline: pipeline.id,
      stage: pipeline.stages[1]?.id,
      receiver: one.id,
      affected_contact_ids: [two.id, one.id, two.id],
      assigned_to: member.id,
      assigned_inbox: inbox,
      watcher_ids: [member.id, desk.workspace.owner.id],
      parent_ticket: parent.id,
      duplicate_of: parent.id,
      due_at: '2027-01-01T10:00:00+02:00',
      outcome: 'refunded',
      type: 'refund',
      severity: 'sev1',
      priority: 'urgent',
      tags: ['a', { b: 1 }],
      // Read-only keys are ignored.
      id: 1,
      source: 'manual',
      reopened_count: 7,
      sla_breached: true,
      created_by: 1,
      comment_count: '9',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      title: 'Everything',
      description: 'Long story',
      pipeline: pipeline.id,
      stage: pipeline.stages[1]?.id,
      stage_name: 'Second',
      stage_color: '#ABCDEF',
      receiver: one.id,
      receiver_name: 'Anna',
      receiver_phone: one.body['phone'],
      affected_contacts: [
        { id: two.id, name: 'Ben', phone: two.body['phone'] },
        { id: one.id, name: 'Anna', phone: one.body['phone'] },
      ],
      assigned_to: member.id,
      assigned_to_name: 'Mia Meier',
      assigned_inbox: inbox,
      parent_ticket: parent.id,
      duplicate_of: parent.id,
      due_at: '2027-01-01T08:00:00.000Z',
      outcome: 'refunded',
      type: 'refund',
      severity: 'sev1',
      priority: 'urgent',
      tags: ['a', { b: 1 }],
      source: 'api',
      reopened_count: 0,
      sla_breached: false,
      created_by: desk.workspace.owner.id,
      comment_count: '0',
    });
    expect(
      (body['watchers'] as Json[]).map((user) => [user['id'], user['source'], user['email_notify_alerts']]),
    ).toEqual([desk.workspace.owner.id, member.id].sort((a, b) => a - b).map((id) => [id, 'unknown', false]));
    const brief = [{ id: body['id'], title: 'Everything', stage_name: 'Second' }];
    expect((await desk.api.get(`${path}${parent.id}/`)).body).toMatchObject({ sub_tickets: brief, duplicates: brief });
  });

  it('names every contact and watcher that is not of this workspace', async () => {
    const foreign = await foreignContact();
    const own = await createContact(desk.workspace);
    expect(
      await desk.api.post(path, {
        title: 'x',
        receiver: foreign,
        affected_contact_ids: [own.id, foreign, 2_000_000_000],
        watcher_ids: [2_000_000_001],
      }),
    ).toMatchObject({
      status: 400,
      body: {
        receiver: [noPk(foreign)],
        affected_contact_ids: [noPk(foreign), noPk(2_000_000_000)],
        watcher_ids: [noPk(2_000_000_001)],
      },
    });
  });

  it('gives work to active members only', async () => {
    const member = await createMember(desk.workspace);
    await member.update({ isActive: false });
    expect(await desk.api.post(path, { title: 'x', assigned_to: member.id })).toMatchObject({
      status: 400,
      body: { assigned_to: [noPk(member.id)] },
    });
  });

  it('refuses a stage of another pipeline, and begins in the first stage that is not terminal', async () => {
    const pipeline = await createPipeline(desk.workspace, [{ name: 'Done', is_terminal: true }, 'Open']);
    const other = await createPipeline(desk.workspace);
    const wrong = { stage: ['This stage does not belong to the pipeline of the ticket.'] };
    expect(await desk.api.post(path, { title: 'x', pipeline: pipeline.id, stage: other.stages[0]?.id })).toMatchObject({
      status: 400,
      body: wrong,
    });
    expect(await desk.api.post(path, { title: 'x', stage: other.stages[0]?.id })).toMatchObject({
      status: 400,
      body: wrong,
    });
    expect((await createTicket(desk.workspace, { pipeline: pipeline.id }))['stage_name']).toBe('Open');
  });

  it('keeps null as tags, which are any JSON value', async () => {
    const { body } = await desk.api.post(path, { title: 'No tags', tags: null });
    expect(body['tags']).toBeNull();
    const one = `${path}${String(body['id'])}/`;
    expect((await desk.api.patch(one, { tags: ['vip'] })).body['tags']).toEqual(['vip']);
    expect((await desk.api.patch(one, { tags: null })).body['tags']).toBeNull();
    expect((await desk.api.get(one)).body['tags']).toBeNull();
  });
});

describe('update (C8)', () => {
  it('changes what is given, leaves the rest, and writes one entry', async () => {
    const contact = await createContact(desk.workspace);
    const ticket = await createTicket(desk.workspace, {
      receiver: contact.id,
      affected_contact_ids: [contact.id],
      tags: ['a'],
    });
    const { status, body } = await desk.api.patch(`${path}${ticket.id}/`, {
      title: 'New',
      description: 'Secret words',
      priority: 'high',
      due_at: '2027-01-01T00:00:00Z',
      receiver: null,
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...ticket,
      title: 'New',
      description: 'Secret words',
      priority: 'high',
      due_at: '2027-01-01T00:00:00.000Z',
      receiver: null,
      receiver_name: null,
      receiver_phone: null,
      updated_at: body['updated_at'],
    });
    const [entry] = await activityOf(desk.workspace, ticket.id);
    expect(entry).toMatchObject({
      kind: 'ticket_updated',
      actor: { id: desk.workspace.owner.id },
      actor_type: 'api_key',
      changes: {
        priority: { from: 'normal', to: 'high' },
        receiver: { from: contact.id, to: null },
        description: { from: '', to: 'Secret words' },
      },
    });
  });

  it('that changes nothing writes nothing', async () => {
    const ticket = await createTicket(desk.workspace, { tags: ['a'] });
    expect(
      (
        await desk.api.patch(`${path}${ticket.id}/`, {
          title: ticket['title'],
          tags: ['a'],
          stage: ticket['stage'],
          pipeline: ticket['pipeline'],
          affected_contact_ids: [],
        })
      ).body,
    ).toEqual(ticket);
    expect(await activityOf(desk.workspace, ticket.id)).toHaveLength(1);
  });

  it('replaces the affected contacts, leaves them when omitted, and records the change', async () => {
    const contacts = [
      await createContact(desk.workspace),
      await createContact(desk.workspace),
      await createContact(desk.workspace),
    ];
    const [a, b, c] = contacts.map((contact) => contact.id) as [number, number, number];
    const ticket = await createTicket(desk.workspace, { affected_contact_ids: [a, b] });
    const affected = async (body: Json): Promise<unknown[]> =>
      ((await desk.api.patch(`${path}${ticket.id}/`, body)).body['affected_contacts'] as Json[]).map(
        (contact) => contact['id'],
      );
    expect(await affected({ affected_contact_ids: [c, a] })).toEqual([c, a]);
    expect((await activityOf(desk.workspace, ticket.id))[0]).toMatchObject({
      kind: 'affected_contacts_changed',
      changes: { affected_contact_ids: { from: [a, b], to: [c, a] } },
    });
    expect(await affected({ title: 'x' })).toEqual([c, a]);
    expect(
      await desk.api.patch(`${path}${ticket.id}/`, { affected_contact_ids: [b, await foreignContact()] }),
    ).toMatchObject({ status: 400 });
    expect(await affected({})).toEqual([c, a]);
    expect(await affected({ affected_contact_ids: [] })).toEqual([]);
  });

  it('takes 2500 affected contacts', async () => {
    const rows = await desk.runtime.db.rows<{ id: number }>(
      `WITH ${peopleSql({ workspaceId: desk.workspace.id, count: 2_500, firstPhone: 491_771_000_000 })}
       SELECT id FROM made`,
    );
    const ids = rows.map((row) => row.id);
    const ticket = await createTicket(desk.workspace);
    const { status, body } = await desk.api.patch(`${path}${ticket.id}/`, { affected_contact_ids: ids });
    expect([status, (body['affected_contacts'] as Json[]).map((contact) => contact['id'])]).toEqual([200, ids]);
  });

  it('replaces watchers and records it', async () => {
    const member = await createMember(desk.workspace);
    const ticket = await createTicket(desk.workspace, { watcher_ids: [member.id] });
    expect((await desk.api.patch(`${path}${ticket.id}/`, { watcher_ids: [] })).body['watchers']).toEqual([]);
    expect((await activityOf(desk.workspace, ticket.id))[0]).toMatchObject({
      kind: 'watchers_changed',
      changes: { watcher_ids: { from: [member.id], to: [] } },
    });
  });

  it('validates custom fields by their definitions and merges them', async () => {
    for (const [name, applies_to] of [
      ['plan_of_ticket', ['tickets']],
      ['other_of_ticket', ['tickets']],
      ['of_contacts', ['contacts']],
    ] as const)
      await desk.api.post('/api/v1/custom-fields/', { name, label: name, field_type: 'text', applies_to });
    const ticket = await createTicket(desk.workspace, { custom_fields: { plan_of_ticket: 'gold' } });
    const patch = (custom_fields: Json) => desk.api.patch(`${path}${ticket.id}/`, { custom_fields });
    expect((await patch({ other_of_ticket: 'x' })).body['custom_fields']).toEqual({
      plan_of_ticket: 'gold',
      other_of_ticket: 'x',
    });
    expect((await patch({ plan_of_ticket: null })).body['custom_fields']).toEqual({ other_of_ticket: 'x' });
    expect(await patch({ of_contacts: 'x' })).toMatchObject({
      status: 400,
      body: { custom_fields: ['of_contacts: does not apply to tickets.'] },
    });
    expect(await patch({ other_of_ticket: 1 })).toMatchObject({
      status: 400,
      body: { custom_fields: ['other_of_ticket: Not a valid string.'] },
    });
  });
});

describe('stages', () => {
  it('a changed pipeline without a stage takes its first; a stage of another pipeline is refused', async () => {
    const ticket = await createTicket(desk.workspace);
    const pipeline = await createPipeline(desk.workspace, ['A', 'B']);
    expect(await desk.api.patch(`${path}${ticket.id}/`, { stage: pipeline.stages[0]?.id })).toMatchObject({
      status: 400,
      body: { stage: ['This stage does not belong to the pipeline of the ticket.'] },
    });
    expect((await desk.api.patch(`${path}${ticket.id}/`, { pipeline: pipeline.id })).body).toMatchObject({
      pipeline: pipeline.id,
      stage_name: 'A',
    });
    expect((await desk.api.patch(`${path}${ticket.id}/`, { stage: pipeline.stages[1]?.id })).body).toMatchObject({
      stage_name: 'B',
    });
    // The pipeline that it is in asks for nothing.
    expect((await desk.api.patch(`${path}${ticket.id}/`, { pipeline: pipeline.id })).body).toMatchObject({
      stage_name: 'B',
    });
    const [moved, first] = await activityOf(desk.workspace, ticket.id);
    expect(moved).toMatchObject({
      kind: 'stage_changed',
      changes: { stage: { from: pipeline.stages[0]?.id, to: pipeline.stages[1]?.id } },
    });
    expect(first).toMatchObject({
      kind: 'stage_changed',
      changes: { pipeline: { from: ticket['pipeline'], to: pipeline.id } },
    });
  });

  it('terminal to non-terminal counts as reopened', async () => {
    const pipeline = await createPipeline(desk.workspace, [
      'Open',
      { name: 'Done', is_terminal: true },
      { name: 'Closed', is_terminal: true },
    ]);
    const [open, done, closed] = pipeline.stages.map((stage) => stage.id) as [number, number, number];
    const ticket = await createTicket(desk.workspace, { pipeline: pipeline.id });
    const counts: unknown[] = [];
    for (const stage of [done, closed, open, done, open])
      counts.push((await desk.api.patch(`${path}${ticket.id}/`, { stage })).body['reopened_count']);
    expect(counts).toEqual([0, 0, 1, 1, 2]);
  });
});

describe('links', () => {
  it.each(['parent_ticket', 'duplicate_of'])('%s may not lead back to the ticket', async (field) => {
    const [a, b, c] = [
      await createTicket(desk.workspace),
      await createTicket(desk.workspace),
      await createTicket(desk.workspace),
    ];
    const link = (from: number, to: number | null) => desk.api.patch(`${path}${from}/`, { [field]: to });
    expect((await link(a.id, a.id)).status).toBe(400);
    expect((await link(a.id, b.id)).status).toBe(200);
    expect((await link(b.id, c.id)).status).toBe(200);
    const refused = await link(c.id, a.id);
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, [field]]);
    expect((await link(a.id, null)).status).toBe(200);
    expect((await link(c.id, a.id)).status).toBe(200);
  });

  it('no circle closes when its links are made at the same time', async () => {
    for (let round = 0; round < 8; round += 1) {
      const ids = (await Promise.all(Array.from({ length: 4 }, () => createTicket(desk.workspace)))).map(
        (ticket) => ticket.id,
      );
      const answers = await Promise.all(
        ids.map((id, index) => desk.api.patch(`${path}${id}/`, { parent_ticket: ids[(index + 1) % ids.length] })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 400]);
    }
  });
});

describe('escalate, comments, delete', () => {
  it('escalates to a member, with the reason in the activity', async () => {
    const ticket = await createTicket(desk.workspace);
    const member = await createMember(desk.workspace, { name: 'Boss' });
    const { status, body } = await desk.api.post(`${path}${ticket.id}/escalate/`, {
      escalated_to: member.id,
      reason: 'Angry',
    });
    expect([status, body['escalated_to'], body['escalated_to_name']]).toEqual([200, member.id, 'Boss']);
    expect(body['escalated_at']).toEqual(expect.any(String));
    expect((await activityOf(desk.workspace, ticket.id))[0]).toMatchObject({
      kind: 'escalated',
      changes: { escalated_to: { from: null, to: member.id } },
      data: { reason: 'Angry' },
    });
  });

  it('comments are internal unless told, oldest first, counted, and never sent', async () => {
    const ticket = await createTicket(desk.workspace);
    const first = await desk.api.post(`${path}${ticket.id}/comments/`, { body: 'One' });
    expect(first).toMatchObject({
      status: 201,
      body: { body: 'One', is_internal: true, author: { id: desk.workspace.owner.id, source: 'unknown' } },
    });
    expect(
      (await desk.api.post(`${path}${ticket.id}/comments/`, { body: 'Two', is_internal: false })).body,
    ).toMatchObject({ is_internal: false });
    expect((await desk.api.get(`${path}${ticket.id}/comments/`)).body).toMatchObject({
      count: 2,
      results: [{ body: 'One' }, { body: 'Two' }],
    });
    // The comment that is not internal stands for an answer given elsewhere.
    expect((await desk.api.get(`${path}${ticket.id}/`)).body).toMatchObject({
      comment_count: '2',
      first_response_at: expect.any(String) as string,
    });
    expect(sentFrom(desk.workspace)).toEqual([]);
  });

  it('a deleted ticket is gone with its comments; sub-tickets stay', async () => {
    const ticket = await createTicket(desk.workspace);
    const child = await createTicket(desk.workspace, { parent_ticket: ticket.id });
    await desk.api.post(`${path}${ticket.id}/comments/`, { body: 'x' });
    expect((await desk.api.delete(`${path}${ticket.id}/`)).status).toBe(204);
    expect((await desk.api.delete(`${path}${ticket.id}/`)).status).toBe(404);
    expect((await desk.api.get(`${path}${child.id}/`)).body['parent_ticket']).toBeNull();
  });

  it('a deleted contact leaves the ticket with no receiver', async () => {
    const contact = await createContact(desk.workspace);
    const ticket = await createTicket(desk.workspace, { receiver: contact.id, affected_contact_ids: [contact.id] });
    expect((await desk.api.delete(`/api/v1/contacts/${contact.receiver_id}/`)).status).toBe(204);
    expect((await desk.api.get(`${path}${ticket.id}/`)).body).toMatchObject({
      receiver: null,
      receiver_name: null,
      affected_contacts: [],
    });
  });
});

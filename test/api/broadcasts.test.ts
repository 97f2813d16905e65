import { broadcastBody, createBroadcast, templateId, twoValues } from '../factories/broadcasts';
import { createContact } from '../factories/contacts';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sentFrom } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';

const path = '/api/v1/broadcasts/';
const later = (): string => new Date(Date.now() + 3_600_000).toISOString();

/** Specification 2.12, 3.2, 4.1; contract 9. No worker runs here: what fires is in the workflow tests. */
describe('broadcasts over REST', () => {
  let desk: TestApi;
  beforeAll(async () => {
    // Nothing listens on port 1: what is to happen stays in the outbox, where the test can see it.
    desk = await sharedDesk('plain');
  });
  afterAll(() => desk.close());

  const stored = async (id: number): Promise<unknown> =>
    desk.runtime.db.row('SELECT status, scheduled_at, confirmed_at, version FROM broadcasts WHERE id = $id', { id });
  const intents = async (id: number): Promise<unknown[]> =>
    desk.runtime.db.rows('SELECT signal, version FROM outbox WHERE workflow_id = $id ORDER BY version', {
      id: `broadcast/${desk.workspace.id}/${id}`,
    });

  it('creates a draft, reads, lists and changes it, and sends nothing', async () => {
    const created = await desk.api.post(path, broadcastBody(desk.workspace));
    expect(created).toMatchObject({
      status: 201,
      body: {
        name: 'News',
        template_id: templateId(desk.workspace, 'ticket_update'),
        template_name: 'ticket_update',
        msgapp_business_account_id: desk.workspace.account.businessAccountId,
        phone_number_id: desk.workspace.account.phoneNumberId,
        audience: { all: true },
        template_variables: twoValues,
        status: 'draft',
        scheduled_at: null,
        created_by: desk.workspace.owner.id,
        stats: {
          audience: 0,
          pending: 0,
          sent: 0,
          delivered: 0,
          read: 0,
          failed: 0,
          skipped: 0,
          unknown: 0,
          skipped_by_reason: {},
          failed_by_code: {},
        },
      },
    });
    const id = created.body.id;
    expect((await desk.api.get(`${path}${id}/`)).body).toEqual(created.body);
    expect((await desk.api.get(path)).body.results.map((row) => row.id)).toContain(id);
    const changed = await desk.api.patch(`${path}${id}/`, { name: 'Other', audience: { tags_any: ['vip'] } });
    expect(changed).toMatchObject({
      status: 200,
      body: { name: 'Other', audience: { tags_any: ['vip'] }, template_variables: twoValues },
    });
    expect(await intents(id)).toEqual([]);
    expect(sentFrom(desk.workspace)).toEqual([]);
  });

  it.each([
    ['an empty audience', { audience: {} }, 'audience'],
    ['all: false alone', { audience: { all: false } }, 'audience'],
    ['all beside a filter', { audience: { all: true, tags_any: ['vip'] } }, 'audience'],
    ['a misspelt filter', { audience: { tag_any: ['vip'] } }, 'audience'],
    ['a receiver nobody knows', { audience: { receiver_ids: ['4915199999999'] } }, 'audience'],
    ['a team inbox nobody has', { audience: { assigned_team_inbox: 99_999 } }, 'audience'],
    ['a custom field nobody defined', { audience: { custom_fields: { nope: 1 } } }, 'audience'],
    [
      'a left-out placeholder',
      { template_variables: { body: { '1': { source: 'static', value: 'x' } } } },
      'template_variables',
    ],
    ['no variables at all', { template_variables: undefined }, 'template_variables'],
    [
      'a ticket source',
      {
        template_variables: { body: { '1': { source: 'ticket', field: 'id' }, '2': { source: 'static', value: 'x' } } },
      },
      'template_variables',
    ],
    ['a number nobody has', { phone_number_id: '1' }, 'phone_number_id'],
    ['a template nobody has', { template_id: '1' }, 'template_id'],
  ])('refuses %s', async (_name, fields, field) => {
    const answer = await desk.api.post(path, broadcastBody(desk.workspace, fields));
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body)).toEqual([field]);
  });

  it('refuses a template that is not APPROVED', async () => {
    const answer = await desk.api.post(
      path,
      broadcastBody(desk.workspace, {
        template_id: templateId(desk.workspace, 'feedback_request'),
        template_variables: { body: { '1': { source: 'field', field: 'name' } } },
      }),
    );
    expect(answer).toMatchObject({ status: 400, body: { template_id: [expect.stringContaining('PENDING')] } });
  });

  it('confirms at once: running, once, and never again', async () => {
    const id = await createBroadcast(desk.workspace);
    const first = await desk.api.post(`${path}${id}/confirm/`);
    expect(first).toMatchObject({ status: 200, body: { status: 'running', scheduled_at: null } });
    expect(first.body['confirmed_at']).not.toBeNull();
    expect(await intents(id)).toEqual([{ signal: 'deadline', version: 1 }]);
    for (const call of [
      () => desk.api.post(`${path}${id}/confirm/`),
      () => desk.api.delete(`${path}${id}/`),
      () => desk.api.post(`${path}${id}/unschedule/`),
      () => desk.api.patch(`${path}${id}/`, { name: 'x' }),
    ]) {
      expect(await call()).toMatchObject({ status: 409, body: { error: expect.any(String) as string } });
    }
    expect(await stored(id)).toMatchObject({ status: 'running', version: 1 });
  });

  it('schedules, unschedules and schedules again', async () => {
    const id = await createBroadcast(desk.workspace);
    const at = later();
    expect(await desk.api.post(`${path}${id}/confirm/`, { scheduled_at: at })).toMatchObject({
      status: 200,
      body: { status: 'scheduled', scheduled_at: at },
    });
    expect((await desk.api.post(`${path}${id}/confirm/`)).status).toBe(409);
    expect((await desk.api.delete(`${path}${id}/`)).status).toBe(409);
    expect((await desk.api.patch(`${path}${id}/`, { name: 'x' })).status).toBe(409);
    expect(await desk.api.post(`${path}${id}/unschedule/`)).toMatchObject({
      status: 200,
      body: { status: 'draft', scheduled_at: null, confirmed_at: null },
    });
    expect((await desk.api.post(`${path}${id}/unschedule/`)).status).toBe(409);
    expect((await desk.api.post(`${path}${id}/confirm/`, { scheduled_at: at })).status).toBe(200);
    expect(await stored(id)).toMatchObject({ status: 'scheduled', version: 3 });
  });

  it.each([
    ['the past', { scheduled_at: '2020-01-01T00:00:00Z' }],
    ['blank', { scheduled_at: '' }],
    ['another key', { schedule_at: '2099-01-01T00:00:00Z' }],
    ['a key beside it', { scheduled_at: '2099-01-01T00:00:00Z', now: true }],
  ])('confirm with %s is a 400 and leaves the draft', async (_name, body) => {
    const id = await createBroadcast(desk.workspace);
    expect((await desk.api.post(`${path}${id}/confirm/`, body)).status).toBe(400);
    expect(await stored(id)).toEqual({ status: 'draft', scheduled_at: null, confirmed_at: null, version: 0 });
    expect(await intents(id)).toEqual([]);
  });

  it('a time in the query is not passed over, which would send at once', async () => {
    const id = await createBroadcast(desk.workspace);
    expect(await desk.api.post(`${path}${id}/confirm/?scheduled_at=2099-01-01T00:00:00Z`)).toMatchObject({
      status: 400,
      body: { scheduled_at: ['This field is not accepted in the query.'] },
    });
    expect(await stored(id)).toMatchObject({ status: 'draft', version: 0 });
  });

  it('of many confirms at once exactly one wins', async () => {
    const id = await createBroadcast(desk.workspace);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_unused, index) =>
        desk.api.post(`${path}${id}/confirm/`, index % 2 ? { scheduled_at: later() } : undefined),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 11 }, () => 409)]);
    expect(await stored(id)).toMatchObject({ version: 1 });
  });

  it('discards a draft', async () => {
    const id = await createBroadcast(desk.workspace);
    expect((await desk.api.delete(`${path}${id}/`)).status).toBe(204);
    expect((await desk.api.get(`${path}${id}/`)).status).toBe(404);
    expect((await desk.api.post(`${path}${id}/confirm/`)).status).toBe(404);
  });

  describe('previews', () => {
    it('count, tell skips by reason, render three samples, and send nothing', async () => {
      const workspace = await createWorkspace(desk);
      for (const name of ['Anna', 'Ben', '', 'Dora']) await createContact(workspace, { name, tags: ['vip'] });
      await createContact(workspace, { name: 'Out', tags: ['vip'], marketing_opt_out: true });
      await createContact(workspace, { name: 'Other' });
      const known = await createContact(workspace, { name: 'Twice', tags: ['x'] });
      const id = await createBroadcast(workspace, { audience: { tags_any: ['vip'] } });
      const { status, body } = await workspace.api.post(`${path}${id}/preview/`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ audience: 5, sendable: 4, skipped: 1, skipped_by_reason: { opted_out: 1 } });
      expect(body.samples.map((sample) => sample.body)).toEqual([
        'Your ticket Anna is now in stage today. We will keep you posted.',
        'Your ticket Ben is now in stage today. We will keep you posted.',
        'Your ticket — is now in stage today. We will keep you posted.',
      ]);
      const twice = await createBroadcast(workspace, {
        audience: { receiver_ids: [known.receiver_id, `+${known.receiver_id}`] },
      });
      expect((await workspace.api.post(`${path}${twice}/preview/`)).body).toMatchObject({
        audience: 2,
        sendable: 1,
        skipped_by_reason: { duplicate: 1 },
      });
      expect(sentFrom(workspace)).toEqual([]);
      expect(
        await desk.runtime.db.rows('SELECT 1 AS ok FROM broadcast_recipients WHERE broadcast_id = $id', { id }),
      ).toEqual([]);
    });

    it('fill named placeholders, which are mapped in their order', async () => {
      const workspace = await createWorkspace(desk);
      await createContact(workspace, { name: 'Anna' });
      const id = await createBroadcast(workspace, {
        template_id: templateId(workspace, 'spring_sale'),
        template_variables: {
          body: { '1': { source: 'field', field: 'name' }, '2': { source: 'static', value: '20%' } },
        },
      });
      expect((await workspace.api.post(`${path}${id}/preview/`)).body).toMatchObject({
        samples: [{ body: 'Hi Anna, everything for the garden is 20% off this week.' }],
      });
    });

    it('skip user ids for authentication templates', async () => {
      const workspace = await createWorkspace(desk);
      await createContact(workspace, { bsuid: 'US.12345' });
      await createContact(workspace);
      const id = await createBroadcast(workspace, {
        template_id: templateId(workspace, 'login_code'),
        template_variables: { body: { '1': { source: 'static', value: '123456' } } },
      });
      expect((await workspace.api.post(`${path}${id}/preview/`)).body).toMatchObject({
        audience: 2,
        sendable: 1,
        skipped_by_reason: { needs_phone: 1 },
      });
    });

    it.each([
      [{ tags_all: ['a', 'b'] }, ['AB']],
      [{ tags_any: ['a'], tags_none: ['b'] }, ['A']],
      [{ conv_status: ['resolved'] }, ['B']],
      [{ conv_status: 'resolved' }, ['B']],
      [{ created_before: '2020-01-01T00:00:00Z' }, []],
      [{ created_after: '2020-01-01T00:00:00Z', tags_all: ['a'] }, ['A', 'AB']],
      [{ assigned_team_inbox: 'none', tags_any: ['b'] }, ['AB', 'B']],
      [{ last_inbound_after: '2020-01-01T00:00:00Z' }, []],
    ])('pick the audience %j', async (audience, names) => {
      const workspace = await createWorkspace(desk);
      await createContact(workspace, { name: 'A', tags: ['a'] });
      await createContact(workspace, { name: 'AB', tags: ['a', 'b'] });
      const resolved = await createContact(workspace, { name: 'B', tags: ['b'] });
      await workspace.api.patch(`/api/v1/conversations/${resolved.receiver_id}/`, { status: 'resolved' });
      const id = await createBroadcast(workspace, { audience });
      const { body } = await workspace.api.post(`${path}${id}/preview/`);
      expect(body.samples.map((sample) => sample.name).sort()).toEqual(names);
      expect(body.audience).toBe(names.length);
    });
  });
});

import { writtenSql } from '../../dev/makers/people';
import { notifyRecipient } from '../../api/services/delivery/stageNotification';
import { createContact } from '../factories/contacts';
import { createCustomer, inboundText, signedWebhook, status, webhook, type TestCustomer } from '../factories/customers';
import { createMember } from '../factories/members';
import { activityOf, createPipeline, createTicket, ticketsPath as path } from '../factories/tickets';
import { unique, uniquePhone } from '../factories/unique';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sentFrom } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';
import { workflowOf } from '../support/workflows';

type Json = Record<string, unknown>;
let desk: TestApi;
let workspace: TestWorkspace;

const template = (id: string, name: string, body: string, more: Json = {}): Json => ({
  id,
  name,
  language: 'en_US',
  category: 'UTILITY',
  status: 'APPROVED',
  components: [{ type: 'BODY', text: body, example: { body_text: [['x', 'x', 'x', 'x']] } }],
  ...more,
});
const ids = {
  update: `6${unique()}`,
  many: `7${unique()}`,
  code: `8${unique()}`,
  header: `9${unique()}`,
  image: `5${unique()}`,
};
const everything = [
  'id',
  'title',
  'type',
  'stage',
  'pipeline',
  'priority',
  'severity',
  'assignee',
  'outcome',
  'created_date',
  'due_date',
];
const placeholders = Array.from({ length: 16 }, (_unused, index) => `p${index} {{${index + 1}}}`).join(' and ');

beforeAll(async () => {
  desk = await sharedDesk('worker');
  workspace = await createWorkspace(desk, {
    timezone: 'Asia/Kolkata',
    account: {
      templates: [
        template(ids.update, 'update', 'Hello {{1}}, now {{2}} for you.'),
        template(ids.many, 'many', `All of it: ${placeholders} end.`, {
          components: [
            {
              type: 'BODY',
              text: `All of it: ${placeholders} end.`,
              example: { body_text: [Array.from({ length: 16 }, () => 'x')] },
            },
          ],
        }),
        template(ids.code, 'code', '*{{1}}* is your verification code.', { category: 'AUTHENTICATION' }),
        template(ids.image, 'image', 'Look {{1}} here.', {
          components: [
            { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['https://example.com/i.jpg'] } },
            { type: 'BODY', text: 'Look {{1}} here.', example: { body_text: [['x']] } },
          ],
        }),
      ],
    },
  });
});
afterAll(() => desk.close());

const mapping = { body: { '1': { source: 'field', field: 'name' }, '2': { source: 'ticket', field: 'stage' } } };

/** A pipeline whose second stage notifies. */
async function notifying(
  stage: Json = { notify_template_id: ids.update, notify_template_variables: mapping },
): Promise<{ id: number; first: number; second: number }> {
  const pipeline = await createPipeline(workspace, ['New', 'Told']);
  const [first, second] = pipeline.stages.map((one) => one.id) as [number, number];
  const answer = await workspace.api.patch(`/api/v1/ticket-pipelines/${pipeline.id}/stages/${second}/`, stage);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return { id: pipeline.id, first, second };
}

async function known(name: string): Promise<TestCustomer & { id: number }> {
  const customer = createCustomer(workspace, { name });
  await customer.writes('Hi');
  const { body } = await workspace.api.get(`/api/v1/contacts/${customer.handle}/`);
  return { ...customer, id: body.id };
}

const sentTo = (customer: {
  handle: string;
}): { body: { template: { name: string; components?: { parameters: { text: string }[] }[] } } }[] =>
  desk.sandbox.state.sent.filter((record) => record.to === customer.handle && record.type === 'template') as never;
const texts = (customer: { handle: string }): string[][] =>
  sentTo(customer).map((record) =>
    (record.body.template.components?.[0]?.parameters ?? []).map((parameter) => parameter.text),
  );
/** Kind, contact and reason of the notification entries, oldest first. */
const outcomes = async (ticketId: number): Promise<unknown[][]> =>
  (await activityOf(workspace, ticketId))
    .filter((entry) => entry.kind.startsWith('stage_notification_'))
    .reverse()
    .map((entry) => [entry.kind.replace('stage_notification_', ''), entry.data['contact_id'], entry.data['reason']]);
/** Checks what the workflow has told people. */
async function told(check: () => unknown): Promise<void> {
  await desk.work();
  await check();
}
function noDuplicates(): void {
  const opaques = sentFrom(workspace).map(({ opaque }) => opaque);
  expect(opaques.filter((opaque, index) => opaques.indexOf(opaque) !== index)).toEqual([]);
}

describe('moving a ticket into a stage with a template (contract 8.3)', () => {
  it('tells the primary and every affected contact once, and records it', async () => {
    const [anna, ben] = [await known('Anna'), await known('Ben')];
    const pipeline = await notifying();
    const ticket = await createTicket(workspace, {
      pipeline: pipeline.id,
      receiver: anna.id,
      affected_contact_ids: [ben.id, anna.id],
    });
    expect((await workspace.api.patch(`${path}${ticket.id}/`, { stage: pipeline.second })).body).toMatchObject({
      stage: pipeline.second,
    });
    await told(async () =>
      expect((await outcomes(ticket.id)).sort()).toEqual(
        [
          ['sent', anna.id, ''],
          ['sent', ben.id, ''],
        ].sort(),
      ),
    );
    expect([texts(anna), texts(ben)]).toEqual([[['Anna', 'Told']], [['Ben', 'Told']]]);
    const [entry] = await activityOf(workspace, ticket.id);
    expect(entry).toMatchObject({
      actor: null,
      actor_type: 'system',
      data: {
        stage_id: pipeline.second,
        stage_name: 'Told',
        template_id: ids.update,
        template_name: 'update',
        message_id: expect.any(Number) as number,
      },
    });
    // The message is part of the conversation, sent by the key's member, and is no first response.
    const { body } = await workspace.api.get(`/api/v1/conversations/${anna.handle}/messages/`);
    expect(body.results[0]).toMatchObject({
      direction: 'outbound',
      send_by: { id: workspace.owner.id },
      body: { type: 'template', template: { name: 'update' } },
      receiver: { first_response_at: null },
    });
    expect((await workspace.api.get(`${path}${ticket.id}/`)).body['first_response_at']).toBeNull();
    noDuplicates();
  });

  it('says nothing on creation in such a stage, on leaving it, or when nothing moved', async () => {
    const anna = await known('Anna');
    const pipeline = await notifying();
    const ticket = await createTicket(workspace, { pipeline: pipeline.id, stage: pipeline.second, receiver: anna.id });
    await workspace.api.patch(`${path}${ticket.id}/`, { stage: pipeline.second, title: 'x' });
    await workspace.api.patch(`${path}${ticket.id}/`, { stage: pipeline.first });
    expect(
      await desk.runtime.db.rows('SELECT id FROM ticket_stage_moves WHERE ticket_id = $id', { id: ticket.id }),
    ).toEqual([]);
    await workspace.api.patch(`${path}${ticket.id}/`, { stage: pipeline.second });
    await told(() => expect(texts(anna)).toHaveLength(1));
  });

  it('skips the opted-out and those without a conversation, one by one with the reason', async () => {
    const [anna, stopped] = [await known('Anna'), await known('Stopped')];
    await workspace.api.patch(`/api/v1/contacts/${stopped.handle}/`, { marketing_opt_out: true });
    const stranger = await createContact(workspace);
    const pipeline = await notifying();
    const ticket = await createTicket(workspace, {
      pipeline: pipeline.id,
      receiver: stranger.id,
      affected_contact_ids: [stopped.id, anna.id],
    });
    await workspace.api.patch(`${path}${ticket.id}/`, { stage: pipeline.second });
    await told(async () =>
      expect((await outcomes(ticket.id)).sort()).toEqual(
        [
          ['skipped', stranger.id, 'no_conversation'],
          ['skipped', stopped.id, 'opted_out'],
          ['sent', anna.id, ''],
        ].sort(),
      ),
    );
    expect([texts(anna).length, texts(stopped).length]).toEqual([1, 0]);
  });

  it.each([
    ['the row that was told', true],
    ['the other row', false],
  ])('tells somebody once whose two contacts become one meanwhile: %s stays', async (_name, first) => {
    const [phone, bsuid] = [uniquePhone(), `US.${unique()}3`];
    const write = async (contact: Json, message: Json): Promise<void> => {
      expect(
        (
          await signedWebhook(
            workspace,
            webhook(workspace, { contacts: [{ profile: {}, ...contact }], messages: [message] }),
          )
        ).status,
      ).toBe(200);
      await desk.settled();
    };
    const { from: _from, ...hidden } = inboundText(phone, 'Hi');
    await write({ wa_id: phone.slice(1) }, inboundText(phone, 'Hi'));
    await write({ user_id: bsuid }, { ...hidden, id: `wamid.b${unique()}`, from_user_id: bsuid });
    const [byPhone, byId] = (await Promise.all(
      [phone, bsuid].map(async (handle) =>
        Number((await workspace.api.get(`/api/v1/contacts/${encodeURIComponent(handle)}/`)).body['id']),
      ),
    )) as [number, number];
    await desk.runtime.db.rows(`UPDATE contacts SET created_at = created_at - interval '1 day' WHERE id = $id`, {
      id: first ? byPhone : byId,
    });
    const pipeline = await notifying();
    const ticket = await createTicket(workspace, { pipeline: pipeline.id, receiver: byPhone });
    // No statuses: they name the sandbox's own user id of that phone, which would part the two contacts for good.
    const { statuses } = desk.sandbox.state.settings;
    desk.sandbox.state.settings.statuses = [];
    await workspace.api.patch(`${path}${ticket.id}/`, { stage: pipeline.second });
    await told(async () => expect(await outcomes(ticket.id)).toEqual([['sent', byPhone, '']]));
    desk.sandbox.state.settings.statuses = statuses;
    // The other contact's turn had not come when both became one.
    const target = (await desk.runtime.db.row<{ move_id: number; place: number }>(
      'SELECT move_id, place FROM ticket_stage_move_recipients WHERE contact_id = $byPhone',
      { byPhone },
    ))!;
    await desk.runtime.db.rows(
      `INSERT INTO ticket_stage_move_recipients (move_id, contact_id, place, state)
        VALUES ($moveId, $byId, $place, 'pending')`,
      { moveId: target.move_id, byId, place: target.place + 1 },
    );
    await write({ wa_id: phone.slice(1), user_id: bsuid }, { ...inboundText(phone, 'Me again'), from_user_id: bsuid });
    const left = await desk.runtime.db.rows<{ contact_id: number; state: string }>(
      'SELECT contact_id, state FROM ticket_stage_move_recipients WHERE move_id = $id',
      { id: target.move_id },
    );
    expect(left).toEqual([{ contact_id: first ? byPhone : byId, state: 'sent' }]);
    for (const contactId of [byPhone, byId])
      expect(['sent', 'gone']).toContain(
        (await notifyRecipient(workspace.ctx, { moveId: target.move_id, contactId, mayWaitForStop: true })).state,
      );
    expect(
      desk.sandbox.state.sent.filter(({ to, type }) => (to === phone.slice(1) || to === bsuid) && type === 'template'),
    ).toHaveLength(1);
  });

  it('one failing send does not block the others', async () => {
    const [bad, slow, good] = [await known('Bad'), await known('Slow'), await known('Good')];
    desk.sandbox.faults.add({ kind: 'error', code: 131026, to: bad.handle });
    desk.sandbox.faults.add({ kind: 'error', code: 131016, to: slow.handle, times: 2 });
    const pipeline = await notifying();
    const ticket = await createTicket(workspace, {
      pipeline: pipeline.id,
      affected_contact_ids: [bad.id, slow.id, good.id],
    });
    await workspace.api.patch(`${path}${ticket.id}/`, { stage: pipeline.second });
    await told(async () =>
      expect((await outcomes(ticket.id)).map(([kind, id]) => [kind, id]).sort()).toEqual(
        [
          ['failed', bad.id],
          ['sent', slow.id],
          ['sent', good.id],
        ].sort(),
      ),
    );
    const failed = (await activityOf(workspace, ticket.id)).find((entry) => entry.kind === 'stage_notification_failed');
    expect(failed?.data).toMatchObject({
      contact_id: bad.id,
      error_code: 131026,
      reason: expect.any(String) as string,
    });
    expect(texts(slow)).toHaveLength(1);
  });

  it('an unreadable outcome is never sent again, and its word follows by webhook', async () => {
    const anna = await known('Anna');
    desk.sandbox.faults.add({ kind: 'reset_after_accept', to: anna.handle, times: 1 });
    const pipeline = await notifying();
    const ticket = await createTicket(workspace, { pipeline: pipeline.id, receiver: anna.id });
    await workspace.api.patch(`${path}${ticket.id}/`, { stage: pipeline.second });
    await told(async () => expect(await outcomes(ticket.id)).toEqual([['sent', anna.id, '']]));
    expect(texts(anna)).toHaveLength(1);
    noDuplicates();
  });

  it('a message that fails later shows as failed, too', async () => {
    const anna = await known('Anna');
    desk.sandbox.faults.add({ kind: 'no_status', to: anna.handle });
    const pipeline = await notifying();
    const ticket = await createTicket(workspace, { pipeline: pipeline.id, receiver: anna.id });
    await workspace.api.patch(`${path}${ticket.id}/`, { stage: pipeline.second });
    await told(async () => expect(await outcomes(ticket.id)).toEqual([['sent', anna.id, '']]));
    const wamid = desk.sandbox.state.sent.find((record) => record.to === anna.handle)?.wamid ?? '';
    await signedWebhook(
      workspace,
      webhook(workspace, {
        statuses: [
          status(wamid, 'failed', {
            errors: [{ code: 131049, title: 'Not delivered', error_data: { details: 'Healthy ecosystem.' } }],
          }),
        ],
      }),
    );
    await told(async () =>
      expect(await outcomes(ticket.id)).toEqual([
        ['sent', anna.id, ''],
        ['failed', anna.id, 'Healthy ecosystem.'],
      ]),
    );
  });

  it('an authentication template needs a phone number', async () => {
    const { body: hidden } = await workspace.api.post('/api/v1/contacts/', { bsuid: `DE.${unique()}`, name: 'Hidden' });
    await desk.runtime.db.rows(writtenSql('conversations WHERE workspace_id = $ws AND contact_id = $id'), {
      ws: workspace.id,
      id: hidden['id'],
    });
    const pipeline = await notifying({
      notify_template_id: ids.code,
      notify_template_variables: { body: { '1': { source: 'static', value: '123456' } } },
    });
    const ticket = await createTicket(workspace, { pipeline: pipeline.id, receiver: hidden['id'] });
    await workspace.api.patch(`${path}${ticket.id}/`, { stage: pipeline.second });
    await told(async () =>
      expect(await outcomes(ticket.id)).toEqual([['skipped', hidden['id'], 'phone_number_required']]),
    );
  });

  it('a template that no mapping can fill fails with the reason; one not approved any more fails for all', async () => {
    const anna = await known('Anna');
    const pipeline = await notifying();
    // The stage would refuse it; the platform may change a template after the stage has taken it.
    await desk.runtime.db.rows(
      `UPDATE ticket_stages SET notify_template_pk = (
         SELECT id FROM templates WHERE workspace_id = $workspaceId AND template_id = $image
       ) WHERE id = $stage`,
      { workspaceId: workspace.id, image: ids.image, stage: pipeline.second },
    );
    const ticket = await createTicket(workspace, { pipeline: pipeline.id, receiver: anna.id });
    await workspace.api.patch(`${path}${ticket.id}/`, { stage: pipeline.second });
    await told(async () =>
      expect(await outcomes(ticket.id)).toEqual([['failed', anna.id, expect.stringContaining('header')]]),
    );
    const other = await notifying();
    await desk.runtime.db.rows(`UPDATE templates SET status = 'PAUSED' WHERE workspace_id = $id AND name = 'update'`, {
      id: workspace.id,
    });
    try {
      const second = await createTicket(workspace, { pipeline: other.id, receiver: anna.id });
      expect((await workspace.api.patch(`${path}${second.id}/`, { stage: other.second })).status).toBe(200);
      await told(async () => expect(await outcomes(second.id)).toEqual([['failed', anna.id, 'template_not_approved']]));
    } finally {
      await desk.runtime.db.rows(
        `UPDATE templates SET status = 'APPROVED' WHERE workspace_id = $id AND name = 'update'`,
        { id: workspace.id },
      );
    }
    expect(texts(anna)).toEqual([]);
  });
});

describe('what is sent (contract 8.2)', () => {
  const variables = {
    body: Object.fromEntries(
      [
        ...everything.map((field) => ({ source: 'ticket', field })),
        ...['name', 'phone', 'email', 'company'].map((field) => ({ source: 'field', field })),
        { source: 'static', value: ' a\n\tb    c ' },
      ].map((source, index) => [String(index + 1), source]),
    ),
  };

  it('labels, days in the workspace zone, values per contact, one line each', async () => {
    const anna = await known('Anna');
    const assignee = await createMember(workspace, { name: 'Mia Meier' });
    const pipeline = await notifying({ notify_template_id: ids.many, notify_template_variables: variables });
    const ticket = await createTicket(workspace, {
      title: 'Line one\nand  two',
      pipeline: pipeline.id,
      receiver: anna.id,
      type: 'bug',
      priority: 'urgent',
      severity: 'sev1',
      outcome: 'escalated_external',
      assigned_to: assignee.id,
      due_at: '2026-12-31T20:00:00Z',
    });
    await workspace.api.patch(`/api/v1/contacts/${anna.handle}/`, { email: 'anna@example.com', company: 'ACME' });
    await workspace.api.patch(`${path}${ticket.id}/`, { stage: pipeline.second });
    await told(() => expect(texts(anna)).toHaveLength(1));
    const today = new Intl.DateTimeFormat('en-GB', {
      day: 'numeric',
      month: 'long',
      year: 'numeric',
      timeZone: 'Asia/Kolkata',
    }).format(new Date(String(ticket['created_at'])));
    const { name } = (await workspace.api.get('/api/v1/ticket-pipelines/')).body.find(
      (one) => one.id === pipeline.id,
    ) ?? { name: '' };
    expect(texts(anna)[0]).toEqual([
      String(ticket.id),
      'Line one and two',
      'Bug',
      'Told',
      name,
      'Urgent',
      'Sev1 Critical',
      'Mia Meier',
      'Escalated External',
      today,
      '1 January 2027',
      'Anna',
      anna.phone,
      'anna@example.com',
      'ACME',
      'a b c',
    ]);
  });

  it('an em dash for everything that is not there', async () => {
    const anna = await known('Anna');
    const pipeline = await notifying({ notify_template_id: ids.many, notify_template_variables: variables });
    const ticket = await createTicket(workspace, { pipeline: pipeline.id, receiver: anna.id });
    await workspace.api.patch(`${path}${ticket.id}/`, { stage: pipeline.second });
    await told(() => expect(texts(anna)).toHaveLength(1));
    const [sent] = texts(anna);
    expect([7, 8, 10, 13, 14].map((index) => sent?.[index])).toEqual(['—', '—', '—', '—', '—']);
    expect([sent?.[2], sent?.[5], sent?.[6]]).toEqual(['Other', 'Normal', 'Sev3 Medium']);
  });

  it('is frozen with the move: what changes afterwards changes nothing for it', async () => {
    const [anna, late] = [await known('Anna'), await known('Late')];
    const pipeline = await notifying({
      notify_template_id: ids.update,
      notify_template_variables: {
        body: { '1': { source: 'ticket', field: 'title' }, '2': { source: 'ticket', field: 'stage' } },
      },
    });
    const ticket = await createTicket(workspace, { title: 'Before', pipeline: pipeline.id, receiver: anna.id });
    // Held back, so that everything below happens before the first send.
    desk.sandbox.faults.add({ kind: 'error', code: 131016, to: anna.handle, times: 2 });
    await workspace.api.patch(`${path}${ticket.id}/`, { stage: pipeline.second });
    await workspace.api.patch(`${path}${ticket.id}/`, { title: 'After', receiver: late.id, stage: pipeline.first });
    await workspace.api.patch(`/api/v1/ticket-pipelines/${pipeline.id}/stages/${pipeline.second}/`, {
      name: 'Renamed',
      notify_template_id: null,
    });
    await told(() => expect(texts(anna)).toEqual([['Before', 'Told']]));
    expect(texts(late)).toEqual([]);
  });
});

describe('the workflow', () => {
  it('is one per move with an activity for each recipient, ids only in its history', async () => {
    const [anna, ben] = [await known('Anna Secret'), await known('Ben Secret')];
    const pipeline = await notifying();
    const ticket = await createTicket(workspace, {
      title: 'Secret title',
      pipeline: pipeline.id,
      receiver: anna.id,
      affected_contact_ids: [ben.id],
    });
    await workspace.api.patch(`${path}${ticket.id}/`, { stage: pipeline.second });
    const move = await desk.runtime.db.row<{ id: number }>('SELECT id FROM ticket_stage_moves WHERE ticket_id = $id', {
      id: ticket.id,
    });
    await told(async () => expect(await outcomes(ticket.id)).toHaveLength(2));
    const handle = workflowOf(desk.runtime, `stage-notify/${workspace.id}/${ticket.id}/${move?.id}`);
    expect(await handle.result()).toEqual({ sent: 2, skipped: 0, failed: 0, unknown: 0 });
    const { events } = await handle.fetchHistory();
    const names = events?.flatMap((event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? []);
    expect(names).toEqual(['notifyStageRecipient', 'notifyStageRecipient']);
    const written = JSON.stringify(events, (_key, value: unknown) =>
      value instanceof Uint8Array || Buffer.isBuffer(value) ? Buffer.from(value).toString('utf8') : value,
    );
    for (const secret of ['Secret', anna.handle, ben.handle]) expect(written).not.toContain(secret);
    expect(
      (
        await desk.runtime.db.row<{ completed_at: Date | null }>(
          'SELECT completed_at FROM ticket_stage_moves WHERE id = $id',
          { id: move?.id },
        )
      )?.completed_at,
    ).toBeInstanceOf(Date);
  });

  it('each move of its own tells again', async () => {
    const anna = await known('Anna');
    const pipeline = await notifying();
    const ticket = await createTicket(workspace, { pipeline: pipeline.id, receiver: anna.id });
    for (const stage of [pipeline.second, pipeline.first, pipeline.second])
      await workspace.api.patch(`${path}${ticket.id}/`, { stage });
    await told(() => expect(texts(anna)).toHaveLength(2));
    noDuplicates();
  });
});

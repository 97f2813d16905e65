import { templateId, twoValues } from '../factories/broadcasts';
import { createContact } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createPipeline, createTicket, pipelinesPath, ticketsPath } from '../factories/tickets';
import { uniquePhone } from '../factories/unique';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiAnswer } from '../support/client';

type Json = Record<string, unknown>;

let desk: TestApi;
let first: string;
let second: string;
let account: string;
beforeAll(async () => {
  desk = await sharedDesk('worker');
  ({ phoneNumberId: first, secondPhoneNumberId: second, businessAccountId: account } = desk.workspace.account);
});
afterAll(() => desk.close());

const required = { phone_number_id: ['This field is required.'] };
const send = (to: string, body: Json, workspace: TestWorkspace = desk.workspace): Promise<ApiAnswer> =>
  workspace.api.post('/api/v1/messages/', { to, ...body });
const update = (workspace: TestWorkspace = desk.workspace): Json => ({
  template_id: templateId(workspace, 'ticket_update'),
  template_variables: { body: { '1': { source: 'static', value: 'T-1' }, '2': { source: 'static', value: 'open' } } },
});
const numberOf = (answer: ApiAnswer): unknown => [
  answer.status,
  (answer.body['phone_number'] as Json | undefined)?.['phone_number_id'] ?? answer.body,
];

describe('the number of a message', () => {
  it('is asked for where there are several and the conversation has spoken through none', async () => {
    const { receiver_id: to } = await createContact(desk.workspace);
    for (const choice of [{}, { msgapp_business_account_id: account }, { phone_number_id: null }])
      expect((await send(to, { ...update(), ...choice })).body).toEqual(required);
    expect(numberOf(await send(to, { ...update(), phone_number_id: second }))).toEqual([201, second]);
  });

  it('is else the one through which the conversation last spoke, whoever spoke', async () => {
    const anna = createCustomer(desk.workspace, { phoneNumberId: second });
    await anna.writes('Hi');
    expect(numberOf(await send(anna.phone, { body: 'Hello' }))).toEqual([201, second]);
    expect(numberOf(await send(anna.phone, { body: 'Hello', msgapp_business_account_id: account }))).toEqual([
      201,
      second,
    ]);
    expect(numberOf(await send(anna.phone, { ...update(), phone_number_id: first }))).toEqual([201, first]);
    expect(numberOf(await send(anna.phone, update()))).toEqual([201, first]);
  });

  it('is nothing that a broadcast or a stage notification chooses', async () => {
    const anna = createCustomer(desk.workspace, { phoneNumberId: second });
    await anna.writes('Hi');
    const contact = (await desk.api.get(`/api/v1/contacts/${anna.handle}/`)).body;
    const pipeline = await createPipeline(desk.workspace, ['New', 'Told']);
    const [, told] = pipeline.stages;
    await desk.api.patch(`${pipelinesPath}${pipeline.id}/stages/${told?.id ?? 0}/`, {
      notify_template_id: templateId(desk.workspace, 'ticket_update'),
      notify_template_variables: twoValues,
    });
    const broadcast = await desk.api.post('/api/v1/broadcasts/', {
      name: 'News',
      template_id: templateId(desk.workspace, 'ticket_update'),
      template_variables: twoValues,
      phone_number_id: first,
      audience: { receiver_ids: [anna.handle] },
    });
    await desk.api.post(`/api/v1/broadcasts/${String(broadcast.body['id'])}/confirm/`, {});
    const ticket = await createTicket(desk.workspace, { receiver: contact['id'], pipeline: pipeline.id });
    await desk.api.patch(`${ticketsPath}${ticket.id}/`, { stage: told?.id });
    await desk.work();
    const { body } = await desk.api.get(`/api/v1/conversations/${anna.handle}/messages/`);
    const sent = body.results.filter((message) => message['direction'] === 'outbound' && message['message_id'] !== '');
    expect(sent).toHaveLength(2);
    expect(numberOf(await send(anna.phone, { body: 'Hello' }))).toEqual([201, second]);
  });

  it('needs no name where there is only one', async () => {
    const workspace = await createWorkspace(desk);
    await desk.runtime.db.rows(
      `UPDATE phone_numbers SET status = 'DELETED' WHERE workspace_id = $id AND phone_number_id = $second`,
      { id: workspace.id, second: workspace.account.secondPhoneNumberId },
    );
    const answer = await send(uniquePhone(), update(workspace), workspace);
    expect(numberOf(answer)).toEqual([201, workspace.account.phoneNumberId]);
  });

  it('is not asked for where no number would help: the closed window is told first', async () => {
    const { receiver_id: to } = await createContact(desk.workspace);
    expect((await send(to, { body: 'Hi' })).body).toEqual({
      non_field_errors: ['The 24-hour messaging window is closed. Send an approved template instead.'],
    });
  });
});

describe('the number of a broadcast', () => {
  const draft = (choice: Json): Promise<ApiAnswer> =>
    desk.api.post('/api/v1/broadcasts/', {
      name: 'News',
      template_id: templateId(desk.workspace, 'ticket_update'),
      template_variables: twoValues,
      audience: { all: true },
      ...choice,
    });

  it("is required when the template's account has several", async () => {
    for (const choice of [{}, { msgapp_business_account_id: account }]) {
      const answer = await draft(choice);
      expect([answer.status, answer.body]).toEqual([400, required]);
    }
    expect((await draft({ phone_number_id: second })).body).toMatchObject({ phone_number_id: second });
  });
});

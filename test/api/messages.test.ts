import { createContact } from '../factories/contacts';
import { createCustomer, signedWebhook, status, webhook, type TestCustomer } from '../factories/customers';
import { createMember, createSession } from '../factories/members';
import { unique, uniquePhone } from '../factories/unique';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiAnswer } from '../support/client';

type Json = Record<string, unknown>;
let desk: TestApi;
let anna: TestCustomer;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  anna = createCustomer(desk.workspace, { name: 'Anna' });
  await anna.writes('Hi');
});
afterAll(() => desk.close());

const send = (body: Json): Promise<ApiAnswer> =>
  desk.api.post('/api/v1/messages/', { phone_number_id: desk.workspace.account.phoneNumberId, ...body });
const template = (name: string, components: Json[] = []): Json => ({
  template: { name, language: 'en_US', components },
});
const body = (...texts: string[]): Json => ({
  type: 'body',
  parameters: texts.map((text) => ({ type: 'text', text })),
});
const closed = { non_field_errors: ['The 24-hour messaging window is closed. Send an approved template instead.'] };
const contactCount = async (): Promise<unknown> => (await desk.api.get('/api/v1/contacts/')).body['count'];

describe('the list (contract 6.3)', () => {
  it('shortens a long text, and says so; the message alone has it whole', async () => {
    const customer = createCustomer(desk.workspace, { name: 'Long' });
    const text = `${'long '.repeat(8_000)}end`;
    await customer.writes(text);
    const { body: page } = await desk.api.get(`/api/v1/conversations/${customer.handle}/messages/`);
    const [listed] = page.results;
    expect(listed).toMatchObject({ is_truncated: 'true', preview_length: '16384' });
    expect(JSON.stringify(listed?.['body'])).toContain('long long');
    expect(JSON.stringify(listed?.['body']).length).toBeLessThan(16_500);
    const { body: whole } = await desk.api.get(`/api/v1/messages/${Number(listed?.['id'])}/`);
    expect(whole).toMatchObject({ is_truncated: 'false', preview_length: '0' });
    expect(JSON.stringify(whole['body'])).toContain(text);
    const { body: found } = await desk.api.get('/api/v1/messages/search/?q=long');
    expect(found.results).toMatchObject([{ is_truncated: 'true' }]);
    expect(String(found.results[0]?.['text']).length).toBeLessThanOrEqual(16_384);
  });

  it('shows every field of an inbound and of an outbound message', async () => {
    const customer = createCustomer(desk.workspace, { name: 'Fields' });
    const wamid = await customer.writes('Question');
    await send({ to: customer.phone, text: { body: 'Answer', preview_url: true }, reply_to_wamid: wamid });
    const { body: page } = await desk.api.get(`/api/v1/conversations/${customer.handle}/messages/`);
    const [out, inbound] = page.results;
    const number = {
      phone_number_id: desk.workspace.account.phoneNumberId,
      display_phone_number: expect.any(String) as unknown,
      verified_name: 'Green Garden',
      business_account: expect.any(Number) as unknown,
      pin: '',
      quality_rating: expect.any(String) as unknown,
      messaging_limit_tier: expect.any(String) as unknown,
    };
    const same = {
      group: null,
      is_truncated: 'false',
      preview_length: '0',
      referred_product: null,
      payment_status: '',
      error_code: null,
      error_title: '',
      error_message: '',
      pricing_category: '',
      is_import_placeholder: false,
      phone_number: number,
    };
    expect(inbound).toMatchObject({
      ...same,
      direction: 'inbound',
      message_status: 'received',
      message_id: wamid,
      // The answer read it.
      read: true,
      send_by: null,
      reply_to_wamid: '',
      body: { type: 'text', text: { body: 'Question' } },
    });
    expect(out).toMatchObject({
      ...same,
      direction: 'outbound',
      message_status: 'queued',
      message_id: '',
      reply_to_wamid: wamid,
      body: { type: 'text', text: { body: 'Answer', preview_url: true } },
      send_by: { id: desk.workspace.owner.id, email: desk.workspace.owner.email },
    });
    expect(out?.['receiver']).toMatchObject({
      name: 'Fields',
      phone_number: customer.phone,
      receiver_id: customer.handle,
      chat_status: 'active',
      is_group: false,
      first_response_at: expect.any(String) as unknown,
    });
    // The sender's object is the one without the five fields that contract 6.3 leaves out.
    expect(Object.keys((out?.['send_by'] ?? {}) as Json)).not.toEqual(expect.arrayContaining(['source']));
  });

  it('shows the message that a product was asked about, and the one that was answered', async () => {
    const customer = createCustomer(desk.workspace);
    await customer.writes({
      type: 'text',
      text: { body: 'How much?' },
      context: {
        from: '15550100100',
        id: 'wamid.x',
        referred_product: { catalog_id: '1', product_retailer_id: 'GG-POT' },
      },
    });
    const { body: page } = await desk.api.get(`/api/v1/conversations/${customer.handle}/messages/`);
    expect(page.results[0]).toMatchObject({
      referred_product: { catalog_id: '1', product_retailer_id: 'GG-POT' },
      reply_to_wamid: 'wamid.x',
    });
  });
});

describe('text (C6)', () => {
  it.each([
    ['the short form', { body: 'Hi' }],
    ['text', { text: { body: 'Hi' } }],
    ['type and text', { type: 'text', text: { body: 'Hi' } }],
    ['type and the short form', { type: 'text', body: 'Hi' }],
  ])('%s is accepted as queued', async (_name, content) => {
    for (const to of [anna.phone, anna.handle, `${anna.phone.slice(0, 4)} ${anna.phone.slice(4)}`]) {
      const answer = await send({ to, ...content });
      expect([answer.status, answer.body['message_status'], answer.body['body']]).toEqual([
        201,
        'queued',
        { type: 'text', text: { body: 'Hi' } },
      ]);
    }
  });

  it.each<[string, Json, string]>([
    ['an empty body', { body: '' }, 'body'],
    ['a blank body', { body: ' \n' }, 'body'],
    ['a body of a wrong type', { body: { a: 1 } }, 'body'],
    ['an unknown type', { type: 'fax', body: 'x' }, 'type'],
    ['a type that the prototype has', { type: 'constructor', body: 'x' }, 'type'],
    ['two contents', { text: { body: 'x' }, ...template('ticket_update') }, 'non_field_errors'],
    ['no such recipient', { to: 'me', body: 'x' }, 'to'],
    ['a number of nobody', { phone_number_id: '1', body: 'x' }, 'phone_number_id'],
    [
      'an account of nobody',
      { phone_number_id: null, msgapp_business_account_id: '1', body: 'x' },
      'msgapp_business_account_id',
    ],
    [
      'no number though there are two',
      { phone_number_id: null, to: '+4915155500009', ...template('ticket_update') },
      'phone_number_id',
    ],
    [
      'no number, where none has an open window',
      { phone_number_id: null, to: '+4915155500009', body: 'x' },
      'non_field_errors',
    ],
    ['a body beside a media object', { body: 'x', image: { link: 'https://a.example/x.png' } }, 'non_field_errors'],
    [
      'a type that is not what was sent',
      { type: 'text', image: { link: 'https://a.example/x.png' } },
      'non_field_errors',
    ],
    ['a template_id of another type', { type: 'text', template_id: '1' }, 'non_field_errors'],
    [
      'template_variables without template_id',
      { ...template('ticket_update'), template_variables: { body: {} } },
      'non_field_errors',
    ],
    ['a nested key that is not known', { text: { body: 'x', preview: true } }, 'text'],
    ['a template that is no object', { template: [] }, 'template'],
  ])('%s is a 400', async (_name, content, field) => {
    const answer = await send({ to: anna.phone, ...content });
    expect([answer.status, Object.keys(answer.body)]).toEqual([400, [field]]);
  });

  it('4096 characters go through, whatever their width', async () => {
    expect((await send({ to: anna.phone, body: '😀'.repeat(4_096) })).status).toBe(201);
  });

  it("a closed window is a 400, per number and from the time of the customer's message", async () => {
    const silent = await createContact(desk.workspace);
    expect(await send({ to: silent.receiver_id, body: 'Hi' })).toMatchObject({ status: 400, body: closed });
    expect(
      await send({ to: anna.phone, body: 'Hi', phone_number_id: desk.workspace.account.secondPhoneNumberId }),
    ).toMatchObject({ status: 400, body: closed });
    const late = createCustomer(desk.workspace);
    await late.writes('Yesterday', { timestamp: String(Math.floor(Date.now() / 1000) - 24 * 3_600 - 5) });
    expect(await send({ to: late.phone, body: 'Hi' })).toMatchObject({ status: 400, body: closed });
    await late.writes('Just before', { timestamp: String(Math.floor(Date.now() / 1000) - 24 * 3_600 + 60) });
    expect((await send({ to: late.phone, body: 'Hi' })).status).toBe(201);
  });

  it("without a choice the conversation's last number answers", async () => {
    const customer = createCustomer(desk.workspace, { phoneNumberId: desk.workspace.account.secondPhoneNumberId });
    await customer.writes('Hi');
    const answer = await send({ to: customer.phone, body: 'Hi', phone_number_id: undefined });
    expect([answer.status, (answer.body['phone_number'] as Json)['phone_number_id']]).toEqual([
      201,
      desk.workspace.account.secondPhoneNumberId,
    ]);
    expect(
      (
        await send({
          to: customer.phone,
          body: 'Hi',
          phone_number_id: undefined,
          msgapp_business_account_id: desk.workspace.account.businessAccountId,
        })
      ).status,
    ).toBe(201);
  });
});

describe('an unknown recipient (C6)', () => {
  it('becomes a contact by a template', async () => {
    const phone = uniquePhone();
    const answer = await send({ to: phone, ...template('ticket_update', [body('T-1', 'Done')]) });
    expect(answer.status).toBe(201);
    expect((await desk.api.get(`/api/v1/contacts/${phone}/`)).body).toMatchObject({ phone, first_message_at: null });
    expect((await send({ to: `DE.${unique()}`, ...template('ticket_update', [body('T-1', 'Done')]) })).status).toBe(
      201,
    );
  });

  it('is not made by a refused send', async () => {
    const before = await contactCount();
    for (const content of [
      { body: 'Hi' },
      template('feedback_request', [body('x')]),
      template('ticket_update'),
      { phone_number_id: '1', body: 'x' },
    ])
      expect((await send({ to: uniquePhone(), ...content })).status).toBe(400);
    expect((await send({ to: `DE.${unique()}`, ...template('login_code', [body('1')]) })).status).toBe(400);
    expect(await contactCount()).toBe(before);
  });
});

describe('templates (contract 6.6, 3)', () => {
  const code = [
    body('123456'),
    { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: '123456' }] },
  ];

  it('is sent as the upstream shapes it, with its parameters', async () => {
    const answer = await send({ to: anna.phone, ...template('ticket_update', [body('T-7', 'Done')]) });
    expect([answer.status, answer.body['body']]).toEqual([
      201,
      {
        type: 'template',
        template: { name: 'ticket_update', language: { code: 'en_US' }, components: [body('T-7', 'Done')] },
      },
    ]);
  });

  it('by its id with variables: static values and fields of the contact, an em dash for what is empty', async () => {
    const found = await desk.api.get('/api/v1/templates/?page_size=50');
    const row = found.body.results.find((item) => item['name'] === 'ticket_update');
    const variables = {
      body: { 1: { source: 'field', field: 'company' }, 2: { source: 'static', value: ' two\n\tlines     wide ' } },
    };
    const answer = await send({ to: anna.phone, template_id: row?.['template_id'], template_variables: variables });
    expect(answer.status).toBe(201);
    expect(JSON.stringify(answer.body['body'])).toContain('"text":"—"');
    expect(JSON.stringify(answer.body['body'])).not.toMatch(/\\n|\\t| {4}/);
  });

  it.each<[string, Json, string]>([
    ['rejected', template('free_gift'), 'template'],
    ['of another language', { template: { name: 'ticket_update', language: 'xx' } }, 'template'],
    ['too many parameters', template('ticket_update', [body('1', '2', '3')]), 'template'],
    ['an empty parameter', template('ticket_update', [body('', 'x')]), 'template'],
    ['an unknown component', template('ticket_update', [{ type: 'sidebar' }]), 'template'],
    ['an unknown id', { template_id: '1' }, 'template'],
    [
      'a variable left out',
      { template_id: 'ID', template_variables: { body: { 1: { source: 'static', value: 'x' } } } },
      'template_variables',
    ],
    [
      'a ticket source without a ticket',
      { template_id: 'ID', template_variables: { body: { 1: { source: 'ticket', field: 'id' } } } },
      'template_variables',
    ],
    ['a text for variables', { template_id: 'ID', template_variables: 'x' }, 'template_variables'],
  ])('%s is a 400', async (_name, content, field) => {
    const { body: page } = await desk.api.get('/api/v1/templates/');
    const id = page.results.find((item) => item['name'] === 'ticket_update')?.['template_id'];
    const answer = await send({
      to: anna.phone,
      ...content,
      ...(content['template_id'] === 'ID' ? { template_id: id } : {}),
    });
    expect([answer.status, Object.keys(answer.body)]).toEqual([400, [field]]);
  });

  it("another workspace's template does not exist", async () => {
    const other = await createWorkspace(desk);
    const foreign = (await other.api.get('/api/v1/templates/')).body.results.find(
      (item) => item['name'] === 'ticket_update',
    )?.['template_id'];
    expect(await send({ to: anna.phone, template_id: foreign, template_variables: {} })).toMatchObject({
      status: 400,
      body: { template: [expect.stringContaining('does not exist') as unknown] },
    });
  });

  it('an authentication template to a bsuid is a 403, to a contact with a phone it goes', async () => {
    const hidden = await createContact(desk.workspace, { bsuid: `DE.${unique()}77` });
    expect(await send({ to: hidden.receiver_id, ...template('login_code', code) })).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining('real phone number') as unknown },
    });
    expect((await send({ to: `DE.${unique()}78`, ...template('login_code', code) })).status).toBe(403);
    expect((await send({ to: anna.phone, ...template('login_code', code) })).status).toBe(201);
  });

  it('marketing to an opted-out contact is a 400 on `to`; other templates go', async () => {
    const contact = await createContact(desk.workspace, { marketing_opt_out: true });
    const named = [
      {
        type: 'body',
        parameters: [
          { type: 'text', parameter_name: 'first_name', text: 'A' },
          { type: 'text', parameter_name: 'discount', text: '5%' },
        ],
      },
    ];
    expect(await send({ to: contact.receiver_id, ...template('spring_sale', named) })).toMatchObject({
      status: 400,
      body: { to: ['This contact has opted out of marketing messages.'] },
    });
    expect((await send({ to: contact.receiver_id, ...template('ticket_update', [body('1', '2')]) })).status).toBe(201);
    expect((await send({ to: anna.phone, ...template('spring_sale', named) })).status).toBe(201);
  });
});

it('a status that comes while a message waits for its next try keeps it from being sent again', async () => {
  const { body: message } = await send({ to: anna.phone, body: 'Once' });
  const row = await desk.runtime.db.row<{ opaque: string }>('SELECT opaque FROM messages WHERE id = $id', {
    id: message['id'],
  });
  await signedWebhook(
    desk.workspace,
    webhook(desk.workspace, {
      statuses: [status('wamid.elsewhere', 'delivered', { biz_opaque_callback_data: row?.opaque })],
    }),
  );
  await desk.settled();
  expect(
    await desk.runtime.db.row('SELECT message_status, delivery_state, wamid FROM messages WHERE id = $id', {
      id: message['id'],
    }),
  ).toEqual({ message_status: 'delivered', delivery_state: 'settled', wamid: 'wamid.elsewhere' });
});

describe('an answer to what is assigned to nobody (contract 18.4)', () => {
  const permissions = ['chat.view', 'chat.send_message', 'chat.assign'] as const;
  const asks = async (): Promise<TestCustomer> => {
    const customer = createCustomer(desk.workspace, { name: 'Asks' });
    await customer.writes('Hello?');
    return customer;
  };
  const ownerOf = async ({ handle }: TestCustomer): Promise<unknown> =>
    (await desk.api.get(`/api/v1/conversations/${handle}/`)).body['assigned_member'];
  const answerer = async (scopes: typeof permissions | readonly ['chat.view', 'chat.send_message'], takes = true) => {
    const member = await createMember(desk.workspace, { permissions: scopes });
    const { api } = await createSession(member);
    expect((await api.patch('/api/v1/own-settings/', { takes_answered: takes })).body).toMatchObject({
      takes_answered: takes,
    });
    return {
      id: member.id,
      answer: (to: TestCustomer) => api.post('/api/v1/messages/', { to: to.phone, body: 'Yes' }),
    };
  };

  it('is theirs then, by their act, where they want that', async () => {
    const [kim, lou] = [await answerer(permissions), await answerer(permissions)];
    const customer = await asks();
    const { status: code, body: message } = await kim.answer(customer);
    expect([code, (message['receiver'] as Json)['assigned_member']]).toEqual([201, kim.id]);
    expect(await ownerOf(customer)).toBe(kim.id);
    const { body: trail } = await desk.api.get(`/api/v1/conversations/${customer.handle}/activity/`);
    expect(trail.results[0]).toMatchObject({
      kind: 'assignment_changed',
      actor_type: 'member',
      changes: { assigned_member: { from: null, to: kim.id } },
    });
    // What is somebody's stays theirs.
    expect((await lou.answer(customer)).status).toBe(201);
    expect(await ownerOf(customer)).toBe(kim.id);
  });

  it('stays nobody’s where it is not wanted, may not be assigned, or a key has answered', async () => {
    const customer = await asks();
    const off = await answerer(permissions, false);
    const mayNot = await answerer(['chat.view', 'chat.send_message']);
    for (const { answer } of [off, mayNot]) expect((await answer(customer)).status).toBe(201);
    expect((await desk.api.post('/api/v1/messages/', { to: customer.phone, body: 'Yes' })).status).toBe(201);
    expect(await ownerOf(customer)).toBeNull();
  });
});

import { FormData } from 'undici';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { uniquePhone } from '../factories/unique';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;

let desk: TestApi;
let anna: TestCustomer;
const path = '/api/v1/messages/';

beforeAll(async () => {
  desk = await sharedDesk('plain');
  anna = createCustomer(desk.workspace, { name: 'Anna' });
  await anna.writes('Hello');
});
afterAll(() => desk.close());

const send = (body: Json) =>
  desk.api.post(path, { to: anna.phone, phone_number_id: desk.workspace.account.phoneNumberId, ...body });

/** The request that reached the upstream for a message of ours. */
async function arrived(id: unknown): Promise<Json> {
  await desk.work();
  const row = await desk.runtime.db.row<{ wamid: string | null; error_message: string; message_status: string }>(
    'SELECT wamid, error_message, message_status FROM messages WHERE id = $id',
    { id },
  );
  const record = row?.wamid ? desk.sandbox.state.messages.get(row.wamid) : undefined;
  if (record?.direction !== 'out') throw new Error(`not sent: ${JSON.stringify(row)}`);
  return record.body as Json;
}

const button = (id: string, title: string): Json => ({ type: 'reply', reply: { id, title } });
const listAction = (rows: number): Json => ({
  button: 'Choose',
  sections: [
    {
      title: 'All',
      rows: Array.from({ length: rows }, (_unused, index) => ({ id: `r${index}`, title: `Row ${index}` })),
    },
  ],
});

const types: readonly (readonly [string, string, unknown])[] = [
  ['text with preview', 'text', { body: 'https://example.com', preview_url: true }],
  ['image by link', 'image', { link: 'https://example.com/a.jpg', caption: 'A' }],
  ['video by link', 'video', { link: 'https://example.com/a.mp4' }],
  ['audio by link', 'audio', { link: 'https://example.com/a.ogg', voice: true }],
  ['document by link', 'document', { link: 'https://example.com/a.pdf', filename: 'a.pdf', caption: 'A' }],
  ['sticker by link', 'sticker', { link: 'https://example.com/a.webp' }],
  ['location', 'location', { latitude: 52.5, longitude: 13.4, name: 'Berlin', address: 'Alexanderplatz' }],
  [
    'contacts',
    'contacts',
    [
      {
        name: { formatted_name: 'Bob', first_name: 'Bob' },
        phones: [{ phone: '+4930123', type: 'WORK' }],
        org: { company: 'B' },
        birthday: '1990-01-31',
      },
    ],
  ],
  [
    'reply buttons',
    'interactive',
    {
      type: 'button',
      body: { text: 'Yes?' },
      footer: { text: 'f' },
      header: { type: 'text', text: 'h' },
      action: { buttons: [button('y', 'Yes'), button('n', 'No')] },
    },
  ],
  ['list', 'interactive', { type: 'list', body: { text: 'Which?' }, action: listAction(10) }],
  [
    'link button',
    'interactive',
    {
      type: 'cta_url',
      body: { text: 'Look' },
      action: { name: 'cta_url', parameters: { display_text: 'Open', url: 'https://example.com/x' } },
    },
  ],
  [
    'location request',
    'interactive',
    { type: 'location_request_message', body: { text: 'Where?' }, action: { name: 'send_location' } },
  ],
];

describe('every type of message (contract 6, upstream 1.2, 1.3)', () => {
  it.each(types)('sends %s as it was given', async (_name, type, content) => {
    const { status, body } = await send({ type, [type]: content });
    expect(status).toBe(201);
    expect(body).toMatchObject({ message_status: 'queued', direction: 'outbound', body: { type, [type]: content } });
    expect((await arrived(body['id']))[type]).toEqual(content);
  });

  it('sends flows and products of the account', async () => {
    const { body: flows } = await desk.api.get('/api/v1/phone-numbers/');
    expect(flows).toBeDefined();
    const account = desk.sandbox.state.accounts.get(desk.workspace.account.businessAccountId);
    const flow = account?.flows[0];
    const product = account?.products[0];
    const flowMessage = {
      type: 'flow',
      body: { text: 'Book' },
      action: {
        name: 'flow',
        parameters: {
          flow_message_version: '3',
          flow_id: flow?.id,
          flow_cta: 'Book',
          flow_token: 't',
          flow_action: 'navigate',
          flow_action_payload: { screen: 'FIRST' },
        },
      },
    };
    const list = {
      type: 'product_list',
      header: { type: 'text', text: 'Ours' },
      body: { text: 'See' },
      action: {
        catalog_id: account?.catalog_id,
        sections: [{ title: 'All', product_items: [{ product_retailer_id: product?.retailer_id }] }],
      },
    };
    const single = {
      type: 'product',
      action: { catalog_id: account?.catalog_id, product_retailer_id: product?.retailer_id },
    };
    for (const interactive of [flowMessage, list, single]) {
      const { status, body } = await send({ interactive });
      expect(status).toBe(201);
      expect((await arrived(body['id']))['interactive']).toEqual(interactive);
    }
  });

  it('sends a reaction, and a reply as context', async () => {
    const wamid = await anna.writes('A question');
    const reaction = await send({ reaction: { message_id: wamid, emoji: '👍' } });
    expect(await arrived(reaction.body['id'])).toMatchObject({
      type: 'reaction',
      reaction: { message_id: wamid, emoji: '👍' },
    });
    const reply = await send({ body: 'An answer', reply_to_wamid: wamid });
    expect(reply.body).toMatchObject({ reply_to_wamid: wamid });
    expect(await arrived(reply.body['id'])).toMatchObject({ context: { message_id: wamid } });
    expect((await send({ reaction: { message_id: wamid, emoji: '' } })).status).toBe(201);
  });

  it('passes a reply to a message that is not known here on', async () => {
    expect((await send({ body: 'x', reply_to_wamid: 'wamid.unknown' })).status).toBe(201);
  });
});

const refusals: readonly (readonly [string, Json, Json])[] = [
  ['no content', {}, { body: ['This field is required.'] }],
  [
    'two contents',
    { text: { body: 'x' }, image: { link: 'https://e.com/a' } },
    { non_field_errors: [expect.stringContaining('not several')] },
  ],
  [
    'a template id and a content',
    { template_id: '1', text: { body: 'x' } },
    { non_field_errors: [expect.stringContaining('not both')] },
  ],
  ['an unknown type', { type: 'poll', poll: {} }, { type: ['"poll" is not a valid choice.'] }],
  ['a type without its object', { type: 'image' }, { image: ['This field is required.'] }],
  ['a text over 4096', { body: 'x'.repeat(4097) }, { body: ['Ensure this field has no more than 4096 characters.'] }],
  ['a blank text', { text: { body: ' ' } }, { text: ['body: This field may not be blank.'] }],
  ['media from nowhere', { image: {} }, { image: ['Give exactly one of id and link.'] }],
  [
    'media from two places',
    { image: { id: '1', link: 'https://e.com/a' } },
    { image: ['Give exactly one of id and link.'] },
  ],
  ['a link that is none', { video: { link: 'file:///etc/passwd' } }, { video: ['link: Enter a valid URL.'] }],
  [
    'a caption over 1024',
    { document: { id: '1', caption: 'x'.repeat(1025) } },
    { document: ['caption: Ensure this field has no more than 1024 characters.'] },
  ],
  [
    'a place off the globe',
    { location: { latitude: 91, longitude: 0 } },
    { location: [expect.stringContaining('latitude: ')] },
  ],
  ['a contact without a name', { contacts: [{ phones: [] }] }, { contacts: ['0.name: This field is required.'] }],
  ['no contacts', { contacts: [] }, { contacts: ['This list may not be empty.'] }],
  [
    'a reaction that replies',
    { reaction: { message_id: 'w', emoji: '👍' }, reply_to_wamid: 'w' },
    { reply_to_wamid: ['A reaction cannot be a reply.'] },
  ],
  [
    'a reply to too long an id',
    { body: 'x', reply_to_wamid: 'x'.repeat(256) },
    { reply_to_wamid: ['Ensure this field has no more than 255 characters.'] },
  ],
  [
    'an unknown interactive',
    { interactive: { type: 'quiz' } },
    { interactive: ['type: "quiz" is not a valid choice.'] },
  ],
  [
    'four buttons',
    {
      interactive: {
        type: 'button',
        body: { text: 'x' },
        action: { buttons: ['1', '2', '3', '4'].map((id) => button(id, id)) },
      },
    },
    { interactive: ['action.buttons: Ensure this field has no more than 3 elements.'] },
  ],
  [
    'a long button',
    { interactive: { type: 'button', body: { text: 'x' }, action: { buttons: [button('1', 'x'.repeat(21))] } } },
    { interactive: ['action.buttons.0.reply.title: Ensure this field has no more than 20 characters.'] },
  ],
  [
    'the same button twice',
    { interactive: { type: 'button', body: { text: 'x' }, action: { buttons: [button('1', 'a'), button('2', 'a')] } } },
    { interactive: ['action.buttons: The titles of the buttons must differ.'] },
  ],
  [
    'eleven rows',
    {
      interactive: {
        type: 'list',
        body: { text: 'x' },
        action: {
          button: 'b',
          sections: [...(listAction(10)['sections'] as Json[]), { title: 'More', rows: [{ id: 'z', title: 'z' }] }],
        },
      },
    },
    { interactive: ['action.sections: At most 10 rows in total.'] },
  ],
  [
    'an image as header of a list',
    {
      interactive: {
        type: 'list',
        header: { type: 'image', image: { id: '1' } },
        body: { text: 'x' },
        action: listAction(1),
      },
    },
    { interactive: expect.arrayContaining(['header.type: "image" is not a valid choice.']) },
  ],
  [
    'a flow named twice',
    {
      interactive: {
        type: 'flow',
        body: { text: 'x' },
        action: { name: 'flow', parameters: { flow_id: '1', flow_name: 'n', flow_cta: 'c' } },
      },
    },
    { interactive: ['action.parameters: Give exactly one of flow_id and flow_name.'] },
  ],
  ['no recipient', { to: '' }, { to: ['This field may not be blank.'] }],
  ['a recipient that is none', { to: 'somebody', body: 'x' }, { to: [expect.stringContaining('E.164')] }],
];

describe('refusals name the place (contract 3, 6)', () => {
  it.each(refusals)('%s', async (_name, body, errors) => {
    expect(await send(body)).toMatchObject({ status: 400, body: errors });
  });

  it('stores nothing and creates nobody when it refuses', async () => {
    const phone = uniquePhone();
    expect(
      (await desk.api.post(path, { to: phone, phone_number_id: desk.workspace.account.phoneNumberId, body: 'x' })).body,
    ).toEqual({ non_field_errors: ['The 24-hour messaging window is closed. Send an approved template instead.'] });
    expect((await desk.api.get(`/api/v1/contacts/${encodeURIComponent(phone)}/`)).status).toBe(404);
  });
});

describe('templates (contract 6)', () => {
  const update = (parameters: string[]): Json => ({
    name: 'ticket_update',
    language: 'en_US',
    components: [{ type: 'body', parameters: parameters.map((text) => ({ type: 'text', text })) }],
  });

  it.each<[string, Json, Json]>([
    ['too few parameters', { template: update(['T-1']) }, { template: ['body: expected 2 parameters but got 1.'] }],
    [
      'a pending one',
      { template: { name: 'feedback_request', language: 'en_US', components: [] } },
      { template: [expect.stringContaining('PENDING')] },
    ],
    [
      'an unknown one',
      { template: { name: 'nobody', language: 'en_US' } },
      { template: [expect.stringContaining('does not exist')] },
    ],
    ['no language', { template: { name: 'ticket_update' } }, { template: ['language: This field is required.'] }],
  ])('refuse %s', async (_name, body, errors) => {
    expect(await send(body)).toMatchObject({ status: 400, body: errors });
  });
});

describe('form and multipart bodies mean the same (contract 3)', () => {
  const cases: readonly Json[] = [
    { body: '1.50' },
    { body: 'true' },
    { body: '{"a": 1}' },
    { image: { link: 'https://example.com/a.jpg', caption: '7' } },
    { contacts: [{ name: { formatted_name: 'Bob' } }] },
    { template_id: '12345678901234567890' },
    { body: 'x', reply_to_wamid: null },
    { text: { body: '' } },
    {},
  ];

  it.each(cases)('%j', async (content) => {
    const whole: Json = { to: anna.phone, phone_number_id: desk.workspace.account.phoneNumberId, ...content };
    const pairs = Object.entries(whole).map(
      ([key, value]) => [key, value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)] as const,
    );
    const form = new FormData();
    for (const [key, value] of pairs) form.append(key, value);
    const answers = [
      await desk.api.post(path, whole),
      await desk.api.post(path, new URLSearchParams(Object.fromEntries(pairs))),
      await desk.api.post(path, form),
    ];
    const essence = answers.map(({ status, body }) =>
      status === 201 ? { status, body: body['body'] } : { status, body },
    );
    expect(essence[1]).toEqual(essence[0]);
    expect(essence[2]).toEqual(essence[0]);
  });
});

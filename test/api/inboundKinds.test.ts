import { fc, runs } from '../support/properties';
import { createContact } from '../factories/contacts';
import { createCustomer, inboundText, signedWebhook, status, webhook } from '../factories/customers';
import { unique, uniquePhone } from '../factories/unique';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { recordInbound } from '../../api/services/resources/conversations/inbound';
import { readEnvelope } from '../../api/services/processes/events/envelope';
import { syncAsked } from '../factories/syncs';

type Json = Record<string, unknown>;

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

const seconds = (): number => Math.floor(Date.now() / 1000);
const digits = (): string => uniquePhone().replace(/\D/g, '');

async function play(value: Json, field = 'messages', time = seconds()): Promise<void> {
  const payload = webhook(desk.workspace, value, field);
  (payload['entry'] as Json[]).forEach((entry) => (entry['time'] = time));
  expect((await signedWebhook(desk.workspace, payload)).status).toBe(200);
  await desk.settled();
}
const inbound = (phone: string, more: Json): Promise<void> => {
  const { text: _text, ...message } = inboundText(phone, '');
  return play({ contacts: [{ wa_id: phone, profile: { name: 'Kim' } }], messages: [{ ...message, ...more }] });
};
const messages = async (handle: string): Promise<Json[]> =>
  (await desk.api.get(`/api/v1/conversations/${handle}/messages/`)).body['results'] as Json[];
const conversation = async (handle: string): Promise<Json> =>
  (await desk.api.get(`/api/v1/conversations/${handle}/`)).body;
const contact = async (handle: string): Promise<Json> => (await desk.api.get(`/api/v1/contacts/${handle}/`)).body;
const only = (row: Json, names: readonly string[]): Json => Object.fromEntries(names.map((name) => [name, row[name]]));

const media = { id: '123', mime_type: 'image/jpeg', sha256: 'x' };
const kinds: readonly (readonly [string, Json])[] = [
  ['image', { image: { ...media, caption: 'c' } }],
  ['video', { video: media }],
  ['audio', { audio: { ...media, voice: true } }],
  ['document', { document: { ...media, filename: 'a.pdf' } }],
  ['sticker', { sticker: { ...media, animated: false } }],
  ['location', { location: { latitude: 1, longitude: 2, name: 'n', address: 'a', url: 'https://e.com' } }],
  ['contacts', { contacts: [{ name: { formatted_name: 'Bob' } }], origin: 'contact_request' }],
  ['reaction', { reaction: { message_id: 'wamid.a', emoji: '👍' } }],
  ['button', { button: { payload: 'YES', text: 'Yes' } }],
  ['interactive', { interactive: { type: 'button_reply', button_reply: { id: 'y', title: 'Yes' } } }],
  ['interactive', { interactive: { type: 'list_reply', list_reply: { id: 'y', title: 'Yes', description: 'd' } } }],
  [
    'interactive',
    {
      interactive: {
        type: 'nfm_reply',
        nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"flow_token":"t"}' },
      },
    },
  ],
  [
    'order',
    {
      order: {
        catalog_id: '1',
        text: 't',
        product_items: [{ product_retailer_id: 'p', quantity: 2, item_price: 3, currency: 'EUR' }],
      },
    },
  ],
  [
    'unsupported',
    {
      errors: [{ code: 131051, title: 'Unsupported', message: 'm', error_data: { details: 'd' } }],
      unsupported: { type: 'poll' },
    },
  ],
  ['unknown', { errors: [{ code: 131051, title: 'Unsupported' }] }],
  ['something_of_2031', { something_of_2031: { a: [1] } }],
];

describe('every inbound type is kept and shown (upstream 2.6)', () => {
  it.each(kinds)('%s', async (type, content) => {
    const phone = digits();
    await inbound(phone, { type, ...content });
    const [shown] = await messages(phone);
    expect(shown).toMatchObject({ direction: 'inbound', message_status: 'received', body: { type, ...content } });
    expect(await conversation(phone)).toMatchObject({ unread_count: 1, conv_status: 'open', chat_status: 'active' });
  });

  it('a message without a body of its own shows the errors beside it', async () => {
    const phone = digits();
    const { text: _text, ...message } = inboundText(phone, '');
    await play({
      messages: [{ ...message, type: 'interactive' }],
      errors: [{ code: 131000, title: 'Unsupported webhook payload' }],
    });
    expect((await messages(phone))[0]).toMatchObject({
      body: { type: 'interactive', errors: [{ code: 131000, title: 'Unsupported webhook payload' }] },
    });
  });

  it('a reply names its message, an enquiry its product, a forwarded one neither', async () => {
    const phone = digits();
    await inbound(phone, { text: { body: 'a' }, context: { from: '1', id: 'wamid.orig' } });
    await inbound(phone, {
      text: { body: 'b' },
      context: { from: '1', id: 'wamid.p', referred_product: { catalog_id: 'c', product_retailer_id: 'p' } },
    });
    await inbound(phone, { text: { body: 'c' }, context: { forwarded: true } });
    await inbound(phone, { text: { body: 'd' }, context: { frequently_forwarded: true } });
    await inbound(phone, { type: 'button', button: { payload: 'YES', text: 'Yes' } });
    expect((await messages(phone)).map((row) => [row['reply_to_wamid'], row['referred_product']]).reverse()).toEqual([
      ['wamid.orig', null],
      ['wamid.p', { catalog_id: 'c', product_retailer_id: 'p' }],
      ['', null],
      ['', null],
      ['', null],
    ]);
  });

  it('a group message is stored and shown, and nothing else', async () => {
    const phone = digits();
    await inbound(phone, { text: { body: 'STOP' }, group_id: 'Y2FwaV9ncm91cDox' });
    expect((await messages(phone))[0]).toMatchObject({
      group: { id: expect.any(Number), subject: '', group_id: 'Y2FwaV9ncm91cDox' },
      receiver: { is_group: true },
    });
    expect(await conversation(phone)).toMatchObject({
      unread_count: 0,
      active_till: null,
      last_message_at: null,
      first_message_at: null,
    });
    expect(await contact(phone)).toMatchObject({ marketing_opt_out: false, first_message_at: null });
  });

  it('the ad of the first message stays, in whatever order they come', async () => {
    const phone = digits();
    const ad = (id: string, at: number): Json => ({
      text: { body: id },
      timestamp: String(at),
      referral: {
        source_url: `https://fb.me/${id}`,
        source_id: id,
        source_type: 'ad',
        headline: `H ${id}`,
        ...(id === 'first' ? {} : { ctwa_clid: `clid-${id}` }),
      },
    });
    await inbound(phone, ad('second', seconds() - 10));
    await inbound(phone, ad('first', seconds() - 100));
    expect(await contact(phone)).toMatchObject({
      ctwa_clid: '',
      ctwa_source_id: 'first',
      ctwa_source_url: 'https://fb.me/first',
      ctwa_headline: 'H first',
    });
    expect(await conversation(phone)).toMatchObject({ ctwa_source_id: 'first' });
  });
});

describe('opt-out (contract 5)', () => {
  it.each([
    ['  stop ', true],
    ['Unsubscribe', true],
    ['OPTOUT', true],
    ['please stop', false],
    ...[
      'STOP!',
      '*STOP*',
      '_stop_',
      '“Stop”.',
      'STOP\u200b',
      '\u202astop',
      'ＳＴＯＰ',
      'Stop 🛑',
      'stop  promotions',
    ].map((text): [string, boolean] => [text, true]),
    ["Don't stop", false],
    ['🛑', false],
    ['', false],
  ])('the text %j: %j', async (body, out) => {
    const phone = digits();
    await inbound(phone, { text: { body } });
    expect(await contact(phone)).toMatchObject({
      marketing_opt_out: out,
      marketing_opt_out_source: out ? 'keyword' : null,
    });
  });

  it.each<[string, Json, boolean]>([
    ['the button of a template', { type: 'button', button: { payload: 'x', text: 'Stop promotions' } }, true],
    [
      'a button',
      { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: 'x', title: 'Stop' } } },
      true,
    ],
    [
      'a row',
      { type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: 'x', title: 'STOP' } } },
      true,
    ],
    ['what only the program sees', { type: 'button', button: { payload: 'STOP', text: 'No more' } }, false],
    ['a caption', { type: 'image', image: { id: '1', mime_type: 'image/png', caption: 'STOP' } }, false],
  ])('a tap counts as a word: %s', async (_what, message, out) => {
    const phone = digits();
    await inbound(phone, { text: undefined, ...message });
    expect(await contact(phone)).toMatchObject({ marketing_opt_out: out });
  });

  it('START and RESUBSCRIBE clear it, the newest word counting', async () => {
    const phone = digits();
    await inbound(phone, { text: { body: 'start' }, timestamp: String(seconds() - 50) });
    await inbound(phone, { text: { body: 'STOP' }, timestamp: String(seconds() - 100) });
    expect(await contact(phone)).toMatchObject({ marketing_opt_out: false, marketing_opt_out_at: null });
    await inbound(phone, { text: { body: 'stop' }, timestamp: String(seconds() - 20) });
    expect(await contact(phone)).toMatchObject({ marketing_opt_out: true });
    await inbound(phone, { text: { body: 'resubscribe' } });
    expect(await contact(phone)).toMatchObject({ marketing_opt_out: false });
  });

  it("the workspace's own words count", async () => {
    await desk.runtime.db.rows(`UPDATE workspaces SET opt_out_words = opt_out_words || '{Abmelden}' WHERE id = $id`, {
      id: desk.workspace.id,
    });
    const phone = digits();
    await inbound(phone, { text: { body: 'abmelden' } });
    expect(await contact(phone)).toMatchObject({ marketing_opt_out: true });
  });

  it.each([
    ['signup', 'marketing_messages', false],
    ['stop', 'service_messages', true],
    ['perhaps', 'marketing_messages', true],
  ])('user_preferences: the word %s about %s', async (value, category, out) => {
    const phone = digits();
    const { receiver_id } = await createContact(desk.workspace, { phone, marketing_opt_out: true });
    await play(
      { user_preferences: [{ wa_id: phone, category, value, signup_id: '1', timestamp: seconds() + 1 }] },
      'user_preferences',
    );
    expect(await contact(receiver_id)).toMatchObject({ marketing_opt_out: out });
  });

  it('user_preferences set and clear it', async () => {
    const phone = digits();
    const preference = (value: string, timestamp: number): Json => ({
      contacts: [{ wa_id: phone, profile: { name: 'P' } }],
      user_preferences: [{ wa_id: phone, category: 'marketing_messages', value, timestamp }],
    });
    await play(preference('stop', seconds() - 20), 'user_preferences');
    expect(await contact(phone)).toMatchObject({
      name: 'P',
      marketing_opt_out: true,
      marketing_opt_out_source: 'platform',
    });
    await play(preference('resume', seconds() - 30), 'user_preferences');
    expect(await contact(phone)).toMatchObject({ marketing_opt_out: true });
    await play(preference('resume', seconds() - 10), 'user_preferences');
    expect(await contact(phone)).toMatchObject({ marketing_opt_out: false });
  });

  it('error 131050 sets it', async () => {
    const customer = createCustomer(desk.workspace);
    await customer.writes('Hi');
    const sent = await desk.api.post('/api/v1/messages/', {
      to: customer.phone,
      phone_number_id: desk.workspace.account.phoneNumberId,
      body: 'x',
    });
    const row = await desk.runtime.db.row<{ opaque: string }>('SELECT opaque FROM messages WHERE id = $id', {
      id: sent.body['id'],
    });
    await play({
      statuses: [
        status(`wamid.f${unique()}`, 'failed', {
          biz_opaque_callback_data: row?.opaque,
          errors: [{ code: 131050, title: 'stopped' }],
        }),
      ],
    });
    expect(await contact(customer.handle)).toMatchObject({
      marketing_opt_out: true,
      marketing_opt_out_source: 'platform',
    });
  });

  it('survives erasure as a hash, until the customer says otherwise', async () => {
    const { receiver_id, body } = await createContact(desk.workspace, { marketing_opt_out: true });
    expect((await desk.api.delete(`/api/v1/contacts/${receiver_id}/`)).status).toBe(204);
    expect(await desk.runtime.db.rows('SELECT 1 FROM contacts WHERE id = $id', { id: body['id'] })).toEqual([]);
    await inbound(receiver_id, { text: { body: 'hello again' } });
    expect(await contact(receiver_id)).toMatchObject({ marketing_opt_out: true });
    // The upstream tells whole seconds; what is not past counts as now.
    await inbound(receiver_id, { text: { body: 'START' }, timestamp: String(seconds() + 5) });
    await desk.api.delete(`/api/v1/contacts/${receiver_id}/`);
    await inbound(receiver_id, { text: { body: 'hello' } });
    expect(await contact(receiver_id)).toMatchObject({ marketing_opt_out: false });
  });
});

describe('templates, numbers, accounts (upstream 2.9)', () => {
  const template = async (name: string): Promise<Json> => {
    const { body } = await desk.api.get('/api/v1/templates/?page_size=200');
    return (body['results'] as Json[]).find((item) => item['name'] === name) ?? {};
  };
  const event = async (
    name: string,
    value: Json,
    at: number,
    field = 'message_template_status_update',
  ): Promise<void> => {
    const { template_id } = (await desk.runtime.db.row<{ template_id: string }>(
      'SELECT template_id FROM templates WHERE workspace_id = $id AND name = $name',
      { id: desk.workspace.id, name },
    )) ?? { template_id: '' };
    await play(
      {
        message_template_id: Number(template_id),
        message_template_name: name,
        message_template_language: 'en-US',
        ...value,
      },
      field,
      at,
    );
  };
  // After the sync of this workspace, and never in the future.
  const at = (offset: number): number => seconds() + offset;

  it('status events move the template; those that only tell do not', async () => {
    await desk.runtime.db.rows(`UPDATE templates SET status_at = now() - interval '1 hour' WHERE workspace_id = $id`, {
      id: desk.workspace.id,
    });
    await event('ticket_update', { event: 'REJECTED', reason: 'SCAM' }, at(-60));
    expect(await template('ticket_update')).toMatchObject({ status: 'REJECTED', rejected_reason: 'SCAM' });
    await event('ticket_update', { event: 'PENDING', reason: null }, at(-50));
    expect(await template('ticket_update')).toMatchObject({ status: 'PENDING', rejected_reason: '' });
    for (const word of ['FLAGGED', 'LOCKED', 'LIMIT_EXCEEDED'])
      await event('ticket_update', { event: word, reason: 'NONE' }, at(-40));
    expect(await template('ticket_update')).toMatchObject({ status: 'PENDING' });
    await event('ticket_update', { event: 'PAUSED', reason: 'NONE', other_info: { title: 'FIRST_PAUSE' } }, at(-30));
    await event('ticket_update', { event: 'REINSTATED', reason: 'NONE' }, at(-20));
    expect(await template('ticket_update')).toMatchObject({ status: 'APPROVED', rejected_reason: '' });
    // An older word that comes late changes nothing.
    await event('ticket_update', { event: 'DISABLED', reason: 'NONE' }, at(-25));
    expect(await template('ticket_update')).toMatchObject({ status: 'APPROVED' });
  });

  it.each([
    ['APPROVED', 'NONE', 'APPROVED', ''],
    ['REJECTED', 'INVALID_FORMAT', 'REJECTED', 'INVALID_FORMAT'],
    ['REJECTED', null, 'REJECTED', ''],
    ['REJECTED', 'NONE', 'REJECTED', ''],
    ['PENDING', 'SCAM', 'PENDING', ''],
    ['PAUSED', 'NONE', 'PAUSED', ''],
    ['DISABLED', 'NONE', 'DISABLED', ''],
    ['IN_APPEAL', 'NONE', 'IN_APPEAL', ''],
    ['REINSTATED', 'NONE', 'APPROVED', ''],
    ['PENDING_DELETION', 'NONE', 'PENDING_DELETION', ''],
    ['ARCHIVED', 'NONE', 'ARCHIVED', ''],
    ['UNARCHIVED', 'NONE', 'APPROVED', ''],
    ['FLAGGED', 'NONE', 'APPROVED', ''],
    ['LOCKED', 'NONE', 'APPROVED', ''],
    ['LIMIT_EXCEEDED', 'NONE', 'APPROVED', ''],
    ['TELEPORTED', 'NONE', 'TELEPORTED', ''],
  ])('%s with the reason %j leaves the template %s (%j)', async (word, reason, status, rejected) => {
    await desk.runtime.db.rows(
      `UPDATE templates SET status = 'APPROVED', rejected_reason = '', status_at = now() - interval '1 hour'
        WHERE workspace_id = $id AND name = 'delivery_scheduled'`,
      { id: desk.workspace.id },
    );
    await event('delivery_scheduled', { event: word, reason }, at(-60));
    expect(await template('delivery_scheduled')).toMatchObject({ status, rejected_reason: rejected });
  });

  it('a deleted template is listed no longer, and cannot be sent', async () => {
    await desk.runtime.db.rows(
      `UPDATE templates SET status_at = now() - interval '1 hour'
        WHERE workspace_id = $id AND name = 'delivery_scheduled'`,
      { id: desk.workspace.id },
    );
    await event('delivery_scheduled', { event: 'DELETED', reason: 'NONE' }, at(-10));
    expect(await template('delivery_scheduled')).toEqual({});
    expect(
      await desk.api.post('/api/v1/messages/', {
        to: uniquePhone(),
        phone_number_id: desk.workspace.account.phoneNumberId,
        template: { name: 'delivery_scheduled', language: 'en_US', components: [] },
      }),
    ).toMatchObject({ status: 400, body: { template: [expect.any(String)] } });
  });

  it('an announced category changes nothing yet', async () => {
    const before = await template('spring_sale');
    await event(
      'spring_sale',
      { new_category: before['category'], correct_category: 'UTILITY' },
      at(-5),
      'template_category_update',
    );
    await event('spring_sale', { correct_category: 'UTILITY' }, at(-4), 'template_category_update');
    expect(await template('spring_sale')).toMatchObject({ category: before['category'] });
  });

  it('category and quality events', async () => {
    await event(
      'ticket_update',
      { previous_category: 'UTILITY', new_category: 'MARKETING' },
      at(-10),
      'template_category_update',
    );
    expect(await template('ticket_update')).toMatchObject({ category: 'MARKETING' });
    await event('ticket_update', { new_category: 'UTILITY' }, at(-20), 'template_category_update');
    expect(await template('ticket_update')).toMatchObject({ category: 'MARKETING' });
    await event(
      'ticket_update',
      { previous_quality_score: 'UNKNOWN', new_quality_score: 'RED' },
      at(-5),
      'message_template_quality_update',
    );
    expect(
      await desk.runtime.db.rows(
        `SELECT quality_score FROM templates WHERE workspace_id = $id AND name = 'ticket_update'`,
        { id: desk.workspace.id },
      ),
    ).toEqual([{ quality_score: 'RED' }]);
  });

  it('an id that is longer than a number can tell keeps its digits', () => {
    const text = '{"entry": [{"changes": [{"value": {"message_template_id": 90071992547409931}}]}]}';
    expect(readEnvelope(Buffer.from(text))?.changes).toMatchObject([
      { value: { message_template_id: '90071992547409931' } },
    ]);
  });

  it('changed components and unknown templates are read again', async () => {
    const account = desk.sandbox.state.accounts.get(desk.workspace.account.businessAccountId);
    const mine = account?.templates.find(({ name }) => name === 'ticket_update');
    if (mine) mine.components = [{ type: 'BODY', text: 'Changed {{1}}' }];
    await event(
      'ticket_update',
      { message_template_element: 'Changed {{1}}' },
      at(0),
      'message_template_components_update',
    );
    expect(await syncAsked(desk.workspace)).toBe(1);
    expect(await template('ticket_update')).toMatchObject({ components: [{ type: 'BODY', text: 'Changed {{1}}' }] });
    await play(
      { event: 'APPROVED', message_template_id: 42, message_template_name: 'new' },
      'message_template_status_update',
    );
    expect(await syncAsked(desk.workspace)).toBe(1);
    expect(await syncAsked(desk.workspace)).toBe(0);
  });

  it("the business's user name and messaging limit", async () => {
    const numbers = async (): Promise<Json | undefined> =>
      (await desk.api.get('/api/v1/phone-numbers/')).body.find(
        (row) => row['phone_number_id'] === desk.workspace.account.phoneNumberId,
      );
    const display = String((await numbers())?.['display_phone_number']).replace(/\D/g, '');
    await play(
      { display_phone_number: display, username: 'green.garden', status: 'approved' },
      'business_username_update',
      at(-10),
    );
    await play(
      { display_phone_number: display, username: 'old', status: 'reserved' },
      'business_username_update',
      at(-20),
    );
    expect(await numbers()).toMatchObject({ business_username: 'green.garden', business_username_status: 'approved' });
    await play({ display_phone_number: display, status: 'deleted' }, 'business_username_update', at(-5));
    expect(await numbers()).toMatchObject({ business_username: '', business_username_status: 'deleted' });
    await play(
      { display_phone_number: display, event: 'UPGRADE', current_limit: 'TIER_100K' },
      'phone_number_quality_update',
      at(-5),
    );
    expect(await numbers()).toMatchObject({ messaging_limit_tier: 'TIER_100K' });
  });

  it.each([
    'account_update',
    'account_alerts',
    'account_review_update',
    'business_capability_update',
    'phone_number_name_update',
    'security',
    'flows',
    'something_new',
  ])('%s is taken and breaks nothing', async (field) => {
    await play({ event: 'ACCOUNT_VIOLATION', flow_id: '1' }, field);
    const [row] = await desk.runtime.db.rows(
      'SELECT state FROM inbox_events WHERE kind = $field ORDER BY id DESC LIMIT 1',
      { field },
    );
    expect(row).toEqual(field === 'something_new' ? { state: 'ignored' } : undefined);
  });

  it.each(['account_update', 'account_alerts', 'account_review_update', 'security'])(
    '%s is told to operators, kept in the trail, and the account is read again',
    async (field) => {
      await syncAsked(desk.workspace);
      const value = {
        event: 'PIN_CHANGED',
        decision: 'REJECTED',
        alert_type: 'OBA',
        restriction_info: [{ restriction_type: 'RESTRICTED' }],
      };
      await play(value, field);
      const [row] = await desk.runtime.db.rows<{ data: Json }>(
        'SELECT data FROM events WHERE workspace_id = $id AND kind = $field ORDER BY id DESC LIMIT 1',
        { id: desk.workspace.id, field },
      );
      expect(row?.data).toMatchObject({ event: 'PIN_CHANGED', value });
      expect(await syncAsked(desk.workspace)).toBe(1);
    },
  );

  it.each([
    ['phone_number_name_update', { decision: 'APPROVED', requested_verified_name: 'New name' }],
    ['business_capability_update', { max_daily_conversations_per_business: 2000 }],
    ['phone_number_quality_update', { event: 'FLAGGED' }],
  ])('%s has the numbers read again', async (field, value) => {
    await syncAsked(desk.workspace);
    const phone = desk.sandbox.state.phones.get(desk.workspace.account.phoneNumberId)!;
    Object.assign(phone, { verified_name: `Named by ${field}`, quality_rating: 'YELLOW' });
    await play({ display_phone_number: phone.display_phone_number.replace(/\D/g, ''), ...value }, field);
    expect(await syncAsked(desk.workspace)).toBe(1);
    const numbers = (await desk.api.get('/api/v1/phone-numbers/')).body;
    expect(numbers.find((row) => row['phone_number_id'] === phone.id)).toMatchObject({
      verified_name: `Named by ${field}`,
      quality_rating: 'YELLOW',
    });
  });

  it('errors of the account are kept', async () => {
    await play({ errors: [{ code: 131031, title: 'locked' }] });
    expect(
      await desk.runtime.db.rows(
        `SELECT data->'codes' AS codes FROM events WHERE workspace_id = $id AND kind = 'upstream_errors'`,
        { id: desk.workspace.id },
      ),
    ).toEqual([{ codes: [131031] }]);
  });
});

describe('any order, repetition and batching ends in the same state', () => {
  it('of messages, statuses, preferences and profiles', async () => {
    const steps = fc.array(
      fc.constantFrom(
        'text',
        'stop',
        'start',
        'ad',
        'prefStop',
        'prefResume',
        'sent',
        'delivered',
        'read',
        'failed',
        'name',
      ),
      { minLength: 3, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(steps, fc.infiniteStream(fc.nat()), async (given, random) => {
        const states: unknown[] = [];
        const base = seconds() - 1_000;
        for (const shuffled of [false, true]) {
          const phone = digits();
          const { receiver_id } = await createContact(desk.workspace, { phone, name: '' });
          await desk.runtime.db.rows(
            `INSERT INTO conversation_windows (conversation_id, phone_number_id, open_until)
              SELECT v.id, p.id, now() + interval '1 hour' FROM conversations v
              JOIN contacts c ON c.id = v.contact_id, phone_numbers p
              WHERE c.receiver_id = $phone AND p.phone_number_id = $number`,
            { phone, number: desk.workspace.account.phoneNumberId },
          );
          const sent = await desk.api.post('/api/v1/messages/', {
            to: `+${phone}`,
            phone_number_id: desk.workspace.account.phoneNumberId,
            body: 'out',
          });
          const { opaque } = (await desk.runtime.db.row<{ opaque: string }>(
            'SELECT opaque FROM messages WHERE id = $id',
            { id: sent.body['id'] },
          )) ?? { opaque: '' };
          const wamid = `wamid.p${unique()}`;
          const values = given.map((step, index): readonly [string, Json] => {
            const at = base + index * 10;
            const message = (more: Json, profile: Json = {}): readonly [string, Json] => [
              'messages',
              {
                contacts: [{ wa_id: phone, profile }],
                messages: [{ ...inboundText(phone, 'hi'), timestamp: String(at), ...more }],
              },
            ];
            if (step === 'text') return message({});
            if (step === 'name') return message({}, { name: `Name ${index}`, username: `@user${index}` });
            if (step === 'stop' || step === 'start') return message({ text: { body: step } });
            if (step === 'ad')
              return message({ referral: { source_id: `ad${index}`, source_url: 'u', headline: 'h' } });
            if (step === 'prefStop' || step === 'prefResume')
              return [
                'user_preferences',
                {
                  user_preferences: [
                    {
                      wa_id: phone,
                      category: 'marketing_messages',
                      value: step === 'prefStop' ? 'stop' : 'resume',
                      timestamp: at,
                    },
                  ],
                },
              ];
            return [
              'messages',
              {
                statuses: [
                  status(wamid, step, {
                    timestamp: String(at),
                    biz_opaque_callback_data: opaque,
                    ...(step === 'failed' ? { errors: [{ code: 131026, title: 'no' }] } : {}),
                    ...(step === 'sent' ? { pricing: { category: 'service' } } : {}),
                  }),
                ],
              },
            ];
          });
          const order = shuffled
            ? [...values, ...values]
                .map((value) => [random.next().value as number, value] as const)
                .sort((left, right) => left[0] - right[0])
                .map(([, value]) => value)
            : values;
          const size = shuffled ? 3 : 1;
          for (let start = 0; start < order.length; start += size) {
            const part = order.slice(start, start + size);
            const payload = webhook(desk.workspace, {});
            (payload['entry'] as Json[])[0] = {
              id: desk.workspace.account.businessAccountId,
              changes: part.map(([field, value]) => ({
                field,
                value: { metadata: { phone_number_id: desk.workspace.account.phoneNumberId }, ...value },
              })),
            };
            expect((await signedWebhook(desk.workspace, payload)).status).toBe(200);
            await desk.settled();
          }
          const person = only(await contact(receiver_id), [
            ...['name', 'username', 'marketing_opt_out', 'marketing_opt_out_at', 'marketing_opt_out_source'],
            ...['ctwa_source_id', 'ctwa_referral_at', 'first_message_at'],
          ]);
          const state = only(await conversation(receiver_id), ['unread_count', 'conv_status', 'active_till']);
          const thread = (await messages(receiver_id))
            .map(({ direction, body, message_status, error_code, pricing_category }) =>
              JSON.stringify([direction, (body as Json)['text'], message_status, error_code, pricing_category]),
            )
            .sort();
          states.push({ ...person, ...state, thread });
        }
        expect(states[1]).toEqual(states[0]);
      }),
      { numRuns: runs(10) },
    );
  });
});

it("a message opens no window of a conversation that is another workspace's", async () => {
  const { workspace, runtime } = desk;
  const customer = createCustomer(workspace);
  await customer.writes('Hello');
  const windows = () =>
    runtime.db.rows<Record<'conversation_id' | 'phone_number_id', number>>(
      `SELECT w.conversation_id, w.phone_number_id, w.open_until
       FROM contacts c JOIN conversation_windows w ON w.conversation_id = c.id WHERE c.receiver_id = $handle`,
      { handle: customer.handle },
    );
  const before = await windows();
  const [{ conversation_id: conversationId, phone_number_id: numberPk } = { conversation_id: 0, phone_number_id: 0 }] =
    before;
  const { ctx } = await createWorkspace(desk);
  const at = new Date(Date.now() + 3_600_000);
  const kind = { standby: false, isRating: false, isReaction: false, requestId: 'test' };
  const received = { messageId: 1, conversationId, contactId: conversationId, numberPk, at, createdAt: at, ...kind };
  await runtime.db.transaction(() => recordInbound(ctx, [received]));
  expect([before.length, await windows()]).toEqual([1, before]);
});

import { createHmac } from 'node:crypto';
import { demoBusinessAccountId as WABA, demoPhoneNumberId as PN, demoSecondPhoneNumberId as PN2 } from '../demo';
import {
  bodyTexts,
  call,
  changes,
  code,
  control,
  HOUR,
  type Json,
  otpButton,
  sale,
  SECRET,
  send,
  statuses,
  template,
  text,
  useWorld,
  world,
  write,
} from './world';

useWorld();

describe('authentication and errors', () => {
  test('a missing, wrong and foreign token', async () => {
    expect(await call('GET', `/${WABA}`, undefined, null)).toMatchObject({
      status: 401,
      body: { error: { code: 104 } },
    });
    expect(await call('GET', `/${WABA}`, undefined, 'wrong')).toMatchObject({
      status: 401,
      body: { error: { code: 190, type: 'OAuthException', fbtrace_id: expect.any(String) } },
    });
    world.sandbox.account({ business_account_id: '2', access_token: 'token-2', phone_numbers: [{ id: '22' }] });
    expect(await call('GET', '/22')).toMatchObject({ status: 400, body: { error: { code: 100, error_subcode: 33 } } });
  });

  test('works with and without a version prefix', async () => {
    expect((await call('GET', `/v25.0/${PN}`)).body['id']).toBe(PN);
    expect((await call('GET', `/${PN}`)).body['id']).toBe(PN);
  });

  test('unknown ids and fields', async () => {
    expect(await call('GET', '/999')).toMatchObject({ status: 400, body: { error: { code: 100, error_subcode: 33 } } });
    expect(await call('GET', '/nobody')).toMatchObject({ status: 404, body: { error: { code: 803 } } });
    expect(await call('GET', `/${PN}?fields=id,colour`)).toMatchObject({ status: 400, body: { error: { code: 100 } } });
  });
});

describe('sending', () => {
  test('inside the window: 200, then sent, delivered and read with the opaque id and a valid signature', async () => {
    write('15551230001');
    const result = await send(text('+1 (555) 123-0001', { biz_opaque_callback_data: 'outbox/1 – ü' }));
    expect(result).toMatchObject({
      status: 200,
      body: {
        contacts: [{ input: '+1 (555) 123-0001', wa_id: '15551230001' }],
        messages: [{ id: expect.stringMatching(/^wamid\./) }],
      },
    });
    expect(result.body['contacts'][0].user_id).toBeUndefined();
    await world.sandbox.settle();
    expect(statuses().map((item) => item['status'])).toEqual(['sent', 'delivered', 'read']);
    expect(statuses()[0]).toMatchObject({
      id: result.body['messages'][0].id,
      recipient_id: '15551230001',
      recipient_user_id: expect.stringMatching(/^US\./),
      biz_opaque_callback_data: 'outbox/1 – ü',
      pricing: { category: 'service', billable: false },
    });
    expect(statuses()[1]).toHaveProperty('pricing');
    expect(statuses()[2]).not.toHaveProperty('pricing');
    for (const item of world.received) {
      expect(item.signature).toBe(`sha256=${createHmac('sha256', SECRET).update(item.body).digest('hex')}`);
      expect(item.body).not.toMatch(/[^\x20-\x7e]/);
      expect(item.body).not.toMatch(/[^\\]\//);
    }
    expect(world.received.map((item) => item.body).join()).toContain('outbox\\/1 \\u2013 \\u00fc');
  });

  test('outside the window: 200, then failed with 131047; templates go through', async () => {
    expect((await send(text('+15551230001'))).status).toBe(200);
    expect(
      (await send(template('ticket_update', [bodyTexts('T-19', 'Resolved')]))).body['messages'][0].message_status,
    ).toBe('accepted');
    await world.sandbox.settle();
    expect(statuses()[0]).toMatchObject({
      status: 'failed',
      errors: [{ code: 131047, title: 'Re-engagement message', error_data: { details: expect.any(String) } }],
    });
    expect(
      statuses()
        .slice(1)
        .map((item) => item['status']),
    ).toEqual(['sent', 'delivered', 'read']);
    expect(statuses()[1]?.['pricing']).toMatchObject({ category: 'utility', billable: true });
  });

  test('the window is per number and lasts 24 hours', async () => {
    write('15551230001');
    world.now += 24 * HOUR - 1;
    await send(text('+15551230001'));
    await send(text('+15551230001'), PN2);
    world.now += 1;
    await send(text('+15551230001'));
    await world.sandbox.settle();
    expect(world.sandbox.state.sent.map((record) => record.statuses[0]?.status)).toEqual(['sent', 'failed', 'failed']);
  });

  test.each<[string, Json, number]>([
    ['no recipient', { type: 'text', text: { body: 'x' } }, 131008],
    ['a bsuid in to', text('US.123456'), 131009],
    ['a bad bsuid', { recipient: 'us.1', type: 'text', text: { body: 'x' } }, 131009],
    ['the sender itself', text('+15550100100'), 131021],
    ['an unknown type', { to: '+15551230001', type: 'poll', poll: {} }, 131051],
    ['no type object', { to: '+15551230001', type: 'text' }, 131008],
    ['an empty text', { to: '+15551230001', type: 'text', text: { body: '' } }, 131008],
    ['a long text', { to: '+15551230001', type: 'text', text: { body: 'x'.repeat(4097) } }, 100],
    ['media without id and link', { to: '+15551230001', type: 'image', image: {} }, 131008],
    [
      'media with both',
      { to: '+15551230001', type: 'image', image: { id: '1', link: 'https://x.test/a.png' } },
      131009,
    ],
    ['unknown media', { to: '+15551230001', type: 'image', image: { id: '1' } }, 131009],
    [
      'an audio caption',
      { to: '+15551230001', type: 'audio', audio: { link: 'https://x.test/a.ogg', caption: 'x' } },
      131009,
    ],
    ['a bad latitude', { to: '+15551230001', type: 'location', location: { latitude: 91, longitude: 0 } }, 131009],
    ['contacts without a name', { to: '+15551230001', type: 'contacts', contacts: [{}] }, 131008],
    [
      'a reaction that replies',
      {
        to: '+15551230001',
        type: 'reaction',
        reaction: { message_id: 'wamid.X', emoji: '👍' },
        context: { message_id: 'wamid.X' },
      },
      131009,
    ],
    [
      'four buttons',
      {
        to: '+15551230001',
        type: 'interactive',
        interactive: {
          type: 'button',
          body: { text: 'x' },
          action: { buttons: [1, 2, 3, 4].map((n) => ({ type: 'reply', reply: { id: `${n}`, title: `${n}` } })) },
        },
      },
      131009,
    ],
    [
      'a long button title',
      {
        to: '+15551230001',
        type: 'interactive',
        interactive: {
          type: 'button',
          body: { text: 'x' },
          action: { buttons: [{ type: 'reply', reply: { id: '1', title: 'x'.repeat(21) } }] },
        },
      },
      100,
    ],
    [
      'eleven rows',
      {
        to: '+15551230001',
        type: 'interactive',
        interactive: {
          type: 'list',
          body: { text: 'x' },
          action: {
            button: 'Go',
            sections: [{ rows: Array.from({ length: 11 }, (_, n) => ({ id: `${n}`, title: `${n}` })) }],
          },
        },
      },
      131009,
    ],
    [
      'a draft flow',
      {
        to: '+15551230001',
        type: 'interactive',
        interactive: {
          type: 'flow',
          body: { text: 'x' },
          action: {
            name: 'flow',
            parameters: { flow_message_version: '3', flow_id: '998877665544332', flow_cta: 'Open' },
          },
        },
      },
      131009,
    ],
    ['an unknown template', template('nothing', []), 132001],
    ['a pending template', template('feedback_request', [bodyTexts('1')]), 132001],
    ['too few parameters', template('ticket_update', [bodyTexts('1')]), 132000],
    ['too many parameters', template('ticket_update', [bodyTexts('1', '2', '3')]), 132000],
    ['a newline in a parameter', template('ticket_update', [bodyTexts('1', 'a\nb')]), 132018],
    ['an empty parameter', template('ticket_update', [bodyTexts('1', '')]), 131008],
    [
      'a parameter of another kind',
      template('ticket_update', [
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'a' },
            { type: 'image', image: {} },
          ],
        },
      ]),
      132012,
    ],
    ['a too long result', template('ticket_update', [bodyTexts('1', 'x'.repeat(1020))]), 132005],
    ['no header parameter', template('delivery_scheduled', [bodyTexts('1', '2')]), 132000],
    [
      'an unknown parameter name',
      template('spring_sale', [
        {
          type: 'body',
          parameters: [
            { type: 'text', parameter_name: 'x', text: 'a' },
            { type: 'text', parameter_name: 'discount', text: 'a' },
          ],
        },
      ]),
      132018,
    ],
    ['no button parameter', template('login_code', [bodyTexts('123456')]), 131008],
    ['a long code', template('login_code', [bodyTexts('1234567890123456'), otpButton]), 132018],
    [
      'an authentication template to a bsuid',
      template('login_code', [bodyTexts('123456'), otpButton], { recipient: 'US.123456789' }),
      131062,
    ],
  ])('refuses %s', async (_name, body, expected) => {
    const result = await send(body);
    expect(code(result)).toBe(expected);
    expect(result.status).toBe(expected === 132001 ? 404 : 400);
    expect(world.sandbox.state.sent).toHaveLength(0);
  });

  test('an envelope without messaging_product, and a body that is not JSON', async () => {
    expect(code(await call('POST', `/${PN}/messages`, text('+15551230001')))).toBe(100);
    const response = await fetch(`${world.url}/${PN}/messages`, {
      method: 'POST',
      headers: { authorization: 'Bearer token-1' },
      body: '{',
    });
    expect(response.status).toBe(400);
  });

  test('accepts every sendable type', async () => {
    write('15551230001');
    const bodies: Json[] = [
      { text: { body: 'no type means text' } },
      { type: 'document', document: { link: 'https://x.test/a.pdf', filename: 'a.pdf' } },
      { type: 'location', location: { latitude: 1, longitude: 2 } },
      { type: 'contacts', contacts: [{ name: { formatted_name: 'A B', first_name: 'A' }, phones: [{ phone: '+1' }] }] },
      { type: 'reaction', reaction: { message_id: 'wamid.X', emoji: '👍' } },
      {
        type: 'interactive',
        interactive: {
          type: 'cta_url',
          body: { text: 'x' },
          action: { name: 'cta_url', parameters: { display_text: 'Go', url: 'https://x.test' } },
        },
      },
      {
        type: 'interactive',
        interactive: {
          type: 'flow',
          body: { text: 'x' },
          action: {
            name: 'flow',
            parameters: {
              flow_message_version: '3',
              flow_id: '998877665544331',
              flow_cta: 'Open',
              flow_action: 'navigate',
            },
          },
        },
      },
      {
        type: 'interactive',
        interactive: { type: 'product', action: { catalog_id: '194836987003835', product_retailer_id: 'GG-POT' } },
      },
    ];
    for (const body of bodies) expect((await send({ to: '+15551230001', ...body })).status).toBe(200);
    expect((await send(sale('+15551230001'))).status).toBe(200);
    expect((await send(template('login_code', [bodyTexts('123456'), otpButton]))).status).toBe(200);
  });

  test('a bsuid recipient: no wa_id; both given: the phone wins', async () => {
    const { user } = world.sandbox.inbound({
      phone_number_id: PN,
      from: { username: 'anna', name: 'Anna', hidden: true },
      text: 'hi',
    });
    const one = await send({ recipient: user.user_id, type: 'text', text: { body: 'x' } });
    expect(one.body['contacts']).toEqual([{ input: user.user_id, user_id: user.user_id }]);
    const two = await send({ ...text('+15551230009'), recipient: user.user_id });
    expect(two.body['contacts'][0]).toEqual({ input: '+15551230009', wa_id: '15551230009', user_id: user.user_id });
  });

  test("another business's bsuid is undeliverable", async () => {
    world.sandbox.account({ business_account_id: '2', access_token: 'token-2', phone_numbers: [{ id: '22' }] });
    const { user } = world.sandbox.inbound({ phone_number_id: '22', from: { phone: '15551230001' }, text: 'hi' });
    await send(template('ticket_update', [bodyTexts('1', '2')], { recipient: user.user_id }));
    await world.sandbox.settle();
    expect(statuses()[0]).toMatchObject({ status: 'failed', errors: [{ code: 131026 }] });
  });

  test('opted-out customers get no marketing', async () => {
    await world.sandbox.event({
      kind: 'user_preferences',
      phone_number_id: PN,
      user: { phone: '15551230001' },
      value: 'stop',
    });
    await send(sale('+15551230001'));
    await send(template('ticket_update', [bodyTexts('1', '2')]));
    await world.sandbox.settle();
    expect(world.sandbox.state.sent.map((record) => record.statuses[0])).toMatchObject([
      { status: 'failed', code: 131050 },
      { status: 'sent' },
    ]);
  });

  test("marks the customer's message as read", async () => {
    const wamid = write('15551230001');
    expect((await send({ status: 'read', message_id: wamid, typing_indicator: { type: 'text' } })).body).toEqual({
      success: true,
    });
    expect(world.sandbox.state.messages.get(wamid)).toHaveProperty('read_at', world.now);
    expect(code(await send({ status: 'read', message_id: 'wamid.none' }))).toBe(131009);
  });

  test('shows that the business is typing until its message, or for 25 s', async () => {
    const from = { phone: '15551230001' };
    const { wamid, user } = world.sandbox.inbound({ phone_number_id: PN, from, text: 'hi' });
    const sees = async () =>
      (await control('GET', `/chats/${user.key}?phone_number_id=${PN}`)).body['typing'] as boolean;
    const types = () => send({ status: 'read', message_id: wamid, typing_indicator: { type: 'text' } });
    expect(await sees()).toBe(false);
    expect(code(await send({ status: 'read', message_id: wamid, typing_indicator: { type: 'dance' } }))).toBe(131009);
    await types();
    expect(await sees()).toBe(true);
    world.now += 25_000;
    expect(await sees()).toBe(false);
    await types();
    expect(await sees()).toBe(true);
    await send(text('+15551230001'));
    expect(await sees()).toBe(false);
  });
});

describe('limits', () => {
  test('45 messages at once to one customer, then one per 6 s', async () => {
    for (let i = 0; i < 45; i += 1) expect((await send(text('+15551230001'))).status).toBe(200);
    expect(await send(text('+15551230001'))).toMatchObject({ status: 400, body: { error: { code: 131056 } } });
    expect((await send(text('+15551230002'))).status).toBe(200);
    world.now += 6000;
    expect((await send(text('+15551230001'))).status).toBe(200);
    expect(code(await send(text('+15551230001')))).toBe(131056);
    await control('POST', '/settings', { pair_rate: false });
    expect((await send(text('+15551230001'))).status).toBe(200);
  });

  test("a number's throughput", async () => {
    world.sandbox.account({ business_account_id: WABA, phone_numbers: [{ id: PN, throughput_mps: 3 }] });
    const codes: Array<number | undefined> = [];
    for (let i = 0; i < 4; i += 1) codes.push(code(await send(text(`+1555123000${i}`))));
    expect(codes).toEqual([undefined, undefined, undefined, 130429]);
    world.now += 1000;
    expect((await send(text('+15551230001'))).status).toBe(200);
    await control('POST', '/settings', { throughput: false });
    for (let i = 0; i < 4; i += 1) expect((await send(text(`+1555123000${i}`))).status).toBe(200);
  });

  test('template statuses', async () => {
    for (const [event, expected] of [
      ['PAUSED', 132015],
      ['DISABLED', 132016],
      ['REINSTATED', undefined],
      ['FLAGGED', undefined],
      ['REJECTED', 132001],
    ] as const) {
      await world.sandbox.event({ kind: 'template_status', name: 'ticket_update', event });
      expect(code(await send(template('ticket_update', [bodyTexts('1', '2')])))).toBe(expected);
    }
    await world.sandbox.settle();
    expect(changes().find((change) => change['field'] === 'message_template_status_update')?.['value']).toMatchObject({
      event: 'PAUSED',
      message_template_id: 564750795574598,
      message_template_language: 'en_US',
    });
  });
});

describe('faults', () => {
  const attempt = (to: string): Promise<string> =>
    send(text(to)).then(
      (result) => String(result.status),
      () => 'broken',
    );

  test('reset before and after acceptance, HTML, no id, a Graph error with Retry-After', async () => {
    write('15551230001');
    for (const [kind, expected, accepted] of [
      ['reset', 'broken', 0],
      ['reset_after_accept', 'broken', 1],
      ['html', '502', 1],
      ['html_after_accept', '502', 2],
    ] as const) {
      await control('POST', '/faults', { kind, to: '+15551230001', times: 1 });
      expect(await attempt('+15551230001')).toBe(expected);
      expect(world.sandbox.state.sent).toHaveLength(accepted);
    }
    await control('POST', '/faults', { kind: 'no_id', times: 1 });
    expect((await send(text('+15551230001'))).body['messages']).toBeUndefined();
    await control('POST', '/faults', { kind: 'error', code: 2, retry_after: 3, times: 1 });
    const refused = await send(text('+15551230001'));
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('3');
    expect((await send(text('+15551230001'))).status).toBe(200);
    await world.sandbox.settle();
    expect(world.sandbox.state.sent.every((record) => record.statuses.length === 3)).toBe(true);
  });

  test('a hang is never answered and not accepted', async () => {
    await control('POST', '/faults', { kind: 'hang', phone_number_id: PN });
    const abort = new AbortController();
    const pending = fetch(`${world.url}/${PN}/messages`, {
      method: 'POST',
      signal: abort.signal,
      headers: { authorization: 'Bearer token-1' },
      body: JSON.stringify({ messaging_product: 'whatsapp', ...text('+15551230001') }),
    });
    const outcome = pending.then(
      () => 'answered',
      () => 'aborted',
    );
    while (((await control('GET', '/calls')).body as unknown as Json[]).length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    expect(await outcome).toBe('aborted');
    expect(world.sandbox.state.sent).toHaveLength(0);
  });

  test('a ratio is seeded', async () => {
    await control('POST', '/faults', { kind: 'error', code: 131000, ratio: 0.5 });
    await control('POST', '/settings', { pair_rate: false, throughput: false });
    const outcomes: number[] = [];
    for (let i = 0; i < 40; i += 1) outcomes.push((await send(text('+15551230001'))).status);
    const failed = outcomes.filter((status) => status === 500).length;
    expect(failed).toBeGreaterThan(8);
    expect(failed).toBeLessThan(32);
  });

  test('magic recipients', async () => {
    expect(code(await send(text('+15000131048')))).toBe(131048);
    expect((await send(template('ticket_update', [bodyTexts('1', '2')], { to: '+15000131026' }))).status).toBe(200);
    expect((await send(template('ticket_update', [bodyTexts('1', '2')], { to: '+15000131049' }))).status).toBe(200);
    expect(await attempt('+15011234503')).toBe('broken');
    expect(await attempt('+15011234508')).toBe('500');
    expect(await attempt('+15011234508')).toBe('200');
    const held = await send(template('ticket_update', [bodyTexts('1', '2')], { to: '+15011234513' }));
    expect(held.body['messages'][0].message_status).toBe('held_for_quality_assessment');
    await world.sandbox.settle();
    expect(
      statuses()
        .filter((item) => item['errors'])
        .map((item) => item['errors'][0].code),
    ).toEqual(expect.arrayContaining([131026, 131049, 132015]));
  });

  test('faults of other endpoints match by path', async () => {
    await control('POST', '/faults', { kind: 'error', code: 4, path: '/flows', times: 1 });
    expect((await call('GET', `/${WABA}/flows`)).status).toBe(429);
    expect((await call('GET', `/${WABA}/flows`)).status).toBe(200);
  });
});

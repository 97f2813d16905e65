import http from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  demoBusinessAccountId as WABA,
  demoPhoneNumberId as PN,
  demoSecondPhoneNumberId as PN2,
  demoAccount,
} from '../demo';
import { createSandbox } from '../server';
import {
  bodyTexts,
  call,
  changes,
  code,
  control,
  inbound,
  type Json,
  SECRET,
  send,
  statuses,
  template,
  text,
  useWorld,
  webhookReceiver,
  world,
  write,
} from './world';

useWorld();

describe('webhooks', () => {
  test('the handshake is reported', async () => {
    expect(
      (await control('POST', '/accounts', { business_account_id: WABA, verify: true })).body['verification'],
    ).toMatchObject({ verified: true });
    expect(
      (await control('POST', '/accounts', { business_account_id: WABA, verify: true, verify_token: 'other' })).body[
        'verification'
      ],
    ).toMatchObject({ verified: false, status: 403 });
  });

  test('retried until answered with 200, with the same bytes', async () => {
    await control('POST', '/settings', { retry_schedule_ms: [1, 1, 1] });
    world.answer = (count) => (count < 3 ? 500 : 200);
    write('15551230001');
    await world.sandbox.settle();
    expect(world.received).toHaveLength(3);
    expect(new Set(world.received.map((item) => item.body)).size).toBe(1);
  });

  test('given up after the schedule', async () => {
    await control('POST', '/settings', { retry_schedule_ms: [1] });
    world.answer = () => 500;
    write('15551230001');
    await world.sandbox.settle();
    expect(world.received).toHaveLength(2);
    expect((await control('GET', '/webhooks')).body['deliveries'][0]).toMatchObject({
      attempt: 2,
      gave_up: true,
      status: 500,
    });
  });

  test('batches up to the setting; every update arrives', async () => {
    await control('POST', '/settings', { throughput: false, batch: 50 });
    await control('POST', '/pause_webhooks');
    for (let i = 0; i < 40; i += 1)
      await send(template('ticket_update', [bodyTexts('1', '2')], { to: `+155512300${10 + i}` }));
    void world.sandbox.settle();
    await control('POST', '/resume_webhooks');
    await world.sandbox.settle();
    expect(world.received).toHaveLength(3);
    expect(statuses()).toHaveLength(120);
    expect(new Set(statuses().map((item) => `${item['id']}${item['status']}`)).size).toBe(120);
  });

  test('duplicate, drop and reorder', async () => {
    write('15551230001');
    await control('POST', '/settings', { duplicate: true });
    await send(text('+15551230001'));
    await world.sandbox.settle();
    expect(statuses()).toHaveLength(6);
    world.received = [];
    await control('POST', '/settings', { duplicate: 0, drop: 1 });
    await send(text('+15551230001'));
    await world.sandbox.settle();
    expect(statuses()).toHaveLength(0);
    await control('POST', '/settings', { drop: 0, reorder: true });
    for (let i = 0; i < 10; i += 1) await send(text('+15551230001'));
    await world.sandbox.settle();
    expect(statuses()).toHaveLength(30);
    const firsts = new Map<string, string>();
    for (const item of statuses()) if (!firsts.has(item['id'])) firsts.set(item['id'], item['status']);
    expect([...firsts.values()].some((status) => status !== 'sent')).toBe(true);
  });

  test('a status can come before the response', async () => {
    await control('POST', '/settings', { status_before_response: true, statuses: ['sent'] });
    write('15551230001');
    await world.sandbox.settle();
    world.received = [];
    await send(text('+15551230001'));
    expect(statuses()).toHaveLength(1);
  });
});

describe('inbound and identities', () => {
  test('every type of message', async () => {
    const types = [
      'image',
      'video',
      'audio',
      'document',
      'sticker',
      'location',
      'contacts',
      'button',
      'interactive',
      'order',
      'unsupported',
    ];
    for (const type of types)
      world.sandbox.inbound({ phone_number_id: PN, from: { phone: '+15551230001' }, message: { type } });
    world.sandbox.inbound({
      phone_number_id: PN,
      from: { phone: '+15551230001' },
      message: { type: 'reaction', reaction: { message_id: 'wamid.X', emoji: '👍' } },
    });
    await world.sandbox.settle();
    expect(inbound().map((item) => item['type'])).toEqual([...types, 'reaction']);
    for (const item of inbound()) expect(item[item['type']]).toBeDefined();
    expect(inbound()[0]).toMatchObject({
      from: '15551230001',
      from_user_id: expect.stringMatching(/^US\.\d+$/),
      image: { id: expect.any(String), mime_type: 'image/png', sha256: expect.any(String) },
    });
    expect(inbound().find((item) => item['type'] === 'unsupported')?.['errors'][0].code).toBe(131051);
  });

  test('media needs the bearer token and a fresh link', async () => {
    const { wamid } = world.sandbox.inbound({
      phone_number_id: PN,
      from: { phone: '15551230001' },
      message: { type: 'image', image: { data: Buffer.from('bytes').toString('base64'), mime_type: 'image/jpeg' } },
    });
    const record = world.sandbox.state.messages.get(wamid);
    const image = (record as unknown as Json)['message'].image as Json;
    // A customer's file was uploaded on none of our numbers.
    const refused = await call('GET', `/${image['id']}?phone_number_id=${PN}`);
    expect(refused.body).toMatchObject({ error: { code: 100 } });
    const info = await call('GET', `/${image['id']}`);
    expect(info.body).toMatchObject({ mime_type: 'image/jpeg', file_size: 5 });
    const link = String(info.body['url']).replace(world.url, '');
    expect((await call('GET', link)).body['text']).toBe('bytes');
    expect((await call('GET', link, undefined, null)).status).toBe(401);
    world.now += 301_000;
    expect((await call('GET', link)).status).toBe(404);
  });

  test('upload, then send by id', async () => {
    const form = new FormData();
    form.set('messaging_product', 'whatsapp');
    form.set('file', new Blob(['%PDF-1.4'], { type: 'application/pdf' }), 'a.pdf');
    const uploaded = (await (
      await fetch(`${world.url}/${PN}/media`, {
        method: 'POST',
        headers: { authorization: 'Bearer token-1' },
        body: form,
      })
    ).json()) as Json;
    write('15551230001');
    expect((await send({ to: '+15551230001', type: 'document', document: { id: uploaded['id'] } })).status).toBe(200);
    expect(code(await send({ to: '+15551230001', type: 'video', video: { id: uploaded['id'] } }))).toBe(131009);
  });

  test('a hidden phone is absent, not empty', async () => {
    world.sandbox.inbound({
      phone_number_id: PN,
      from: { phone: '15551230001', username: '@anna', name: 'Anna', hidden: true },
      text: 'hi',
    });
    await world.sandbox.settle();
    const value = changes()[0]?.['value'] as Json;
    expect(value['contacts']).toEqual([{ profile: { name: 'Anna', username: '@anna' }, user_id: expect.any(String) }]);
    expect(value['messages'][0]).not.toHaveProperty('from');
  });

  test('number change keeps the person and gives a new bsuid', async () => {
    const { user } = world.sandbox.inbound({ phone_number_id: PN, from: { phone: '15551230001' }, text: 'hi' });
    const before = user.user_id;
    await world.sandbox.event({
      kind: 'system',
      phone_number_id: PN,
      user: { phone: '15551230001' },
      type: 'user_changed_number',
      phone: '+4915112345678',
    });
    await world.sandbox.settle();
    const value = changes().at(-1)?.['value'] as Json;
    expect(value).not.toHaveProperty('contacts');
    expect(value['messages'][0]).toMatchObject({
      from: '15551230001',
      type: 'system',
      system: {
        type: 'user_changed_number',
        wa_id: '4915112345678',
        previous_user_id: before,
        user_id: expect.stringMatching(/^DE\./),
      },
    });
    expect(world.sandbox.inbound({ phone_number_id: PN, from: { phone: '4915112345678' }, text: 'me' }).user.key).toBe(
      user.key,
    );
  });

  test('a recycled number belongs to the new person', () => {
    const first = world.sandbox.inbound({ phone_number_id: PN, from: { phone: '15551230001' }, text: 'hi' }).user;
    const second = world.sandbox.inbound({
      phone_number_id: PN,
      from: { phone: '15551230001', user_id: 'US.777' },
      text: 'hi',
    }).user;
    expect(second.key).not.toBe(first.key);
    expect(first.phone).toBeUndefined();
  });

  test.each<[string, Json, string]>([
    [
      'template category',
      { kind: 'template_category', name: 'ticket_update', new_category: 'MARKETING' },
      'template_category_update',
    ],
    [
      'template components',
      { kind: 'template_components', name: 'ticket_update', components: [{ type: 'BODY', text: 'New' }] },
      'message_template_components_update',
    ],
    [
      'template quality',
      { kind: 'template_quality', name: 'ticket_update', new_quality_score: 'RED' },
      'message_template_quality_update',
    ],
    [
      'business user name',
      { kind: 'business_username', phone_number_id: PN2, username: 'green.berlin', status: 'reserved' },
      'business_username_update',
    ],
    ['flow status', { kind: 'flow_status', flow_id: '998877665544331', new_status: 'THROTTLED' }, 'flows'],
    ['account update', { kind: 'account_update', event: 'ACCOUNT_RESTRICTION' }, 'account_update'],
    [
      'number quality',
      { kind: 'phone_number_quality', phone_number_id: PN, current_limit: 'TIER_2K' },
      'phone_number_quality_update',
    ],
    ['raw', { kind: 'raw', field: 'something_new', value: { a: 1 } }, 'something_new'],
  ])('event %s', async (_name, event, field) => {
    expect((await control('POST', '/events', event)).status).toBe(200);
    await world.sandbox.settle();
    expect(world.received[0]?.json).toMatchObject({
      object: 'whatsapp_business_account',
      entry: [{ id: WABA, time: world.now / 1000, changes: [{ field }] }],
    });
  });
});

describe('management reads', () => {
  test('templates page by cursors and filter', async () => {
    const seen: string[] = [];
    let next: string | undefined = `/${WABA}/message_templates?limit=4&fields=name,status`;
    while (next) {
      const result: { body: Json } = await call('GET', next);
      seen.push(...result.body['data'].map((item: Json) => item['name'] as string));
      next = result.body['paging']?.next?.replace(world.url, '') as string | undefined;
    }
    expect(seen).toHaveLength(6);
    expect(new Set(seen).size).toBe(6);
    const approved = await call('GET', `/${WABA}/message_templates?status=APPROVED&category=MARKETING`);
    expect(approved.body['data']).toMatchObject([{ name: 'spring_sale', parameter_format: 'NAMED' }]);
    expect(approved.body['paging']).toBeUndefined();
  });

  test('template create, review, edit, delete', async () => {
    const made = await call('POST', `/${WABA}/message_templates`, {
      name: 'new_one',
      language: 'de',
      category: 'utility',
      components: [{ type: 'body', text: 'Guten Tag {{1}}, hier sind wir.' }],
    });
    expect(made.body).toMatchObject({ id: expect.stringMatching(/^\d+$/), status: 'PENDING', category: 'UTILITY' });
    await world.sandbox.event({ kind: 'template_status', template_id: made.body['id'], event: 'APPROVED' });
    expect((await call('GET', `/${made.body['id']}`)).body).toMatchObject({
      status: 'APPROVED',
      components: [{ type: 'BODY' }],
    });
    expect((await call('POST', `/${made.body['id']}`, { components: [{ type: 'BODY', text: 'Neu' }] })).body).toEqual({
      success: true,
    });
    expect((await call('DELETE', `/${WABA}/message_templates?name=new_one`)).body).toEqual({ success: true });
    expect((await call('GET', `/${made.body['id']}`)).status).toBe(400);
    expect(
      code(
        await call('POST', `/${WABA}/message_templates`, {
          name: 'bad',
          language: 'en_US',
          category: 'UTILITY',
          components: [{ type: 'BODY', text: 'Hello {{2}} there' }],
        }),
      ),
    ).toBe(100);
  });

  test('numbers, user names, flows, assets, metrics, catalog', async () => {
    expect(
      (
        await call(
          'GET',
          `/${WABA}/phone_numbers?fields=id,display_phone_number,throughput,whatsapp_business_manager_messaging_limit`,
        )
      ).body['data'],
    ).toMatchObject([{ id: PN, throughput: { level: 'STANDARD' } }, { id: PN2 }]);
    expect((await call('GET', `/${PN}/username`)).body).toEqual({ username: 'greengarden', status: 'approved' });
    expect((await call('GET', `/${WABA}/flows`)).body['data']).toHaveLength(2);
    expect(
      (await call('GET', '/998877665544331?fields=id,preview.invalidate(false),endpoint_uri,data_api_version')).body,
    ).toMatchObject({ preview: { preview_url: expect.any(String) }, data_api_version: '3.0' });
    const assets = await call('GET', '/998877665544331/assets');
    const link = String(assets.body['data'][0].download_url).replace(world.url, '');
    expect((await call('GET', link, undefined, null)).body).toHaveProperty('screens');
    const metric = await call(
      'GET',
      '/998877665544331?fields=metric.name(ENDPOINT_REQUEST_COUNT).granularity(DAY).since(2026-10-01).' +
        'until(2026-10-04)',
    );
    expect(metric.body['metric']['data_points']).toHaveLength(3);
    expect((await call('GET', `/${WABA}/product_catalogs`)).body['data']).toMatchObject([{ id: '194836987003835' }]);
    expect((await call('GET', '/194836987003835/products?fields=retailer_id,price&summary=true')).body).toMatchObject({
      data: expect.any(Array),
      summary: { total_count: 4 },
    });
  });

  test('subscribed apps', async () => {
    expect((await call('DELETE', `/${WABA}/subscribed_apps`)).body).toEqual({ success: true });
    write('15551230001');
    await world.sandbox.settle();
    expect(world.received).toHaveLength(0);
    const webhookUrl = `${webhookReceiver()}/other`;
    expect(
      code(await call('POST', `/${WABA}/subscribed_apps`, { override_callback_uri: webhookUrl, verify_token: 'no' })),
    ).toBe(2200);
    expect(
      (await call('POST', `/${WABA}/subscribed_apps`, { override_callback_uri: webhookUrl, verify_token: 'verify-1' }))
        .body,
    ).toEqual({ success: true });
  });
});

describe('control', () => {
  test('sent, count, duplicates', async () => {
    // What the platform says of them comes by the real clock.
    await control('POST', '/settings', { statuses: [] });
    for (const opaque of ['a', 'b', 'a'])
      await send(
        template('ticket_update', [bodyTexts('1', '2')], {
          to: `+1555123000${opaque === 'a' ? 1 : 2}`,
          biz_opaque_callback_data: opaque,
        }),
      );
    const all = (await control('GET', '/sent')).body as unknown as Json[];
    expect(all.map((item) => item['opaque'])).toEqual(['a', 'b', 'a']);
    expect(all[0]).toMatchObject({
      phone_number_id: PN,
      to: '15551230001',
      type: 'template',
      body: { messaging_product: 'whatsapp' },
      accepted_at: world.now,
      statuses: [],
    });
    expect((await control('GET', `/sent?after=${all[0]?.['seq']}&to=%2B15551230001`)).body).toHaveLength(1);
    expect((await control('GET', '/sent/count')).body).toMatchObject({ count: 3 });
    expect((await control('GET', '/sent/duplicates')).body).toMatchObject({
      count: 1,
      opaque: [{ opaque: 'a', count: 2 }],
      opaque_and_recipient: [{ opaque: 'a' }],
    });
    await control('POST', '/reset');
    expect((await control('GET', '/sent/count')).body).toMatchObject({ count: 0 });
  });

  test('refuses unknown settings, kinds and foreign origins', async () => {
    expect((await control('POST', '/settings', { colour: 1 })).status).toBe(400);
    expect((await control('POST', '/faults', { kind: 'nothing' })).status).toBe(400);
    expect((await control('POST', '/events', { kind: 'nothing' })).status).toBe(400);
    const foreign = await fetch(`${world.url}/_control/reset`, {
      method: 'POST',
      headers: { origin: 'https://evil.test' },
    });
    expect(foreign.status).toBe(403);
  });

  test('a restart keeps accounts, chats, windows and what was not delivered', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
    const stateFile = join(folder, 'state.json');
    const first = createSandbox({ clock: () => world.now, stateFile });
    first.account(
      demoAccount({ accessToken: 'token-9', appSecret: SECRET, verifyToken: 'v', webhookUrl: 'http://127.0.0.1:9/' }),
    );
    first.webhooks.paused = true;
    const { wamid, user } = first.inbound({
      phone_number_id: PN,
      from: { phone: '15551230001', name: 'Anna' },
      text: 'hi',
    });
    await first.close();
    const second = createSandbox({ clock: () => world.now, stateFile });
    second.webhooks.paused = true;
    expect(second.state.accounts.get(WABA)?.access_token).toBe('token-9');
    expect(second.state.userByPhone(WABA, '15551230001')).toMatchObject({
      key: user.key,
      user_id: user.user_id,
      windows: { [PN]: world.now },
    });
    expect(second.state.chat(PN, user.key)).toMatchObject([{ wamid }]);
    expect(second.webhooks.pending).toBe(1);
    await second.close();
    rmSync(folder, { recursive: true });
  });

  test('the control token guards the control API', async () => {
    const guarded = createSandbox({ controlToken: 'secret' });
    const { url: base } = await guarded.listen();
    expect((await fetch(`${base}/_control/accounts`)).status).toBe(401);
    expect((await fetch(`${base}/_control/accounts`, { headers: { 'x-control-token': 'secret' } })).status).toBe(200);
    await guarded.close();
  });

  test('the page, its script and the chat as the customer sees it', async () => {
    expect((await fetch(world.url)).headers.get('content-security-policy')).toContain("default-src 'none'");
    write('15551230001');
    await send(
      template('delivery_scheduled', [
        { type: 'header', parameters: [{ type: 'text', text: 'Anna' }] },
        bodyTexts('#1', 'Monday'),
        { type: 'button', sub_type: 'url', index: 2, parameters: [{ type: 'text', text: '1' }] },
      ]),
    );
    const people = (await control('GET', `/chats?phone_number_id=${PN}`)).body as unknown as Json[];
    const chat = (await control('GET', `/chats/${people[0]?.['key']}?phone_number_id=${PN}`)).body;
    expect(chat['messages'][1]).toMatchObject({
      mine: false,
      header: 'Delivery for Anna',
      text: 'Your order #1 arrives on Monday. Is somebody at home?',
      buttons: [{ title: 'Yes', send: { type: 'button' } }, {}, { url: 'https://example.com/track/1' }],
    });
  });
});

test('the control API answers to this machine only, and shows no secrets', async () => {
  const accounts = `${world.url}/_control/accounts`;
  const status = (host: string): Promise<number> =>
    new Promise((resolve, reject) => {
      http
        .get(accounts, { headers: { host } }, (answer) => resolve(answer.resume().statusCode ?? 0))
        .on('error', reject);
    });
  expect(await status('evil.example')).toBe(403);
  expect(await status('localhost.evil.example:3001')).toBe(403);
  expect(await status('localhost:3001')).toBe(200);
  const shown = await (await fetch(accounts)).text();
  for (const account of world.sandbox.state.accounts.values())
    for (const secret of [account.access_token, account.app_secret, account.verify_token])
      expect(shown).not.toContain(`"${secret}"`);
});

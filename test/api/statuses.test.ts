import { fc, runs } from '../support/properties';
import { statusRank, storedRankSql, type MessageStatus } from '../../api/services/resources/messages/rows/status';
import { systemCtx } from '../../api/core/context';
import { storePairs } from '../../api/services/resources/contacts/identityPairs';
import { recordOutcomes } from '../../api/services/resources/messages/rows/outcomes';
import { keepProcessedSql } from '../../bench/support/processedEvents';
import { createCustomer, signedWebhook, status, webhook, type TestCustomer } from '../factories/customers';
import { unique, uniquePhone } from '../factories/unique';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;
let desk: TestApi;
let anna: TestCustomer;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  await desk.runtime.db.rows(keepProcessedSql);
  anna = createCustomer(desk.workspace);
  await anna.writes('Hi');
});
afterAll(() => desk.close());

interface Sent {
  readonly id: number;
  readonly opaque: string;
  readonly wamid: string;
}

/** A message that the upstream was asked to send; `accept` records its answer. */
async function outbound(): Promise<Sent & { accept(): Promise<void> }> {
  const { body } = await desk.api.post('/api/v1/messages/', {
    to: anna.phone,
    body: 'Hello',
    phone_number_id: desk.workspace.account.phoneNumberId,
  });
  const id = body.id;
  const row = await desk.runtime.db.row<{ opaque: string }>(
    `UPDATE messages SET delivery_state = 'sending', attempts = 1, claim_expires_at = now() + interval '1 minute'
      WHERE id = $id RETURNING opaque`,
    { id },
  );
  const wamid = `wamid.out${unique()}`;
  return {
    id,
    opaque: row?.opaque ?? '',
    wamid,
    accept: async () =>
      void (await recordOutcomes(desk.runtime, desk.workspace.id, [{ id, attempts: 1, kind: 'accepted', wamid }])),
  };
}

async function shown(sent: Sent): Promise<Json> {
  const { body } = await desk.api.get(`/api/v1/conversations/${anna.handle}/messages/?page_size=200`);
  const found = body.results.find((message) => message['id'] === sent.id);
  if (!found) throw new Error('the message is not listed');
  const { message_status, message_id, error_code, error_title, error_message, pricing_category } = found;
  return { message_status, message_id, error_code, error_title, error_message, pricing_category };
}

const words = ['sent', 'delivered', 'read', 'failed'] as const;
type Word = (typeof words)[number];
const fault = {
  code: 131026,
  title: 'Message undeliverable',
  message: 'Message undeliverable',
  error_data: { details: 'Not on the platform' },
};

/** As the upstream words each status; every one carries the same price. */
function item(sent: Sent, word: Word, how: 'wamid' | 'opaque' | 'both'): Json {
  return status(sent.wamid, word, {
    ...(how === 'wamid' ? {} : { biz_opaque_callback_data: sent.opaque }),
    ...(word === 'failed'
      ? { errors: [fault] }
      : { pricing: { billable: true, pricing_model: 'PMP', type: `of ${word}`, category: 'service' } }),
  });
}

type Step = { readonly word: Word; readonly how: 'wamid' | 'opaque' | 'both' } | 'accepted';

/** Plays steps in batches: one webhook per batch, the answer of the upstream wherever it falls. */
async function play(sent: Sent & { accept(): Promise<void> }, batches: readonly (readonly Step[])[]): Promise<void> {
  for (const batch of batches) {
    const statuses = batch.filter((step) => step !== 'accepted').map((step) => item(sent, step.word, step.how));
    if (batch.includes('accepted')) await sent.accept();
    if (statuses.length > 0)
      expect((await signedWebhook(desk.workspace, webhook(desk.workspace, { statuses }))).status).toBe(200);
    await desk.settled();
  }
}

it('every order, repetition and batching of statuses ends the same (C6, C7)', async () => {
  const how = fc.constantFrom('wamid' as const, 'opaque' as const, 'both' as const);
  const plan = fc
    .record({
      subset: fc.subarray([...words], { minLength: 1 }),
      repeats: fc.array(fc.constantFrom(...words), { maxLength: 5 }),
      ways: fc.array(how, { minLength: 12, maxLength: 12 }),
      size: fc.integer({ min: 1, max: 4 }),
    })
    .chain(({ subset, repeats, ways, size }) => {
      const steps: Step[] = [...subset, ...repeats.filter((word) => subset.includes(word))].map((word, index) => ({
        word,
        how: ways[index] ?? 'both',
      }));
      return fc
        .shuffledSubarray([...steps, 'accepted' as const], { minLength: steps.length + 1, maxLength: steps.length + 1 })
        .map((order) => ({ subset, order, size }));
    });
  await fc.assert(
    fc.asyncProperty(plan, async ({ subset, order, size }) => {
      const sent = await outbound();
      await play(
        sent,
        Array.from({ length: Math.ceil(order.length / size) }, (_unused, index) =>
          order.slice(index * size, (index + 1) * size),
        ),
      );
      const top = [...subset].sort((left, right) => statusRank[right] - statusRank[left])[0] ?? 'sent';
      const failed = top === 'failed';
      expect(await shown(sent)).toEqual({
        message_status: top,
        message_id: sent.wamid,
        error_code: failed ? 131026 : null,
        error_title: failed ? 'Message undeliverable' : '',
        error_message: failed ? 'Not on the platform' : '',
        pricing_category: subset.some((word) => word !== 'failed') ? 'service' : '',
      });
      // Whole, and the same one whatever came first.
      const type = [...subset]
        .filter((word) => word !== 'failed')
        .sort()
        .at(-1);
      const row = await desk.runtime.db.row<Json>('SELECT pricing FROM messages WHERE id = $id', { id: sent.id });
      expect(row?.['pricing']).toEqual(
        type ? { billable: true, pricing_model: 'PMP', type: `of ${type}`, category: 'service' } : null,
      );
      // Charged once, where it has arrived.
      expect(
        await desk.runtime.db.rows('SELECT billable, category, country FROM message_usage WHERE message_id = $id', {
          id: sent.id,
        }),
      ).toEqual(top === 'delivered' || top === 'read' ? [{ billable: true, category: 'service', country: 'DE' }] : []);
    }),
    { numRuns: runs(10) },
  );
});

it.each(['retry', 'failed', 'withdrawn'] as const)(
  'a message that the platform has spoken of is not tried again, though its call is refused then (C6, %s)',
  async (kind) => {
    const sent = await outbound();
    await play(sent, [[{ word: 'sent', how: 'both' }]]);
    await recordOutcomes(desk.runtime, desk.workspace.id, [
      { id: sent.id, attempts: 1, kind, code: 131000, title: 'Try again', message: 'Try again', waitMs: 0 },
    ]);
    const row = await desk.runtime.db.row<Json>('SELECT delivery_state, error_code FROM messages WHERE id = $id', {
      id: sent.id,
    });
    expect(row).toEqual({ delivery_state: 'settled', error_code: null });
    expect(await shown(sent)).toMatchObject({ message_status: 'sent', message_id: sent.wamid });
  },
);

it('two batches at once end the same as one after the other', async () => {
  for (let round = 0; round < 5; round += 1) {
    const sent = await outbound();
    await Promise.all([
      sent.accept(),
      ...words
        .slice(0, 3)
        .flatMap((word) =>
          [1, 2].map(() =>
            signedWebhook(
              desk.workspace,
              webhook(desk.workspace, { statuses: [item(sent, word, round % 2 ? 'both' : 'wamid')] }),
            ),
          ),
        ),
    ]);
    await desk.settled();
    expect(await shown(sent)).toMatchObject({ message_status: 'read', message_id: sent.wamid });
  }
});

it('the database ranks every stored status as the table of ranks does, and an assumed failure as unknown', async () => {
  const all = Object.keys(statusRank) as MessageStatus[];
  const ranks = await desk.runtime.db.rows<{ status: MessageStatus; assumed: boolean; rank: number }>(
    `SELECT m.message_status AS status, m.unknown_intake_ms IS NOT NULL AS assumed, ${storedRankSql('m')} AS rank
     FROM (SELECT s AS message_status, CASE WHEN assumed THEN 1 END AS unknown_intake_ms, NULL::integer AS error_code
           FROM unnest($all::text[]) s, unnest(ARRAY[true, false]) assumed) m`,
    { all },
  );
  expect(ranks).toHaveLength(2 * all.length);
  for (const { status, assumed, rank } of ranks)
    expect([status, assumed, rank]).toEqual([
      status,
      assumed,
      assumed && status === 'failed' ? statusRank.unknown : statusRank[status],
    ]);
});

it('read and played mark nothing inbound, and a message from elsewhere stays as it is', async () => {
  const sent = await outbound();
  // After the answer, which has read what came before it.
  await anna.writes('One more thing');
  await play(sent, [['accepted'], [{ word: 'read', how: 'both' }]]);

  const { body } = await desk.api.get(`/api/v1/conversations/${anna.handle}/messages/`);
  expect(body.results[0]).toMatchObject({ direction: 'inbound', message_status: 'received', read: false });
});

it("a status with another workspace's opaque id touches nothing", async () => {
  const sent = await outbound();
  await sent.accept();
  const other = await createWorkspace(desk);
  await signedWebhook(other, webhook(other, { statuses: [item(sent, 'failed', 'both')] }));
  await desk.settled();
  expect(await shown(sent)).toMatchObject({ message_status: 'sent' });
});

it('statuses that come together are applied in one transaction, and each odd one by itself', async () => {
  const [plain, twice, failing, elsewhere] = [await outbound(), await outbound(), await outbound(), await outbound()];
  for (const sent of [plain, twice, failing, elsewhere]) await sent.accept();
  const other = await createWorkspace(desk);
  const unknown = { ...plain, wamid: `wamid.out${unique()}`, opaque: '' };
  await signedWebhook(
    desk.workspace,
    webhook(desk.workspace, {
      statuses: [
        item(plain, 'delivered', 'both'),
        item(twice, 'read', 'wamid'),
        item(twice, 'delivered', 'both'),
        item(failing, 'failed', 'both'),
        item(unknown, 'read', 'wamid'),
      ],
    }),
  );
  await signedWebhook(
    other,
    webhook(other, { statuses: [item(elsewhere, 'read', 'both'), item(elsewhere, 'read', 'wamid')] }),
  );
  await desk.settled();
  expect(await shown(plain)).toMatchObject({ message_status: 'delivered' });
  expect(await shown(twice)).toMatchObject({ message_status: 'read' });
  expect(await shown(failing)).toMatchObject({ message_status: 'failed', error_code: 131026 });
  expect(await shown(elsewhere)).toMatchObject({ message_status: 'sent' });
  const wamids = [plain, twice].map(({ wamid }) => wamid);
  const rows = await desk.runtime.db.rows<{ transaction: string }>(
    `SELECT xmin::text AS transaction FROM processed_events
      WHERE workspace_id = $workspaceId AND payload->'status'->>'id' = ANY($wamids::text[])`,
    { workspaceId: desk.workspace.id, wamids },
  );
  expect(rows).toHaveLength(3);
  expect(new Set(rows.map(({ transaction }) => transaction)).size).toBe(1);
  const parked = await desk.runtime.db.rows(
    'SELECT 1 AS ok FROM parked_statuses WHERE workspace_id = $workspaceId AND wamid = $wamid',
    { workspaceId: desk.workspace.id, wamid: unknown.wamid },
  );
  expect(parked).toHaveLength(1);
});

it('a pair that another event wrote meanwhile needs no transaction of its own, and another one does', async () => {
  const phone = uniquePhone().slice(1);
  const { body } = await desk.api.post('/api/v1/contacts/', { phone });
  const ctx = systemCtx(desk.runtime, desk.workspace.id, 'test');
  const contactId = body.id;
  const store = (bsuid: string) => storePairs(ctx, [{ contactId, phone, bsuid, username: 'ann', at: new Date() }]);
  const written = new Map([[contactId, { bsuid: 'DE.1', username: 'ann' }]]);
  expect([await store('DE.1'), await store('DE.1'), await store('DE.2')]).toEqual([written, written, new Map()]);
});

it('a batch whose transaction fails is processed one by one', async () => {
  const sent = [await outbound(), await outbound()];
  for (const one of sent) await one.accept();
  const { db } = desk.runtime;
  const rows = db.rows.bind(db);
  let refused = 0;
  const spy = jest.spyOn(db, 'rows').mockImplementation(async (sql, bind) => {
    if (
      sql.includes('UPDATE messages m SET') &&
      String(bind?.['updates']).includes(sent[1]?.wamid ?? '') &&
      (JSON.parse(String(bind?.['updates'])) as unknown[]).length > 1
    ) {
      refused += 1;
      throw new Error('the connection is gone');
    }
    return rows(sql, bind);
  });
  try {
    await signedWebhook(
      desk.workspace,
      webhook(desk.workspace, { statuses: sent.map((one) => item(one, 'delivered', 'both')) }),
    );
    await desk.settled();
  } finally {
    spy.mockRestore();
  }
  expect(refused).toBe(1);
  for (const one of sent) expect(await shown(one)).toMatchObject({ message_status: 'delivered' });
});

it('a batch that a busy database gave up goes back whole, and is tried one by one from the third time on', async () => {
  const sent = [await outbound(), await outbound()];
  for (const one of sent) await one.accept();
  const { db } = desk.runtime;
  const rows = db.rows.bind(db);
  const sizes: number[] = [];
  const spy = jest.spyOn(db, 'rows').mockImplementation(async (sql, bind) => {
    if (!sql.includes('UPDATE messages m SET') || !String(bind?.['updates']).includes(sent[0]?.wamid ?? ''))
      return rows(sql, bind);
    const { length } = JSON.parse(String(bind?.['updates'])) as unknown[];
    sizes.push(length);
    if (length === 1) return rows(sql, bind);
    // What PostgreSQL says to a statement that takes longer than it may.
    return rows(`DO $$ BEGIN RAISE EXCEPTION 'canceling statement' USING ERRCODE = '57014'; END $$`);
  });
  try {
    const statuses = sent.map((one) => item(one, 'delivered', 'both'));
    await signedWebhook(desk.workspace, webhook(desk.workspace, { statuses }));
    await desk.settled();
  } finally {
    spy.mockRestore();
  }
  expect(sizes).toEqual([2, 2, 2, 1]);
  for (const one of sent) expect(await shown(one)).toMatchObject({ message_status: 'delivered' });
});

describe('payments travel as statuses (upstream 2.7)', () => {
  const payment = (sent: Sent, word: string): Json => ({
    ...status(sent.wamid, word, { type: 'payment', biz_opaque_callback_data: sent.opaque }),
    payment: {
      reference_id: 'ref-1',
      amount: { value: 2500, offset: 100 },
      currency: 'INR',
      transaction: { id: 'order-1', type: 'upi', status: 'success' },
    },
  });
  const paid = async (sent: Sent): Promise<unknown> => {
    const { body } = await desk.api.get(`/api/v1/conversations/${anna.handle}/messages/?page_size=200`);
    const row = body.results.find((message) => message['id'] === sent.id);
    return [row?.['payment_status'], row?.['message_status']];
  };
  const hears = async (statuses: readonly Json[]): Promise<void> => {
    expect((await signedWebhook(desk.workspace, webhook(desk.workspace, { statuses }))).status).toBe(200);
    await desk.settled();
  };

  it.each([
    [['pending'], 'pending'],
    [['pending', 'captured'], 'captured'],
    [['captured', 'pending'], 'captured'],
    [['pending', 'failed'], 'failed'],
    [['failed', 'pending'], 'failed'],
    [['failed', 'captured'], 'captured'],
    [['captured', 'failed'], 'captured'],
    [['captured', 'captured', 'pending'], 'captured'],
  ])('%j ends as %s, in one webhook or in several, and the message keeps its own status', async (given, end) => {
    for (const together of [true, false]) {
      const sent = await outbound();
      await sent.accept();
      const items = given.map((word) => payment(sent, word));
      if (together) await hears(items);
      else for (const one of items) await hears([one]);
      expect(await paid(sent)).toEqual([end, 'sent']);
    }
  });

  it('one that comes before our row knows its id is kept for it', async () => {
    const sent = await outbound();
    await hears([payment(sent, 'captured'), item(sent, 'delivered', 'wamid')]);
    await sent.accept();
    await desk.settled();
    expect(await paid(sent)).toEqual(['captured', 'delivered']);
  });

  it('one of a message that is not ours changes nothing', async () => {
    await hears([payment({ id: 0, opaque: 'none', wamid: `wamid.foreign${unique()}` }, 'captured')]);
    const parked = `SELECT state FROM inbox_events WHERE state = 'parked' AND workspace_id = $id`;
    expect(await desk.runtime.db.rows(parked, { id: desk.workspace.id })).toEqual([]);
  });
});

describe('other parts of a status (upstream 2.7)', () => {
  const hears = async (value: Json): Promise<void> => {
    expect((await signedWebhook(desk.workspace, webhook(desk.workspace, value))).status).toBe(200);
    await desk.settled();
  };

  it('a voice note that was played, and the price in the words of the upstream', async () => {
    const sent = await outbound();
    await sent.accept();
    await hears({
      statuses: [
        status(sent.wamid, 'read', {
          pricing: { billable: true, pricing_model: 'CBP', type: 'regular', category: 'authentication-international' },
        }),
      ],
    });
    await hears({ statuses: [status(sent.wamid, 'played')] });
    await hears({ statuses: [status(sent.wamid, 'delivered'), status(sent.wamid, 'read')] });
    expect(await shown(sent)).toMatchObject({
      message_status: 'played',
      pricing_category: 'authentication-international',
    });
  });

  it("a price of tomorrow's shape is kept as it is, and one that is larger than a price can be is not", async () => {
    const tomorrow = { billable: 'partly', category: { name: 'x'.repeat(70) }, tiers: [{ upTo: 1e3 }], v: 2 };
    for (const [pricing, kept] of [
      [tomorrow, tomorrow],
      [{ category: 'x'.repeat(5_000) }, null],
      [['service'], null],
    ]) {
      const sent = await outbound();
      await sent.accept();
      await hears({ statuses: [status(sent.wamid, 'delivered', { pricing })] });
      expect(await shown(sent)).toMatchObject({ message_status: 'delivered' });
      const row = await desk.runtime.db.row<Json>(
        `SELECT m.pricing, u.billable FROM messages m JOIN message_usage u ON u.message_id = m.id WHERE m.id = $id`,
        { id: sent.id },
      );
      expect(row).toEqual({ pricing: kept, billable: false });
    }
  });

  it("a group's id is nobody's phone number", async () => {
    const sent = await outbound();
    await sent.accept();
    const before = await desk.runtime.db.rows(
      'SELECT id, phone, bsuid FROM contacts WHERE workspace_id = $id ORDER BY id',
      { id: desk.workspace.id },
    );
    await hears({
      statuses: [
        status(sent.wamid, 'delivered', {
          recipient_id: '120363012345678901',
          recipient_type: 'group',
          recipient_participant_id: '4915100000077',
          recipient_user_id: 'US.99',
        }),
      ],
    });
    expect(await shown(sent)).toMatchObject({ message_status: 'delivered' });
    expect(
      await desk.runtime.db.rows('SELECT id, phone, bsuid FROM contacts WHERE workspace_id = $id ORDER BY id', {
        id: desk.workspace.id,
      }),
    ).toEqual(before);
  });

  it('one whose recipient is hidden, in a free window, with fields of the future', async () => {
    const sent = await outbound();
    await sent.accept();
    const { recipient_id: _recipient, ...hidden } = status(sent.wamid, 'delivered', {
      recipient_user_id: 'US.123',
      parent_recipient_user_id: 'US.ENT.1',
      conversation: { id: 'c', origin: { type: 'referral_conversion' } },
      hologram: [1],
    });
    await hears({
      contacts: [{ profile: { name: 'Anna' }, user_id: 'US.123', parent_user_id: 'US.ENT.1' }],
      statuses: [hidden, { id: sent.wamid, status: 'teleported', timestamp: '1' }],
    });
    expect(await shown(sent)).toMatchObject({ message_status: 'delivered' });
  });
});

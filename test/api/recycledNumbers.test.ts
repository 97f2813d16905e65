import { inboundText, signedWebhook, webhook } from '../factories/customers';
import { createMember, createSession, type TestSession } from '../factories/members';
import { unique, uniquePhone } from '../factories/unique';
import type { TestApi } from '../support/api';
import { fc, runs } from '../support/properties';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;

let desk: TestApi;
let lena: TestSession;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  lena = await createSession(await createMember(desk.workspace, { role: 'admin' }));
});
afterAll(() => desk.close());

const digits = (): string => uniquePhone().replace(/\D/g, '');
const userId = (): string => `US.${unique()}7`;
const contact = async (handle: string): Promise<Json> => (await desk.api.get(`/api/v1/contacts/${handle}/`)).body;

let second = Math.floor(Date.now() / 1000) - 100_000;
/** Tells what the platform has to say, a second later than before. */
async function hears(messages: Json, contacts: Json = {}): Promise<void> {
  second += 1;
  const message = { ...messages, timestamp: String(second) };
  const value = webhook(desk.workspace, { messages: [message], contacts: [{ profile: {}, ...contacts }] });
  expect((await signedWebhook(desk.workspace, value)).status).toBe(200);
  await desk.settled();
}
async function writes(phone: string | null, bsuid: string | null, text = 'Hello'): Promise<void> {
  const { from: _from, ...message } = inboundText('', text);
  await hears(
    { ...message, ...(phone ? { from: phone } : {}), ...(bsuid ? { from_user_id: bsuid } : {}) },
    { ...(phone ? { wa_id: phone } : {}), ...(bsuid ? { user_id: bsuid } : {}) },
  );
}
const changesNumber = (from: string, to: string): Promise<void> =>
  hears({
    ...{ from, id: `wamid.sys${unique()}`, type: 'system' },
    system: { type: 'user_changed_number', body: 'changed', wa_id: to, new_wa_id: to },
  });

it('a number names whoever has it, though its former holder told nobody of another one', async () => {
  const [phone, next, anna, ben] = [digits(), digits(), userId(), userId()];
  await writes(phone, anna);
  await writes(next, anna);
  await writes(phone, ben);
  expect(await contact(phone)).toMatchObject({ receiver_id: phone, phone: `+${phone}`, bsuid: ben });
  expect(await contact(next)).toMatchObject({ receiver_id: next, phone: `+${next}`, bsuid: anna });
});

const one = fc.nat(2);
const act = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ what: fc.constant('writes' as const), phone: fc.option(one), bsuid: fc.option(one) }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('merges' as const), from: one, to: one }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('moves' as const), from: one, to: one }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('is written to' as const), to: one }) },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('is imported' as const), phone: fc.option(one), bsuid: fc.option(one) }),
  },
);

it('whoever writes is heard, whichever numbers and user ids come together and in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 14 }), async (acts) => {
      const [phones, ids] = [
        [digits(), digits(), digits()],
        [userId(), userId(), userId()],
      ];
      const phoneOf = (index: number): string => phones[index] ?? '';
      const mark = unique();
      let written = 0;
      for (const each of acts) {
        if (each.what === 'merges')
          await lena.api.post(`/api/v1/contacts/${phoneOf(each.from)}/merge/`, { into: phoneOf(each.to) });
        else if (each.what === 'moves') await changesNumber(phoneOf(each.from), phoneOf(each.to));
        else if (each.what === 'is written to') {
          for (const [path, key] of [
            ['contacts', 'phone'],
            ['messages', 'to'],
          ] as const) {
            const body = { [key]: `+${phoneOf(each.to)}`, body: 'Hello' };
            expect((await desk.api.post(`/api/v1/${path}/`, body)).status).toBeLessThan(500);
          }
        } else if (each.phone !== null || each.bsuid !== null) {
          const bsuid = each.bsuid === null ? null : (ids[each.bsuid] ?? null);
          if (each.what === 'is imported') {
            const row = { ...(each.phone === null ? {} : { phone: phoneOf(each.phone) }), ...(bsuid ? { bsuid } : {}) };
            const { body } = await desk.api.post('/api/v1/contacts/bulk/', { contacts: [row] });
            expect(body).toMatchObject({ received: 1, failed: 0 });
            continue;
          }
          written += 1;
          await writes(each.phone === null ? null : phoneOf(each.phone), bsuid, `Mark ${mark}.`);
        }
      }
      const row = await desk.runtime.db.row<{ count: number }>(
        `SELECT count(*)::int AS count FROM messages WHERE workspace_id = $id AND body::text LIKE $mark`,
        { id: desk.workspace.id, mark: `%Mark ${mark}.%` },
      );
      expect(row?.count).toBe(written);
    }),
    { numRuns: runs(40) },
  );
});

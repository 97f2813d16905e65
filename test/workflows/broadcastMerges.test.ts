import { createBroadcast } from '../factories/broadcasts';
import { createContact } from '../factories/contacts';
import { inboundText, signedWebhook, webhook } from '../factories/customers';
import { unique, uniquePhone } from '../factories/unique';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { eventually } from '../support/eventually';

const path = '/api/v1/broadcasts/';

interface Pair {
  readonly phone: string;
  readonly bsuid: string;
  readonly ids: readonly number[];
}

/** Contract C5, C9: two contacts that turn out to be one person while a broadcast runs. */
describe('contacts that are merged while a broadcast runs', () => {
  let desk: TestApi;
  beforeAll(async () => {
    desk = await sharedDesk('worker');
    // A status names the sandbox's own user id of a phone: the contact by phone would be somebody else from then on.
    desk.sandbox.state.settings.statuses = [];
  });
  afterAll(() => desk.close());

  /** Contacts by phone alone and by user id alone that are one person each, the first ones of the audience first. */
  async function pairsOf(workspace: TestWorkspace, count: number): Promise<Pair[]> {
    const made: { phone: string; bsuid: string; ids: number[] }[] = [];
    for (let index = 0; index < count; index += 1) {
      const [phone, bsuid] = [uniquePhone(), `US.${unique()}9`];
      made.push({
        phone: phone.replace(/\D/g, ''),
        bsuid,
        ids: [(await createContact(workspace, index % 2 ? { phone } : { bsuid })).id],
      });
    }
    for (let index = 0; index < count; index += 1) {
      const pair = made[index]!;
      pair.ids.push(
        (await createContact(workspace, index % 2 ? { bsuid: pair.bsuid } : { phone: `+${pair.phone}` })).id,
      );
    }
    return made;
  }

  /** The upstream names both identities together: the two rows become one (contract 5). */
  async function merge(workspace: TestWorkspace, { phone, bsuid, ids }: Pair): Promise<void> {
    const message = { ...inboundText(phone, 'Me again'), from_user_id: bsuid };
    expect(
      (
        await signedWebhook(
          workspace,
          webhook(workspace, { contacts: [{ wa_id: phone, user_id: bsuid, profile: {} }], messages: [message] }),
        )
      ).status,
    ).toBe(200);
    await eventually(async () => {
      const rows = await desk.runtime.db.rows('SELECT id FROM contacts WHERE id = ANY($ids::int[])', { ids });
      if (rows.length !== 1) throw new Error('not merged yet');
    });
  }

  /** Makes the second of two rows the older one, which stays in a merge. */
  const reverse = (pairs: readonly Pair[]): Promise<unknown> =>
    desk.runtime.db.rows(`UPDATE contacts SET created_at = created_at - interval '1 day' WHERE id = ANY($ids::int[])`, {
      ids: pairs.map(({ ids }) => ids[1]),
    });

  const sentTo = ({ phone, bsuid }: Pair): number =>
    desk.sandbox.state.sent.filter((record) => record.to === phone || record.to === bsuid).length;

  it.each([
    ['the row that was sent to stays', false],
    ['the other row stays', true],
  ])(
    'sends to nobody twice and lists each recipient rightly: %s',
    async (_name, older) => {
      const workspace = await createWorkspace(desk);
      const count = 30;
      const pairs = await pairsOf(workspace, count);
      if (older) await reverse(pairs);
      await desk.runtime.db.rows('UPDATE phone_numbers SET throughput_mps = 20 WHERE workspace_id = $id', {
        id: workspace.id,
      });
      const id = await createBroadcast(workspace);
      expect((await workspace.api.post(`${path}${id}/confirm/`)).status).toBe(200);

      // Some whose first row has its message and whose second waits, and some of whom neither has: merged while it
      // runs.
      await eventually(() => expect(sentTo(pairs[4]!)).toBe(1), { everyMs: 10 });
      const merged = [pairs[0]!, pairs[1]!, pairs[2]!, pairs[3]!, pairs[26]!, pairs[27]!, pairs[28]!, pairs[29]!];
      await Promise.all(merged.map((pair) => merge(workspace, pair)));

      const ended = await eventually(
        async () => {
          const { body } = await workspace.api.get(`${path}${id}/`);
          expect(body.status).toBe('completed');
          return body;
        },
        { timeoutMs: 60_000 },
      );
      const twice = pairs.filter((pair) => merged.includes(pair) && sentTo(pair) !== 1);
      expect(twice).toEqual([]);
      for (const pair of pairs) if (!merged.includes(pair)) expect(sentTo(pair)).toBe(2);
      expect(ended.stats).toMatchObject({
        audience: 2 * count,
        pending: 0,
        sent: 2 * count - merged.length,
        skipped: merged.length,
        failed: 0,
        unknown: 0,
        skipped_by_reason: { duplicate: merged.length },
      });

      const list = (await workspace.api.get(`${path}${id}/recipients/?page_size=200`)).body;
      expect([list.count, list.results.length]).toEqual([2 * count, 2 * count]);
      for (const row of list.results)
        expect(row).toMatchObject({ contact: expect.any(Number) as number, receiver_id: expect.any(String) as string });
      for (const { ids } of merged) {
        const [contact] = (
          await desk.runtime.db.rows<{ id: number }>('SELECT id FROM contacts WHERE id = ANY($ids::int[])', { ids })
        ).map((row) => row.id);
        const rows = list.results.filter((row) => row['contact'] === contact);
        expect(rows.map((row) => [row['status'], row['reason'], row['message'] === null]).sort()).toEqual([
          ['sent', '', false],
          ['skipped', 'duplicate', true],
        ]);
      }
      // What was sent is a message of the conversation that is left.
      for (const pair of merged) {
        const thread = await workspace.api.get(`/api/v1/conversations/${pair.phone}/messages/`);
        expect(thread.body.results.filter((row) => row['direction'] === 'outbound')).toHaveLength(1);
      }
    },
    120_000,
  );

  it.each([
    ['stays', false],
    ['vanishes', true],
  ])(
    'a row that waits for another try gives way to the one that was sent to: it %s',
    async (_name, older) => {
      const workspace = await createWorkspace(desk);
      const [pair] = (await pairsOf(workspace, 1)) as [Pair];
      if (older) await reverse([pair]);
      const fault = desk.sandbox.faults.add({ kind: 'error', code: 131016, to: pair.bsuid });
      const id = await createBroadcast(workspace);
      expect((await workspace.api.post(`${path}${id}/confirm/`)).status).toBe(200);
      await eventually(() => expect([fault.hits > 0, sentTo(pair)]).toEqual([true, 1]));
      await eventually(async () =>
        expect((await workspace.api.get(`${path}${id}/`)).body.stats).toMatchObject({
          sent: 1,
          pending: 1,
        }),
      );
      await merge(workspace, pair);
      desk.sandbox.faults.clear(fault.id);
      await eventually(async () => expect((await workspace.api.get(`${path}${id}/`)).body.status).toBe('completed'), {
        timeoutMs: 60_000,
      });
      expect(sentTo(pair)).toBe(1);
      expect((await workspace.api.get(`${path}${id}/`)).body.stats).toMatchObject({
        audience: 2,
        sent: 1,
        skipped: 1,
        pending: 0,
        skipped_by_reason: { duplicate: 1 },
      });
      const thread = await workspace.api.get(`/api/v1/conversations/${pair.phone}/messages/`);
      expect(
        thread.body.results.filter((row) => row['direction'] === 'outbound').map((row) => row['message_status']),
      ).toEqual(['sent']);
    },
    90_000,
  );
});

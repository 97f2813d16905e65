import { fc } from '../support/properties';
import { insertContacts } from '../factories/broadcasts';
import { createContact } from '../factories/contacts';
import { createCustomer, inboundText, signedWebhook, webhook } from '../factories/customers';
import { unique } from '../factories/unique';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;
interface Envelope extends Json {
  count: number;
  next: string | null;
  results: Json[];
}

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

/** A list that is walked while others write: its rows before the walk, and what can happen to it meanwhile. */
interface Walked {
  readonly workspace: TestWorkspace;
  readonly path: string;
  readonly orderings: readonly string[];
  readonly keys: readonly string[];
  keyOf(row: Json): string;
  add(): Promise<void>;
  remove(key: string): Promise<void>;
}

const size = 40;
/** So few different instants that every page ends within a tie. */
const instant = (index: number): string => new Date(Date.UTC(2026, 0, 1, 0, index % 5)).toISOString();

async function people(): Promise<{ workspace: TestWorkspace; handles: string[] }> {
  const workspace = await createWorkspace(desk);
  const first = 4_916_000_000_000 + unique() * 100;
  await insertContacts(workspace, size, first);
  const handles = Array.from({ length: size }, (_unused, index) => String(first + index));
  await desk.runtime.db.rows(
    `UPDATE contacts SET created_at = given.at, updated_at = given.at, name = 'Name ' || (id % 4)
      FROM unnest($handles::text[], $at::timestamptz[]) AS given(handle, at)
      WHERE workspace_id = $id AND receiver_id = given.handle`,
    { id: workspace.id, handles, at: handles.map((_handle, index) => instant(index)) },
  );
  return { workspace, handles };
}

const lists: Readonly<Record<string, () => Promise<Walked>>> = {
  contacts: async () => {
    const { workspace, handles } = await people();
    return {
      workspace,
      path: '/api/v1/contacts/',
      orderings: ['created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name'],
      keys: handles,
      keyOf: (row) => String(row['receiver_id']),
      add: async () => void (await createContact(workspace, { name: `Name ${unique() % 4}` })),
      remove: async (handle) => void (await workspace.api.delete(`/api/v1/contacts/${handle}/`)),
    };
  },
  conversations: async () => {
    const { workspace, handles } = await people();
    // Some have never had a message.
    await desk.runtime.db.rows(
      `UPDATE conversations v SET last_message_at = given.at, created_at = coalesce(given.at, v.created_at),
        updated_at = coalesce(given.at, v.updated_at)
       FROM contacts c, unnest($handles::text[], $at::timestamptz[]) AS given(handle, at)
         WHERE c.workspace_id = $id AND c.receiver_id = given.handle AND v.contact_id = c.id`,
      { id: workspace.id, handles, at: handles.map((_handle, index) => (index % 4 === 0 ? null : instant(index))) },
    );
    return {
      workspace,
      path: '/api/v1/conversations/',
      orderings: ['', 'last_message_at', 'created_at', '-created_at', 'updated_at'],
      keys: handles,
      keyOf: (row) => String(row['receiver_id']),
      // Somebody new who writes, and somebody new who does not.
      add: async () =>
        void (await createCustomer(workspace)
          .writes('Hi')
          .then(() => createContact(workspace))),
      remove: async (handle) => void (await workspace.api.delete(`/api/v1/contacts/${handle}/`)),
    };
  },
  messages: async () => {
    const workspace = await createWorkspace(desk);
    const customer = createCustomer(workspace);
    const base = Math.floor(Date.now() / 1000) - 5_000;
    const send = async (texts: readonly [string, number][]): Promise<void> => {
      const messages = texts.map(([text, at]) => ({ ...inboundText(customer.phone, text), timestamp: String(at) }));
      expect(
        (
          await signedWebhook(
            workspace,
            webhook(workspace, { contacts: [{ wa_id: customer.handle, profile: {} }], messages }),
          )
        ).status,
      ).toBe(200);
      await desk.settled();
    };
    const keys = Array.from({ length: size }, (_unused, index) => `Text ${index}`);
    await send(keys.map((text, index) => [text, base + (index % 5)]));
    const textOf = (row: Json): string => ((row['body'] as Json)['text'] as Json)['body'] as string;
    return {
      workspace,
      path: `/api/v1/conversations/${customer.handle}/messages/`,
      orderings: [''],
      keys,
      keyOf: textOf,
      // One that is new, one that comes late, one of an instant that others have.
      add: () => send([base + 4_000, base - 1_000, base + 2].map((at) => [`Later ${unique()}`, at])),
      // No request takes one message away; erasure and retention do.
      remove: async (text) =>
        void (await desk.runtime.db.rows(
          `DELETE FROM messages WHERE workspace_id = $id AND body->'text'->>'body' = $text`,
          { id: workspace.id, text },
        )),
    };
  },
};

describe.each(Object.keys(lists))('walking %s by next while others come and go (contract 4)', (name) => {
  it('shows every row that stays exactly once, and links on only while there are rows', async () => {
    const plan = fc.record({
      ordering: fc.nat(),
      pageSize: fc.integer({ min: 1, max: 9 }),
      steps: fc.infiniteStream(
        fc.record({ adds: fc.nat({ max: 1 }), removes: fc.array(fc.nat({ max: size - 1 }), { maxLength: 2 }) }),
      ),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ ordering, pageSize, steps }) => {
        const list = await lists[name]!();
        const word = list.orderings[ordering % list.orderings.length] ?? '';
        const seen = new Map<string, number>();
        const removed = new Set<string>();
        let pages = 0;
        for (
          let link: string | null = `${list.path}?page_size=${pageSize}${word ? `&ordering=${word}` : ''}`;
          link !== null;
          pages += 1
        ) {
          const { status, body }: { status: number; body: Envelope } = await list.workspace.api.get(link);
          expect([status, body.results.length <= pageSize]).toEqual([200, true]);
          for (const row of body.results) seen.set(list.keyOf(row), (seen.get(list.keyOf(row)) ?? 0) + 1);
          link = body.next;
          const step = steps.next().value as { adds: number; removes: number[] };
          // What is added in front of an ascending walk lies ahead of it: it may grow only so often.
          if (step.adds > 0 && pages < 8) await list.add();
          for (const place of step.removes) {
            const key = list.keys[place]!;
            if (removed.has(key) || removed.size > size / 2) continue;
            removed.add(key);
            await list.remove(key);
          }
          expect(pages).toBeLessThan(200);
        }
        expect([...seen].filter(([, times]) => times > 1)).toEqual([]);
        expect(list.keys.filter((key) => !removed.has(key) && !seen.has(key))).toEqual([]);
      }),
      { numRuns: 8, endOnFailure: true },
    );
  });
});

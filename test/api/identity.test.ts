import { fc, runs } from '../support/properties';
import { mergedSeparately, mergeHooks } from '../../api/services/processes/contactMerge/merge';
import { keepProcessedSql } from '../../bench/support/processedEvents';
import { createContact } from '../factories/contacts';
import { inboundText, signedWebhook, status, webhook } from '../factories/customers';
import { unique, uniquePhone } from '../factories/unique';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  await desk.runtime.db.rows(keepProcessedSql);
});
afterAll(() => desk.close());

const now = (): number => Math.floor(Date.now() / 1000);
let clock = 0;
const digits = (): string => uniquePhone().replace(/\D/g, '');
const userId = (): string => `US.${unique()}7`;

/** A message of somebody named by phone, user id or both; each is a second later than the one before. */
function message(who: { phone?: string; bsuid?: string }, more: Json = {}, profile: Json = {}): Json {
  clock += 1;
  const { from: _from, ...text } = inboundText(who.phone ?? '', `m${clock}`);
  return {
    contacts: [{ profile, ...(who.phone ? { wa_id: who.phone } : {}), ...(who.bsuid ? { user_id: who.bsuid } : {}) }],
    messages: [
      {
        ...text,
        ...(who.phone ? { from: who.phone } : {}),
        ...(who.bsuid ? { from_user_id: who.bsuid } : {}),
        timestamp: String(now() - 10_000 + clock),
        ...more,
      },
    ],
  };
}

function system(type: string, from: string | undefined, values: Json): Json {
  clock += 1;
  return {
    messages: [
      {
        ...(from ? { from } : {}),
        id: `wamid.sys${unique()}`,
        timestamp: String(now() - 10_000 + clock),
        type: 'system',
        system: { type, body: 'changed', ...values },
      },
    ],
  };
}

async function play(values: readonly Json[], workspace: TestWorkspace = desk.workspace): Promise<void> {
  for (const value of values) {
    expect((await signedWebhook(workspace, webhook(workspace, value))).status).toBe(200);
    await desk.settled();
  }
}

const contact = async (handle: string): Promise<Json> =>
  (await desk.api.get(`/api/v1/contacts/${encodeURIComponent(handle)}/`)).body;
const texts = async (handle: string): Promise<unknown[]> =>
  ((await desk.api.get(`/api/v1/conversations/${encodeURIComponent(handle)}/messages/`)).body['results'] as Json[]).map(
    ({ id }) => id,
  );
const parked = async (): Promise<Json[]> =>
  desk.runtime.db.rows(
    `SELECT kind, error FROM inbox_events WHERE workspace_id = $id AND state = 'parked' AND kind <> 'unverified'`,
    { id: desk.workspace.id },
  );

describe('one person is one contact (contract 5)', () => {
  it('learns the user id of a known phone, and the phone of a known user id', async () => {
    const [phone, bsuid] = [digits(), userId()];
    await play([message({ phone }), message({ phone, bsuid }), message({ bsuid })]);
    expect(await contact(phone)).toMatchObject({ receiver_id: phone, phone: `+${phone}`, bsuid });
    expect(await texts(bsuid)).toHaveLength(3);
    const [other, hidden] = [digits(), userId()];
    await play([message({ bsuid: hidden }), message({ bsuid: hidden, phone: other })]);
    expect(await contact(other)).toMatchObject({ receiver_id: hidden, phone: `+${other}`, bsuid: hidden });
  });

  it('keeps the row of a contact that hides its phone later', async () => {
    const [phone, bsuid] = [digits(), userId()];
    await play([message({ phone, bsuid }), message({ bsuid })]);
    expect(await contact(bsuid)).toMatchObject({ receiver_id: phone, phone: `+${phone}` });
    expect(await texts(phone)).toHaveLength(2);
  });

  it('merges two rows into the older one, with all that hangs on them, when the upstream names both', async () => {
    const [phone, bsuid] = [digits(), userId()];
    const older = await createContact(desk.workspace, { phone: `+${phone}`, name: 'Old', company: '', tags: [] });
    await play([message({ bsuid })]);
    const younger = await contact(bsuid);
    expect(younger['id']).not.toBe(older.id);
    await desk.api.patch(`/api/v1/contacts/${bsuid}/`, {
      name: 'Young',
      company: 'Acme',
      tags: ['x'],
      marketing_opt_out: true,
      notes: 'n',
    });
    await desk.api.post('/api/v1/messages/', {
      to: bsuid,
      phone_number_id: desk.workspace.account.phoneNumberId,
      body: 'queued',
    });
    await play([message({ phone, bsuid })]);
    const merged = await contact(phone);
    expect(merged).toMatchObject({
      id: older.id,
      receiver_id: phone,
      bsuid,
      name: 'Old',
      company: 'Acme',
      tags: ['x'],
      notes: 'n',
      marketing_opt_out: true,
    });
    // The other row's handles keep answering.
    expect((await contact(bsuid))['id']).toBe(older.id);
    expect(await texts(phone)).toHaveLength(3);
    expect((await desk.api.get(`/api/v1/conversations/${phone}/`)).body).toMatchObject({
      unread_count: 1,
      // The answer in the other row came before the message that named both.
      waiting_since: expect.any(String) as unknown,
    });
    expect(await desk.runtime.db.rows('SELECT 1 FROM contacts WHERE id = $id', { id: younger['id'] })).toEqual([]);
    const aliases = await desk.runtime.db.rows<{ kind: string; value: string }>(
      'SELECT kind, value FROM contact_aliases WHERE contact_id = $id ORDER BY kind',
      { id: older.id },
    );
    expect(aliases.map(({ kind }) => kind)).toEqual(['id', 'receiver_id']);
    const trail = (await desk.api.get(`/api/v1/conversations/${phone}/activity/`)).body['results'] as Json[];
    expect(trail.map(({ kind }) => kind)).toContain('contacts_merged');
  });

  it('gives a recycled number to whoever writes from it', async () => {
    const [phone, first, second] = [digits(), userId(), userId()];
    await play([message({ phone, bsuid: first }), message({ phone, bsuid: second })]);
    expect(await contact(first)).toMatchObject({ receiver_id: first, phone: first, bsuid: first });
    expect(await contact(phone)).toMatchObject({ receiver_id: phone, bsuid: second });
    expect(await texts(first)).toHaveLength(1);
    expect(await texts(second)).toHaveLength(1);
  });

  it('knows no other workspace', async () => {
    const other = await createWorkspace(desk);
    const [phone, bsuid] = [digits(), userId()];
    await play([message({ phone, bsuid })]);
    await play([message({ bsuid })], other);
    expect((await other.api.get(`/api/v1/contacts/${phone}/`)).status).toBe(404);
    expect((await other.api.get(`/api/v1/contacts/${bsuid}/`)).body).toMatchObject({ receiver_id: bsuid });
  });

  it('has one row of a new contact that writes twice at once, and one of a message that comes 50 times', async () => {
    const phone = digits();
    const one = webhook(desk.workspace, message({ phone }));
    const two = webhook(desk.workspace, message({ phone }));
    const answers = await Promise.all([
      ...Array.from({ length: 50 }, () => signedWebhook(desk.workspace, one)),
      signedWebhook(desk.workspace, two),
    ]);
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    await desk.settled();
    expect(await texts(phone)).toHaveLength(2);
    expect((await desk.api.get(`/api/v1/conversations/${phone}/`)).body).toMatchObject({ unread_count: 2 });
    expect((await desk.api.get(`/api/v1/contacts/?search=${phone}`)).body).toMatchObject({ count: 1 });
  });
});

describe('changes that the upstream announces (upstream 2.8)', () => {
  it.each(['user_changed_number', 'customer_changed_number'])(
    '%s re-points the contact and keeps its former handles',
    async (type) => {
      const [oldPhone, newPhone, oldId, newId] = [digits(), digits(), userId(), userId()];
      await play([
        message({ phone: oldPhone, bsuid: oldId }),
        system(type, oldPhone, { wa_id: newPhone, user_id: newId, previous_user_id: oldId }),
        message({ phone: newPhone, bsuid: newId }),
      ]);
      const moved = await contact(newPhone);
      expect(moved).toMatchObject({ receiver_id: newPhone, phone: `+${newPhone}`, bsuid: newId });
      expect((await contact(oldPhone))['id']).toBe(moved['id']);
      expect((await contact(oldId))['id']).toBe(moved['id']);
      expect(await texts(newPhone)).toHaveLength(3);
      // The number may be somebody else's from now on.
      await play([message({ phone: oldPhone })]);
      expect((await contact(oldPhone))['id']).not.toBe(moved['id']);
    },
  );

  it('shows the change in the thread without opening anything', async () => {
    const [oldPhone, newPhone] = [digits(), digits()];
    await play([message({ phone: oldPhone })]);
    await desk.api.patch(`/api/v1/conversations/${oldPhone}/`, { status: 'resolved' });
    const before = (await desk.api.get(`/api/v1/conversations/${oldPhone}/`)).body;
    await play([system('user_changed_number', oldPhone, { wa_id: newPhone })]);
    const after = (await desk.api.get(`/api/v1/conversations/${newPhone}/`)).body;
    expect(after).toMatchObject({
      id: before['id'],
      conv_status: 'resolved',
      unread_count: before['unread_count'],
      active_till: before['active_till'],
      last_message_at: before['last_message_at'],
    });
    const listed = (await desk.api.get(`/api/v1/conversations/${newPhone}/messages/`)).body['results'] as Json[];
    expect(listed.map(({ body }) => (body as Json)['type']).sort()).toEqual(['system', 'text']);
  });

  it('a new user id without a number to share takes the old number away', async () => {
    const [phone, oldId, newId] = [digits(), userId(), userId()];
    await play([
      message({ phone, bsuid: oldId }),
      system('user_changed_user_id', undefined, { user_id: newId, previous_user_id: oldId }),
      message({ bsuid: newId }),
    ]);
    expect(await contact(newId)).toMatchObject({ receiver_id: newId, phone: newId, bsuid: newId });
    expect(await texts(newId)).toHaveLength(3);
  });

  it('merges when the new number has written before the change was heard of', async () => {
    const [oldPhone, newPhone, oldId, newId] = [digits(), digits(), userId(), userId()];
    const first = message({ phone: oldPhone, bsuid: oldId });
    const change = system('user_changed_number', oldPhone, {
      wa_id: newPhone,
      user_id: newId,
      previous_user_id: oldId,
    });
    await play([first, message({ phone: newPhone, bsuid: newId }), change]);
    expect((await contact(oldPhone))['id']).toBe((await contact(newPhone))['id']);
    expect(await texts(newPhone)).toHaveLength(3);
  });

  it('a new security code is shown and changes nobody', async () => {
    const phone = digits();
    await play([message({ phone }), system('customer_identity_changed', phone, { customer: phone })]);
    expect(await contact(phone)).toMatchObject({ receiver_id: phone });
    expect(await texts(phone)).toHaveLength(2);
  });

  it('a change of somebody unknown makes no contact', async () => {
    const [oldPhone, newPhone] = [digits(), digits()];
    await play([system('user_changed_number', oldPhone, { wa_id: newPhone })]);
    expect((await desk.api.get(`/api/v1/contacts/${newPhone}/`)).status).toBe(404);
    expect(await parked()).toEqual([]);
  });

  it('a change of number joins the rows of somebody who wrote by number and by user id apart', async () => {
    const [oldPhone, newPhone, oldId, newId] = [digits(), digits(), userId(), userId()];
    await play([message({ bsuid: oldId }), message({ phone: oldPhone })]);
    await play([system('user_changed_number', oldPhone, { wa_id: newPhone, user_id: newId, previous_user_id: oldId })]);
    const { id } = await contact(newPhone);
    expect((await contact(newId))['id']).toBe(id);
    const rows = await desk.runtime.db.rows(
      `SELECT m.id FROM messages m JOIN conversations v ON v.id = m.conversation_id
        WHERE v.contact_id = $id AND m.type = 'text'`,
      { id },
    );
    expect(rows).toHaveLength(2);
  });
});

describe('user names and profile names (contract 6)', () => {
  it('the newest word counts in whatever order it comes; a name that a person set stays', async () => {
    const phone = digits();
    const older = message({ phone }, {}, { name: 'Older', username: '@older' });
    const newer = message({ phone }, {}, { name: 'Newer', username: '@newer' });
    await play([newer, older]);
    expect(await contact(phone)).toMatchObject({ name: 'Newer', username: 'newer' });
    await desk.api.patch(`/api/v1/contacts/${phone}/`, { name: 'By hand' });
    await play([message({ phone }, {}, { name: 'Newest' })]);
    expect(await contact(phone)).toMatchObject({ name: 'By hand', username: 'newer' });
    expect((await desk.api.get('/api/v1/contacts/?search=@newer')).body).toMatchObject({ count: 1 });
  });

  it("takes each status's own recipient from a webhook that speaks of several", async () => {
    const people = [0, 1, 2].map((index) => ({
      phone: digits(),
      bsuid: userId(),
      username: `merged${unique()}${index}`.toLowerCase(),
    }));
    const opaques: unknown[] = [];
    for (const { phone } of people) {
      await play([message({ phone })]);
      const { body } = await desk.api.post('/api/v1/messages/', {
        to: `+${phone}`,
        body: 'Hi',
        phone_number_id: desk.workspace.account.phoneNumberId,
      });
      opaques.push(
        (
          await desk.runtime.db.row<{ opaque: string }>('SELECT opaque FROM messages WHERE id = $id', {
            id: body['id'],
          })
        )?.opaque,
      );
    }
    await play([
      {
        contacts: [...people].reverse().map(({ phone, bsuid, username }) => ({
          wa_id: phone,
          user_id: bsuid,
          profile: { username: `@${username}` },
        })),
        statuses: people.map(({ phone }, index) =>
          status(`wamid.x${unique()}`, 'delivered', { recipient_id: phone, biz_opaque_callback_data: opaques[index] }),
        ),
      },
    ]);
    for (const { phone, bsuid, username } of people) expect(await contact(phone)).toMatchObject({ bsuid, username });
    const stored = await desk.runtime.db.rows<{ contacts: Json[] }>(
      `SELECT payload->'contacts' AS contacts FROM processed_events
        WHERE workspace_id = $workspaceId AND kind = 'status' ORDER BY id DESC LIMIT 3`,
      { workspaceId: desk.workspace.id },
    );
    expect(stored.map(({ contacts }) => contacts.length)).toEqual([1, 1, 1]);
  });

  it('learns together what is plain, and what is not by the rules of single statuses', async () => {
    const outbound = async (): Promise<{ phone: string; bsuid: string; opaque: unknown }> => {
      const phone = digits();
      await play([message({ phone })]);
      const { body } = await desk.api.post('/api/v1/messages/', {
        to: `+${phone}`,
        body: 'Hi',
        phone_number_id: desk.workspace.account.phoneNumberId,
      });
      return {
        phone,
        bsuid: userId(),
        opaque: (
          await desk.runtime.db.row<{ opaque: string }>('SELECT opaque FROM messages WHERE id = $id', {
            id: body['id'],
          })
        )?.opaque,
      };
    };
    const [plain, held, erased, first, second] = [
      await outbound(),
      await outbound(),
      await outbound(),
      await outbound(),
      await outbound(),
    ];
    // Somebody wrote by the same user id before anybody knew the number.
    await play([message({ bsuid: held.bsuid })]);
    // An erased contact with that user id had opted out.
    await play([message({ bsuid: erased.bsuid }, { text: { body: 'STOP' } })]);
    expect((await desk.api.delete(`/api/v1/contacts/${erased.bsuid}/`)).status).toBe(204);
    const delivered = (who: { phone: string; opaque: unknown }, recipient: string): Json =>
      status(`wamid.x${unique()}`, 'delivered', {
        recipient_id: who.phone,
        recipient_user_id: recipient,
        biz_opaque_callback_data: who.opaque,
      });
    // Two rows that claim one user id: the later word takes it.
    await play([
      {
        statuses: [
          delivered(plain, plain.bsuid),
          delivered(held, held.bsuid),
          delivered(erased, erased.bsuid),
          delivered(first, first.bsuid),
          delivered(second, first.bsuid),
        ],
      },
    ]);
    expect(await contact(plain.phone)).toMatchObject({ bsuid: plain.bsuid });
    expect(await contact(held.phone)).toMatchObject({ bsuid: held.bsuid });
    expect((await contact(held.bsuid))['id']).toBe((await contact(held.phone))['id']);
    expect(await contact(erased.phone)).toMatchObject({ bsuid: erased.bsuid, marketing_opt_out: true });
    const claimed = await desk.runtime.db.rows(
      'SELECT id FROM contacts WHERE workspace_id = $workspaceId AND bsuid = $bsuid',
      { workspaceId: desk.workspace.id, bsuid: first.bsuid },
    );
    expect(claimed).toHaveLength(1);
    expect(
      await desk.runtime.db.rows(`SELECT 1 AS ok FROM inbox_events WHERE workspace_id = $workspaceId`, {
        workspaceId: desk.workspace.id,
      }),
    ).toEqual([]);
  });

  it('takes user name and user id from a status', async () => {
    const [phone, bsuid] = [digits(), userId()];
    await play([message({ phone })]);
    const sent = await desk.api.post('/api/v1/messages/', {
      to: `+${phone}`,
      phone_number_id: desk.workspace.account.phoneNumberId,
      body: 'x',
    });
    const row = await desk.runtime.db.row<{ opaque: string }>('SELECT opaque FROM messages WHERE id = $id', {
      id: sent.body['id'],
    });
    await play([
      {
        contacts: [{ wa_id: phone, user_id: bsuid, profile: { username: '@fromstatus' } }],
        statuses: [
          status(`wamid.x${unique()}`, 'delivered', { recipient_id: phone, biz_opaque_callback_data: row?.opaque }),
        ],
      },
    ]);
    expect(await contact(phone)).toMatchObject({ bsuid, username: 'fromstatus' });
  });
});

describe('any order ends in the right contacts', () => {
  type Spec = readonly [kind: 'both' | 'phone' | 'bsuid' | 'move', who: 0 | 1];

  /** Two people, each with two identities one after the other; what they write, and their change of number. */
  function story(specs: readonly Spec[]): {
    values: Json[];
    people: { phones: string[]; bsuids: string[] }[];
    counts: number[];
  } {
    const people = [0, 1].map(() => ({ phones: [digits(), digits()], bsuids: [userId(), userId()] }));
    const moved = [false, false];
    const counts = [0, 0];
    const values = specs.flatMap(([kind, index]): Json[] => {
      const person = people[index];
      if (!person) return [];
      const at = moved[index] ? 1 : 0;
      if (kind === 'move') {
        if (moved[index]) return [];
        moved[index] = true;
        return [
          system('user_changed_number', person.phones[0], {
            wa_id: person.phones[1],
            user_id: person.bsuids[1],
            previous_user_id: person.bsuids[0],
          }),
        ];
      }
      counts[index] = (counts[index] ?? 0) + 1;
      return [
        message({
          ...(kind === 'bsuid' ? {} : { phone: person.phones[at] }),
          ...(kind === 'phone' ? {} : { bsuid: person.bsuids[at] }),
        }),
      ];
    });
    // In the end the upstream names everybody with both.
    for (const [index, person] of people.entries()) {
      const at = moved[index] ? 1 : 0;
      counts[index] = (counts[index] ?? 0) + 1;
      values.push(message({ phone: person.phones[at], bsuid: person.bsuids[at] }));
    }
    return { values, people, counts };
  }

  it('of messages by phone and by user id, changes of number between them, twice each', async () => {
    const specs = fc.array(
      fc.tuple(
        fc.constantFrom<'both' | 'phone' | 'bsuid' | 'move'>('both', 'phone', 'bsuid', 'move'),
        fc.constantFrom<0 | 1>(0, 1),
      ),
      { minLength: 2, maxLength: 7 },
    );
    await fc.assert(
      fc.asyncProperty(specs, fc.infiniteStream(fc.nat()), async (given, random) => {
        const { values, people, counts } = story(given);
        const order = values
          .map((value) => [random.next().value as number, value] as const)
          .sort((left, right) => left[0] - right[0])
          .map(([, value]) => value);
        // Batches of up to three, and everything a second time.
        const posts: Promise<unknown>[] = [];
        for (const value of [...order, ...order]) {
          posts.push(signedWebhook(desk.workspace, webhook(desk.workspace, value)));
          if (posts.length % 3 === 0) {
            await Promise.all(posts);
            await desk.settled();
          }
        }
        await Promise.all(posts);
        await desk.settled();
        for (const [index, person] of people.entries()) {
          const moved = given.some(([kind, who]) => kind === 'move' && who === index);
          const [phone, bsuid] = [person.phones[moved ? 1 : 0] ?? '', person.bsuids[moved ? 1 : 0] ?? ''];
          const found = await contact(phone);
          expect(found).toMatchObject({ phone: `+${phone}`, bsuid });
          expect((await contact(bsuid))['id']).toBe(found['id']);
          const rows = await desk.runtime.db.rows<{ type: string }>(
            `SELECT m.type FROM messages m JOIN conversations v ON v.id = m.conversation_id
              WHERE v.contact_id = $id AND m.type <> $system`,
            { id: found['id'], system: 'system' },
          );
          expect(rows).toHaveLength(counts[index] ?? 0);
          const holders = await desk.runtime.db.rows<{ id: number }>(
            `SELECT id FROM contacts WHERE workspace_id = $workspaceId
              AND (phone = ANY($phones::text[]) OR bsuid = ANY($bsuids::text[]))`,
            { workspaceId: desk.workspace.id, phones: person.phones, bsuids: person.bsuids },
          );
          expect(holders).toHaveLength(1);
        }
        expect(await parked()).toEqual([]);
      }),
      { numRuns: runs(8) },
    );
  });
});

describe('merge hooks', () => {
  it('name every column that refers to a contact or a conversation', async () => {
    const keys = await desk.runtime.db.rows<{ place: string; target: string }>(
      `SELECT c.conrelid::regclass || '.' || a.attname AS place, c.confrelid::regclass::text AS target
       FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY(c.conkey)
       WHERE c.contype = 'f' AND c.confrelid IN ('contacts'::regclass, 'conversations'::regclass) ORDER BY 1`,
    );
    const listed = mergeHooks.map(({ table, column, to }) => `${table}.${column} ${to}s`);
    const byHand = keys
      .filter(({ place }) => mergedSeparately.includes(place))
      .map(({ place, target }) => `${place} ${target}`);
    expect([...listed, ...byHand].sort()).toEqual(keys.map(({ place, target }) => `${place} ${target}`).sort());
  });
});

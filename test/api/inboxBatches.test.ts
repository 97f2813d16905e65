import pg from 'pg';
import { fc, runs } from '../support/properties';
import { systemCtx } from '../../api/core/context';
import { apart } from '../../api/core/db/database';
import { lockIdentities } from '../../api/services/resources/contacts/locks';
import { splitChange } from '../../api/services/processes/events/envelope';
import { handlerOf } from '../../api/services/processes/events/handlers';
import { requestIdOf } from '../../api/services/processes/events/read';
import { drainInbox } from '../../api/services/processes/events/service';
import type { StoredEvent } from '../../api/services/processes/events/claim';
import { readLookups } from '../../api/services/processes/events/lookups';
import { keepProcessedSql } from '../../bench/support/processedEvents';
import { createTicket } from '../factories/tickets';
import { unique, uniquePhone } from '../factories/unique';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { lockedOut } from '../support/locks';
import { leaveNothingTo } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';
import { captureStatements } from '../support/statements';

type Json = Record<string, unknown>;

let desk: TestApi;
let other: TestWorkspace;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  await desk.runtime.db.rows(keepProcessedSql);
  // Each drain below is to take all of the test's events at once, of which others would have their share.
  await leaveNothingTo(desk, 'drainInbox');
  other = await createWorkspace(desk);
  for (const { api } of [desk.workspace, other]) {
    // Nothing is delivered without a worker; what subscribers would be told is noted.
    const { status } = await api.post('/api/v1/webhooks/', { url: 'http://127.0.0.1:9/', events: ['*'] });
    expect(status).toBe(201);
  }
});
afterAll(() => desk.close());

/** Whole seconds of the last hour: older than what the service's own clock would make finer. */
const begun = Math.floor(Date.now() / 1000) - 3_600;

interface Person {
  readonly phone: string | null;
  readonly bsuid: string | null;
}

interface Said {
  readonly from: Person;
  readonly wamid?: string;
  readonly second?: number;
  readonly name?: string;
  readonly username?: string;
  readonly more?: Json;
}

const person = (): Person => ({ phone: uniquePhone().slice(1), bsuid: `DE.${unique()}` });

/** Stores events as the intake does, one for each message; returns their ids. */
async function store(workspace: TestWorkspace, said: readonly Said[], metadata: Json = {}): Promise<number[]> {
  const items = said.flatMap(({ from, wamid, second = 0, name, username, more }) =>
    splitChange({
      accountId: '',
      phoneNumberId: null,
      entryTime: null,
      field: 'messages',
      value: {
        metadata: { phone_number_id: workspace.account.phoneNumberId, ...metadata },
        contacts: [
          {
            profile: { ...(name === undefined ? {} : { name }), ...(username === undefined ? {} : { username }) },
            ...(from.phone === null ? {} : { wa_id: from.phone }),
            ...(from.bsuid === null ? {} : { user_id: from.bsuid }),
          },
        ],
        messages: [
          {
            ...(from.phone === null ? {} : { from: from.phone }),
            ...(from.bsuid === null ? {} : { from_user_id: from.bsuid }),
            id: wamid ?? `wamid.batch${unique()}`,
            timestamp: String(begun + second),
            type: 'text',
            text: { body: 'Hi' },
            ...more,
          },
        ],
      },
    }),
  );
  const rows = await desk.runtime.db.rows<{ id: number }>(
    // Due a moment ago: a time of now is kept in whole milliseconds, and may be rounded into the next one.
    `INSERT INTO inbox_events (workspace_id, business_account_id, kind, order_key, payload, available_at)
     SELECT b.workspace_id, b.id, i.kind, i."orderKey", i.payload, now() - interval '1 second'
     FROM business_accounts b, jsonb_to_recordset($items::jsonb) AS i(kind text, "orderKey" text, payload jsonb)
     WHERE b.workspace_id = $workspaceId
     RETURNING id`,
    { workspaceId: workspace.id, items: JSON.stringify(items) },
  );
  return rows.map(({ id }) => id);
}

/** The state of each event; one that was processed is gone. */
const states = async (ids: readonly number[]): Promise<string[]> =>
  (
    await desk.runtime.db.rows<{ state: string }>(
      `SELECT coalesce(state, 'gone') AS state FROM unnest($ids::bigint[]) AS id LEFT JOIN inbox_events USING (id)
       ORDER BY id`,
      { ids },
    )
  ).map(({ state }) => state);

/** The texts of a person's conversation in its order, and the count of what nobody has read. */
async function thread(workspace: TestWorkspace, from: Person): Promise<{ texts: string[]; unread: number }> {
  const handle = from.phone ?? from.bsuid ?? '';
  const { body } = await workspace.api.get(`/api/v1/conversations/${handle}/messages/`);
  const conversation = await workspace.api.get(`/api/v1/conversations/${handle}/`);
  const texts = body.results.map(({ body: said }) => String(((said as Json)['text'] as Json | undefined)?.['body']));
  return { texts: texts.reverse(), unread: Number(conversation.body['unread_count']) };
}

const text = (body: string): { more: Json } => ({ more: { text: { body } } });

describe('messages of a batch', () => {
  it('cost a few statements together, not a few each', async () => {
    const people = Array.from({ length: 40 }, person);
    const known = people.slice(0, 30);
    await store(
      desk.workspace,
      known.map((from) => ({ from })),
    );
    await drainInbox(desk.runtime, 100);
    const ids = await store(
      desk.workspace,
      people.map((from, second) => ({ from, second })),
    );
    const { statements } = await captureStatements(() => drainInbox(desk.runtime, 100));
    expect(await states(ids)).toEqual(ids.map(() => 'gone'));
    expect(statements.length).toBeLessThan(people.length);
  });

  it('of one customer keep their order, the first of somebody new as well', async () => {
    const [anna, ben] = [person(), person()];
    await store(desk.workspace, [
      { from: anna, ...text('1') },
      { from: ben, ...text('only') },
      { from: anna, ...text('2') },
      { from: { ...anna, bsuid: null }, ...text('3') },
      { from: anna, ...text('4') },
    ]);
    await drainInbox(desk.runtime, 100);
    expect(await thread(desk.workspace, anna)).toEqual({ texts: ['1', '2', '3', '4'], unread: 4 });
    expect(await thread(desk.workspace, ben)).toEqual({ texts: ['only'], unread: 1 });
  });

  it('lock out nobody while another worker has one of them in its hands', async () => {
    const [anna, ben] = [person(), person()];
    await store(desk.workspace, [{ from: anna }, { from: ben }]);
    await drainInbox(desk.runtime, 100);
    const ids = await store(desk.workspace, [
      { from: anna, ...text('again') },
      { from: ben, ...text('again') },
    ]);
    const ctx = systemCtx(desk.runtime, desk.workspace.id, 'test');
    const rival = new pg.Client({ connectionString: desk.test.env['DATABASE_URL'] });
    await rival.connect();
    try {
      let drained: Promise<unknown> = Promise.resolve();
      await desk.runtime.db.transaction(async () => {
        await lockIdentities(ctx, [anna.phone]);
        // It has taken both, and waits for one of the customers.
        drained = apart(() => drainInbox(desk.runtime, 100));
        await lockedOut(rival, 1);
        // Whoever had them before it stood still processes one alone.
        await rival.query('BEGIN');
        await rival.query('DELETE FROM inbox_events WHERE id = $1', [ids[0]]);
      });
      await lockedOut(rival, 1);
      await desk.runtime.db.transaction(() => lockIdentities(ctx, [anna.phone, ben.phone]));
      await rival.query('ROLLBACK');
      await drained;
    } finally {
      await rival.end();
    }
    expect(await states(ids)).toEqual(['gone', 'gone']);
    for (const who of [anna, ben]) expect((await thread(desk.workspace, who)).texts).toEqual(['Hi', 'again']);
  });

  it('are stored once, whether repeated in the same batch or the next', async () => {
    const [anna, ben] = [person(), person()];
    const wamid = `wamid.batch${unique()}`;
    const again = { from: anna, wamid, ...text('once') };
    await store(desk.workspace, [again, again, { from: ben, ...text('hello') }]);
    await drainInbox(desk.runtime, 100);
    await store(desk.workspace, [again, { from: ben, ...text('again') }]);
    await drainInbox(desk.runtime, 100);
    expect(await thread(desk.workspace, anna)).toEqual({ texts: ['once'], unread: 1 });
    expect(await thread(desk.workspace, ben)).toEqual({ texts: ['hello', 'again'], unread: 2 });
  });

  it('are stored once where two customers come with the same id', async () => {
    const [anna, ben] = [person(), person()];
    const wamid = `wamid.batch${unique()}`;
    const ids = await store(desk.workspace, [
      { from: anna, wamid, ...text('first') },
      { from: ben, wamid, ...text('second') },
    ]);
    await drainInbox(desk.runtime, 100);
    expect(await states(ids)).toEqual(['gone', 'gone']);
    expect(await thread(desk.workspace, anna)).toEqual({ texts: ['first'], unread: 1 });
    expect(await thread(desk.workspace, ben)).toEqual({ texts: [], unread: 0 });
  });

  it('do not suffer from one that the database refuses', async () => {
    const [anna, ben, carl] = [person(), person(), person()];
    await desk.runtime.db.rows(`ALTER TABLE messages ADD CONSTRAINT refused CHECK (body->'text'->>'body' <> 'refuse')`);
    try {
      const ids = await store(desk.workspace, [
        { from: anna, ...text('before') },
        { from: ben, ...text('refuse') },
        { from: carl, ...text('beside') },
        { from: anna, ...text('after') },
      ]);
      await drainInbox(desk.runtime, 100);
      expect(await states(ids)).toEqual(['gone', 'new', 'gone', 'gone']);
      expect(await thread(desk.workspace, anna)).toEqual({ texts: ['before', 'after'], unread: 2 });
      expect(await thread(desk.workspace, carl)).toEqual({ texts: ['beside'], unread: 1 });
      expect((await desk.workspace.api.get(`/api/v1/conversations/${ben.phone ?? ''}/`)).status).toBe(404);
      await desk.runtime.db.rows('ALTER TABLE messages DROP CONSTRAINT refused');
      await desk.runtime.db.rows(`UPDATE inbox_events SET available_at = now() - interval '1 second' WHERE id = $id`, {
        id: ids[1],
      });
      await drainInbox(desk.runtime, 100);
      expect(await thread(desk.workspace, ben)).toEqual({ texts: ['refuse'], unread: 1 });
    } finally {
      await desk.runtime.db.rows('ALTER TABLE messages DROP CONSTRAINT IF EXISTS refused');
    }
  });

  it('do not suffer from one that cannot be read, which is parked', async () => {
    const [anna, ben] = [person(), person()];
    const ids = await store(desk.workspace, [
      { from: anna, wamid: '', ...text('without id') },
      { from: ben, ...text('beside') },
      { from: anna, ...text('after') },
    ]);
    await drainInbox(desk.runtime, 100);
    expect(await states(ids)).toEqual(['parked', 'gone', 'gone']);
    expect(await thread(desk.workspace, anna)).toEqual({ texts: ['after'], unread: 1 });
  });

  it('stay in their workspaces', async () => {
    const anna = person();
    const wamid = `wamid.batch${unique()}`;
    await store(desk.workspace, [{ from: anna, wamid, name: 'Anna', ...text('here') }]);
    await store(other, [{ from: anna, wamid, name: 'Otherwise', ...text('there') }]);
    await drainInbox(desk.runtime, 100);
    for (const [workspace, said, name] of [
      [desk.workspace, 'here', 'Anna'],
      [other, 'there', 'Otherwise'],
    ] as const) {
      expect(await thread(workspace, anna)).toEqual({ texts: [said], unread: 1 });
      expect((await workspace.api.get(`/api/v1/contacts/${anna.phone ?? ''}/`)).body['name']).toBe(name);
    }
  });

  it('wait for the number of their account, and others do not', async () => {
    const [anna, ben] = [person(), person()];
    const [unknown] = await store(desk.workspace, [{ from: anna }], { phone_number_id: '404' });
    const [fine] = await store(desk.workspace, [{ from: ben }]);
    await drainInbox(desk.runtime, 100);
    expect(await states([unknown ?? 0, fine ?? 0])).toEqual(['new', 'gone']);
  });

  it('that another worker has taken meanwhile are left alone', async () => {
    const [anna, ben] = [person(), person()];
    const ids = await store(desk.workspace, [
      { from: anna, ...text('theirs') },
      { from: ben, ...text('ours') },
    ]);
    // Its lease is over, and whoever had it is done in the moment in which we begin.
    await desk.runtime.db.rows(`
      CREATE FUNCTION taken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        DELETE FROM inbox_events WHERE id = ${ids[0] ?? 0};
        RETURN NULL;
      END $$;
      CREATE TRIGGER taken AFTER UPDATE OF attempts ON inbox_events
        FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION taken()`);
    try {
      await drainInbox(desk.runtime, 100);
      expect((await desk.workspace.api.get(`/api/v1/conversations/${anna.phone ?? ''}/`)).status).toBe(404);
      expect(await thread(desk.workspace, ben)).toEqual({ texts: ['ours'], unread: 1 });
    } finally {
      await desk.runtime.db.rows('DROP TRIGGER taken ON inbox_events; DROP FUNCTION taken()');
    }
  });
});

/** What is known of some people after their messages, without what differs between any two workspaces. */
async function snapshot(workspace: TestWorkspace, people: readonly Person[]): Promise<unknown> {
  return desk.runtime.db.rows(
    `SELECT c.receiver_id, c.phone, c.bsuid, c.name, c.username, c.identity_at, c.profile_name_at, c.username_at,
       c.first_message_at, c.ctwa_clid, c.ctwa_referral_at, c.marketing_opt_out, c.marketing_opt_out_at,
       c.marketing_opt_out_source, c.marketing_preference_at, v.conv_status, v.unread_count, v.last_message_at,
       v.last_inbound_at, v.active_till, v.resolved_at, v.sla_started_at, v.sla_first_response_deadline,
       v.sla_version, v.snoozed_until IS NOT NULL AS snoozed,
       (SELECT wamid FROM messages m WHERE m.id = v.last_message_id) AS last_message,
       (SELECT jsonb_agg(w.open_until) FROM conversation_windows w WHERE w.conversation_id = v.id) AS windows,
       (SELECT jsonb_agg((to_jsonb(m) #- '{group_info,id}')
            - ARRAY['id', 'workspace_id', 'conversation_id', 'phone_number_id', 'updated_at', 'look_at', 'file_id']
            || jsonb_build_object('has_file', m.file_id IS NOT NULL)
          ORDER BY m.id) FROM messages m WHERE m.conversation_id = v.id) AS messages,
       (SELECT jsonb_agg(jsonb_build_array(e.subject_type, e.kind, e.actor_type, e.changes,
            (SELECT wamid FROM messages m WHERE m.conversation_id = v.id
               AND e.data->>'message_id' IN (m.id::text, m.wamid)),
            (SELECT payload->'message'->>'id' FROM processed_events i WHERE e.request_id = 'inbox/' || i.id))
          ORDER BY e.id)
        FROM events e WHERE e.workspace_id = c.workspace_id AND e.subject_id = c.id
          AND e.subject_type IN ('contact', 'conversation')) AS trail,
       (SELECT jsonb_agg(jsonb_build_array(n.type, n.changes,
            (SELECT wamid FROM messages m WHERE m.conversation_id = v.id
               AND n.data->>'message_id' IN (m.id::text, m.wamid))) ORDER BY n.id)
        FROM webhook_events n WHERE n.workspace_id = c.workspace_id AND n.subject_type = 'contact'
          AND n.subject_id = c.id) AS told,
       (SELECT jsonb_agg(t.last_customer_at) FROM tickets t WHERE t.receiver_id = c.id) AS tickets,
       (SELECT jsonb_agg(jsonb_build_array(a.kind, a.value) ORDER BY a.kind, a.value) FROM contact_aliases a
        WHERE a.contact_id = c.id AND a.kind IN ('phone', 'bsuid')) AS aliases
     FROM contacts c JOIN conversations v ON v.id = c.id
     WHERE c.workspace_id = $workspaceId AND (c.phone = ANY($phones::text[]) OR c.bsuid = ANY($bsuids::text[]))
     ORDER BY c.phone, c.bsuid`,
    {
      workspaceId: workspace.id,
      phones: people.map(({ phone }) => phone),
      bsuids: people.map(({ bsuid }) => bsuid),
    },
  );
}

/** Processes stored events one after the other, each by itself; what fails is left out. */
async function oneByOne(ids: readonly number[]): Promise<void> {
  const { runtime } = desk;
  const events = await runtime.db.rows<StoredEvent>(
    'SELECT * FROM inbox_events WHERE id = ANY($ids::bigint[]) ORDER BY id',
    {
      ids,
    },
  );
  const known = await readLookups(runtime, events);
  for (const event of events) {
    const ctx = systemCtx(runtime, event.workspace_id, requestIdOf(event));
    await runtime.db.transaction(async () => handlerOf(event.kind)?.(ctx, event, known)).catch(() => undefined);
  }
}

/** What a conversation was before the messages of a story come. */
const before = ['nothing', 'phone alone', 'open', 'resolved', 'pending', 'spam', 'snoozed', 'ticket'] as const;

const messages: readonly Json[] = [
  { text: { body: 'Hi' } },
  { text: { body: ' stop ' } },
  { text: { body: 'START' } },
  { type: 'image', image: { id: '77', mime_type: 'image/png' }, referral: { ctwa_clid: 'ad', source_id: '1' } },
  { type: 'interactive', interactive: { nfm_reply: { name: 'flow', response_json: '{"flow_token":"x","ok":1}' } } },
  { type: 'text', text: { body: 'In a group' }, group_id: 'friends' },
  { type: 'unsupported', errors: [{ code: 131051, title: 'Unsupported' }] },
  { text: { body: 'An answer' }, context: { id: 'wamid.ours', referred_product: { catalog_id: '1' } } },
  { type: 'system', system: { type: 'customer_identity_changed' } },
];

describe('a batch', () => {
  const saying = fc.record({
    who: fc.nat(5),
    named: fc.constantFrom('both', 'both', 'alone'),
    wamid: fc.nat(6),
    second: fc.nat(20),
    name: fc.option(fc.constantFrom('Anna', 'Anne', ''), { nil: undefined }),
    username: fc.option(fc.constantFrom('@anna', 'anne'), { nil: undefined }),
    what: fc.nat(messages.length - 1),
  });

  it('ends as the same events one by one', async () => {
    await desk.runtime.db.rows(
      `INSERT INTO sla_policies (workspace_id, name, is_default, applies_to, first_response_minutes, resolution_minutes)
       SELECT id, 'Usual', true, '{conversations}', 30, 600 FROM unnest($ids::bigint[]) AS id`,
      { ids: [desk.workspace.id, other.id] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...before), { minLength: 6, maxLength: 6 }),
        fc.array(saying, { minLength: 1, maxLength: 25 }),
        async (begin, story) => {
          const people = begin.map(person);
          // A number that was given to somebody else.
          people[5] = { phone: people[4]?.phone ?? null, bsuid: people[5]?.bsuid ?? null };
          const mark = unique();
          const said = story.map(({ who, named, wamid, second, name, username, what }): Said => {
            const { phone, bsuid } = people[who] ?? person();
            // Messages keep their order by a name that they share: each person has one that is always told.
            const alone = who > 3 ? 'both' : who % 2 === 0 ? 'phone' : 'bsuid';
            const by = named === 'both' ? 'both' : alone;
            return {
              from: { phone: by === 'bsuid' ? null : phone, bsuid: by === 'phone' ? null : bsuid },
              wamid: `wamid.story${mark}/${who}/${wamid}`,
              second: 60 + second,
              name,
              username,
              more: messages[what],
            };
          });
          const ends: unknown[] = [];
          for (const workspace of [desk.workspace, other]) {
            for (const [place, state] of begin.entries()) await prepare(workspace, people[place] ?? person(), state);
            const ids = await store(workspace, said);
            if (workspace === other) await oneByOne(ids);
            else while ((await drainInbox(desk.runtime, 100)).taken > 0);
            await desk.runtime.db.rows('DELETE FROM inbox_events WHERE id = ANY($ids::bigint[])', {
              ids,
            });
            ends.push(await snapshot(workspace, people));
          }
          expect(ends[0]).toEqual(ends[1]);
        },
      ),
      { numRuns: runs(10), endOnFailure: true },
    );
  });

  /** Makes a contact with a conversation in some state; the phone that two people share is the first one's. */
  async function prepare(workspace: TestWorkspace, { phone, bsuid }: Person, state: (typeof before)[number]) {
    if (state === 'nothing' || phone === null) return;
    const { status } = await workspace.api.post('/api/v1/contacts/', {
      phone: `+${phone}`,
      ...(state === 'phone alone' ? {} : { bsuid }),
    });
    if (status !== 201) return;
    if (state === 'ticket') await createTicket(workspace, { receiver_id: phone });
    else if (state !== 'phone alone' && state !== 'open')
      await desk.runtime.db.rows(
        `UPDATE conversations v SET conv_status = $state::text,
           resolved_at = CASE WHEN $state::text = 'resolved' THEN '2026-01-01'::timestamptz END,
           snoozed_until = CASE WHEN $state::text = 'snoozed' THEN now() + interval '1 day' END
         FROM contacts c WHERE c.id = v.id AND c.workspace_id = $workspaceId AND c.phone = $phone`,
        { state, workspaceId: workspace.id, phone },
      );
  }
});

import type { Operation } from '../../api/core/http/operations';
import type { JsonSchema } from '../../api/core/http/shapes';
import { createCrowd, type Crowd } from '../factories/crowd';
import { ownerSession } from '../factories/macros';
import { createWorkspace } from '../factories/workspaces';
import { startApi, type TestApi } from '../support/api';
import type { ApiClient } from '../support/client';
import { lists, pathOf, queryOf } from '../support/lists';
import { captureStatements, Explainer, type Reading } from '../support/statements';

/*
 * A list reads what it shows, whatever the planner knows. Every list of the operations table is asked with every filter
 * and every ordering; the statements that it sent are explained, and what each read is held against what it gave. A new
 * list, or a new filter, fails here until it has rows (test/factories/crowd.ts) and a sample value (below).
 */

/** Rows of each workspace in the tables that grow. */
const crowdSize = 1_500;
/** Pages that a row of a list may cost, with everything that is looked up for it; and those of a statement itself. */
const perRow = 40;
const perStatement = 60;
/**
 * Rows that must be counted, or looked through for a filter, may be read once (index and table, of two tables), but
 * never once per row.
 */
const perCounted = 6;
const maxStatements = 25;

type Values = (crowd: Crowd) => readonly (string | number)[];
const assignee: Values = ({ member }) => [member, 'none'];
const inbox: Values = ({ inbox: id }) => [id, 'none'];
const conversationStatuses: Values = () => ['open', 'snoozed,pending'];

/** Values of the filters that say nothing of theirs in the schema, by name or by operation and name. */
const samples: Readonly<Record<string, Values>> = {
  search: () => ['Person 123', '4930000012', 'n 12', 'zzz', '+55 (11) 98107-3044', 'BR.12345678901'],
  'messages.search q': () => ['hello'],
  search_messages: () => ['hello', 'zzz'],
  'messages.search receiver': ({ handle }) => [handle],
  'tickets.list search': () => ['Ticket 123', '123', 't 1', 'zzz'],
  tag: () => ['vip'],
  tool: () => ['send_message'],
  action: () => ['signIn'],
  member_id: ({ member }) => [member],
  'rescue.list days': () => [30],
  'conversations.list status': conversationStatuses,
  conv_status: conversationStatuses,
  'templates.list status': () => ['approved', 'PAUSED'],
  category: () => ['MARKETING'],
  'flows.list status': () => ['PUBLISHED'],
  availability: () => ['in stock'],
  assigned_member: assignee,
  assigned_to: assignee,
  assigned_team_inbox: inbox,
  assigned_inbox: inbox,
  priority: () => ['high', 'low,urgent'],
  severity: () => ['sev1'],
  type: () => ['refund'],
  source: () => ['manual'],
  outcome: () => ['resolved'],
  pipeline: ({ pipeline }) => [pipeline],
  stage: ({ stage }) => [stage],
  receiver: ({ contact }) => [contact],
  affected_contact: ({ contact }) => [contact],
  'tickets.list receiver_id': ({ handle }) => [handle],
  'cannedReplies.list receiver_id': ({ handle }) => [handle],
  'rules.runs receiver': ({ handle }) => [handle],
  affected_receiver_id: ({ handle }) => [handle],
  parent_ticket: ({ ticket }) => [ticket, 'none'],
  custom_field: () => ['gold'],
};

const paging = ['page', 'page_size', 'cursor', 'limit', 'offset', 'ordering'];

/** Values worth asking for: the schema's own, or the samples above. */
function valuesOf(operation: Operation, name: string, schema: JsonSchema, crowd: Crowd): readonly (string | number)[] {
  if (Array.isArray(schema['enum'])) return schema['enum'] as string[];
  if (schema['type'] === 'boolean') return ['true', 'false'];
  if (schema['format'] === 'date-time') return [new Date(Date.now() - 3_600_000).toISOString()];
  const values = samples[`${operation.id} ${name}`] ?? samples[name];
  if (!values && Array.isArray(schema['examples'])) return schema['examples'] as string[];
  if (!values) throw new Error(`the filter ${name} of ${operation.id} has no sample value in this test`);
  return values(crowd);
}

interface Enveloped {
  readonly results: unknown[];
  readonly next: string | null;
}

interface Asked {
  readonly query: string;
  /**
   * What it asks for cannot be had without looking through the workspace's rows once: a filter, or a page far behind.
   */
  readonly looksThrough: boolean;
}

function questionsOf(operation: Operation, crowd: Crowd): Asked[] {
  const { parameters: described, required } = queryOf(operation);
  const parameters = Object.entries(described);
  const names = parameters.map(([name]) => name);
  const needed = parameters
    .filter(([name]) => required.includes(name))
    .map(([name, schema]) => `&${name}=${valuesOf(operation, name, schema, crowd)[0] ?? ''}`);
  const size = (names.includes('limit') ? 'limit=200' : 'page_size=200') + needed.join('');
  const asked: Asked[] = [{ query: size, looksThrough: false }];
  if (operation.id === 'messages.search') asked.push({ query: 'page_size=200&q=zzz', looksThrough: true });
  for (const query of names.includes('page') ? ['page=3', 'page=last'] : names.includes('offset') ? ['offset=400'] : [])
    asked.push({ query: `${size}&${query}`, looksThrough: true });
  for (const [name, schema] of parameters) {
    if (required.includes(name)) continue;
    if (paging.includes(name) && name !== 'ordering') continue;
    const prefix = Object.entries(operation.queryPrefixes ?? {}).find(([, key]) => key === name)?.[0];
    for (const value of valuesOf(operation, name, schema, crowd))
      asked.push({
        query: `${size}&${prefix ? `${prefix}plan` : name}=${encodeURIComponent(value)}`,
        looksThrough: name !== 'ordering',
      });
  }
  return asked;
}

/** Servers of their own: what others wrote and removed lies in the pages that are counted here. */
const alone = { env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } };

const isExplained = (text: string): boolean => /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b/i.test(text);
const isCount = (text: string): boolean => /^\s*SELECT ("\w+", )?count\(/i.test(text);

describe.each([
  ['has just been written', null],
  ['has grown since it was analysed', 40],
] as const)('lists of a database that %s', (_state, analysedAt) => {
  let desk: TestApi;
  let crowd: Crowd;
  let session: ApiClient;
  let explainer: Explainer | undefined;
  beforeAll(async () => {
    desk = await startApi(alone);
    const { db } = desk.runtime;
    const tables = await db.rows<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
    );
    for (const { name } of tables) await db.rows(`ALTER TABLE ${name} SET (autovacuum_enabled = false)`);
    // A second workspace beside it: what is read of a stranger's counts, too.
    const crowds = [desk.workspace, await createWorkspace(desk)].map((workspace) => createCrowd(workspace));
    const [mine, theirs] = await Promise.all(crowds);
    if (!mine || !theirs) throw new Error('there is no crowd');
    for (const each of [mine, theirs]) if (analysedAt !== null) await each.grow(1, analysedAt);
    if (analysedAt !== null) await db.rows('ANALYZE');
    for (const each of [theirs, mine]) await each.grow((analysedAt ?? 0) + 1, crowdSize);
    crowd = mine;
    session = (await ownerSession(desk.workspace)).api;
    explainer = await Explainer.open(desk.test.env['DATABASE_URL'] ?? '');
  });
  afterAll(async () => {
    await explainer?.close();
    await desk.close();
  });

  const read = new Map<string, Reading>();

  /** Statements that read more than their rows explain. */
  async function excesses(
    operation: Operation,
    asked: Asked,
    path: string,
  ): Promise<{ faults: string[]; next: string }> {
    const api = operation.audience === 'session' ? session : desk.api;
    const { result, statements } = await captureStatements(() => api.get<unknown[] | Enveloped>(path));
    expect([path, result.status]).toEqual([path, 200]);
    const { results: items, next } = Array.isArray(result.body) ? { results: result.body, next: null } : result.body;
    const faults: string[] = [];
    if (!asked.looksThrough && items.length < 50) faults.push(`${path}: only ${items.length} rows to judge by`);
    if (statements.length > maxStatements) faults.push(`${path}: ${statements.length} statements`);
    for (const statement of statements.filter(({ text }) => isExplained(text))) {
      const key = JSON.stringify(statement);
      const reading = read.get(key) ?? (await explainer?.read(statement));
      if (!reading) throw new Error('nothing explains');
      read.set(key, reading);
      const allowed =
        perStatement +
        perRow * reading.rows +
        (asked.looksThrough || isCount(statement.text) ? perCounted * crowdSize : 0);
      if (reading.buffers > allowed)
        faults.push(`${path}: ${reading.buffers} buffers, ${allowed} allowed\n${statement.text}\n${reading.plan}`);
    }
    return { faults, next: next ?? '' };
  }

  it.each(lists.map((operation) => [operation.id, operation] as const))('%s', async (_id, operation) => {
    const path = pathOf(operation, crowd);
    const faults: string[] = [];
    for (const asked of questionsOf(operation, crowd)) {
      const found = await excesses(operation, asked, `${path}?${asked.query}`);
      faults.push(...found.faults);
      // Walking by `next` must not cost more than beginning.
      if (found.next) faults.push(...(await excesses(operation, asked, found.next)).faults);
    }
    expect(faults.join('\n\n')).toBe('');
  });
});

describe('a workspace whose rows changed long ago, beside one whose rows change now', () => {
  /** Rows of each workspace; a walk through those of one reads more pages than this. */
  const rows = 3_000;
  let desk: TestApi;
  let explainer: Explainer | undefined;
  beforeAll(async () => {
    desk = await startApi(alone);
    const { db } = desk.runtime;
    const busy = await createWorkspace(desk);
    for (const [workspace, changed] of [
      [busy, 'now()'],
      [desk.workspace, `now() - interval '60 days'`],
    ] as const)
      await db.rows(
        `WITH contact AS (
           INSERT INTO contacts (workspace_id, receiver_id, phone, name, tags, created_at, updated_at)
           SELECT $id, phone, phone, 'Person ' || n, CASE WHEN n % 3 = 0 THEN '["vip"]' ELSE '[]' END::jsonb,
             ${changed} - random() * interval '300 days', ${changed}
           FROM generate_series(1, ${rows}) AS n, LATERAL (SELECT (49310000000 + n)::text AS phone) p
           RETURNING id, created_at, updated_at, tags
         ), conversation AS (
           INSERT INTO conversations (id, workspace_id, contact_id, conv_status, created_at, updated_at,
             last_message_at)
           SELECT id, $id, id, CASE WHEN tags = '[]' THEN 'open' ELSE 'resolved' END, created_at, updated_at, created_at
             FROM contact
         )
         INSERT INTO tickets (workspace_id, title, pipeline_id, stage_id, created_at, updated_at)
         SELECT $id, 'Old', p.id, (SELECT min(s.id) FROM ticket_stages s WHERE s.pipeline_id = p.id),
           contact.created_at, contact.updated_at
         FROM contact, LATERAL (SELECT min(id) AS id FROM ticket_pipelines WHERE workspace_id = $id) p`,
        { id: workspace.id },
      );
    await db.rows('ANALYZE contacts, conversations, tickets');
    explainer = await Explainer.open(desk.test.env['DATABASE_URL'] ?? '');
  });
  afterAll(async () => {
    await explainer?.close();
    await desk.close();
  });

  it.each(['contacts', 'conversations', 'tickets'])('%s after a day on which nothing changed', async (list) => {
    const day = new Date(Date.now() - 86_400_000).toISOString();
    const { result, statements } = await captureStatements(() =>
      desk.api.get<unknown[] | Enveloped>(`/api/v1/${list}/?updated_after=${day}`),
    );
    expect(result.body).toMatchObject(list === 'tickets' ? [] : { results: [] });
    for (const statement of statements.filter(({ text }) => isExplained(text)))
      expect((await explainer?.read(statement))?.buffers).toBeLessThan(100);
  });
});

import pg from 'pg';
import { listContacts } from '../../api/services/resources/contacts/lists';
import { createWorkspaceWithKey, type Context, type Installation } from '../support/context';
import { atMost, exactly, ratioLine, type Figure, type Line } from '../support/figure';
import { numbered } from '../support/numbered';
import { createReader, walkLines, type Timed } from '../support/reads';
import { planted, seedPeople } from '../support/seedPeople';
import { recordStatements } from '../support/statements';
import { median, percentile } from '../support/stats';

const smallSize = 2_000;
/** Terms of three characters and more with at most so many hits are bound to be fast (contract 5). */
const fewHits = 2_000;
const lettersOf = (term: string): number => [...term].length;
/** What many have, what is too short for the index, and the list itself. */
const common = ['', 'a', 'an', '49', '@', 'ø', 'anna', 'gmail.com', '+49', '.de', 'schwarzenberger'];

/**
 * Contact search and list on a million contacts, on a small workspace beside them, and a walk over all of them by
 * `next`.
 */
export const figure: Figure = {
  name: 'contacts',
  async run(context: Context) {
    const size = context.quick ? 50_000 : 1_000_000;
    const installation = await context.install();
    const begun = Date.now();
    await seedPeople(installation, installation.ctx.workspaceId, size, { bulk: true });
    const small = await createWorkspaceWithKey(installation.runtime, 'Beside');
    await seedPeople(installation, small.ctx.workspaceId, smallSize, { bulk: false });
    await installation.sql('VACUUM ANALYZE contacts');
    context.log(
      `${size} contacts and ${smallSize} beside them are there after ${((Date.now() - begun) / 1000).toFixed(0)} s`,
    );
    const api = await installation.startApi();
    const reader = createReader(api.url ?? '', installation.apiKey);
    const search = (term: string, apiKey?: string): Promise<Timed> =>
      reader.get(`/api/v1/contacts/?search=${encodeURIComponent(term)}`, apiKey);

    const terms = [...common, ...planted.map(({ term }) => term), ...(await termsOf(installation))];
    const hits = new Map<string, number>();
    for (const term of terms) hits.set(term, (await search(term)).answer.count);
    const few = terms.filter((term) => lettersOf(term) >= 3 && (hits.get(term) ?? 0) <= fewHits);
    const many = terms.filter((term) => !few.includes(term));
    context.log(`hits: ${terms.map((term) => `"${term}" ${hits.get(term) ?? 0}`).join(', ')}`);
    const lines = [
      ...(await fewLines(context, few, search)),
      ...(await manyLines(context, installation, many, search)),
      ...(await smallLines(context, terms, (term) => search(term, small.apiKey))),
      exactly(
        'counts of five terms that a plain count over the six fields does not find',
        await wrongCounts(installation, ['Wojciechowicz', 'anna becker', '@gmail', '+491', 'an'], search),
        0,
      ),
      ...(await walkLines(context, reader, '/api/v1/contacts/?page_size=200', size, 1.5)),
    ];
    await reader.close();
    return lines;
  },
};

/**
 * Returns what people type who look for one person, and a few others; the last is one that the planner takes for
 * frequent, because its statistics hold it.
 */
async function termsOf(installation: Installation): Promise<string[]> {
  const people = await installation.sql<{
    phone: string | null;
    email: string;
    name: string;
    username: string | null;
    bsuid: string | null;
  }>(
    `SELECT phone, email, name, username, bsuid FROM contacts
      WHERE workspace_id = $1 AND id IN (SELECT min(id) + n FROM contacts, unnest(ARRAY[1001, 20003, 41007, 49009]) AS n
      WHERE workspace_id = $1 GROUP BY n) ORDER BY id`,
    [installation.ctx.workspaceId],
  );
  const [sampled] = await installation.sql<{ text: string | null }>(
    `SELECT (histogram_bounds::text::text[])[60] AS text FROM pg_stats
      WHERE tablename = 'contacts' AND attname = 'search_text'`,
  );
  const typed = (phone: string): string => `+${phone.slice(0, 2)} ${phone.slice(2, 6)} ${phone.slice(6)}`;
  const own = people.flatMap(({ phone, email, name, username, bsuid }) => [
    phone === null ? '' : typed(phone),
    email,
    name,
    username === null ? '' : `@${username}`,
    bsuid ?? '',
  ]);
  return [
    ...new Set([
      ...own,
      'anna becker',
      'anna.becker',
      '12345',
      '1234567',
      'fatima castell',
      'montgomery software',
      'kensington hotel gmbh',
      'zzzzz',
      /^\+\d+/.exec(sampled?.text ?? '')?.[0] ?? '',
    ]),
  ].filter((term) => term !== '');
}

async function fewLines(
  context: Context,
  terms: readonly string[],
  search: (term: string) => Promise<Timed>,
): Promise<Line[]> {
  const samples = new Map<string, number[]>(terms.map((term) => [term, []]));
  for (let round = 0; round < (context.quick ? 5 : 15); round += 1)
    for (const term of terms) samples.get(term)?.push((await search(term)).ms);
  const slowest = [...samples].sort(([, left], [, right]) => median(right) - median(left)).slice(0, 5);
  context.log(
    `slowest of the rare terms: ` +
      slowest.map(([term, times]) => `"${term}" ${median(times).toFixed(0)} ms`).join(', '),
  );
  const all = [...samples.values()].flat();
  return [
    {
      what: `${terms.length} terms of 3 characters and more with up to ${fewHits} hits, p50 in ms`,
      value: percentile(all, 0.5),
    },
    atMost('the same, p95 in ms', percentile(all, 0.95), 150),
  ];
}

/** Each term in turns over HTTP and by a bare client that runs the service's own statements. */
async function manyLines(
  context: Context,
  installation: Installation,
  terms: readonly string[],
  search: (term: string) => Promise<Timed>,
): Promise<Line[]> {
  const client = new pg.Client({ connectionString: installation.env['DATABASE_URL'] });
  await client.connect();
  const ours: number[] = [];
  const bare: number[] = [];
  let worst = { term: '', ours: 0, bare: 1 };
  try {
    for (const term of terms) {
      const statements = (
        await recordStatements(installation, (_runtime, ctx) => listContacts(ctx, term === '' ? {} : { search: term }))
      ).map(({ sql, bind }) => {
        const { text, names } = numbered(sql);
        return { text, values: names.map((name) => bind[name]) };
      });
      const own: number[] = [];
      const plain: number[] = [];
      const runBare = async (): Promise<void> => {
        const started = performance.now();
        for (const statement of statements) await client.query(statement);
        plain.push(performance.now() - started);
      };
      // Who begins changes each round: the second finds warm caches, and what else the machine does falls on both.
      for (let round = 0; round < (context.quick ? 3 : 7); round += 1) {
        if (round % 2 === 1) await runBare();
        own.push((await search(term)).ms);
        if (round % 2 === 0) await runBare();
      }
      context.log(`"${term}": ${median(own).toFixed(0)} ms, bare ${median(plain).toFixed(0)} ms`);
      if (median(own) / median(plain) > worst.ours / worst.bare)
        worst = { term, ours: median(own), bare: median(plain) };
      ours.push(...own);
      bare.push(...plain);
    }
  } finally {
    await client.end();
  }
  return [
    ratioLine(
      `${terms.length - 1} other terms and the list itself against their bare statements, p95 in ms`,
      percentile(ours, 0.95),
      percentile(bare, 0.95),
      { below: 1.3 },
    ),
    ratioLine(`the one of these with the highest ratio ("${worst.term}"), median in ms`, worst.ours, worst.bare, {
      below: 1.3,
    }),
  ];
}

async function smallLines(
  context: Context,
  terms: readonly string[],
  search: (term: string) => Promise<Timed>,
): Promise<Line[]> {
  const searches: number[] = [];
  const lists: number[] = [];
  for (let round = 0; round < (context.quick ? 3 : 10); round += 1) {
    for (const term of terms) {
      lists.push((await search('')).ms);
      searches.push((await search(term)).ms);
    }
  }
  return [
    atMost(`${smallSize} contacts beside them: search, p95 in ms`, percentile(searches, 0.95), 15),
    atMost(`${smallSize} contacts beside them: list, p95 in ms`, percentile(lists, 0.95), 15),
  ];
}

/** Returns how many of the terms have another count than a scan that looks into each field by itself. */
async function wrongCounts(
  installation: Installation,
  terms: readonly string[],
  search: (term: string) => Promise<Timed>,
): Promise<number> {
  const fields = [`'+' || phone`, 'name', 'email', 'company', `'@' || username`, 'bsuid']
    .map((field) => `position(fold($2) in fold(${field})) > 0`)
    .join(' OR ');
  let wrong = 0;
  for (const term of terms) {
    const [plain] = await installation.sql<{ count: number }>(
      `SELECT count(*)::int AS count FROM contacts WHERE workspace_id = $1 AND (${fields})`,
      [installation.ctx.workspaceId, term],
    );
    if (plain?.count !== (await search(term)).answer.count) wrong += 1;
  }
  return wrong;
}

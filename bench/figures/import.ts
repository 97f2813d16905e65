import pg from 'pg';
import { ratioLine, type Figure } from '../support/figure';
import type { Context } from '../support/context';
import { median } from '../support/stats';

interface Row {
  readonly phone: string;
  readonly name: string;
  readonly email: string;
  readonly company: string;
  readonly custom: Readonly<Record<string, unknown>>;
}

const fields = [
  { name: 'plan', field_type: 'select', options: ['free', 'pro', 'team'] },
  { name: 'seats', field_type: 'number' },
  { name: 'vip', field_type: 'boolean' },
  { name: 'since', field_type: 'date' },
  { name: 'topics', field_type: 'multi_select', options: ['news', 'offers', 'events'] },
];
const chunk = 1_000;

/**
 * A CSV file through the API, in turns with UNNEST upserts of the same rows: into the table of contacts alone, and with
 * the conversation and the event that each new contact has, which is what the service must write.
 */
export const figure: Figure = {
  name: 'import',
  async run(context) {
    const rows = makeRows(context.quick ? 5_000 : 50_000);
    const rounds: { ours: number; again: number; bare: number; whole: number; rowless: number }[] = [];
    for (let round = 0; round < (context.quick ? 1 : 3); round += 1) {
      const bare = await bareRound(context, rows, contactAlone);
      const whole = await bareRound(context, rows, sameWork);
      const rowless = await bareRound(context, rows, withoutConversation);
      const { created, again } = await ourRound(context, rows);
      rounds.push({ ours: created, again, bare, whole, rowless });
      context.log(
        `round ${round + 1}: ${created.toFixed(0)} rows/s, the same file again ${again.toFixed(0)}; ` +
          `bare ${bare.toFixed(0)}, with conversation and event ${whole.toFixed(0)}, ` +
          `with the event alone ${rowless.toFixed(0)}`,
      );
    }
    const of = (which: 'ours' | 'again' | 'bare' | 'whole' | 'rowless'): number =>
      median(rounds.map((round) => round[which]));
    return [
      ratioLine(`${rows.length} CSV rows with five custom fields, rows/s`, of('ours'), of('bare'), { atLeast: 0.35 }),
      ratioLine('the same against a bare client that does the same work, rows/s', of('ours'), of('whole'), {
        atLeast: 0.8,
      }),
      { what: 'the same file again, rows/s', value: of('again') },
      { what: 'the bare client without rows of conversations, rows/s', value: of('rowless') },
    ];
  },
};

function makeRows(count: number): Row[] {
  return Array.from({ length: count }, (_unused, index) => ({
    phone: `4917${String(index).padStart(9, '0')}`,
    name: `Customer ${index}`,
    email: `customer${index}@example.com`,
    company: `Company ${index % 997}`,
    custom: {
      plan: ['free', 'pro', 'team'][index % 3],
      seats: index % 50,
      vip: index % 7 === 0,
      since: `20${10 + (index % 15)}-0${1 + (index % 9)}-1${index % 10}`,
      topics: ['news', 'offers', 'events'].slice(index % 3),
    },
  }));
}

function csv(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ phone, name, email, company, custom }) =>
      `+${phone},${name},${email},${company},${String(custom['plan'])},${String(custom['seats'])},` +
      `${custom['vip'] ? 'yes' : 'no'},${String(custom['since'])},${(custom['topics'] as string[]).join(';')}`,
  );
  return `phone,name,email,company,plan,seats,vip,since,topics\n${lines.join('\n')}\n`;
}

async function ourRound(context: Context, rows: readonly Row[]): Promise<{ created: number; again: number }> {
  const installation = await context.install();
  const api = await installation.startApi();
  const headers = { authorization: `Bearer ${installation.apiKey}` };
  for (const field of fields) {
    const answer = await fetch(`${api.url}/api/v1/custom-fields/`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(field),
    });
    if (answer.status !== 201) throw new Error(`the field was refused: ${await answer.text()}`);
  }
  const text = csv(rows);
  const send = async (expected: Record<string, number>): Promise<number> => {
    const form = new FormData();
    form.append('file', new Blob([text]), 'contacts.csv');
    const started = performance.now();
    const answer = await fetch(`${api.url}/api/v1/contacts/bulk/`, { method: 'POST', headers, body: form });
    const body = (await answer.json()) as Record<string, unknown>;
    const seconds = (performance.now() - started) / 1000;
    if (answer.status !== 200 || Object.entries(expected).some(([key, value]) => body[key] !== value))
      throw new Error(`the import answered ${answer.status}: ${JSON.stringify(body).slice(0, 500)}`);
    return rows.length / seconds;
  };
  const created = await send({ created: rows.length, updated: 0, failed: 0 });
  return { created, again: await send({ created: 0, updated: rows.length, failed: 0 }) };
}

const upsert = `
  INSERT INTO contacts AS c (workspace_id, receiver_id, phone, name, email, company, custom_fields)
  SELECT $1, phone, phone, name, email, company, custom
  FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::jsonb[]) AS r(phone, name, email, company, custom)
  ON CONFLICT (workspace_id, phone) WHERE phone IS NOT NULL DO UPDATE
    SET name = excluded.name, email = excluded.email, company = excluded.company,
      custom_fields = c.custom_fields || excluded.custom_fields, updated_at = now()`;
/** The table of contacts with its indexes, and nothing beside it. */
const contactAlone = upsert;
/** All that a new contact is: its row, its conversation and its event. */
const sameWork = contactWith(`, opened AS (
      INSERT INTO conversations (id, workspace_id, contact_id) SELECT id, $1, id FROM written WHERE fresh)`);
/** What it would be if a conversation began with its first message. */
const withoutConversation = contactWith('');

function contactWith(more: string): string {
  return `
  WITH written AS (${upsert} RETURNING c.id, c.created_at = c.updated_at AS fresh)${more}
  INSERT INTO events (workspace_id, subject_type, subject_id, kind, actor_type, changes, data, request_id)
  SELECT $1, 'contact', id, 'created', 'system', '{}', '{}', 'bench' FROM written WHERE fresh`;
}

/** Runs the statement in chunks; the arrays are there before the clock starts. */
async function bareRound(context: Context, rows: readonly Row[], statement: string): Promise<number> {
  const installation = await context.install();
  const client = new pg.Client({ connectionString: installation.env['DATABASE_URL'] });
  await client.connect();
  try {
    const chunks: unknown[][] = [];
    for (let at = 0; at < rows.length; at += chunk) {
      const part = rows.slice(at, at + chunk);
      chunks.push([
        installation.ctx.workspaceId,
        part.map((row) => row.phone),
        part.map((row) => row.name),
        part.map((row) => row.email),
        part.map((row) => row.company),
        part.map((row) => JSON.stringify(row.custom)),
      ]);
    }
    const started = performance.now();
    for (const values of chunks) await client.query(statement, values);
    const seconds = (performance.now() - started) / 1000;
    const [made] = await installation.sql<{ contacts: number }>('SELECT count(*)::int AS contacts FROM contacts');
    if (made?.contacts !== rows.length) throw new Error(`the bare client wrote ${made?.contacts ?? 0} contacts`);
    return rows.length / seconds;
  } finally {
    await client.end();
  }
}

import pg from 'pg';
import { eventually } from './eventually';

/** A statement as it went to the server. */
interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Sent under a name: the server may run it by a plan that was made without looking at the values. */
  readonly named: boolean;
}

/** What a statement read. */
export interface Reading {
  readonly text: string;
  /** Pages of tables and indexes, each as often as it was looked at. */
  readonly buffers: number;
  readonly rows: number;
  readonly plan: string;
}

type Query = (this: pg.Client, query: unknown, ...rest: unknown[]) => unknown;

/** Runs `work` and gives the statements that this process sent meanwhile, whoever sent them. */
export async function captureStatements<T>(work: () => Promise<T>): Promise<{ result: T; statements: Statement[] }> {
  const statements: Statement[] = [];
  const client = pg.Client.prototype as unknown as { query: Query };
  const original = client.query;
  client.query = function (query, ...rest): unknown {
    const { text, values, name } = (typeof query === 'string' ? { text: query } : query) as {
      text?: string;
      values?: unknown[];
      name?: string;
    };
    if (text !== undefined)
      statements.push({
        text,
        values: values ?? (Array.isArray(rest[0]) ? (rest[0] as unknown[]) : []),
        named: name !== undefined,
      });
    return original.call(this, query, ...rest);
  };
  try {
    return { result: await work(), statements };
  } finally {
    client.query = original;
  }
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

const explain = 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON)';

/** Runs statements again on a connection of its own, undoes what they do, and tells what each read. */
export class Explainer {
  private prepared = 0;

  private constructor(private readonly client: pg.Client) {}

  /**
   * Connects, and vacuums: counts are read off indexes then, and entries of an index that lead to dead rows are not
   * read as well. How many of these earlier tests left, and whether an ANALYZE of autovacuum holds on to them, is luck.
   */
  static async open(databaseUrl: string): Promise<Explainer> {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await eventually(async () => {
      await client.query('VACUUM (INDEX_CLEANUP ON)');
      const { rows } = await client.query('SELECT relname FROM pg_stat_user_tables WHERE n_dead_tup > 0');
      if (rows.length > 0) throw new Error(`somebody holds on to dead rows: ${JSON.stringify(rows)}`);
    });
    return new Explainer(client);
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  /** By a plan for its values; one that is sent under a name also by the plan that fits all. The dearer one counts. */
  async read({ text, values, named }: Statement): Promise<Reading> {
    const custom = await this.undone(() => this.client.query(`${explain} ${text}`, [...values]));
    const readings = [readingOf(text, custom)];
    if (named) {
      const name = `explained_${(this.prepared += 1)}`;
      const literals = values.map(literal);
      const generic = await this.undone(async () => {
        await this.client.query('SET LOCAL plan_cache_mode = force_generic_plan');
        await this.client.query(`PREPARE ${name} AS ${text}`);
        return this.client.query(`${explain} EXECUTE ${name}${literals.length ? `(${literals.join(', ')})` : ''}`);
      });
      await this.client.query(`DEALLOCATE ${name}`);
      readings.push(readingOf(text, generic));
    }
    return readings.reduce((dearest, reading) => (reading.buffers > dearest.buffers ? reading : dearest));
  }

  private async undone(work: () => Promise<pg.QueryResult>): Promise<pg.QueryResult> {
    await this.client.query('BEGIN');
    try {
      return await work();
    } finally {
      await this.client.query('ROLLBACK');
    }
  }
}

/** A value as the driver would send it, written into a statement. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (Buffer.isBuffer(value)) return pg.escapeLiteral(`\\x${value.toString('hex')}`);
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString());
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map((item) => JSON.stringify(item)).join(',')}}`);
  return pg.escapeLiteral(typeof value === 'object' ? JSON.stringify(value) : `${value as string | number | boolean}`);
}

function readingOf(text: string, result: pg.QueryResult): Reading {
  const [row] = result.rows as { 'QUERY PLAN': readonly { Plan: PlanNode }[] }[];
  const plan = row?.['QUERY PLAN'][0]?.Plan;
  if (!plan) throw new Error('EXPLAIN gave no plan');
  return { text, buffers: buffersOf(plan), rows: plan['Actual Rows'] * plan['Actual Loops'], plan: outline(plan, 0) };
}

function buffersOf(node: PlanNode): number {
  return node['Shared Hit Blocks'] + node['Shared Read Blocks'];
}

function outline(node: PlanNode, depth: number): string {
  const where = [node['Relation Name'], node['Index Name']].filter(Boolean).join(' by ');
  const line =
    `${'  '.repeat(depth)}${node['Node Type']} ${where}: ${node['Actual Rows']} rows x ${node['Actual Loops']}, ` +
    `${buffersOf(node)} buffers`;
  return [line, ...(node.Plans ?? []).map((inner) => outline(inner, depth + 1))].join('\n');
}

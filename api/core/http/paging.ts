import type { Ctx } from '../context';
import { invalidField, notFound } from './errors';
import { boolean, described, field, Fault, printable, text, type Field } from './fields';
import { reason } from './reasons';
import type { Page } from './operations';

const defaultPageSize = 50;
const maxPageSize = 200;

/** The paging parameters of every enveloped list (contract 4); bad sizes are clamped, not refused. */
export const pagingQuery = {
  page: field<string>({ type: 'string', description: 'Page number from 1, or `last`.', examples: ['1'] }, (raw) =>
    printable(raw),
  ),
  page_size: field<number>(
    { type: 'integer', minimum: 1, maximum: maxPageSize, default: defaultPageSize, description: 'Items per page.' },
    (raw) => clampSize(raw, maxPageSize, defaultPageSize),
  ),
  cursor: described(text({ max: 2_000 }), 'Where the page begins, taken from `next` or `previous`.'),
  count: described(boolean(), '`false` leaves out `count`: a long list is counted for it on every page.'),
};

export interface PagingInput {
  readonly page?: string | undefined;
  readonly page_size?: number | undefined;
  readonly cursor?: string | undefined;
  readonly count?: boolean | undefined;
}

/** Returns a whole number between 1 and `max`: a larger one, however long, is `max`; anything else falls back. */
export function clampSize(raw: unknown, max: number, fallback: number): number {
  const value =
    typeof raw === 'number' ? raw : typeof raw === 'string' && /^\s*\d+\s*$/.test(raw) ? Number(raw) : Number.NaN;
  if (value > max) return max;
  if (!Number.isInteger(value) || value < 1) return fallback;
  return Math.min(value, max);
}

/** A column by which a list can be ordered. `sql` must lead an index that begins with the workspace. */
export interface SortColumn {
  readonly sql: string;
  readonly type: 'timestamptz' | 'text' | 'integer';
}

/** Returns the `ordering` parameter: `name` or `-name` of the given columns. */
export function orderingField(columns: Readonly<Record<string, SortColumn>>): Field<string> {
  const names = Object.keys(columns).flatMap((column) => [column, `-${column}`]);
  return field<string>({ type: 'string', enum: names, description: 'Sort order; `-` means descending.' }, (raw) =>
    typeof raw === 'string' && names.includes(raw) ? raw : new Fault(reason('noChoice', { value: printable(raw) })),
  );
}

/** Years before this one have other texts in JavaScript than in PostgreSQL. */
const firstYear = Date.UTC(1000, 0, 1);

interface Cursor {
  /** Ordering under which the cursor was made. */
  readonly o: string;
  /** Sort value and id of the row at the edge. */
  readonly v: string | number;
  readonly i: number;
  /** Backwards: the rows before the edge. */
  readonly b?: 1;
}

/** Statement parts of a list. Conditions carry `$name` values of `bind`. */
interface ListSource {
  /** Columns of a row, without `id` and the sort value, which the list adds. */
  readonly select: string;
  /** The listed table, and what the conditions need beside it; read for the count and to cut the page. */
  readonly from: string;
  /** What is looked up for the rows of the page, and for no others. */
  readonly joins?: string;
  readonly where: readonly string[];
  /**
   * Conditions of which exactly one is true for each listed row. An index returns the rows of each condition in order,
   * and these are merged; with OR all rows would be sorted for every page.
   */
  readonly either?: readonly string[];
  readonly bind: Record<string, unknown>;
  /** Qualified id column, the unique end of every order. */
  readonly idSql: string;
  readonly columns: Readonly<Record<string, SortColumn>>;
  readonly defaultOrdering: string;
  /** Leaves out the count (the template list has none). */
  readonly withoutCount?: boolean;
  /**
   * The conditions are dear to look up and mostly find little: where they do, the page is cut from what the count has
   * found.
   */
  readonly selective?: boolean;
}

/** Rows of a selective list that the count hands on to the page. */
const maxFound = 2_000;

/** How many rows there are, and of a selective list their ids; null where these are too many to hand on. */
export interface Counted {
  readonly count: number;
  readonly found?: readonly number[] | null;
}

/**
 * One page with its exact count. Walking by `next` is keyset paging: every page costs the same, and rows that appear
 * or vanish meanwhile neither repeat nor skip others. `page=N` is there for jumping.
 */
export async function listPage<Row extends object>(
  ctx: Pick<Ctx, 'runtime' | 'countsUpTo'>,
  source: ListSource,
  input: PagingInput & { readonly ordering?: string | undefined },
): Promise<Page<Row & { id: number }>> {
  const { db } = ctx.runtime;
  const ordering = input.ordering ?? source.defaultOrdering;
  const descending = ordering.startsWith('-');
  const column = source.columns[descending ? ordering.slice(1) : ordering];
  if (!column) throw new Error(`unknown ordering ${ordering}`);
  const size = input.page_size ?? defaultPageSize;
  const { either = [] } = source;
  const wanted = [...source.where, ...(either.length > 0 ? [`(${either.join(' OR ')})`] : [])].join(' AND ') || 'true';
  const cursor = input.cursor === undefined ? null : readCursor(input.cursor, ordering, column.type);
  const isCounted = !source.withoutCount && input.count !== false;
  if (input.page === 'last' && !isCounted)
    throw invalidField('count', 'The last page is found by counting. Leave this out, or walk from the other end.');
  // What page is the last one, only the whole count can tell.
  const limit = isCounted ? (input.page === undefined ? ctx.countsUpTo : undefined) : 1;

  const counted =
    isCounted || (source.selective && !source.withoutCount)
      ? await db.row<Counted>(countSql(source, wanted, limit), source.bind, { planned: 'anew' })
      : null;
  const count = isCounted ? Math.min(counted?.count ?? 0, limit ?? Infinity) : undefined;
  const found = counted?.found ?? null;
  const [conditions, bind] =
    found === null ? [wanted, source.bind] : [`${source.idSql} = ANY($found::bigint[])`, { ...source.bind, found }];
  const page = cursor ? 1 : pageNumber(input.page, count ?? 0, size);
  if (!cursor && count !== undefined && page > 1 && (page - 1) * size >= count) throw notFound(reason('noPage'));

  const [row = ''] = source.idSql.split('.');
  const backwards = cursor?.b === 1;
  const direction = descending !== backwards ? 'DESC' : 'ASC';
  const compare = direction === 'DESC' ? '<' : '>';
  const edge = cursor
    ? `AND (${column.sql}, ${source.idSql}) ${compare} ($cursorValue::${column.type}, $cursorId::bigint)`
    : '';
  const offset = cursor ? 0 : (page - 1) * size;
  const span = `${size + 1}${offset === 0 ? '' : ` OFFSET ${offset}`}`;
  const cut = (only: string, limit: string): string =>
    `SELECT ${row}.*, ${column.sql} AS sort_value FROM ${source.from}
     WHERE ${only} ${edge}
     ORDER BY ${column.sql} ${direction}, ${source.idSql} ${direction}
     LIMIT ${limit}`;
  const parts = found === null ? either.map((one) => [...source.where, one].join(' AND ')) : [];
  const rowsOfPage =
    parts.length > 1
      ? `SELECT * FROM (
         ${parts.map((only) => `(${cut(only, String(offset + size + 1))})`).join(' UNION ALL ')}
       ) ${row}
       ORDER BY ${row}.sort_value ${direction}, ${source.idSql} ${direction}
       LIMIT ${span}`
      : cut(conditions, span);
  // The page is cut first: looked up before, names would be looked up for every row that is sorted or passed over.
  const sql = `SELECT ${source.idSql} AS id, ${row}.sort_value, ${source.select}
     FROM (
       ${rowsOfPage}
     ) ${row} ${source.joins ?? ''}
     ORDER BY ${row}.sort_value ${direction}, ${source.idSql} ${direction}`;
  const values = cursor ? { ...bind, cursorValue: cursor.v, cursorId: cursor.i } : bind;
  const rows =
    counted?.count === 0
      ? []
      : await db.rows<Row & { id: number; sort_value: Date | string | number }>(sql, values, { planned: 'anew' });
  if (rows.length === 0 && page > 1) throw notFound(reason('noPage'));
  const more = rows.length > size;
  const items = rows.slice(0, size);
  if (backwards) items.reverse();

  const link = (row: (typeof rows)[number] | undefined, back: boolean): Record<string, string> | null =>
    row
      ? {
          cursor: writeCursor({
            o: ordering,
            v: row.sort_value instanceof Date ? row.sort_value.toISOString() : row.sort_value,
            i: row.id,
            ...(back ? { b: 1 } : {}),
          }),
        }
      : null;
  const hasNext = backwards ? true : more;
  const hasPrevious = backwards ? more : cursor !== null || page > 1;
  return {
    kind: 'page',
    ...(count === undefined ? {} : { count }),
    items,
    next: hasNext ? link(items.at(-1), false) : null,
    previous: hasPrevious ? link(items[0], true) : null,
    backwards,
    from: (index, back) => link(items[index], back),
  };
}

/**
 * SQL: the count. For a selective list it also returns the ids that it found. With a limit it reads no more rows than
 * it needs to reach the limit.
 */
export function countSql(
  { from, idSql, selective }: Pick<ListSource, 'from' | 'idSql' | 'selective'>,
  wanted: string,
  limit?: number,
): string {
  // Looking up by ids also keeps the planner from walking the whole order for a handful of rows that it took for many.
  const count = (id: string): string =>
    'count(*)::int AS count' +
    (selective ? `, CASE WHEN count(*) <= ${maxFound} THEN coalesce(array_agg(${id}), '{}') END AS found` : '');
  if (limit === undefined) return `SELECT ${count(idSql)} FROM ${from} WHERE ${wanted}`;
  const countUpTo = selective ? Math.max(limit, maxFound + 1) : limit;
  return `SELECT ${count('counted.id')} FROM (SELECT ${idSql} FROM ${from} WHERE ${wanted} LIMIT ${countUpTo}) counted`;
}

function pageNumber(raw: string | undefined, count: number, size: number): number {
  if (raw === undefined) return 1;
  if (raw === 'last') return Math.max(1, Math.ceil(count / size));
  if (!/^\d{1,9}$/.test(raw) || Number(raw) < 1) throw notFound(reason('noPage'));
  return Number(raw);
}

/** Returns the cursor of the page that begins at a row of a list by time; `back`: of the page before it. */
export function cursorAt(ordering: string, time: Date, id: number, back = false): string {
  return writeCursor({ o: ordering, v: time.toISOString(), i: id, ...(back ? { b: 1 } : {}) });
}

function writeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/** Returns the time at which a page begins, and which way it goes, for a list that is narrowed before it is cut. */
export function edgeOf(
  raw: string,
  ordering: string,
): { readonly time: string | number; readonly isBackward: boolean } {
  const { v: time, b } = readCursor(raw, ordering, 'timestamptz');
  return { time, isBackward: b === 1 };
}

/** Reads a cursor; one that is forged, or made under another ordering, is an invalid page. */
function readCursor(raw: string, ordering: string, type: SortColumn['type']): Cursor {
  const value = parseCursor(raw);
  if (
    !value ||
    value.o !== ordering ||
    !isSortValue(value.v, type) ||
    !Number.isSafeInteger(value.i) ||
    (value.i as number) < 0
  )
    throw notFound(reason('noPage'));
  return value as Cursor;
}

function parseCursor(raw: string): Partial<Cursor> | null {
  try {
    return JSON.parse(Buffer.from(raw, 'base64url').toString('utf8')) as Partial<Cursor> | null;
  } catch {
    return null;
  }
}

/** Returns whether PostgreSQL can read the value as the column's type; a template's name has up to 512 characters. */
function isSortValue(value: unknown, type: SortColumn['type']): boolean {
  if (type === 'integer') return Number.isInteger(value) && Math.abs(value as number) <= 2_147_483_647;
  if (typeof value !== 'string') return false;
  if (type === 'text') return [...value].length <= 512 && !value.includes('\0') && value.isWellFormed();
  return isOwnTime(value);
}

/**
 * Returns whether it is a time as this service writes one: JavaScript rolls 31 February over, and knows years that
 * PostgreSQL does not.
 */
function isOwnTime(value: string): boolean {
  const time = new Date(value);
  return value.length === 24 && time.getTime() >= firstYear && time.toISOString() === value;
}

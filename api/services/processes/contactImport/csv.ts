import { pipeline, Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { cut } from '../../../core/text/cut';
import { textOfCsvCell } from '../../../core/http/csv';
import { invalidField, type AppError } from '../../../core/http/errors';
import { WorkTurn } from '../../../core/loopTime';
import { builtInColumns } from '../../resources/customFields/schema';
import type { SourceRow } from './rows';

/** Other names that spreadsheets and other programs give to columns of ours, the better one of two first. */
const columnAliases: Readonly<Record<string, string>> = {
  // Chatwoot, WhatsApp's own, and what people write.
  phone_number: 'phone',
  'phone number': 'phone',
  telephone: 'phone',
  mobile: 'phone',
  whatsapp: 'phone',
  'e-mail': 'email',
  email_address: 'email',
  company_name: 'company',
  // Google.
  'phone 1 - value': 'phone',
  'e-mail 1 - value': 'email',
  'organization 1 - name': 'company',
  'organization name': 'company',
  labels: 'tags',
  // HubSpot.
  'mobile phone number': 'phone',
  'whatsapp phone number': 'phone',
  'company name': 'company',
  // Excel and Outlook.
  'mobile phone': 'phone',
  'primary phone': 'phone',
  'e-mail address': 'email',
  'email address': 'email',
  'full name': 'name',
  'display name': 'name',
};

/** What our own files tell beside what an import takes; in brackets, since no field of a workspace can be called so. */
const leftOutColumns: ReadonlySet<string> = new Set(['(username)', '(created_at)', '(problem)']);

/** Longest record, in characters: an unclosed quote must not gather the rest of a large file. */
const maxRecord = 1_000_000;
/** Characters that are parsed at one go: as many as 8,000 records. Four times as many took 450 ms. */
const slice = 16 * 1024;
/** Most columns of a file. */
const maxColumns = 1_000;

/** A record of a file, or why it cannot be read. */
interface CsvRecord {
  readonly cells: readonly string[];
  readonly problem?: string;
  /** How many bytes of the file, as UTF-8, end with it; null where it could not be read. */
  readonly end: number | null;
}

/** Reads a CSV file record by record. Commas, semicolons or tabs part the columns, whichever the header has most of. */
async function* readRecords(source: string | AsyncIterable<string>, turn: WorkTurn): AsyncGenerator<CsvRecord> {
  const { head, rest } = await peek(typeof source === 'string' ? slices(source) : source, turn);
  /** Unreadable records, with how many readable ones came before. */
  const skipped: { after: number; problem: string }[] = [];
  let readable = 0;
  const parser = parse({
    bom: true,
    from_line: delimiterLine.test(head) ? 2 : 1,
    delimiter: delimiterOf(head),
    // Its last cell keeps the rest of the line: nine million commas are not as many cells.
    ignore_last_delimiters: maxColumns + 1,
    info: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: maxRecord,
    on_skip: (error) => {
      skipped.push({
        after: Number(error?.['records'] ?? readable),
        problem: error?.code === 'CSV_QUOTE_NOT_CLOSED' ? 'A quote is not closed.' : 'The record cannot be read.',
      });
      return undefined;
    },
  });
  // A reader that stops early closes the source: the error of that is ignored here. An error of the source itself
  // reaches the reader.
  pipeline(Readable.from(rest), parser, () => undefined);
  const unreadable = (): CsvRecord => ({ cells: [], problem: skipped.shift()?.problem ?? '', end: null });
  for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { bytes: number } }>) {
    readable += 1;
    // What is parsed already comes without a break.
    if (turn.isOver) await turn.next();
    // The parser reads ahead of us. A header that cannot be read leaves the next record in its place.
    while (readable > 1 && skipped[0] && skipped[0].after < readable) yield unreadable();
    yield { cells: record.map(textOfCsvCell), end: info.bytes };
  }
  while (skipped.length > 0) yield unreadable();
}

/**
 * Returns the rows of a CSV file with a header row, one at a time. A record that cannot be read comes as a row with a
 * problem. Throws the 400 of a file without a usable header.
 */
export async function* readCsv(
  source: string | AsyncIterable<string>,
  fieldNames: ReadonlySet<string>,
  country: string | null = null,
  turn = new WorkTurn(),
): AsyncGenerator<SourceRow> {
  let header: readonly string[] | null = null;
  let number = 0;
  for await (const { cells, problem } of readRecords(source, turn)) {
    if (header === null) {
      header = readHeader(cells, problem, fieldNames);
      continue;
    }
    number += 1;
    const columns = header;
    if (problem !== undefined) yield { number, entries: [], problem };
    else if (cells.length > columns.length)
      yield { number, entries: [], problem: tooManyCells(cells.length, columns.length) };
    else
      yield {
        number,
        entries: cells.map((value, index) => [columns[index] ?? '', value] as const).filter(([key]) => key !== ''),
        text: true,
        ...(country === null ? {} : { country }),
      };
  }
  if (header === null) throw emptyFile();
}

function tooManyCells(cells: number, columns: number): string {
  const has = cells > maxColumns ? `more than ${maxColumns}` : String(cells);
  return `The row has ${has} columns, the header has ${columns}.`;
}

/** What an import would read in a file. */
export interface CsvPreview {
  /** The columns as the file names them, and what they are called here. */
  readonly columns: readonly { readonly given: string; readonly name: string }[];
  /** The first rows. */
  readonly rows: readonly (readonly string[])[];
  readonly delimiter: string;
  /** Bytes of the header, and of each row in its order, as UTF-8: a file can be cut between them without reading it. */
  readonly headerBytes: number;
  readonly rowBytes: readonly number[];
}

/**
 * Reads a whole file as `readCsv` does, and returns a summary of it. Throws 400 for a file without a usable header, and
 * at the first row beyond `maxRows`.
 */
export async function previewCsv(
  text: string,
  fieldNames: ReadonlySet<string>,
  { shownRows, maxRows }: { readonly shownRows: number; readonly maxRows: number },
  turn = new WorkTurn(),
): Promise<CsvPreview> {
  let columns: CsvPreview['columns'] | null = null;
  const rows: (readonly string[])[] = [];
  const ends: number[] = [];
  let headerBytes = 0;
  for await (const { cells, problem, end } of readRecords(text, turn)) {
    if (columns === null) {
      const names = readHeader(cells, problem, fieldNames);
      columns = cells.map((given, index) => ({ given: given.trim(), name: names[index] ?? '' }));
      headerBytes = end ?? 0;
      continue;
    }
    if (ends.length === maxRows) throw tooManyRows(maxRows);
    if (problem === undefined && rows.length < shownRows) rows.push(cells.slice(0, columns.length));
    // What cannot be read goes with the row behind it.
    ends.push(end ?? ends.at(-1) ?? headerBytes);
  }
  if (columns === null) throw emptyFile();
  if (ends.length > 0) ends[ends.length - 1] = Buffer.byteLength(text);
  return {
    columns,
    rows,
    delimiter: delimiterOf(text),
    headerBytes,
    rowBytes: ends.map((end, index) => end - (ends[index - 1] ?? headerBytes)),
  };
}

/** Returns the 400 of a file with more rows than an import takes. */
export function tooManyRows(maxRows: number): AppError {
  return invalidField('file', `Ensure this file has no more than ${maxRows} rows.`);
}

function emptyFile(): AppError {
  return invalidField('file', 'The submitted file is empty.');
}

function readHeader(
  record: readonly string[],
  problem: string | undefined,
  fieldNames: ReadonlySet<string>,
): readonly string[] {
  if (problem !== undefined) throw invalidField('file', 'The header row cannot be read.');
  if (record.length > maxColumns) throw invalidField('file', `The header row may name at most ${maxColumns} columns.`);
  const given = new Set(
    record.map((column) =>
      column
        .replace(/\p{Cf}/gu, '')
        .trim()
        .toLowerCase(),
    ),
  );
  const taken = new Set<string>();
  const header = record.map((column) => {
    const trimmed = column.replace(/\p{Cf}/gu, '').trim();
    const lower = trimmed.toLowerCase();
    if (leftOutColumns.has(lower)) return '';
    const alias = columnAliases[lower];
    // A column that has our own name, and a custom field of that name, come first.
    if (alias !== undefined && !given.has(alias) && !fieldNames.has(lower) && !taken.has(alias)) {
      taken.add(alias);
      return alias;
    }
    // Built-in columns and custom fields may be written in any case; other columns keep theirs.
    return builtInColumns.includes(lower) || fieldNames.has(lower) ? lower : trimmed;
  });
  if (!['phone', 'bsuid', 'receiver_id'].some((key) => header.includes(key)))
    throw invalidField('file', 'The header row must name a column phone, bsuid or receiver_id.');
  const seen = new Set<string>();
  const twice = header.find((column) => {
    const known = column !== '' && seen.has(column);
    seen.add(column);
    return known;
  });
  if (twice !== undefined)
    throw invalidField('file', `The header row names the column "${cut(twice, 100)}" more than once.`);
  return header;
}

/** The line by which a program tells Excel what parts the columns. */
const delimiterLine = /^\uFEFF?"?sep=(.)"?(?:\r\n|\n|\r)/i;

function delimiterOf(head: string): string {
  const told = delimiterLine.exec(head)?.[1];
  if (told !== undefined) return told;
  const line = head.split(/\r\n|\n|\r/, 1)[0] ?? '';
  const outside = line.replace(/"[^"]*"/g, '');
  const counted = [',', ';', '\t'].map((candidate) => [candidate, outside.split(candidate).length] as const);
  return counted.reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}

/** Returns the first piece, and everything including it. */
async function peek(
  source: AsyncIterable<string> | Iterable<string>,
  turn: WorkTurn,
): Promise<{ head: string; rest: AsyncIterable<string> }> {
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  const first = await iterator.next();
  const head = first.done ? '' : first.value;
  async function* rest(): AsyncGenerator<string> {
    if (head !== '') yield head;
    // A text that is here already would be read without a break: others have their turn after each piece.
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      await turn.next();
      yield next.value;
    }
  }
  return { head, rest: rest() };
}

function* slices(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + slice, text.length);
    // A pair of surrogates is one character.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end += 1;
    yield text.slice(start, end);
    start = end;
  }
}

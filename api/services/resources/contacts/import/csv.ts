import { pipeline, Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { textOfCsvCell } from '../../../../core/http/csv';
import { invalidField, type AppError } from '../../../../core/http/errors';
import { WorkTurn } from '../../../../core/loopTime';
import { entriesOf, guessColumns, maxColumns, readHeader, readMapping, trimmedName, type Column } from './columns';
import type { SourceRow } from './rows';
import { reason } from '../../reasons';
import type { Message, Reason } from '../../../../core/http/reasons';

/** Longest record, in characters: an unclosed quote must not gather the rest of a large file. */
const maxRecord = 1_000_000;
/** Characters that are parsed at one go: as many as 8,000 records. Four times as many took 450 ms. */
const slice = 16 * 1024;
/** A record of a file, or why it cannot be read. */
interface CsvRecord {
  readonly cells: readonly string[];
  readonly problem?: Message;
  /** How many bytes of the file, as UTF-8, end with it; null where it could not be read. */
  readonly end: number | null;
}

/** Reads a CSV file record by record. Commas, semicolons or tabs part the columns, whichever the header has most of. */
async function* readRecords(source: string | AsyncIterable<string>, turn: WorkTurn): AsyncGenerator<CsvRecord> {
  const { head, rest } = await peek(typeof source === 'string' ? slices(source) : source, turn);
  /** Unreadable records, with how many readable ones came before. */
  const skipped: { after: number; problem: Message }[] = [];
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
        problem: reason(error?.code === 'CSV_QUOTE_NOT_CLOSED' ? 'quoteOpen' : 'rowUnread'),
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
  mapping?: readonly string[],
): AsyncGenerator<SourceRow> {
  let header: readonly Column[] | null = null;
  let number = 0;
  for await (const record of readRecords(source, turn)) {
    const { cells, problem } = record;
    if (header === null) {
      const given = headerCells(record);
      header = mapping ? readMapping(given, mapping, fieldNames) : readHeader(given, fieldNames);
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
        entries: entriesOf(cells, columns),
        text: true,
        ...(country === null ? {} : { country }),
      };
  }
  if (header === null) throw emptyFile();
}

/** Guesses what the columns of a file are, without reading further than its header. */
export async function guessCsv(text: string, labels: ReadonlyMap<string, string>): Promise<string[]> {
  for await (const record of readRecords(text, new WorkTurn())) return guessColumns(headerCells(record), labels);
  throw emptyFile();
}

function tooManyCells(cells: number, columns: number): Reason {
  return cells > maxColumns
    ? reason('farTooManyCells', { max: maxColumns, columns })
    : reason('tooManyCells', { cells, columns });
}

/** What an import would read in a file. */
export interface CsvPreview {
  /** The columns as the file names them, and what they are guessed to be (`columns` of an import). */
  readonly columns: readonly { readonly given: string; readonly guess: string }[];
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
 *
 * @param labels The names of the workspace's fields, by what people call them.
 */
export async function previewCsv(
  text: string,
  labels: ReadonlyMap<string, string>,
  { shownRows, maxRows }: { readonly shownRows: number; readonly maxRows: number },
  turn = new WorkTurn(),
): Promise<CsvPreview> {
  let columns: CsvPreview['columns'] | null = null;
  const rows: (readonly string[])[] = [];
  const ends: number[] = [];
  let headerBytes = 0;
  for await (const record of readRecords(text, turn)) {
    const { cells, problem, end } = record;
    if (columns === null) {
      const given = headerCells(record);
      const guesses = guessColumns(given, labels);
      columns = given.map((name, index) => ({ given: trimmedName(name), guess: guesses[index] ?? '' }));
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
  return invalidField('file', reason('tooManyFileRows', { max: maxRows }));
}

function emptyFile(): AppError {
  return invalidField('file', reason('emptyFile'));
}

/** Returns the cells of a header. Throws the 400 of one that cannot be read. */
function headerCells({ cells, problem }: CsvRecord): readonly string[] {
  if (problem !== undefined) throw invalidField('file', reason('noHeader'));
  if (cells.length > maxColumns) throw invalidField('file', reason('tooManyColumns', { max: maxColumns }));
  return cells;
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

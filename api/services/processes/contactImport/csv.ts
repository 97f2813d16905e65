import { pipeline, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { parse } from 'csv-parse';
import { invalidField } from '../../../core/errors';
import { builtInColumns } from '../../resources/customFields/schema';
import type { SourceRow } from './rows';

/** Other names that spreadsheets give to columns of ours. */
export const columnAliases: Readonly<Record<string, string>> = {
  'e-mail': 'email',
  'phone number': 'phone',
  telephone: 'phone',
};

/** Longest record, in characters: an unclosed quote must not gather the rest of a large file. */
const maxRecord = 1_000_000;
const slice = 64 * 1024;
/** Most columns of a file. */
const maxColumns = 1_000;

/**
 * Returns the rows of a CSV file with a header row, one at a time. Commas, semicolons or tabs part the columns,
 * whichever the header has most of. A record that cannot be read comes as a row with a problem. Throws the 400 of a
 * file without a usable header.
 */
export async function* readCsv(
  source: string | AsyncIterable<string>,
  fieldNames: ReadonlySet<string>,
): AsyncGenerator<SourceRow> {
  const { head, rest } = await peek(typeof source === 'string' ? slices(source) : source);
  /** Unreadable records, with how many readable ones came before. */
  const skipped: { after: number; problem: string }[] = [];
  let readable = 0;
  const parser = parse({
    bom: true,
    delimiter: delimiterOf(head),
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
  // A reader that stops early closes the source: what that says is nobody's news, and an error of the source reaches
  // the reader.
  pipeline(Readable.from(rest), parser, () => undefined);
  let header: readonly string[] | null = null;
  let number = 0;
  for await (const record of parser as AsyncIterable<string[]>) {
    readable += 1;
    if (header === null) {
      header = readHeader(record, fieldNames);
      continue;
    }
    // The parser reads ahead of us.
    while (skipped[0] && skipped[0].after < readable)
      yield { number: (number += 1), entries: [], problem: skipped.shift()?.problem ?? '' };
    number += 1;
    const columns = header;
    if (record.length > columns.length)
      yield { number, entries: [], problem: `The row has ${record.length} columns, the header has ${columns.length}.` };
    else
      yield {
        number,
        entries: record.map((value, index) => [columns[index] ?? '', value] as const).filter(([key]) => key !== ''),
        text: true,
      };
  }
  if (header === null)
    throw invalidField('file', skipped.length > 0 ? 'The header row cannot be read.' : 'The submitted file is empty.');
  for (const { problem } of skipped) yield { number: (number += 1), entries: [], problem };
}

function readHeader(record: readonly string[], fieldNames: ReadonlySet<string>): readonly string[] {
  if (record.length > maxColumns) throw invalidField('file', `The header row may name at most ${maxColumns} columns.`);
  const given = new Set(record.map((column) => column.trim().toLowerCase()));
  const header = record.map((column) => {
    const trimmed = column.trim();
    const lower = trimmed.toLowerCase();
    const alias = columnAliases[lower];
    // A column that has our own name, and a custom field of that name, come first.
    if (alias !== undefined && !given.has(alias) && !fieldNames.has(lower)) return alias;
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
    throw invalidField('file', `The header row names the column "${twice.slice(0, 100)}" more than once.`);
  return header;
}

function delimiterOf(head: string): string {
  const line = head.split(/\r\n|\n|\r/, 1)[0] ?? '';
  const outside = line.replace(/"[^"]*"/g, '');
  const counted = [',', ';', '\t'].map((candidate) => [candidate, outside.split(candidate).length] as const);
  return counted.reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}

/** Returns the first piece, and everything including it. */
async function peek(
  source: AsyncIterable<string> | Iterable<string>,
): Promise<{ head: string; rest: AsyncIterable<string> }> {
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  const first = await iterator.next();
  const head = first.done ? '' : first.value;
  async function* rest(): AsyncGenerator<string> {
    if (head !== '') yield head;
    // A text that is here already would be read without a break: others have their turn after each piece.
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield setImmediate(next.value);
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

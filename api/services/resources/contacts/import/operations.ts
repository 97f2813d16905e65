import type { Ctx } from '../../../../core/context';
import { invalid, invalidField } from '../../../../core/http/errors';
import { isPlainObject, type InputOf } from '../../../../core/http/fields';
import { operation } from '../../../../core/http/operations';
import { wire, type JsonSchema, type Told, type Wire } from '../../../../core/http/shapes';
import { getWorkspace } from '../../../identity/workspaces/service';
import { readCsv, tooManyRows } from './csv';
import { keysOf, type SourceRow } from './rows';
import { importInput, maxFileRows, maxImportBytes, maxJsonKeys } from './schema';
import { importableFields, importContacts, type ImportResult } from './service';
import { readingTurn } from './importTurns';
import { reason } from '../../reasons';

const errorShape = wire.named('ImportError', {
  row: wire.integer('Counts the data rows from 1, without the header row of a file.'),
  receiver_id: wire.nullable(wire.text()),
  field: wire.text(),
  value: wire.any('At most 200 characters of it.'),
  message: wire.text(),
  dropped: wire.boolean('True: the value was dropped and the contact kept. False: the row was refused.'),
});

const resultShape = wire.named('ImportResult', {
  received: wire.integer(),
  created: wire.integer(),
  updated: wire.integer(),
  failed: wire.integer(),
  errors: wire.list(errorShape),
});

interface Optional {
  readonly errors_truncated?: boolean;
  readonly attributes_kept?: readonly string[];
}

/** The answer, with what is only there when there is something to tell. */
export const importResultShape: Wire<Told<typeof resultShape> & Optional> = {
  ...resultShape,
  properties: {
    ...(resultShape['properties'] as Record<string, JsonSchema>),
    errors_truncated: wire.boolean('True: there are more errors than the 1,000 that are listed.'),
    attributes_kept: wire.list(wire.text()),
  },
};

/** Bulk import of contacts (contract 3.1, 5.5; contract 5). */
export const contactImportOperations = [
  operation({
    id: 'contacts.import',
    method: 'POST',
    path: '/api/v1/contacts/bulk/',
    tag: 'Contacts',
    summary: 'Import contacts from JSON rows or a CSV file',
    description:
      'Creates or updates by phone or bsuid: `{"contacts": [...]}`, a bare array, or multipart with a `file`. An ' +
      'invalid value is dropped and listed in `errors`; the contact is still saved. Keys that are no field are kept ' +
      'in `attributes` and listed in `attributes_kept`. Importing the same rows again creates no duplicates. ' +
      '`created + updated + failed == received`. Limits: 1,000 keys per row and 100,000 per JSON body; per contact ' +
      '200 attributes, 64 kB of attributes and 64 kB of tags; 1,000 entries in `errors`, refused rows first (then ' +
      '`errors_truncated` is true), 100 in `attributes_kept`. A number that JSON cannot keep is dropped like any ' +
      'other invalid value: send it as text.',
    scope: 'contact.edit',
    body: importInput,
    arrayBody: 'contacts',
    bodyLimit: maxImportBytes,
    status: 200,
    output: importResultShape,
    idempotent: 'stepwise',
    examples: { request: { contacts: [{ phone: '+15551230001', name: 'Ada Lovelace', plan: 'pro', source: 'fair' }] } },
    run: async (ctx, input) => {
      if (input.contacts !== undefined && input.file !== undefined)
        throw invalid({ non_field_errors: ['Send either contacts or a file.'] });
      if (input.file !== undefined) return importFile(ctx, input.file, input);
      if (input.columns !== undefined) throw invalidField('columns', 'Only a file has columns.');
      if (input.contacts === undefined) throw invalidField('contacts', reason('required'));
      if (countKeys(input.contacts) > maxJsonKeys)
        throw invalidField('contacts', `Ensure this field has no more than ${maxJsonKeys} keys in all its rows.`);
      return importContacts(ctx, jsonRows(input.contacts));
    },
  }),
];

type Reading = Pick<InputOf<typeof importInput>, 'columns' | 'country'>;

async function importFile(ctx: Ctx, text: string, { columns, country }: Reading): Promise<ImportResult> {
  if (text.trim() === '') throw invalidField('file', reason('emptyFile'));
  const names = new Set((await importableFields(ctx)).keys());
  if (lineCount(text) > maxFileRows + 1) await refuseTooMany(ctx, text, names, columns);
  const home = country === undefined ? (await getWorkspace(ctx)).country : country;
  return importContacts(ctx, readCsv(text, names, home, readingTurn(ctx), columns));
}

/** Only a file with so many lines can have so many rows; line breaks inside quotes are counted out here. */
async function refuseTooMany(
  ctx: Ctx,
  text: string,
  names: ReadonlySet<string>,
  columns?: readonly string[],
): Promise<void> {
  let rows = 0;
  for await (const row of readCsv(text, names, null, readingTurn(ctx), columns)) {
    rows = row.number;
    if (rows > maxFileRows) throw tooManyRows(maxFileRows);
  }
}

function lineCount(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  // Files of old systems part their lines by carriage returns alone.
  if (lines === 1) for (let at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', at + 1)) lines += 1;
  return lines;
}

function countKeys(rows: readonly unknown[]): number {
  return rows.reduce<number>((sum, row) => sum + (isPlainObject(row) ? keysOf(Object.entries(row)) : 0), 0);
}

/** Returns the rows of a JSON body. */
function* jsonRows(rows: readonly unknown[]): Generator<SourceRow> {
  for (const [index, row] of rows.entries()) {
    const number = index + 1;
    if (isPlainObject(row)) yield { number, entries: Object.entries(row) };
    else yield { number, entries: [], problem: reason('noRow') };
  }
}

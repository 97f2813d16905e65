import { cut } from '../../../core/text/cut';
import type { FieldErrors } from '../../../core/http/errors';
import { requireRecent } from '../../../services/identity/apiKeys/authenticate';
import { recordSecurity } from '../../../services/identity/securityLog/service';
import { previewFile } from '../../../services/processes/contactImport/preview';
import type { CsvPreview } from '../../../services/processes/contactImport/csv';
import { maxFileRows, maxImportBytes } from '../../../services/processes/contactImport/schema';
import { csvLine, sendCsv } from '../csvFile';
import type { TagView } from '../fieldViews';
import { amountText, numberText } from '../formats';
import { countryOptions, definitionsFor, shownValue, textOf, type FieldDefinition } from '../forms';
import { definePages, type Handled, type PageAnswer, type PageRequest } from '../page';
import { contactFilters } from './pages';
import type { WireContact } from './wire';

/** What an import answers. */
interface ImportResult {
  readonly received: number;
  readonly created: number;
  readonly updated: number;
  readonly failed: number;
  readonly errors: readonly {
    readonly row: number;
    readonly receiver_id: string | null;
    readonly field: string;
    readonly value: unknown;
    readonly message: string;
    readonly dropped: boolean;
  }[];
  readonly errors_truncated?: boolean;
  readonly attributes_kept?: readonly string[];
}

const importPath = '/dashboard/contacts/import/';
/** Beside the file: the token, and the borders of the parts. */
const maxFormBytes = maxImportBytes + 16_384;
const pageSize = 200;
const columnLabels: Readonly<Record<string, string>> = {
  phone: 'Phone',
  bsuid: 'User id',
  receiver_id: 'Phone or user id',
  name: 'Name',
  email: 'Email',
  company: 'Company',
  notes: 'Notes',
  tags: 'Tags',
  marketing_opt_out: 'Opted out of marketing',
};
/** The columns that a file may have, as its explanation names them. */
const importColumns = ['phone', 'bsuid', 'name', 'email', 'company', 'notes', 'tags', 'marketing_opt_out'] as const;

/** Contacts in and out as CSV. */
export const contactTransferPages = definePages([
  { method: 'GET', path: importPath, scope: 'contact.edit', run: async (page) => showImport(page) },
  {
    method: 'POST',
    path: importPath,
    scope: 'contact.edit',
    formLimit: maxFormBytes,
    run: async (page) => {
      const done = await page.attempt(() =>
        page.call<ImportResult>('contacts.import', { file: page.form['file'], country: page.form['country'] }),
      );
      if ('errors' in done) {
        if (page.isPartial) return refusedPart(page, done.errors);
        return showImport(page, done.errors);
      }
      if (page.isPartial) return page.part('/contacts/importPart', { result: JSON.stringify(done.value) });
      return page.page('/contacts/imported', resultView(done.value), {
        title: 'Import',
        place: 'contacts',
        styles: ['desk.css'],
      });
    },
  },
  {
    method: 'POST',
    path: `${importPath}preview/`,
    scope: 'contact.edit',
    formLimit: maxFormBytes,
    run: async (page) => {
      const seen = await page.attempt(() => previewFile(page.ctx, page.form['file'] ?? ''));
      if ('errors' in seen) return refusedPart(page, seen.errors);
      const definitions = await definitionsFor(page, 'contacts', 'conversations');
      return page.part('/contacts/preview', previewView(seen.value, definitions));
    },
  },
  { method: 'GET', path: '/dashboard/contacts/export/', scope: 'contact.view', run: sendExport },
]);

/** Answers a script: what is wrong with the file. */
function refusedPart(page: PageRequest, errors: FieldErrors): PageAnswer {
  return page.part('/contacts/importErrors', { errors: JSON.stringify(Object.values(errors).flat()) }, { status: 422 });
}

async function showImport(page: PageRequest, errors: FieldErrors = {}): Promise<PageAnswer> {
  const definitions = await definitionsFor(page, 'contacts', 'conversations');
  const megabytes = Math.floor(maxImportBytes / 2 ** 20);
  const size = `Up to ${numberText(maxFileRows)} rows and ${megabytes} MB, in UTF-8 or UTF-16.`;
  return page.page(
    '/contacts/import',
    {
      errors,
      refusal: (errors['file'] ?? []).join(' '),
      country: page.workspace.country,
      countries: countryOptions('All numbers have their country code'),
      maxBytes: maxImportBytes,
      size,
      columns: importColumns,
      custom: definitions,
    },
    {
      title: 'Import contacts',
      place: 'contacts',
      styles: ['desk.css'],
      scripts: ['import.js'],
      status: Object.keys(errors).length > 0 ? 422 : 200,
    },
  );
}

/** What an import did. */
interface ResultView {
  readonly counts: readonly { readonly label: string; readonly count: string }[];
  /** The columns that no field takes; empty: none. */
  readonly kept: string;
  readonly errors: readonly {
    readonly row: number;
    readonly field: string;
    readonly value: string;
    readonly message: string;
  }[];
  readonly hasMore: boolean;
  readonly report: string;
}

const maxShownErrors = 100;

function resultView(result: ImportResult): ResultView {
  const count = (label: string, value: number) => ({ label, count: numberText(value) });
  return {
    counts: [
      count('Rows', result.received),
      count('Created', result.created),
      count('Changed', result.updated),
      count('Refused', result.failed),
    ],
    kept: (result.attributes_kept ?? []).join(', '),
    errors: result.errors.slice(0, maxShownErrors).map(({ row, field, value, message }) => ({
      row,
      field,
      value: textOf(value),
      message,
    })),
    hasMore: result.errors_truncated ?? false,
    report: reportOf(result),
  };
}

/** A file before it is imported: its columns in our words, its first rows, and where its rows end. */
interface PreviewView extends Pick<CsvPreview, 'rows' | 'delimiter' | 'headerBytes'> {
  readonly count: number;
  readonly size: string;
  /** What no field of the workspace takes is kept as it is. */
  readonly columns: readonly { readonly given: string; readonly tag: TagView }[];
  readonly rowBytes: string;
}

const maxShownCell = 200;

function previewView(preview: CsvPreview, definitions: readonly FieldDefinition[]): PreviewView {
  const { columns, rows, rowBytes, ...rest } = preview;
  const labels = new Map(definitions.map(({ name, label }) => [name, label || name]));
  return {
    ...rest,
    count: rowBytes.length,
    size: amountText(rowBytes.length, 'row'),
    columns: columns.map(({ given, name }) => {
      const label = columnLabels[name] ?? labels.get(name);
      return {
        given,
        tag: label ? { text: label, style: 'tag-good' } : { text: name ? 'kept as it is' : 'left out', style: '' },
      };
    }),
    rows: rows.map((row) => row.map((cell) => cut(cell, maxShownCell))),
    rowBytes: rowBytes.join(' '),
  };
}

/** The address of a CSV file of what was refused or dropped. */
function reportOf(result: ImportResult): string {
  const rows = result.errors.map((error) => [
    error.row,
    error.receiver_id,
    error.field,
    textOf(error.value),
    error.message,
    error.dropped ? 'value dropped' : 'row refused',
  ]);
  const text = [['row', 'contact', 'field', 'value', 'message', 'outcome'], ...rows].map(csvLine).join('');
  return `data:text/csv;charset=utf-8;base64,${Buffer.from(`\uFEFF${text}`).toString('base64')}`;
}

/** Writes what the list finds into a file. */
async function sendExport(page: PageRequest): Promise<Handled> {
  requireRecent(page.credential);
  const definitions = await definitionsFor(page, 'contacts');
  const filters = contactFilters(page);
  await recordSecurity(page.ctx, { action: 'contacts.export', given: filters });
  const columns = [...importColumns, '(username)', '(created_at)', ...definitions.map(({ name }) => name)];
  return sendCsv<WireContact>(
    page,
    { name: 'contacts', columns, cellsOf: (contact) => cellsOf(contact, definitions) },
    // The number of contacts is not shown, and each page would count them again.
    (more) => page.call('contacts.list', { ...filters, ...more, page_size: pageSize }, { countsUpTo: 1 }),
  );
}

function cellsOf(contact: WireContact, definitions: readonly FieldDefinition[]): unknown[] {
  const cells: Readonly<Record<string, unknown>> = {
    ...contact,
    // A contact without a number has the user id in this place.
    phone: contact.phone.startsWith('+') ? contact.phone : '',
    tags: listText(contact.tags),
    // An import of the file would opt in who opts out meanwhile.
    marketing_opt_out: contact.marketing_opt_out || '',
  };
  return [
    ...importColumns.map((name) => cells[name]),
    contact.username,
    contact.created_at,
    ...definitions.map(({ name }) => listText(contact.custom_fields[name])),
  ];
}

/** A list as an import reads it: parted by semicolons. */
function listText(value: unknown): string {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value.join(';') : shownValue(value);
}

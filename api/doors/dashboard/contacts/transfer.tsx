import type { FieldErrors } from '../../../core/http/errors';
import { invalidField } from '../../../core/http/errors';
import { namesSomebody } from '../../../services/resources/contacts/import/columns';
import { importResultShape } from '../../../services/resources/contacts/import/operations';
import { guessFile, previewFile } from '../../../services/resources/contacts/import/preview';
import { rehearseImport } from '../../../services/resources/contacts/import/rehearse';
import { maxImportBytes } from '../../../services/resources/contacts/import/schema';
import { definitionsFor, type FieldDefinition } from '../forms';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { readOne } from '../typedCalls';
import { words } from '../words';
import { sendExport } from './exportFile';
import { Imported } from './imported';
import { ImportForm } from './importForm';
import { Check, Preview } from './importPreview';
import { reworded, rowText } from './importWords';
import { contactsPath } from './read';

const { contactImport: said } = words;
const importPath = `${contactsPath}import/`;
/** Beside the file: the token, the columns, and the borders of the parts. */
const maxFormBytes = maxImportBytes + 300_000;

/** Contacts in and out as CSV. */
export const contactTransferPages = definePages([
  { method: 'GET', path: importPath, scope: 'contact.edit', run: (page) => showImport(page) },
  { method: 'POST', path: importPath, scope: 'contact.edit', formLimit: maxFormBytes, run: importFile },
  { method: 'POST', path: `${importPath}preview/`, scope: 'contact.edit', formLimit: maxFormBytes, run: preview },
  { method: 'GET', path: `${contactsPath}export/`, scope: 'contact.view', run: sendExport },
]);

/** Returns the fields that a row can fill. */
const fieldsOf = (page: PageRequest): Promise<FieldDefinition[]> => definitionsFor(page, 'contacts', 'conversations');

const labelsOf = (definitions: readonly FieldDefinition[]): ReadonlyMap<string, string> =>
  new Map(definitions.map(({ name, label }) => [label, name]));

/** Reads what a form says of the columns; undefined: nothing, or nothing that a page would say. */
function columnsOf({ form }: PageRequest): readonly string[] | undefined {
  try {
    const given: unknown = JSON.parse(form['columns'] ?? '');
    return Array.isArray(given) && given.every((column) => typeof column === 'string') ? given : undefined;
  } catch {
    return undefined;
  }
}

async function importFile(page: PageRequest): Promise<PageAnswer> {
  const { file = '', country } = page.form;
  const definitions = await fieldsOf(page);
  const done = await page.attempt(async () => {
    const columns = columnsOf(page) ?? (await guessFile(page.ctx, file, labelsOf(definitions)));
    if (!namesSomebody(columns)) throw invalidField('file', said.namesNobody);
    return readOne(page, importResultShape, 'contacts.import', { file, country, columns }, { say: rowText });
  });
  if ('errors' in done) return page.isPartial ? refusedPart(page, done.errors) : showImport(page, done.errors);
  const result = { ...done.value, errors: done.value.errors.map((error) => reworded(error, definitions)) };
  if (page.isPartial) return page.part(<div data-result={JSON.stringify(result)}></div>);
  const body = <Imported result={result} again={importPath} />;
  return page.page(body, { title: said.short, place: 'contacts', styles: ['desk.css'] });
}

/** Shows what is read in a file, and what its import would do; where the columns are told, the latter alone. */
async function preview(page: PageRequest): Promise<PageAnswer> {
  const { file = '' } = page.form;
  const told = columnsOf(page);
  const definitions = await fieldsOf(page);
  const seen = await page.attempt(async () => {
    const found = told ? null : await previewFile(page.ctx, file, labelsOf(definitions));
    const columns = told ?? found?.columns.map(({ guess }) => guess) ?? [];
    return { found, check: namesSomebody(columns) ? await rehearse(page, columns) : null };
  });
  if ('errors' in seen) return refusedPart(page, seen.errors);
  const { found, check } = seen.value;
  const shown = <Check check={check} definitions={definitions} />;
  if (!found) return page.part(shown);
  return page.part(
    <Preview preview={found} definitions={definitions}>
      {shown}
    </Preview>,
  );
}

function rehearse(page: PageRequest, columns: readonly string[]): ReturnType<typeof rehearseImport> {
  const { file = '', country } = page.form;
  return rehearseImport(
    { ...page.ctx, say: rowText },
    file,
    columns,
    country === undefined ? undefined : country || null,
  );
}

/** Answers a script: what is wrong with the file. */
function refusedPart(page: PageRequest, errors: FieldErrors): PageAnswer {
  return page.part(<div data-errors={JSON.stringify(Object.values(errors).flat())}></div>, { status: 422 });
}

function showImport(page: PageRequest, errors: FieldErrors = {}): Promise<PageAnswer> {
  const body = <ImportForm page={page} action={importPath} errors={errors} />;
  const status = Object.keys(errors).length > 0 ? 422 : 200;
  const files = { styles: ['desk.css'], scripts: ['import.js'] } as const;
  return Promise.resolve(page.page(body, { title: said.title, place: 'contacts', ...files, status }));
}

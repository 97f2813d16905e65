import { cut } from '../../../core/text/cut';
import type { FieldErrors } from '../../../core/http/errors';
import type { AnswerOf } from '../../../core/http/shapes';
import type { CsvPreview } from '../../../services/processes/contactImport/csv';
import { importResultShape } from '../../../services/processes/contactImport/operations';
import { previewFile } from '../../../services/processes/contactImport/preview';
import { maxFileRows, maxImportBytes } from '../../../services/processes/contactImport/schema';
import { csvLine } from '../csvFile';
import { Filled } from '../filled';
import { numberText } from '../formats';
import { countryOptions, definitionsFor, textOf, type FieldDefinition } from '../forms';
import { Icon, type Html } from '../html';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { Errors, Field, Form, Tag } from '../parts';
import { Head } from '../team/settingsParts';
import { readOne } from '../typedCalls';
import { words } from '../words';
import { importColumns, sendExport } from './exportFile';
import { contactsPath } from './wire';

const { contactImport: said } = words;
const importPath = `${contactsPath}import/`;
/** Beside the file: the token, and the borders of the parts. */
const maxFormBytes = maxImportBytes + 16_384;
const [maxShownErrors, maxShownCell] = [100, 200];

type ImportResult = AnswerOf<typeof importResultShape>;

/** Contacts in and out as CSV. */
export const contactTransferPages = definePages([
  { method: 'GET', path: importPath, scope: 'contact.edit', run: (page) => showImport(page) },
  { method: 'POST', path: importPath, scope: 'contact.edit', formLimit: maxFormBytes, run: importFile },
  { method: 'POST', path: `${importPath}preview/`, scope: 'contact.edit', formLimit: maxFormBytes, run: preview },
  { method: 'GET', path: `${contactsPath}export/`, scope: 'contact.view', run: sendExport },
]);

async function importFile(page: PageRequest): Promise<PageAnswer> {
  const { file, country } = page.form;
  const done = await page.attempt(() => readOne(page, importResultShape, 'contacts.import', { file, country }));
  if ('errors' in done) return page.isPartial ? refusedPart(page, done.errors) : showImport(page, done.errors);
  if (page.isPartial) return page.part(<div data-result={JSON.stringify(done.value)}></div>);
  const body = <Imported result={done.value} />;
  return page.page(body, { title: said.short, place: 'contacts', styles: ['desk.css'] });
}

async function preview(page: PageRequest): Promise<PageAnswer> {
  const seen = await page.attempt(() => previewFile(page.ctx, page.form['file'] ?? ''));
  if ('errors' in seen) return refusedPart(page, seen.errors);
  const definitions = await definitionsFor(page, 'contacts', 'conversations');
  return page.part(<Preview preview={seen.value} definitions={definitions} />);
}

/** Answers a script: what is wrong with the file. */
function refusedPart(page: PageRequest, errors: FieldErrors): PageAnswer {
  return page.part(<div data-errors={JSON.stringify(Object.values(errors).flat())}></div>, {}, { status: 422 });
}

async function showImport(page: PageRequest, errors: FieldErrors = {}): Promise<PageAnswer> {
  const definitions = await definitionsFor(page, 'contacts', 'conversations');
  const mayImport = page.may('contacts.import');
  const refusal = (errors['file'] ?? []).join(' ');
  const body = (
    <div class="column">
      <Head title={said.title} back={{ href: contactsPath, label: words.contacts.all }} />
      {!mayImport && (
        <div class="note note-warn">
          <p>{said.noPlan}</p>
        </div>
      )}
      <Form
        class="panel"
        id="import"
        action={importPath}
        csrf={page.csrf}
        enctype="multipart/form-data"
        data-max-bytes={maxImportBytes}
      >
        <Errors errors={errors} fields={['file']} />
        <div class="drop" id="drop">
          <Icon name="upload" />
          <label for="file">
            <strong>{said.choose}</strong>
          </label>
          <input
            type="file"
            id="file"
            name="file"
            accept=".csv,text/csv,text/plain"
            required
            aria-describedby="file-hint file-error"
            aria-invalid={refusal ? 'true' : undefined}
          />
          <p class="hint" id="file-hint">
            {said.size(numberText(maxFileRows), Math.floor(maxImportBytes / 2 ** 20))}
          </p>
          <p class="field-error" id="file-error" role="alert">
            {refusal}
          </p>
        </div>
        <Field
          name="country"
          label={said.country}
          type="select"
          value={page.workspace.country}
          errors={errors}
          options={countryOptions(said.noCountry)}
        />
        <div id="preview" hidden aria-live="polite"></div>
        <div class="actions">
          <button class="button button-main" type="submit" id="start" disabled={!mayImport}>
            {said.start}
          </button>
        </div>
      </Form>
      <div id="progress" hidden class="panel">
        <h2 id="progress-title">{said.running}</h2>
        <div
          class="meter"
          role="progressbar"
          aria-labelledby="progress-title"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={0}
          id="meter"
        ></div>
        <p class="soft" id="progress-text" role="status"></p>
      </div>
      <div id="result"></div>
      <Guide definitions={definitions} />
    </div>
  );
  const status = Object.keys(errors).length > 0 ? 422 : 200;
  return page.page(body, {
    title: said.title,
    place: 'contacts',
    styles: ['desk.css'],
    scripts: ['import.js'],
    status,
  });
}

/** Says what a file may have. */
function Guide({ definitions }: { readonly definitions: readonly FieldDefinition[] }): Html {
  const { guide } = said;
  return (
    <section class="panel">
      <h2>{guide.title}</h2>
      <p>
        <Filled text={guide.text} parts={{ phone: <code>phone</code>, bsuid: <code>bsuid</code> }} />
      </p>
      <dl class="pairs">
        <div>
          <dt>{guide.known}</dt>
          <dd>
            {importColumns.map((name) => (
              <>
                <code>{name}</code>{' '}
              </>
            ))}
          </dd>
        </div>
        {definitions.length > 0 && (
          <div>
            <dt>{guide.own}</dt>
            <dd>
              {definitions.map(({ name, label }) => (
                <>
                  <code title={label}>{name}</code>{' '}
                </>
              ))}
            </dd>
          </div>
        )}
        <div>
          <dt>{guide.lists}</dt>
          <dd>{guide.listsText}</dd>
        </div>
        <div>
          <dt>{guide.others}</dt>
          <dd>{guide.othersText}</dd>
        </div>
      </dl>
    </section>
  );
}

interface PreviewGiven {
  readonly preview: CsvPreview;
  readonly definitions: readonly FieldDefinition[];
}

/** A file before it is imported: its columns in our words, its first rows, and where its rows end. */
function Preview({ preview: seen, definitions }: PreviewGiven): Html {
  const { columns, rows, rowBytes, delimiter, headerBytes } = seen;
  const ours: Readonly<Record<string, string>> = said.columns;
  const labels = new Map(definitions.map(({ name, label }) => [name, label || name]));
  return (
    <div
      id="preview-of"
      data-count={rowBytes.length}
      data-header-bytes={headerBytes}
      data-row-bytes={rowBytes.join(' ')}
      data-delimiter={delimiter}
    >
      <h2>
        {said.rows(rowBytes.length)} {said.preview.in} <span id="preview-name"></span>
      </h2>
      <div class="table-scroll" tabindex={0} role="region" aria-label={said.preview.label}>
        <table class="table">
          <thead>
            <tr>
              {columns.map(({ given, name }) => {
                const label = ours[name] ?? labels.get(name);
                return (
                  <th scope="col">
                    {given}
                    <br />
                    <Tag
                      text={label ?? (name ? said.preview.kept : said.preview.leftOut)}
                      style={label ? 'tag-good' : ''}
                    />
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr>
                {row.map((cell) => (
                  <td>{cut(cell, maxShownCell)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** What an import did. */
function Imported({ result }: { readonly result: ImportResult }): Html {
  const { done } = said;
  const kept = (result.attributes_kept ?? []).join(', ');
  return (
    <div class="column">
      <Head title={said.short}>
        <a class="button" href={importPath}>
          {done.another}
        </a>
        <a class="button button-main" href={contactsPath}>
          {done.see}
        </a>
      </Head>
      <section class="panel">
        <h2>{done.title}</h2>
        <dl class="pairs">
          {(['received', 'created', 'updated', 'failed'] as const).map((name) => (
            <div>
              <dt>{done.counts[name]}</dt>
              <dd>{numberText(result[name])}</dd>
            </div>
          ))}
        </dl>
        {kept && <p class="soft">{done.kept(kept)}</p>}
      </section>
      {result.errors.length > 0 && (
        <section class="panel">
          <h2>{done.refused}</h2>
          <p>
            <a class="button button-small" download="refused.csv" href={reportOf(result)}>
              <Icon name="download" />
              {done.download}
            </a>{' '}
            {result.errors_truncated && <span class="soft">{done.more}</span>}
          </p>
          <div class="table-scroll">
            <table class="table">
              <thead>
                <tr>
                  {[done.row, done.column, done.value, done.why].map((name) => (
                    <th scope="col">{name}</th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {result.errors.slice(0, maxShownErrors).map(({ row, field, value, message }) => (
                  <tr>
                    <td>{row}</td>
                    <td>{field}</td>
                    <td>{textOf(value)}</td>
                    <td>{message}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>
      )}
    </div>
  );
}

/** Returns the address of a CSV file of what was refused or dropped. */
function reportOf(result: ImportResult): string {
  const rows = result.errors.map((error) => [
    error.row,
    error.receiver_id,
    error.field,
    textOf(error.value),
    error.message,
    error.dropped ? said.file.dropped : said.file.refused,
  ]);
  const text = [['row', 'contact', 'field', 'value', 'message', 'outcome'], ...rows].map(csvLine).join('');
  return `data:text/csv;charset=utf-8;base64,${Buffer.from(`\uFEFF${text}`).toString('base64')}`;
}

import type { AnswerOf } from '../../../core/http/shapes';
import type { importResultShape } from '../../../services/resources/contacts/import/operations';
import { csvLine } from '../csvFile';
import { numberText } from '../formats';
import { textOf } from '../forms';
import { Icon, type Html } from '../html';
import { Head } from '../headParts';
import { words } from '../words';
import { contactsPath } from './read';

const { contactImport: said } = words;
const maxShownErrors = 100;

type ImportResult = AnswerOf<typeof importResultShape>;

/** What an import did, where no script says so. */
export function Imported({ result, again }: { readonly result: ImportResult; readonly again: string }): Html {
  const { done } = said;
  const kept = (result.attributes_kept ?? []).join(', ');
  return (
    <div class="column">
      <Head title={said.short}>
        <a class="button" href={again}>
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

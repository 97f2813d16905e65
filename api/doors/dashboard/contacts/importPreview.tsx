import { cut } from '../../../core/text/cut';
import { keptColumn } from '../../../services/resources/contacts/import/columns';
import type { CsvPreview } from '../../../services/resources/contacts/import/csv';
import type { ImportRehearsal } from '../../../services/resources/contacts/import/rehearse';
import { numberText } from '../formats';
import { textOf, type FieldDefinition } from '../forms';
import type { Html } from '../html';
import { words } from '../words';
import { reworded } from './importWords';

const { contactImport: said } = words;
/** A file may have a thousand columns; more than these nobody reads, and each has a list of all that it may be. */
const maxShownColumns = 50;
const maxShownCell = 200;

interface PreviewGiven {
  readonly preview: CsvPreview;
  readonly definitions: readonly FieldDefinition[];
  /** What the import would do. */
  readonly children: Html;
}

/** A file before it is imported: a select above each column, its first rows, and where its rows end. */
export function Preview({ preview, definitions, children }: PreviewGiven): Html {
  const { columns, rows, rowBytes, delimiter, headerBytes } = preview;
  const count = rowBytes.length;
  const shown = columns.slice(0, maxShownColumns);
  const more = columns.length - shown.length;
  return (
    <div
      id="preview-of"
      data-count={count}
      data-header-bytes={headerBytes}
      data-row-bytes={rowBytes.join(' ')}
      data-delimiter={delimiter}
      data-columns={JSON.stringify(columns.map(({ guess }) => guess))}
      data-start={said.preview.start(count)}
      data-progress-words={said.preview.progress(count)}
    >
      <h2>
        {said.countRows(count)} {said.preview.in} <span id="preview-name"></span>
      </h2>
      <p class="soft">{said.preview.ask}</p>
      <div class="table-scroll" tabindex={0} role="region" aria-label={said.preview.label}>
        <table class="table import-table">
          <thead>
            <tr>
              {shown.map(({ given, guess }) => (
                <th scope="col">
                  <span class="import-name">{cut(given, maxShownCell) || said.preview.unnamed}</span>
                  <select class="input" data-column="" aria-label={said.preview.column(cut(given, maxShownCell))}>
                    <ColumnChoices chosen={guess} definitions={definitions} />
                  </select>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr>
                {row.slice(0, maxShownColumns).map((cell) => (
                  <td>
                    <span class="import-cell">{cut(cell, maxShownCell)}</span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more > 0 && <p class="soft">{said.preview.more(more)}</p>}
      {children}
    </div>
  );
}

function ColumnChoices({ chosen, definitions }: { chosen: string; definitions: readonly FieldDefinition[] }): Html {
  // What is seldom meant comes last.
  const names = Object.keys(said.columns) as (keyof typeof said.columns)[];
  const [first, last] = [names.filter((name) => name !== '' && name !== keptColumn), [keptColumn, ''] as const];
  const option = (value: string, label: string): Html => (
    <option value={value} selected={value === chosen}>
      {label}
    </option>
  );
  return (
    <>
      {first.map((name) => option(name, said.columns[name]))}
      {definitions.length > 0 && (
        <optgroup label={said.ownFields}>{definitions.map(({ name, label }) => option(name, label || name))}</optgroup>
      )}
      {last.map((name) => option(name, said.columns[name]))}
    </>
  );
}

interface CheckGiven {
  /** Null: no column says whose a row is. */
  readonly check: ImportRehearsal | null;
  readonly definitions: readonly FieldDefinition[];
}

/** What an import would do, before it does it. */
export function Check({ check, definitions }: CheckGiven): Html {
  const { check: told } = said;
  return (
    <div id="check" role="status" data-ready={check ? 'true' : undefined}>
      {!check ? (
        <p class="note note-warn">{said.preview.namesNobody}</p>
      ) : (
        <>
          <dl class="pairs" aria-label={told.label}>
            {(['created', 'updated', 'failed', 'optedOut', 'keptOut'] as const)
              .filter((name) => name === 'created' || check[name] > 0)
              .map((name) => (
                <div>
                  <dt>{told.counts[name]}</dt>
                  <dd>{numberText(check[name])}</dd>
                </div>
              ))}
          </dl>
          {check.problems.length > 0 && <Problems problems={check.problems} definitions={definitions} />}
        </>
      )}
    </div>
  );
}

function Problems({
  problems,
  definitions,
}: Pick<ImportRehearsal, 'problems'> & Pick<CheckGiven, 'definitions'>): Html {
  const { check: told } = said;
  return (
    <>
      <h3>{told.problems}</h3>
      <ul class="import-problems">
        {problems
          .map((problem) => reworded(problem, definitions))
          .map(({ row, field, value, message, dropped, count }) => (
            <li>
              <strong>{said.countRows(count)}</strong> {dropped ? told.dropped : told.refused}
              {field && `, ${field}`}: {message}{' '}
              <span class="soft">
                ({told.first(row)}
                {textOf(value) && `: ${cut(textOf(value), maxShownCell)}`})
              </span>
            </li>
          ))}
      </ul>
    </>
  );
}

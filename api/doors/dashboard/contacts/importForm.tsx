import type { FieldErrors } from '../../../core/http/errors';
import { maxFileRows, maxImportBytes } from '../../../services/resources/contacts/import/schema';
import { numberText } from '../formats';
import { countryOptions } from '../forms';
import { Icon, type Html } from '../html';
import type { PageRequest } from '../page';
import { Errors, Field, Form } from '../parts';
import { Head } from '../headParts';
import { words } from '../words';
import { contactsPath } from './read';

const { contactImport: said } = words;

interface FormGiven {
  readonly page: PageRequest;
  readonly action: string;
  readonly errors: FieldErrors;
}

/** The page on which a file is chosen; what follows is put into it (import.js). */
export function ImportForm({ page, action, errors }: FormGiven): Html {
  const mayImport = page.may('contacts.import');
  const refusal = ['file', 'columns'].flatMap((name) => errors[name] ?? []).join(' ');
  const { done, script } = said;
  return (
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
        action={action}
        csrf={page.csrf}
        enctype="multipart/form-data"
        data-max-bytes={maxImportBytes}
        data-words={JSON.stringify({ ...done, ...script, done: done.title, start: said.start })}
      >
        <Errors errors={errors} fields={['file', 'columns']} />
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
        <div id="preview" hidden></div>
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
      <Guide />
    </div>
  );
}

/** Says what a file may have. */
function Guide(): Html {
  const { guide } = said;
  return (
    <section class="panel">
      <h2>{guide.title}</h2>
      <p>{guide.text}</p>
      <dl class="pairs">
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

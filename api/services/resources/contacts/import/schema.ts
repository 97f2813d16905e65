import { described, Fault, field, input, list, nullable, text, typeName } from '../../../../core/http/fields';
import { countryField } from '../../../../core/phones';
import { reason } from '../../reasons';

/** Most rows of a JSON body, and of a file (contract 5). */
const maxJsonRows = 1_000;
export const maxFileRows = 50_000;
/** Most keys of all rows of a JSON body. */
export const maxJsonKeys = 100_000;
/** Largest body, in bytes. */
export const maxImportBytes = 10 * 1024 * 1024;

const rows = field<readonly unknown[]>(
  { type: 'array', items: { type: 'object', additionalProperties: true }, maxItems: maxJsonRows },
  (raw) => {
    if (!Array.isArray(raw)) return new Fault(reason('noList', { type: typeName(raw) }));
    return raw.length > maxJsonRows ? new Fault(reason('tooManyContacts', { max: maxJsonRows })) : (raw as unknown[]);
  },
).meta({ reportsNumbers: true });

const file = field<string>({ type: 'string', format: 'binary', contentMediaType: 'text/csv' }, (raw) =>
  typeof raw === 'string' ? raw : new Fault(reason('noSubmittedFile')),
);

/** `POST /contacts/bulk/` (contract 5). */
export const importInput = input({
  contacts: described(
    rows,
    'Rows of contact attributes. A key that names a custom field is stored typed, any other key as a free-form ' +
      'attribute.',
  ),
  file: described(
    file,
    `CSV with a header row, at most ${maxFileRows} rows, as a part of a multipart body. An apostrophe before ` +
      'a formula is not part of its text; the columns `(username)`, `(created_at)` and `(problem)`, which the ' +
      "dashboard's own files have, are left out.",
  ),
  columns: described(
    list(text({ max: 255 }), { min: 1, max: 1_000 }),
    "What each column of a file is, in their order and in place of the header's own words: the name of a column or " +
      'custom field, `(first_name)` and `(last_name)` for the parts of a name, `(attribute)` for what is kept under ' +
      "the header's word, an empty text for what is left out.",
    ['(first_name)', '(last_name)', 'phone', '', '(attribute)'],
  ),
  country: described(
    nullable(countryField()),
    "ISO code of the country of a file's phone numbers that have no country code; null: all have one. Without it " +
      "the workspace's own.",
  ),
});

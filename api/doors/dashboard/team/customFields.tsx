import { fieldShape } from '../../../services/resources/customFields/serializer';
import { fieldTypes, subjects } from '../../../services/resources/customFields/schema';
import { words } from '../words';
import { resourcePages } from './resourcePages';

const { customFields } = words;
const optionsShown = 8;

/** Returns the first options, followed by the number of those left out. */
function optionsText(options: readonly string[]): string {
  const more = options.length > optionsShown ? customFields.more(options.length - optionsShown) : '';
  return `${options.slice(0, optionsShown).join(', ')}${more}`;
}

/** Definitions of custom fields. */
export const { routes: customFieldPages } = resourcePages({
  path: '/dashboard/custom-fields/',
  section: 'fields',
  icon: 'sliders-horizontal',
  operations: 'customFields',
  shape: fieldShape,
  view: 'contact.view',
  manage: 'contact.edit',
  words: customFields,
  fresh: { field_type: 'text', applies_to: ['contacts'] },
  nameOf: ({ label }) => label,
  list: {
    columns: () => [
      {
        label: customFields.fields.label.label,
        cell: customFields.cell,
        show: ({ label, name }) => (
          <>
            <strong>{label}</strong>
            <br />
            <code class="soft">{name}</code>
          </>
        ),
      },
      {
        label: customFields.fields.field_type.label,
        show: ({ field_type: type, options }) => (
          <>
            {customFields.types[type]}
            {options.length > 0 && (
              <>
                <br />
                <span class="soft small">{optionsText(options)}</span>
              </>
            )}
          </>
        ),
      },
      { label: customFields.fields.applies_to.label, show: ({ applies_to: targets }) => targets.join(', ') },
    ],
  },
  fields: (_page, field) =>
    Promise.resolve([
      { name: 'label', required: true },
      { name: 'name', attributes: { autocapitalize: 'none' } },
      {
        name: 'field_type',
        options: fieldTypes.map((value) => ({ value, label: customFields.types[value] })),
        ...(field ? { hint: customFields.typeFixed } : {}),
      },
      { name: 'options', as: 'lines', rows: 5 },
      { name: 'applies_to', options: subjects.map((value) => ({ value, label: customFields.subjects[value] })) },
    ]),
  // Options of a type that has none are not sent: they were typed before the type was chosen.
  sent: (values) => ({ ...values, options: /select$/.test(String(values['field_type'])) ? values['options'] : [] }),
});

import { placeholdersOf } from '../../../services/resources/templates/needs';
import type { TemplateItem } from '../../../services/resources/templates/serializer';
import { contactVariables, ticketVariables } from '../../../services/resources/templates/variables';
import { choiceLabel } from '../../../services/resources/tickets/values';
import { approvedTemplates, previewTemplate, type TemplatePreview } from '../inbox/templates';
import type { FieldErrors } from '../../../core/http/errors';
import type { FieldGiven } from '../fieldViews';
import { fileField, type FileGiven } from '../fileField';
import { textOf } from '../forms';
import type { PageRequest } from '../page';
import type { WirePipeline, WireStage } from './wire';

type Binding = Readonly<Record<string, string>>;
type Mapping = Readonly<Record<string, Readonly<Record<string, Binding>>>>;

/** A placeholder of a template, with what fills it. */
interface MappedPlaceholder {
  /** `header.1`, `body.2`: a mapping counts them. */
  readonly key: string;
  readonly label: string;
  /** `static`, `field:name`, `ticket:id`, `dash`, or empty: not chosen yet. */
  readonly source: string;
  readonly text: string;
}

/** What a stage sends, as its form shows it. */
interface MappingView {
  readonly templates: readonly { readonly value: string; readonly label: string }[];
  readonly chosen: string;
  /** The message that the form was filled with. A hidden input sends it back, so that only a changed one is saved. */
  readonly was: string;
  readonly mayChoose: boolean;
  /** Whether each placeholder has a value. */
  readonly isComplete: boolean;
  /** The fields of each placeholder: the source of its value, and its text if that is fixed. */
  readonly placeholders: readonly (readonly FieldGiven[])[];
  readonly preview: TemplatePreview | null;
  /** The file for the header of the template; null: it takes none. */
  readonly file: FileGiven | null;
  readonly hint: string;
}

const sources = [
  { value: '', label: 'Choose what stands here' },
  { value: 'dash', label: 'Nothing (a dash)' },
  { value: 'static', label: 'A fixed text' },
  ...contactVariables.map((name) => ({ value: `field:${name}`, label: `Contact: ${name.replaceAll('_', ' ')}` })),
  ...ticketVariables.map((name) => ({
    value: `ticket:${name}`,
    label: `Ticket: ${name === 'id' ? 'number' : name.replaceAll('_', ' ')}`,
  })),
];

/** Returns what the preview shows in the place of a real ticket and contact. */
function sampleValues(page: PageRequest, pipeline: string, stage: string): Readonly<Record<string, string>> {
  return {
    'field:name': 'Ada Lovelace',
    'field:first_name': 'Ada',
    'field:phone': '+44 20 7946 0000',
    'field:email': 'ada@example.com',
    'field:company': 'Analytical Engines',
    'ticket:id': '1042',
    'ticket:title': 'Parcel is late',
    'ticket:type': choiceLabel('complaint'),
    'ticket:stage': stage,
    'ticket:pipeline': pipeline,
    'ticket:priority': choiceLabel('high'),
    'ticket:severity': 'Sev2 High',
    'ticket:assignee': page.member.name || page.member.email,
    'ticket:outcome': choiceLabel('resolved'),
    'ticket:created_date': page.moment(page.now, 'day'),
    'ticket:due_date': page.moment(page.now, 'day'),
  };
}

/** Shows what a stage sends: as its form says, or as it is stored. */
export async function showMapping(
  page: PageRequest,
  pipeline: WirePipeline,
  stage: WireStage | null,
  errors: FieldErrors = {},
): Promise<MappingView> {
  const templates = await approvedTemplates(page);
  const isSent = page.form['name'] !== undefined;
  const stored = stage?.notify_template_id ?? '';
  const chosen = isSent ? (page.form['notify_template_id'] ?? '') : stored;
  const template = templates.find(({ template_id: id }) => id === chosen);
  const keptMedia = chosen === stored ? stage?.notify_template_media_id : '';
  const { notify_template_media_id: id, notify_template_media_id_filename: filename } = page.form;
  const file = isSent ? { id, filename } : { id: keptMedia };
  const mapping: Mapping = isSent
    ? readMapping(page.form)
    : chosen === stored
      ? (stage?.notify_template_variables ?? {})
      : {};
  // What a stored mapping leaves out is a dash; in a form nothing is chosen until the member does.
  const unnamed = !isSent && chosen === stored && stage !== null ? 'dash' : '';
  const placeholders = template ? placeholdersIn(template, mapping, unnamed, page.form) : [];
  const fields = placeholders.map(placeholderFields);
  const header = template ? fileField('notify_template_media_id', template, file, errors) : null;
  const filled = {
    notify_template_id: chosen,
    notify_template_media_id: textOf(header?.value),
    ...Object.fromEntries(fields.flat().map(({ name, value }) => [name, textOf(value)])),
  };
  const sample = sampleValues(page, pipeline.name, page.form['name'] || stage?.name || 'This stage');
  const values = placeholders.map(({ key, label, source, text }): [string, string] => [
    `${key.split('.')[0]}.${label}`,
    source === 'static' ? text || '—' : (sample[source] ?? '—'),
  ]);
  const options = templates.map(({ template_id: value, name, language }) => ({
    value,
    label: `${name} (${language})`,
  }));
  // A template that can no longer be chosen stays until a member chooses another.
  if (stored !== '' && !templates.some(({ template_id: id }) => id === stored))
    options.push({ value: stored, label: `${stage?.notify_template_name ?? stored} (cannot be sent now)` });
  return {
    templates: [{ value: '', label: 'No message' }, ...options],
    chosen,
    was: page.form['was.notification'] ?? (isSent ? '' : textOf(readNotification(filled))),
    mayChoose: page.can('template.view'),
    isComplete: placeholders.every(({ source }) => source !== ''),
    placeholders: fields,
    file: header,
    preview: template ? previewTemplate(template.components, Object.fromEntries(values)) : null,
    hint:
      template?.category.toUpperCase() === 'MARKETING'
        ? 'A marketing template: contacts who opted out do not get it.'
        : '',
  };
}

function placeholderFields({ key, label, source, text }: MappedPlaceholder): FieldGiven[] {
  const id = key.replace('.', '-');
  return [
    {
      name: `map.${key}`,
      id: `map-${id}`,
      label: `${key.startsWith('header') ? 'Header' : 'Text'} {{${label}}}`,
      type: 'select',
      value: source,
      options: sources,
      attributes: { required: '' },
    },
    ...(source === '' || source === 'dash'
      ? []
      : [
          {
            name: `text.${key}`,
            id: `text-${id}`,
            label: source === 'static' ? `Text for {{${label}}}` : `{{${label}}} if it is empty`,
            value: text,
            required: source === 'static',
            attributes: { maxlength: 512 },
          },
        ]),
  ];
}

function placeholdersIn(
  template: TemplateItem,
  mapping: Mapping,
  unnamed: string,
  form: Readonly<Record<string, string>>,
): MappedPlaceholder[] {
  const wanted = placeholdersOf({ category: template.category, parameter_format: '', components: template.components });
  const parts = [
    ['header', wanted.header.kind === 'text' ? wanted.header.names : []],
    ['body', wanted.body],
  ] as const;
  return parts.flatMap(([part, names]) =>
    names.map((label, index) => {
      // A mapping counts the placeholders, whatever their names.
      const key = `${part}.${index + 1}`;
      const binding = mapping[part]?.[String(index + 1)];
      const kind = binding?.['source'] ?? (form[`map.${key}`] === 'dash' ? 'dash' : unnamed);
      return {
        key,
        label,
        source: ['', 'dash', 'static'].includes(kind) ? kind : `${kind}:${binding?.['field']}`,
        text: binding?.['value'] ?? binding?.['default'] ?? '',
      };
    }),
  );
}

/**
 * Reads the message of a stage's form as the API takes it; null: it is as the form was filled, or not in it. A file
 * that the template does not take is left out: without scripts it is in the form still.
 */
export function changedNotification(
  { form }: PageRequest,
  { preview, file }: MappingView,
): ReturnType<typeof readNotification> | null {
  if (form['notify_template_id'] === undefined) return null;
  const notification = readNotification(preview && !file ? { ...form, notify_template_media_id: '' } : form);
  return textOf(notification) === form['was.notification'] ? null : notification;
}

function readNotification(form: PageRequest['form']): Readonly<Record<string, unknown>> {
  const template = form['notify_template_id'] ?? '';
  return {
    notify_template_id: template,
    notify_template_variables: template === '' ? {} : readMapping(form),
    notify_template_media_id: (template !== '' && form['notify_template_media_id']) || null,
  };
}

function readMapping(form: PageRequest['form']): Mapping {
  const mapping: Record<string, Record<string, Binding>> = {};
  for (const [name, chosen] of Object.entries(form)) {
    const place = /^map\.(header|body)\.(\d{1,2})$/.exec(name);
    if (!place || chosen === '' || chosen === 'dash') continue;
    const [, part = '', index = ''] = place;
    const [source = '', field = ''] = chosen.split(':');
    const text = form[`text.${part}.${index}`] ?? '';
    const binding: Binding =
      source === 'static' ? { source, value: text } : { source, field, ...(text === '' ? {} : { default: text }) };
    mapping[part] = { ...mapping[part], [index]: binding };
  }
  return mapping;
}

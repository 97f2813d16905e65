import type { FieldErrors } from '../../../core/http/errors';
import { readVariables } from '../../../services/resources/macros/params';
import { placeholdersOf } from '../../../services/resources/templates/requiredParts';
import type { TemplateItem } from '../../../services/resources/templates/serializer';
import { contactVariables, ticketVariables } from '../../../services/resources/templates/variables';
import { choiceLabel } from '../../../services/resources/tickets/values';
import type { FieldGiven, Option } from '../fieldViews';
import { FileField, fileField, type FileGiven } from '../fileField';
import { textOf } from '../forms';
import type { Html } from '../html';
import { approvedTemplates, previewTemplate, type TemplatePreview } from '../inbox/templates';
import type { PageRequest } from '../page';
import { Field } from '../parts';
import { words } from '../words';
import type { Pipeline, Stage } from '../tickets/read';

const { message: said } = words.pipelines;

interface Binding {
  readonly source: string;
  readonly field?: string;
  readonly value?: string;
  readonly default?: string;
}
type Mapping = Readonly<Partial<Record<'header' | 'body', Readonly<Record<string, Binding>>>>>;
type LabelledField = FieldGiven & { readonly label: string };

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
  readonly templates: readonly Option[];
  readonly chosen: string;
  /** The message that the form was filled with. A hidden input sends it back, so that only a changed one is saved. */
  readonly was: string;
  readonly mayChoose: boolean;
  /** Whether each placeholder has a value. */
  readonly isComplete: boolean;
  /** The fields of each placeholder: the source of its value, and its text if that is fixed. */
  readonly placeholders: readonly (readonly LabelledField[])[];
  readonly preview: TemplatePreview | null;
  /** The file for the header of the template; null: it takes none. */
  readonly file: FileGiven | null;
  readonly hint: string;
}

const sources = (): readonly Option[] => [
  { value: '', label: said.choose },
  { value: 'dash', label: said.dash },
  { value: 'static', label: said.static },
  ...contactVariables.map((name) => ({ value: `field:${name}`, label: said.ofContact(name) })),
  ...ticketVariables.map((name) => ({ value: `ticket:${name}`, label: said.ofTicket(name) })),
];

/** Returns what the preview shows in the place of a real ticket and contact. */
function sampleValues(page: PageRequest, pipeline: string, stage: string): Readonly<Record<string, string>> {
  const { contact, ticket } = said.sample;
  const of = (kind: string, values: Readonly<Record<string, string>>): [string, string][] =>
    Object.entries(values).map(([name, value]) => [`${kind}:${name}`, value]);
  return {
    ...Object.fromEntries([...of('field', contact), ...of('ticket', ticket)]),
    'ticket:type': choiceLabel('complaint'),
    'ticket:stage': stage,
    'ticket:pipeline': pipeline,
    'ticket:priority': choiceLabel('high'),
    'ticket:assignee': page.member.name || page.member.email,
    'ticket:outcome': choiceLabel('resolved'),
    'ticket:created_date': page.moment(page.now, 'day'),
    'ticket:due_date': page.moment(page.now, 'day'),
  };
}

/** Shows what a stage sends: as its form says, or as it is stored. */
export async function showMapping(
  page: PageRequest,
  pipeline: Pipeline,
  stage: Stage | null,
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
      ? (readVariables(stage?.notify_template_variables) ?? {})
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
  const sample = sampleValues(page, pipeline.name, page.form['name'] || stage?.name || said.sample.stage);
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
    options.push({ value: stored, label: said.gone(stage?.notify_template_name ?? stored) });
  return {
    templates: [{ value: '', label: said.none }, ...options],
    chosen,
    was: page.form['was.notification'] ?? (isSent ? '' : textOf(readNotification(filled))),
    mayChoose: page.can('template.view'),
    isComplete: placeholders.every(({ source }) => source !== ''),
    placeholders: fields,
    file: header,
    preview: template ? previewTemplate(template.components, Object.fromEntries(values)) : null,
    hint: template?.category.toUpperCase() === 'MARKETING' ? said.marketing : '',
  };
}

function placeholderFields({ key, label, source, text }: MappedPlaceholder): LabelledField[] {
  const id = key.replace('.', '-');
  return [
    {
      name: `map.${key}`,
      id: `map-${id}`,
      label: key.startsWith('header') ? said.header(label) : said.body(label),
      type: 'select',
      value: source,
      options: sources(),
      attributes: { required: '' },
    },
    ...(source === '' || source === 'dash'
      ? []
      : [
          {
            name: `text.${key}`,
            id: `text-${id}`,
            label: source === 'static' ? said.textFor(label) : said.otherwise(label),
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
      const kind = binding?.source ?? (form[`map.${key}`] === 'dash' ? 'dash' : unnamed);
      return {
        key,
        label,
        source: ['', 'dash', 'static'].includes(kind) ? kind : `${kind}:${binding?.field}`,
        text: binding?.value ?? binding?.default ?? '',
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
  const mapping: { header?: Record<string, Binding>; body?: Record<string, Binding> } = {};
  for (const [name, chosen] of Object.entries(form)) {
    const [, index = ''] = /^map\.(?:header|body)\.(\d{1,2})$/.exec(name) ?? [];
    if (index === '' || chosen === '' || chosen === 'dash') continue;
    const part = name.startsWith('map.header.') ? 'header' : 'body';
    const [source = '', field = ''] = chosen.split(':');
    const text = form[`text.${part}.${index}`] ?? '';
    const binding: Binding =
      source === 'static' ? { source, value: text } : { source, field, ...(text === '' ? {} : { default: text }) };
    mapping[part] = { ...mapping[part], [index]: binding };
  }
  return mapping;
}

interface MappingGiven {
  readonly mapping: MappingView;
  readonly errors: FieldErrors;
  /** The page of the stage. */
  readonly path: string;
}

/** The message that a stage sends: its template, what fills the placeholders, and how it would look. */
export function MappingFields({ mapping, errors, path }: MappingGiven): Html {
  const { mayChoose, chosen, templates, hint, file, placeholders, preview } = mapping;
  if (!mayChoose)
    return (
      <div id="mapping">
        <p class="note">{said.hidden}</p>
      </div>
    );
  return (
    <div
      id="mapping"
      hx-post={`${path}preview/`}
      hx-trigger="change"
      hx-include="closest form"
      hx-target="#mapping"
      hx-swap="morph:outerHTML"
    >
      <Field
        name="notify_template_id"
        label={said.template}
        type="select"
        value={chosen}
        options={templates}
        errors={errors}
        hint={hint}
      />
      <button class="button button-small unscripted" name="show" value="1">
        {said.show}
      </button>
      {file && <FileField {...file} />}
      {placeholders.map((fields) => (
        <div class="pair">
          {fields.map((field) => (
            <Field {...field} />
          ))}
        </div>
      ))}
      {preview && <Preview {...preview} />}
    </div>
  );
}

function Preview({ headerMedia, header, body, footer, buttons }: TemplatePreview): Html {
  return (
    <figure class="preview">
      <figcaption class="soft small">{said.preview}</figcaption>
      <div class="bubble">
        {headerMedia && <p class="soft">[{headerMedia}]</p>}
        {header && (
          <p>
            <strong>{header}</strong>
          </p>
        )}
        <p class="pre">{body}</p>
        {footer && <p class="soft small">{footer}</p>}
        {buttons.map((button) => (
          <p class="bubble-button">{button}</p>
        ))}
      </div>
    </figure>
  );
}

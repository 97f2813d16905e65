import { isPlainObject } from '../../../core/http/fields';
import { headerFileKind } from '../../../services/resources/templates/parameters';
import type { FieldErrors } from '../../../core/http/errors';
import { optionsOf, type FieldGiven, type Option, type RadioView } from '../fieldViews';
import { filledWith } from '../forms';
import type { PageRequest } from '../page';
import { asText, type CustomField, type Json, type Named, type PhoneNumber, type Template } from '../lookups';
import { previewTemplate, type TemplatePreview } from '../inbox/templates';
import { fileField, type FileGiven } from '../fileField';
import {
  audienceOf,
  audienceValues,
  audienceView,
  readAudience,
  rulesOf,
  type AudienceView,
  type Values,
} from './audienceForm';
import { readSlots, writeSlots } from './macroForm';
import { slotsOf, type Slot } from './templateTexts';

/** Returns the fields of the form from a stored broadcast. */
export function valuesOf(broadcast: Json, timezone: string): Values {
  return {
    name: broadcast['name'],
    template_id: broadcast['template_id'],
    phone_number_id: broadcast['phone_number_id'],
    header_media: isPlainObject(broadcast['header_media']) ? asText(broadcast['header_media']['id']) : '',
    ...audienceValues(audienceOf(broadcast), timezone),
    ...readSlots(broadcast['template_variables']),
  };
}

/** What the form of a draft offers beside its values. */
interface DraftView extends AudienceView {
  readonly template: FieldGiven;
  /** The number that it is sent from; null: there is no choice. */
  readonly number: FieldGiven | null;
  /** The file for the header of the template; null: it takes none. */
  readonly file: FileGiven | null;
  /** The message of the chosen template, with the names of its placeholders; null: none is chosen. */
  readonly message: TemplatePreview | null;
  readonly errors: { readonly number: string; readonly placeholders: string; readonly audience: string };
  readonly everybody: readonly RadioView[];
  readonly button: { readonly label: string; readonly style: string };
  /** The rules of the stored audience in words: all of them hold. */
  readonly rules: readonly string[];
  readonly slots: readonly SlotView[];
  /** What the fields of the audience were filled with. */
  readonly was: readonly (readonly [name: string, was: string])[];
}

/** One placeholder as two fields: where its value comes from, and the text where it is one. */
interface SlotView {
  readonly source: FieldGiven & { readonly label: string; readonly options: readonly Option[] };
  readonly text: FieldGiven & { readonly label: string };
}

interface DraftParts {
  readonly templates: readonly Template[];
  readonly numbers: readonly PhoneNumber[];
  readonly inboxes: readonly Named[];
  readonly fields: readonly CustomField[];
}

const sources = optionsOf([
  ['', 'Choose what stands here'],
  ['first_name', 'First name'],
  ['name', 'Name of the contact'],
  ['phone', 'Phone'],
  ['email', 'Email'],
  ['company', 'Company'],
  ['static', 'This text:'],
]);

/** The draft that is edited. */
interface DraftState {
  readonly own: string;
  /** The stored draft; null: it is a new one. */
  readonly broadcast: Json | null;
  readonly values: Values;
  readonly errors: FieldErrors | undefined;
}

const choose: Option = { value: '', label: 'Choose one' };

const fileOf = ({ header_media: id, header_media_filename: filename }: Values) => ({ id, filename: asText(filename) });

/** Builds what the form offers. */
export function draftView(page: PageRequest, parts: DraftParts, state: DraftState): DraftView {
  const { templates, numbers, inboxes, fields } = parts;
  const { broadcast, values, errors } = state;
  const { timezone } = page.workspace;
  const chosen = templates.find(({ template_id: id }) => id === values['template_id']);
  const errorOf = (name: string): string => (errors?.[name] ?? []).join(' ');
  const everybody = (value: string, label: string, detail: string): RadioView => ({
    name: 'everybody',
    value,
    label,
    detail,
    isChosen: values['everybody'] === value,
  });
  const offered = audienceView(values, inboxes, fields);
  const filled = {
    ...Object.fromEntries(offered.custom.map(({ name }) => [name, ''])),
    ...audienceValues(audienceOf(broadcast), timezone),
  };
  return {
    ...offered,
    template: templateField(templates, state),
    number: numbers.length > 1 ? numberField(numbers, state) : null,
    file: chosen ? fileField('header_media', chosen, fileOf(values), errors) : null,
    message: chosen ? previewTemplate(chosen.components, {}) : null,
    errors: {
      number: errorOf('phone_number_id'),
      placeholders: errorOf('template_variables'),
      audience: errorOf('audience'),
    },
    everybody: [
      everybody('some', 'Contacts that fit all of these', 'Fill in at least one.'),
      everybody('all', 'All contacts', 'Everybody who has not opted out; the filters below are not used.'),
    ],
    button: !broadcast
      ? { label: 'Save the draft and count', style: 'button-main' }
      : { label: 'Save the draft', style: '' },
    rules: broadcast ? rulesOf(audienceOf(broadcast), timezone, inboxes, fields) : [],
    // What is saved is what the form is filled with from then on; one that is shown again was filled before.
    was: filledWith(errors || page.form['do'] === 'refresh' ? page : { form: {} }, filled),
    slots: (chosen ? slotsOf(chosen) : []).map((slot) => slotView(slot, values)),
  };
}

function templateField(templates: readonly Template[], { own, broadcast, values, errors }: DraftState): FieldGiven {
  return {
    name: 'template_id',
    label: 'Template',
    type: 'select',
    value: values['template_id'],
    errors,
    options: [
      choose,
      ...templates.map(({ template_id: value, name, language, category }) => ({
        value,
        label: `${name} (${language}, ${category.toLowerCase()})`,
      })),
    ],
    hint: templates.length === 0 ? 'There is no approved template. Templates are made at the messaging platform.' : '',
    // A stored draft saves itself with every change; of a new one only the placeholders follow.
    attributes: !broadcast
      ? {
          'hx-post': own,
          'hx-trigger': 'change',
          'hx-target': '#draft',
          'hx-swap': 'morph:outerHTML',
          'hx-include': '#draft-form',
          'hx-vals': '{"do":"refresh"}',
        }
      : {},
  };
}

function numberField(numbers: readonly PhoneNumber[], { values, errors }: DraftState): FieldGiven {
  return {
    name: 'phone_number_id',
    label: 'Send from',
    type: 'select',
    value: values['phone_number_id'],
    errors,
    options: [
      choose,
      ...numbers.map(({ phone_number_id: value, display_phone_number: number, verified_name: name }) => ({
        value,
        label: `${number} ${name}`,
      })),
    ],
  };
}

function slotView({ component, name, number, around }: Slot, values: Values): SlotView {
  const key = `${component}_${number}`;
  const label = `${component === 'header' ? 'Header ' : ''}{{${name}}}`;
  return {
    source: {
      name: `${key}_source`,
      label,
      type: 'select',
      options: sources,
      value: values[`${key}_source`],
      hint: around,
    },
    text: {
      name: `${key}_value`,
      label: `Text for ${label}, or what stands there if it is empty`,
      value: values[`${key}_value`],
      attributes: { maxlength: 512 },
    },
  };
}

/** Returns the fields as they were sent, to be shown again. */
export function valuesSent(page: PageRequest): Values {
  return { ...page.form, conv_status: page.all('conv_status') };
}

/**
 * Returns the fields of a draft that saved itself: its audience as it is stored now, but for the filters that wait in
 * the form while it is for everybody.
 */
export function valuesSaved(page: PageRequest, saved: Json): Values {
  const stored = audienceValues(audienceOf(saved), page.workspace.timezone);
  const sent = valuesSent(page);
  if (stored['everybody'] === 'all') return { ...sent, everybody: 'all' };
  return { ...Object.fromEntries(Object.entries(sent).filter(([name]) => !name.startsWith('custom_'))), ...stored };
}

/** Returns what the operation takes from the fields of the form. */
export function inputOf(
  page: PageRequest,
  stored: Json | null,
  templates: readonly Template[],
  fields: readonly CustomField[],
): Json {
  const { form } = page;
  const template = templates.find((candidate) => candidate.template_id === form['template_id']);
  return {
    name: form['name'] ?? '',
    template_id: form['template_id'] ?? '',
    ...(form['phone_number_id'] ? { phone_number_id: form['phone_number_id'] } : {}),
    audience: readAudience(page, audienceOf(stored), fields),
    header_media: template && headerFileKind(template) && form['header_media'] ? { id: form['header_media'] } : null,
    template_variables: (template ? writeSlots(slotsOf(template), form).template_variables : undefined) ?? {},
  };
}

import { convStatuses, type ConvStatus } from '../../../../models/enums';
import { isPlainObject } from '../../../core/http/fields';
import { localOf, momentOfLocal } from '../../../core/zones';
import { optionsOf, type FieldGiven, type Option, type RadioView } from '../fieldViews';
import { changedFields, editedTags, filledWith, textOf } from '../forms';
import { Was } from '../formParts';
import type { Html } from '../html';
import { asText, type CustomField, type Json, type Named } from '../lookups';
import type { PageRequest } from '../page';
import { Checks, Field, Radios } from '../parts';
import { words } from '../words';
import type { Broadcast } from './list';

const { audience: said, rules } = words.broadcasts;

export type Values = Readonly<Record<string, unknown>>;

const tagLists = ['tags_any', 'tags_all', 'tags_none'] as const;
const momentPairs = [
  ['last_inbound_after', 'last_inbound_before'],
  ['created_after', 'created_before'],
] as const;
const moments = momentPairs.flat();
/** Filters that are folded away, with those by custom fields. */
const folded: readonly string[] = [...moments, 'receiver_ids', 'resend_of'];
const plainFilters: readonly string[] = [...tagLists, ...folded, 'assigned_team_inbox'];
const customPrefix = 'custom_';
const isCustom = (name: string): boolean => name.startsWith(customPrefix);
const any = (): Option => ({ value: '', label: said.any });

type LabelledField = FieldGiven & { readonly label: string };

/** Returns the audience of a draft; one without filters where there is none yet. */
export function audienceOf(broadcast: Broadcast | null): Json {
  return isPlainObject(broadcast?.audience) ? broadcast.audience : {};
}

/** Returns the fields of the form from an audience. */
export function audienceValues(audience: Json, timezone: string): Values {
  const list = (key: string): string => (Array.isArray(audience[key]) ? audience[key].map(asText).join(', ') : '');
  const custom = isPlainObject(audience['custom_fields']) ? audience['custom_fields'] : {};
  return {
    everybody: audience['all'] === true ? 'all' : 'some',
    ...Object.fromEntries([...tagLists, 'receiver_ids'].map((key) => [key, list(key)])),
    resend_of: asText(audience['resend_of']),
    // In the order of their boxes, as the form sends them.
    conv_status: convStatuses.filter((status) => [audience['conv_status']].flat().includes(status)),
    assigned_team_inbox: asText(audience['assigned_team_inbox']),
    ...Object.fromEntries(
      moments.map((key) => [key, audience[key] ? localOf(new Date(asText(audience[key])), timezone) : '']),
    ),
    ...Object.fromEntries(
      // Options with semicolons between them are read as a list of them.
      Object.entries(custom).map(([name, value]) => [
        `${customPrefix}${name}`,
        Array.isArray(value) ? value.map(asText).join('; ') : asText(value),
      ]),
    ),
  };
}

interface AudienceGiven {
  readonly page: PageRequest;
  /** The stored draft; null: it is a new one. */
  readonly broadcast: Broadcast | null;
  readonly values: Values;
  readonly inboxes: readonly Named[];
  readonly fields: readonly CustomField[];
  /** The form was sent, and is shown again: what its fields were filled with is older. */
  readonly isAgain: boolean;
  readonly error: string;
}

/** What an audience is chosen by, with what is chosen in it, though the member could not choose it now. */
export function AudienceFields(given: AudienceGiven): Html {
  const { page, broadcast, values, inboxes, fields, isAgain, error } = given;
  const { timezone } = page.workspace;
  const custom = customFields(values, fields);
  const filled = {
    ...Object.fromEntries(custom.map(({ name }) => [name, ''])),
    ...audienceValues(audienceOf(broadcast), timezone),
  };
  const told = broadcast ? rulesOf(audienceOf(broadcast), timezone, inboxes, fields) : [];
  const everybody = (['some', 'all'] as const).map((value): RadioView => ({
    name: 'everybody',
    value,
    ...said[value],
    isChosen: values['everybody'] === value,
  }));
  const inboxOptions = withChosen(
    [any(), { value: 'none', label: said.none }, ...inboxes.map(({ id, name }) => ({ value: id, label: name }))],
    values['assigned_team_inbox'],
  );
  const usesMore = Object.entries(values).some(
    ([key, value]) => Boolean(value) && (folded.includes(key) || isCustom(key)),
  );
  return (
    <section class="panel" aria-labelledby="draft-audience">
      <h2 id="draft-audience">{said.title}</h2>
      {told.length > 0 && (
        <ul class="rules" aria-label={said.rules}>
          {told.map((rule) => (
            <li class="tag tag-accent">{rule}</li>
          ))}
        </ul>
      )}
      {error && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
      <Was was={filledWith(isAgain ? page : { form: {} }, filled)} />
      <Radios radios={everybody} />
      <div class="pair">
        <Field name="tags_any" label={said.tags_any} value={values['tags_any']} hint={said.tagsHint} />
        <Field name="tags_all" label={said.tags_all} value={values['tags_all']} />
      </div>
      <div class="pair">
        <Field name="tags_none" label={said.tags_none} value={values['tags_none']} />
        <Field
          name="assigned_team_inbox"
          label={said.inbox}
          type="select"
          value={values['assigned_team_inbox']}
          options={inboxOptions}
        />
      </div>
      <Checks
        name="conv_status"
        legend={said.status}
        options={convStatuses.map((value) => ({ value, label: said.statuses[value] }))}
        values={[values['conv_status']].flat()}
      />
      <details open={usesMore}>
        <summary>{said.more}</summary>
        {momentPairs.map((pair) => (
          <div class="pair">
            {pair.map((name) => (
              <Field name={name} label={said.moments[name]} type="datetime-local" value={values[name]} />
            ))}
          </div>
        ))}
        {custom.map((field) => (
          <Field {...field} />
        ))}
        <Field
          name="receiver_ids"
          label={said.contacts}
          type="textarea"
          value={values['receiver_ids']}
          hint={said.contactsHint}
        />
        <Field name="resend_of" label={said.resendOf} value={values['resend_of']} hint={said.resendHint} />
      </details>
    </section>
  );
}

function customFields(values: Values, fields: readonly CustomField[]): readonly LabelledField[] {
  const offered = fields.filter(({ applies_to: subjects }) => subjects.includes('contacts'));
  const known = offered.map(({ name }) => `${customPrefix}${name}`);
  const others = Object.keys(values).filter((name) => isCustom(name) && !known.includes(name));
  return [
    ...offered.map((field) => customView(field, values)),
    // The field was deleted, or the member may not read it.
    ...others.map((name) => selectOf({ name, label: name.slice(customPrefix.length) }, [], values)),
  ];
}

function customView({ name, label, field_type: type, options }: CustomField, values: Values): LabelledField {
  const field = { name: `${customPrefix}${name}`, label };
  const choices =
    type === 'boolean'
      ? optionsOf([
          ['true', said.yes],
          ['false', said.no],
        ])
      : (options ?? []).map((value) => ({ value, label: value }));
  return choices.length === 0 ? { ...field, value: values[field.name] } : selectOf(field, choices, values);
}

function selectOf(field: LabelledField, choices: readonly Option[], values: Values): LabelledField {
  const value = values[field.name];
  return { ...field, type: 'select', value, options: withChosen([any(), ...choices], value) };
}

/** Returns the choices with what is chosen, which may be none of them any more: else the next save would drop it. */
function withChosen(options: readonly Option[], chosen: unknown): readonly Option[] {
  const value = asText(chosen);
  return options.some((option) => String(option.value) === value) ? options : [...options, { value, label: value }];
}

/** Returns what an audience asks for, rule by rule. */
function rulesOf(
  audience: Json,
  timezone: string,
  inboxes: readonly Named[],
  fields: readonly CustomField[],
): string[] {
  if (audience['all'] === true) return [rules.all];
  const values = audienceValues(audience, timezone);
  const list = (key: string): string[] => (Array.isArray(audience[key]) ? audience[key].map(asText) : []);
  const told = (text: unknown, tell: (text: string) => string): string[] => (text ? [tell(asText(text))] : []);
  const labels = new Map(fields.map(({ name, label }) => [`${customPrefix}${name}`, label]));
  return [
    ...told(list('tags_any').join(rules.or), rules.tagged),
    ...told(list('tags_all').join(rules.and), rules.tagged),
    ...told(list('tags_none').join(rules.or), rules.notTagged),
    ...told(list('conv_status').map(statusText).join(rules.or), rules.status),
    ...told(values['assigned_team_inbox'], (inbox) =>
      inbox === 'none' ? rules.noInbox : rules.inbox(inboxes.find(({ id }) => String(id) === inbox)?.name ?? inbox),
    ),
    ...moments.flatMap((key) => told(values[key], (time) => rules.moment(said.moments[key], time.replace('T', ' ')))),
    ...Object.keys(values)
      .filter(isCustom)
      .flatMap((key) =>
        told(values[key], (value) => rules.custom(labels.get(key) ?? key.slice(customPrefix.length), value)),
      ),
    ...('receiver_ids' in audience ? [rules.contacts(list('receiver_ids').length)] : []),
    ...told(values['resend_of'], rules.resendOf),
  ];
}

const statusText = (status: string): string =>
  Object.hasOwn(said.statuses, status) ? said.statuses[status as ConvStatus].toLowerCase() : status;

/**
 * Reads an audience: the stored one, with what was changed in the form. What the form cannot say, or the member is not
 * offered, stays: a filter lost in silence would let more people get the message.
 */
export function readAudience(page: PageRequest, stored: Json, fields: readonly CustomField[]): Json {
  const { form } = page;
  const { all = false, custom_fields: custom, ...kept } = stored;
  const { everybody = all === true ? 'all' : 'some' } = changedFields(page, ['everybody']);
  if (everybody === 'all') return { all: true };
  // Of an audience of all, and of none yet, no filter is stored: those in the form are meant.
  const isFresh = Object.keys(kept).length === 0 && custom === undefined;
  const names = [...plainFilters, ...Object.keys(form).filter(isCustom)];
  const given = isFresh ? form : changedFields(page, names);
  const filters: Json = { ...kept };
  const values: Json = isPlainObject(custom) ? { ...custom } : {};
  for (const name of names) {
    const text = given[name];
    if (text === undefined) continue;
    const own = name.slice(customPrefix.length);
    if (isCustom(name)) values[own] = customValue(fields.find((field) => field.name === own)?.field_type, text);
    else filters[name] = filterValue(page, name, text, isFresh ? undefined : stored[name]);
  }
  const status = page.all('conv_status');
  if (isFresh || textOf(status) !== form['was.conv_status']) filters['conv_status'] = status.length > 0 ? status : null;
  const customs = withoutNulls(values);
  return { ...withoutNulls(filters), ...(Object.keys(customs).length > 0 ? { custom_fields: customs } : {}) };
}

const withoutNulls = (values: Json): Json =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));

/** Returns what a filter asks for; null: nothing. */
function filterValue({ form, workspace }: PageRequest, name: string, text: string, stored: unknown): unknown {
  if ((tagLists as readonly string[]).includes(name)) {
    const tags = editedTags(stored, stored === undefined ? '' : form[`was.${name}`], text);
    return tags.length > 0 ? tags : null;
  }
  if (text.trim() === '') return null;
  if (name === 'receiver_ids')
    return text
      .split(',')
      .map((id) => id.trim())
      .filter((id) => id !== '');
  // What is no time goes on as it is, for the check to name it.
  if ((moments as readonly string[]).includes(name))
    return momentOfLocal(text, workspace.timezone)?.toISOString() ?? text;
  return text;
}

function customValue(type: string | undefined, text: string): unknown {
  if (text === '') return null;
  if (type === 'boolean' && ['true', 'false'].includes(text)) return text === 'true';
  return type === 'number' && Number.isFinite(Number(text)) ? Number(text) : text;
}

import type { WorkingPeriod } from '../../../../models';
import { weekdays } from '../../../../models/enums';
import type { FieldErrors } from '../../../core/http/errors';
import type { Answer, Wire } from '../../../core/http/shapes';
import { calendarShape } from '../../../services/resources/calendars/serializer';
import { fieldOf, knownFields } from '../declaredForms';
import type { FieldGiven } from '../fieldViews';
import { readLines } from '../forms';
import type { Html } from '../html';
import { loadInboxes, loadLookups, type Json, type Lookups } from '../lookups';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { Checks, Empty, Errors, Field, Form, Removal } from '../parts';
import { askToDelete } from '../plainPages';
import { readList, readOne } from '../typedCalls';
import { words } from '../words';
import { stepForms } from './macroForm';
import { settingsPage } from './settings';
import { Actions, Head, NewLink } from '../headParts';

const { hours, common } = words;
const path = '/dashboard/hours/';
const scope = 'workspace.manage';
const section = 'hours';

type Calendar = typeof calendarShape extends Wire<infer T> ? Answer<T> : never;

/** What the form holds, by its fields. */
interface FormValues {
  readonly texts: Readonly<Record<string, unknown>>;
  readonly isDefault: boolean;
  readonly inboxIds: readonly number[];
  /** The template of the away reply and its placeholders, as a step of a macro has them. */
  readonly template: Readonly<Record<string, string>>;
}

/** When the team works, and what customers are told outside of it. */
export const calendarPages = definePages([
  { method: 'GET', path, scope, run: listPage },
  {
    method: 'GET',
    path: `${path}new/`,
    scope,
    run: async (page) => {
      // The first one is the workspace's own, as over the API.
      const { length } = await readList(page, calendarShape, 'calendars.list');
      return form(page, null, { ...valuesOf(null), isDefault: length === 0 });
    },
  },
  {
    method: 'POST',
    path: `${path}new/`,
    scope,
    run: async (page) => {
      const given = await givenIn(page, null);
      const made = await page.attempt(() => page.call('calendars.create', given));
      if ('errors' in made) return form(page, null, typedIn(page), byDay(made.errors, given['periods']));
      return page.redirect(path, { text: hours.made });
    },
  },
  {
    method: 'GET',
    path: `${path}:id/`,
    scope,
    run: async (page) => {
      const calendar = await find(page);
      return form(page, calendar, valuesOf(calendar));
    },
  },
  {
    method: 'POST',
    path: `${path}:id/`,
    scope,
    run: async (page) => {
      const { id } = page.params;
      const calendar = await find(page);
      const given = await givenIn(page, calendar);
      const saved = await page.attempt(() => page.call('calendars.update', { id, ...given }));
      if ('errors' in saved) return form(page, calendar, typedIn(page), byDay(saved.errors, given['periods']));
      return page.redirect(path, { text: hours.saved });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/delete/`,
    scope,
    confirm: askToDelete(hours.delete),
    run: async (page) => {
      await page.call('calendars.delete', { id: page.params['id'] });
      return page.redirect(path, { text: hours.deleted });
    },
  },
]);

const find = (page: PageRequest): Promise<Calendar> =>
  readOne(page, calendarShape, 'calendars.get', { id: page.params['id'] });

async function listPage(page: PageRequest): Promise<PageAnswer> {
  const inboxes = new Map((await loadInboxes(page)).map(({ id, name }) => [id, name]));
  const calendars = await readList(page, calendarShape, 'calendars.list');
  const body = (
    <>
      <Head title={hours.title}>
        {page.may('calendars.create') && <NewLink href={`${path}new/`} text={hours.new} />}
      </Head>
      <p class="soft">{hours.about(page.workspace.timezone)}</p>
      {calendars.length === 0 && <Empty icon="clock" {...hours.empty} />}
      <ul class="rows">
        {calendars.map((calendar) => (
          <CalendarRow page={page} calendar={calendar} inboxes={inboxes} />
        ))}
      </ul>
    </>
  );
  return settingsPage(page, body, { section, title: hours.title });
}

interface RowGiven {
  readonly page: PageRequest;
  readonly calendar: Calendar;
  readonly inboxes: ReadonlyMap<number, string>;
}

function CalendarRow({ page, calendar, inboxes }: RowGiven): Html {
  const { id, name, is_default: isDefault, periods, holidays, team_inbox_ids: ids } = calendar;
  const names = ids.flatMap((inbox) => inboxes.get(inbox) ?? []);
  const speaks = calendar.away_text !== null || calendar.away_template_id !== null;
  const about = [
    ...(names.length > 0 ? [hours.for(names.join(', '))] : []),
    ...(holidays.length > 0 ? [hours.holidays(holidays.length)] : []),
    speaks ? hours.speaks : hours.silent,
  ];
  return (
    <li class="row-item">
      <div>
        <strong>{name}</strong>
        {isDefault && (
          <>
            {' '}
            <span class="tag tag-accent">{hours.own}</span>
          </>
        )}
        {linesOf(periods).map((line) => (
          <>
            <br />
            <span class="small">{line}</span>
          </>
        ))}
        <br />
        <span class="soft small">{about.join(' · ')}</span>
      </div>
      {page.may('calendars.update') && (
        <a class="button button-small" href={`${path}${id}/`}>
          {common.edit}
          <span class="visually-hidden"> {name}</span>
        </a>
      )}
    </li>
  );
}

/** Writes the hours of a week: days in a row that are alike together. */
function linesOf(periods: readonly WorkingPeriod[]): string[] {
  const lines: { from: string; to: string; text: string }[] = [];
  for (const weekday of weekdays) {
    const text = dayText(periods, weekday);
    const day = hours.days[weekday].slice(0, 3);
    const last = lines.at(-1);
    if (last?.text === text) last.to = day;
    else lines.push({ from: day, to: day, text });
  }
  return lines.map(({ from, to, text }) => `${from === to ? from : `${from}–${to}`} ${text || hours.closed}`);
}

/** Writes the hours of one day as its field has them: `09:00-12:30, 13:30-18:00`. */
function dayText(periods: readonly WorkingPeriod[], weekday: string): string {
  return periods
    .filter((period) => period.weekday === weekday)
    .map(({ opens, closes }) => `${opens}-${closes}`)
    .sort()
    .join(', ');
}

/** Reads the fields of the days; what is no time stays as it is, for the check to name it. */
function periodsIn({ form: fields }: PageRequest): Json[] {
  return weekdays.flatMap((weekday) =>
    (fields[weekday] ?? '')
      .split(',')
      .filter((part) => part.trim() !== '')
      .map((part) => {
        const [opens = '', closes = ''] = part.split(/[-–]/).map(timeOf);
        return { weekday, opens, closes };
      }),
  );
}

/** Returns `9` and `9:30` as `09:00` and `09:30`. */
function timeOf(text: string): string {
  const [whole, hours = '', minutes = '00'] = /^\s*(\d{1,2})(?::(\d\d))?\s*$/.exec(text) ?? [];
  return whole === undefined ? text.trim() : `${hours.padStart(2, '0')}:${minutes}`;
}

/** Gives what is wrong with a period to the field of its day. */
function byDay({ periods: faults = [], ...errors }: FieldErrors, periods: unknown): FieldErrors {
  const days = Array.isArray(periods) ? (periods as Json[]).map(({ weekday }) => String(weekday)) : [];
  const told: FieldErrors = { ...errors };
  for (const fault of faults) {
    const [, index, words] = /^(\d+)\.\w+: ([^]*)$/.exec(fault) ?? [];
    (told[days[Number(index)] ?? 'periods'] ??= []).push(words ?? fault);
  }
  return told;
}

const step = stepForms.send_template;
const prefix = 'away_';

function valuesOf(calendar: Calendar | null): FormValues {
  const periods = calendar?.periods ?? [];
  return {
    texts: {
      ...calendar,
      ...Object.fromEntries(weekdays.map((weekday) => [weekday, dayText(periods, weekday)])),
      holidays: (calendar?.holidays ?? []).map(({ date, name }) => `${date} ${name}`.trim()).join('\n'),
    },
    isDefault: calendar?.is_default ?? false,
    inboxIds: calendar?.team_inbox_ids ?? [],
    template: step.read({
      template_id: calendar?.away_template_id ?? '',
      template_variables: calendar?.away_template_variables,
    }),
  };
}

/** Returns what was typed, to be shown again. */
function typedIn(page: PageRequest): FormValues {
  const template = Object.entries(page.form).flatMap(([name, value]) =>
    name.startsWith(prefix) ? [[name.slice(prefix.length), value] as const] : [],
  );
  return {
    texts: page.form,
    isDefault: page.form['is_default'] !== undefined,
    inboxIds: page.all('team_inbox_ids').map(Number),
    template: Object.fromEntries(template),
  };
}

/** Returns the form as the API takes it. */
async function givenIn(page: PageRequest, calendar: Calendar | null): Promise<Json> {
  const { name = '', is_default: isDefault = 'false', holidays = '', away_text: text = '' } = page.form;
  return {
    name,
    is_default: isDefault,
    periods: periodsIn(page),
    holidays: readLines(holidays).map((line) => {
      const [date = '', ...words] = line.split(/\s+/);
      return { date, name: words.join(' ') };
    }),
    team_inbox_ids: page.all('team_inbox_ids').map(Number),
    away_text: text.trim() === '' ? null : text,
    ...templateOf(typedIn(page).template, calendar, await loadLookups(page)),
  };
}

/** Returns the template that is chosen; nothing where that stays one which the member is not offered. */
function templateOf(values: Readonly<Record<string, string>>, calendar: Calendar | null, lookups: Lookups): Json {
  const { template_id: id = '' } = values;
  const isOffered = lookups.templates.some((template) => template.template_id === id);
  if (id !== '' && id === calendar?.away_template_id && !isOffered) return {};
  const { template_variables: variables = {} } = step.write(values, lookups);
  return { away_template_id: id === '' ? null : id, away_template_variables: variables };
}

/** Returns the fields of the template and its placeholders. */
function templateFields(values: FormValues['template'], lookups: Lookups, errors: FieldErrors): readonly FieldGiven[] {
  const [choice, ...slots] = step.fields(lookups, values);
  const stored = values['template_id'] ?? '';
  const isOffered = stored === '' || lookups.templates.some(({ template_id: id }) => id === stored);
  const options = [
    { value: '', label: hours.noTemplate },
    ...(choice?.options ?? []).filter(({ value }) => value !== ''),
    ...(isOffered ? [] : [{ value: stored, label: hours.notNow(stored) }]),
  ];
  const own = { ...choice, name: 'template_id', ...hours.fields.away_template_id, options };
  return [own, ...slots].map((field): FieldGiven => ({
    ...field,
    name: `${prefix}${field.name}`,
    value: values[field.name],
    errors,
  }));
}

async function form(
  page: PageRequest,
  calendar: Calendar | null,
  values: FormValues,
  errors: FieldErrors = {},
): Promise<PageAnswer> {
  const lookups = await loadLookups(page);
  const body = calendarFields(page, calendar);
  const field = (name: keyof typeof hours.fields, value: unknown = values.texts[name]) => {
    const known = body.find((one) => one.name === name);
    return known ? <Field {...fieldOf(known, hours.fields[name], value, errors)} /> : null;
  };
  const inboxes = lookups.inboxes.map(({ id, name }) => ({ value: id, label: name }));
  const { team_inbox_ids: inboxWords } = hours.fields;
  const heading = calendar?.name ?? hours.new;
  const action = `${path}${calendar?.id ?? 'new'}/`;
  const own = ['name', 'is_default', 'holidays', 'team_inbox_ids', 'away_text', 'away_template_id', ...weekdays];
  const shown = (
    <>
      <Head title={heading} back={{ href: path, label: hours.title }} />
      <Form class="panel column" action={action} csrf={page.csrf}>
        <Errors errors={errors} fields={own} />
        {field('name')}
        <h2>{hours.week.title}</h2>
        <p class="hint">{hours.week.hint(page.workspace.timezone)}</p>
        {weekdays.map((weekday) => (
          <Field
            name={weekday}
            label={hours.days[weekday]}
            value={values.texts[weekday]}
            errors={errors}
            attributes={{ placeholder: hours.closed, autocomplete: 'off' }}
          />
        ))}
        {field('holidays')}
        <h2>{hours.where}</h2>
        {field('is_default', values.isDefault)}
        {inboxes.length > 0 && (
          <Checks
            name="team_inbox_ids"
            legend={inboxWords.label}
            hint={inboxWords.hint}
            options={inboxes}
            values={values.inboxIds}
            errors={errors}
          />
        )}
        <h2>{hours.away}</h2>
        {field('away_text')}
        {templateFields(values.template, lookups, errors).map((given) => (
          <Field {...given} />
        ))}
        <Actions save={page.may('calendars.update') ? (calendar ? common.save : common.create) : null} cancel={path} />
      </Form>
      {calendar && page.may('calendars.delete') && (
        <Removal
          action={`${action}delete/`}
          csrf={page.csrf}
          icon="trash"
          text={hours.delete.button}
          ask={{ title: hours.delete.named(heading), text: hours.delete.text, button: common.delete }}
        />
      )}
    </>
  );
  const status = Object.keys(errors).length > 0 ? { status: 422 } : {};
  return settingsPage(page, shown, { section, title: calendar ? hours.one : hours.new, ...status });
}

/** The fields of a calendar that have one value each. */
function calendarFields(page: PageRequest, calendar: Calendar | null) {
  const create = page.operations.get('calendars.create')?.body;
  const taken = calendar ? page.operations.get('calendars.update')?.body : create;
  const declared = [
    { name: 'name' },
    { name: 'holidays', as: 'textarea', rows: 5, optional: true },
    { name: 'is_default' },
    { name: 'away_text', as: 'textarea', rows: 4, optional: true },
  ] as const;
  return knownFields(declared, taken, create);
}

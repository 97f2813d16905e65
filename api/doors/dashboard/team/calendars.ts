import type { WorkingPeriod } from '../../../../models';
import { weekdays } from '../../../../models/enums';
import type { FieldErrors } from '../../../core/http/errors';
import { sentence, type FieldGiven } from '../fieldViews';
import { amountText } from '../formats';
import { readLines } from '../forms';
import { loadInboxes, loadLookups, type Json, type Lookups } from '../lookups';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { stepForms } from './macroForm';
import { settingsPage } from './settings';

const path = '/dashboard/hours/';
const scope = 'workspace.manage';
const section = 'hours';

/** A calendar as its operations give it. */
interface Calendar {
  readonly id: number;
  readonly name: string;
  readonly is_default: boolean;
  readonly periods: readonly WorkingPeriod[];
  readonly holidays: readonly { readonly date: string; readonly name: string }[];
  readonly team_inbox_ids: readonly number[];
  readonly away_text: string | null;
  readonly away_template_id: string | null;
  readonly away_template_variables: Json;
}

/** A calendar as a row of the list. */
interface CalendarView extends Pick<Calendar, 'name' | 'is_default'> {
  /** When it is open, each line for the days that are alike. */
  readonly hours: readonly string[];
  /** What else it says. */
  readonly about: string;
  readonly path: string;
}

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
  {
    method: 'GET',
    path,
    scope,
    run: async (page) => {
      const inboxes = new Map((await loadInboxes(page)).map(({ id, name }) => [id, name]));
      const calendars = (await page.call<readonly Calendar[]>('calendars.list')).map((one) => view(one, inboxes));
      const { timezone } = page.workspace;
      return settingsPage(page, '/settings/calendars', { calendars, path, timezone }, { section, title: 'Hours' });
    },
  },
  {
    method: 'GET',
    path: `${path}new/`,
    scope,
    run: async (page) => {
      // The first one is the workspace's own, as over the API.
      const { length } = await page.call<readonly Calendar[]>('calendars.list');
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
      return page.redirect(path, { text: 'The calendar is made.' });
    },
  },
  {
    method: 'GET',
    path: `${path}:id/`,
    scope,
    run: async (page) => {
      const calendar = await page.call<Calendar>('calendars.get', { id: page.params['id'] });
      return form(page, calendar, valuesOf(calendar));
    },
  },
  {
    method: 'POST',
    path: `${path}:id/`,
    scope,
    run: async (page) => {
      const { id } = page.params;
      const calendar = await page.call<Calendar>('calendars.get', { id });
      const given = await givenIn(page, calendar);
      const saved = await page.attempt(() => page.call('calendars.update', { id, ...given }));
      if ('errors' in saved) return form(page, calendar, typedIn(page), byDay(saved.errors, given['periods']));
      return page.redirect(path, { text: 'The calendar is saved. Deadlines that run already stay as they were.' });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/delete/`,
    scope,
    confirm: {
      title: 'Delete this calendar?',
      text: 'Its team inboxes have the hours of the workspace then. This cannot be undone.',
      button: 'Delete',
    },
    run: async (page) => {
      await page.call('calendars.delete', { id: page.params['id'] });
      return page.redirect(path, { text: 'The calendar is deleted.' });
    },
  },
]);

function view(calendar: Calendar, inboxes: ReadonlyMap<number, string>): CalendarView {
  const { name, is_default: isDefault, holidays, team_inbox_ids: ids } = calendar;
  const names = ids.flatMap((id) => inboxes.get(id) ?? []);
  const speaks = calendar.away_text !== null || calendar.away_template_id !== null;
  return {
    name,
    is_default: isDefault,
    hours: linesOf(calendar.periods),
    about: [
      ...(names.length > 0 ? [`For ${names.join(', ')}`] : []),
      ...(holidays.length > 0 ? [amountText(holidays.length, 'holiday')] : []),
      speaks ? 'Customers get an away reply' : 'No away reply',
    ].join(' · '),
    path: `${path}${calendar.id}/`,
  };
}

/** Writes the hours of a week: days in a row that are alike together. */
function linesOf(periods: readonly WorkingPeriod[]): string[] {
  const lines: { from: string; to: string; text: string }[] = [];
  for (const weekday of weekdays) {
    const text = dayText(periods, weekday);
    const day = sentence(weekday).slice(0, 3);
    const last = lines.at(-1);
    if (last?.text === text) last.to = day;
    else lines.push({ from: day, to: day, text });
  }
  return lines.map(({ from, to, text }) => `${from === to ? from : `${from}–${to}`} ${text || 'closed'}`);
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
    { value: '', label: 'None' },
    ...(choice?.options ?? []).filter(({ value }) => value !== ''),
    ...(isOffered ? [] : [{ value: stored, label: `${stored} (cannot be sent now)` }]),
  ];
  const hint = 'Sent where there is no text, or where the window has closed.';
  return [{ ...choice, name: 'template_id', label: 'Template', hint, options }, ...slots].map((field): FieldGiven => ({
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
  const days = weekdays.map((weekday): FieldGiven => ({
    name: weekday,
    label: sentence(weekday),
    value: values.texts[weekday],
    errors,
    attributes: { placeholder: 'closed', autocomplete: 'off' },
  }));
  return settingsPage(
    page,
    '/settings/calendarForm',
    {
      calendar,
      heading: calendar?.name ?? 'New calendar',
      values: values.texts,
      errors,
      fields: ['name', 'is_default', 'holidays', 'team_inbox_ids', 'away_text', 'away_template_id', ...weekdays],
      days,
      inboxes: lookups.inboxes.map(({ id, name }) => ({ value: id, label: name })),
      isDefault: values.isDefault,
      inboxIds: values.inboxIds,
      template: templateFields(values.template, lookups, errors),
      timezone: page.workspace.timezone,
      path,
      action: `${path}${calendar?.id ?? 'new'}/`,
      button: calendar ? 'Save' : 'Create',
    },
    {
      section,
      title: calendar ? 'Calendar' : 'New calendar',
      ...(Object.keys(errors).length > 0 ? { status: 422 } : {}),
    },
  );
}

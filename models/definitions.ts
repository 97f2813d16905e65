import type { NonAttribute } from 'sequelize';
import { boolean, id, integer, json, key, longText, now, orNull, ref, text, texts, time } from './columns';
import type { SlaSubject, Weekday } from './enums';
import { defineTable, including, type RowOf } from './table';

/** A custom field that a workspace has defined. */
const customFieldColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  name: text(64),
  label: text(255),
  field_type: text<'text' | 'number' | 'boolean' | 'date' | 'select' | 'multi_select'>(16),
  applies_to: texts<('contacts' | 'conversations' | 'tickets')[]>(),
  /** Empty unless the type is one of the select types. */
  options: texts([]),
  /** Deleted, while its values are still being removed. */
  deleted_at: orNull(time()),
  created_at: now(),
  updated_at: now(),
};

/** Columns of a row of `custom_fields`. */
export type CustomFieldRow = RowOf<typeof customFieldColumns>;

/** Binds the table `custom_fields`. */
export const customFieldTable = defineTable('CustomField', 'custom_fields', customFieldColumns);

/** Targets of a workspace for first response and resolution. */
const slaPolicyColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  name: text(255),
  first_response_minutes: orNull(integer()),
  resolution_minutes: orNull(integer()),
  applies_to: texts<SlaSubject[]>(['tickets', 'conversations']),
  is_default: boolean(false),
  calendar_id: orNull(ref('calendars', 'set null')),
  created_at: now(),
  updated_at: now(),
};

/** Columns of a row of `sla_policies`. */
export type SlaPolicyRow = RowOf<typeof slaPolicyColumns>;

/** Binds the table `sla_policies`. */
export const slaPolicyTable = defineTable('SlaPolicy', 'sla_policies', slaPolicyColumns);

/** From when to when a team works on one day of each week, by the clock on the wall: `09:00`, or `24:00` at the end. */
export interface WorkingPeriod {
  readonly weekday: Weekday;
  readonly opens: string;
  readonly closes: string;
}

/** A day without work, and what it is called. */
interface Holiday {
  /** As YYYY-MM-DD. */
  readonly date: string;
  readonly name: string;
}

/** What fills the placeholders of a template, by its part and their numbers. */
type Mapping = Readonly<Partial<Record<'header' | 'body', Readonly<Record<string, unknown>>>>>;

/** When a team works, and what customers are told outside of it. */
const calendarColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  name: text(255),
  is_default: boolean(false),
  periods: json<WorkingPeriod[]>(),
  holidays: json<Holiday[]>([]),
  away_text: orNull(longText()),
  away_template_id: orNull(text(64)),
  away_template_variables: json<Mapping>({}),
  created_at: now(),
  updated_at: now(),
};

/** Columns of a row of `calendars`. */
export type CalendarRow = RowOf<typeof calendarColumns>;

/** What it may be read with. */
interface IncludedByCalendar {
  team_inboxes?: NonAttribute<{ readonly team_inbox_id: number }[]>;
}

/** Binds the table `calendars`. */
export const calendarTable = defineTable('Calendar', 'calendars', calendarColumns, including<IncludedByCalendar>());

/** Which team inboxes a calendar applies to. */
const calendarTeamInboxColumns = {
  team_inbox_id: key(ref('team_inboxes', 'cascade')),
  calendar_id: ref('calendars', 'cascade'),
};

/** Binds the table `calendar_team_inboxes`. */
export const calendarTeamInboxTable = defineTable(
  'CalendarTeamInbox',
  'calendar_team_inboxes',
  calendarTeamInboxColumns,
);

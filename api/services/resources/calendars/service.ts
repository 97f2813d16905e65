import type { CalendarRow } from '../../../../models';
import { dueNow } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { WorkingTime } from '../../../core/workingTime';
import { of } from '../../../core/db/scoped';
import { dbNow, storedIn } from '../../../core/db/columnValues';
import { invalid, invalidField, invalidPk, notFound } from '../../../core/http/errors';
import { Fault, type InputOf } from '../../../core/http/fields';
import type { EventKind } from '../../../core/queue/eventKinds';
import { recordEvent } from '../../../core/queue/events';
import { refuseAboveCeiling } from '../../identity/workspaces/objectLimits';
import { getWorkspace, lockWorkspace } from '../../identity/workspaces/service';
import { releaseFromRules } from '../rules/naming';
import { retimeWaits } from '../rules/waits';
import { variableProblems } from '../templates/parameters';
import { findTemplate } from '../templates/service';
import { parseVariables } from '../templates/variables';
import { updateCalendarInput, type createCalendarInput } from './schema';
import type { CalendarRecord } from './serializer';
import { reason } from '../reasons';

type NewCalendar = InputOf<typeof createCalendarInput>;
type CalendarPatch = InputOf<typeof updateCalendarInput>;

const stored = storedIn<CalendarRow>()(updateCalendarInput, { elsewhere: ['team_inbox_ids'] });
const calendars = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.Calendar);

/** Returns the workspace's calendars with their team inboxes, the oldest first. */
export async function listCalendars(ctx: Ctx, only?: number): Promise<CalendarRecord[]> {
  const rows = await calendars(ctx).findAll({
    where: only === undefined ? {} : { id: only },
    include: ['team_inboxes'],
    order: ['id', ['team_inboxes', 'team_inbox_id', 'ASC']],
  });
  return rows.map((row) => ({
    ...row.get({ plain: true }),
    team_inbox_ids: (row.team_inboxes ?? []).map(({ team_inbox_id: inboxId }) => inboxId),
  }));
}

/** Returns one calendar. Throws 404. */
export async function findCalendar(ctx: Ctx, id: number): Promise<CalendarRecord> {
  const [calendar] = await listCalendars(ctx, id);
  if (!calendar) throw notFound();
  return calendar;
}

/** Creates a calendar; a workspace's first one is its own unless the request says otherwise. Throws 400 and 409. */
export async function createCalendar(ctx: Ctx, values: NewCalendar): Promise<CalendarRecord> {
  return ctx.runtime.db.transaction(async () => {
    const known = await refuseAboveCeiling(ctx, 'calendars', () => calendars(ctx).count());
    const isDefault = values.is_default ?? known === 0;
    if (isDefault) await dropDefault(ctx);
    await checkTemplate(ctx, values.away_template_id ?? null, values.away_template_variables ?? {});
    await refuseNeverOpen(ctx, values);
    const { id } = await ctx.runtime.db.models.Calendar.create({
      ...stored.columnsOf(values),
      workspace_id: ctx.workspaceId,
      name: values.name,
      periods: values.periods,
      is_default: isDefault,
    });
    await applyTo(ctx, id, values.team_inbox_ids ?? []);
    await retimeWaits(ctx);
    await announce(ctx, 'calendar_created', id);
    return findCalendar(ctx, id);
  });
}

/** Changes what is given. Deadlines that run already stay as they were promised. Throws 400 and 404. */
export async function updateCalendar(ctx: Ctx, id: number, values: CalendarPatch): Promise<CalendarRecord> {
  return ctx.runtime.db.transaction(async () => {
    await lockWorkspace(ctx);
    const before = await findCalendar(ctx, id);
    if (values.is_default && !before.is_default) await dropDefault(ctx);
    if (values.away_template_id !== undefined || values.away_template_variables !== undefined) {
      const after = { ...before, ...stored.columnsOf(values) };
      await checkTemplate(ctx, after.away_template_id, after.away_template_variables);
    }
    if (values.periods || values.holidays) await refuseNeverOpen(ctx, { ...before, ...values });
    await calendars(ctx).update({ ...stored.columnsOf(values), updated_at: dbNow }, { where: { id } });
    if (values.team_inbox_ids) {
      await ctx.runtime.db.models.CalendarTeamInbox.destroy({ where: { calendar_id: id } });
      await applyTo(ctx, id, values.team_inbox_ids);
    }
    await retimeWaits(ctx);
    await announce(ctx, 'calendar_updated', id);
    return findCalendar(ctx, id);
  });
}

/**
 * Removes a calendar. What had its hours has those of the workspace, or all day; deadlines stay. Throws 404, and 409
 * where rules go by hours and are not to be paused.
 */
export async function deleteCalendar(ctx: Ctx, id: number, pauseRules = false): Promise<void> {
  await ctx.runtime.db.transaction(async () => {
    await findCalendar(ctx, id);
    await releaseFromRules(ctx, { kind: 'calendar' }, pauseRules);
    if ((await calendars(ctx).destroy({ where: { id } })) === 0) throw notFound();
    await retimeWaits(ctx);
    await announce(ctx, 'calendar_deleted', id);
  });
}

/** Throws the 400 of hours that never come: whatever waits for them would wait for ever (contract 21, r12). */
async function refuseNeverOpen(
  ctx: Ctx,
  { periods, holidays = [] }: Pick<CalendarPatch, 'periods' | 'holidays'>,
): Promise<void> {
  const { timezone } = await getWorkspace(ctx);
  const time = new WorkingTime({ timezone, periods: periods ?? [], holidays: holidays.map(({ date }) => date) });
  if (time.nextOpening(await dueNow(ctx.runtime)) === null) throw invalidField('holidays', reason('neverOpensSo'));
}

/** Gives team inboxes this calendar, whichever they had. Throws 400. */
async function applyTo(ctx: Ctx, calendarId: number, inboxIds: readonly number[]): Promise<void> {
  const ids = [...new Set(inboxIds)];
  const found = await of(ctx, ctx.runtime.db.models.TeamInbox).findAll({
    attributes: ['id'],
    where: { id: ids },
    raw: true,
  });
  const unknown = ids.find((id) => !found.some((row) => row.id === id));
  if (unknown !== undefined) throw invalidPk('team_inbox_ids', unknown);
  await ctx.runtime.db.models.CalendarTeamInbox.bulkCreate(
    ids.map((id) => ({ team_inbox_id: id, calendar_id: calendarId })),
    { conflictAttributes: ['team_inbox_id'], updateOnDuplicate: ['calendar_id'] },
  );
}

/** Refuses a template that could not be sent by itself as it is now; it is judged again with each reply. */
async function checkTemplate(ctx: Ctx, id: string | null, raw: object): Promise<void> {
  if (id === null) return;
  const template = await findTemplate(ctx, { templateId: id });
  if (!template || template.status === 'DELETED') throw invalidPk('away_template_id', id);
  if (template.status !== 'APPROVED')
    throw invalidField('away_template_id', reason('onlyApprovedThis', { status: template.status }));
  const variables = parseVariables(raw, ['static', 'field']);
  const problems = variables instanceof Fault ? variables.reasons : variableProblems(template, variables);
  if (problems.length > 0) throw invalid({ away_template_variables: [...problems] });
}

async function dropDefault(ctx: Ctx): Promise<void> {
  await calendars(ctx).update({ is_default: false, updated_at: dbNow }, { where: { is_default: true } });
}

async function announce(ctx: Ctx, kind: EventKind<'workspace'>, calendarId: number): Promise<void> {
  await recordEvent(ctx, {
    subjectType: 'workspace',
    subjectId: ctx.workspaceId,
    kind,
    data: { calendar_id: calendarId },
  });
}

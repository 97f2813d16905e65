import { invalidField, notFound } from '../../core/errors';
import type { Runtime } from '../../core/runtime';
import { createDefaultPipeline } from '../pipelines/defaults';

/** Days that a workspace may be tried when neither a plan nor an end is given. */
const trialDays = 14;
const dayMs = 86_400_000;

export interface WorkspaceRecord {
  readonly id: number;
  readonly name: string;
  readonly timezone: string;
  readonly plan: string | null;
  readonly trial_ends_at: Date | null;
  readonly ticketing: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface WorkspaceInput {
  readonly name: string;
  readonly timezone?: string;
  readonly plan?: string;
  readonly trialEndsAt?: Date;
  readonly ticketing?: boolean;
}

export interface WorkspaceChanges {
  readonly name?: string;
  readonly timezone?: string;
  /** Null: no plan, so the trial decides. */
  readonly plan?: string | null;
  readonly trialEndsAt?: Date;
  readonly ticketing?: boolean;
}

const columns = 'id, name, timezone, plan, trial_ends_at, ticketing, created_at, updated_at';

/** Makes a tenant with its default ticket pipeline; without a plan and an end it is tried for 14 days. */
export async function createWorkspace(runtime: Runtime, input: WorkspaceInput): Promise<WorkspaceRecord> {
  checkText('name', input.name, 255);
  if (input.plan !== undefined) checkText('plan', input.plan, 64);
  if (input.timezone !== undefined) checkTimezone(input.timezone);
  const trialEndsAt =
    input.trialEndsAt ??
    (input.plan === undefined ? new Date(runtime.clock.now().getTime() + trialDays * dayMs) : null);
  return runtime.db.transaction(async () => {
    const row = await runtime.db.row<WorkspaceRecord>(
      `INSERT INTO workspaces (name, timezone, plan, trial_ends_at, ticketing) VALUES ($name, $timezone, $plan, $trialEndsAt, $ticketing) RETURNING ${columns}`,
      {
        name: input.name.trim(),
        timezone: input.timezone ?? 'UTC',
        plan: input.plan ?? null,
        trialEndsAt,
        ticketing: input.ticketing ?? false,
      },
    );
    if (!row) throw new Error('the workspace was not stored');
    await createDefaultPipeline(runtime, row.id);
    return row;
  });
}

/** Changes what is given and leaves the rest. */
export async function updateWorkspace(
  runtime: Runtime,
  workspaceId: number,
  changes: WorkspaceChanges,
): Promise<WorkspaceRecord> {
  if (changes.name !== undefined) checkText('name', changes.name, 255);
  if (typeof changes.plan === 'string') checkText('plan', changes.plan, 64);
  if (changes.timezone !== undefined) checkTimezone(changes.timezone);
  const row = await runtime.db.row<WorkspaceRecord>(
    `UPDATE workspaces SET
       name = coalesce($name, name), timezone = coalesce($timezone, timezone), trial_ends_at = coalesce($trialEndsAt, trial_ends_at),
       plan = CASE WHEN $planGiven THEN $plan ELSE plan END, ticketing = coalesce($ticketing, ticketing), updated_at = now()
     WHERE id = $workspaceId RETURNING ${columns}`,
    {
      workspaceId,
      name: changes.name?.trim() ?? null,
      timezone: changes.timezone ?? null,
      trialEndsAt: changes.trialEndsAt ?? null,
      planGiven: changes.plan !== undefined,
      plan: changes.plan ?? null,
      ticketing: changes.ticketing ?? null,
    },
  );
  if (!row) throw notFound(`Workspace ${workspaceId} does not exist.`);
  return row;
}

/** One workspace, or the 404. */
export async function getWorkspace(runtime: Runtime, workspaceId: number): Promise<WorkspaceRecord> {
  const row = await runtime.db.row<WorkspaceRecord>(`SELECT ${columns} FROM workspaces WHERE id = $workspaceId`, {
    workspaceId,
  });
  if (!row) throw notFound(`Workspace ${workspaceId} does not exist.`);
  return row;
}

function checkText(field: string, value: string, max: number): void {
  if (value.trim() === '') throw invalidField(field, 'This field may not be blank.');
  if ([...value].length > max) throw invalidField(field, `Ensure this field has no more than ${max} characters.`);
}

/** Dates in templates are rendered in this zone: a plain offset would be wrong for half of the year. */
function checkTimezone(value: string): void {
  let known = value.length <= 64 && !/^[+-]/.test(value);
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
  } catch {
    known = false;
  }
  if (!known)
    throw invalidField(
      'timezone',
      `"${value.slice(0, 100)}" is not a time zone. Use an IANA name like Europe/Berlin or UTC.`,
    );
}

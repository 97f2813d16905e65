import type { SlaPolicyRow } from '../../../../models';
import { slaSubjects } from '../../../../models/enums';
import type { Ctx } from '../../../core/context';
import { invalid, invalidPk, notFound } from '../../../core/http/errors';
import type { EventKind } from '../../../core/queue/eventKinds';
import { recordEvent } from '../../../core/queue/events';
import { of } from '../../../core/db/scoped';
import { dbNow, storedIn } from '../../../core/db/columnValues';
import { updatePolicyInput, type NewPolicy, type PolicyPatch } from './schema';
import { reason } from '../reasons';

const stored = storedIn<SlaPolicyRow>()(updatePolicyInput, {});
const policies = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.SlaPolicy);

/** Returns the workspace's policies, the oldest first. */
export async function listPolicies(ctx: Ctx): Promise<SlaPolicyRow[]> {
  return policies(ctx).findAll({ order: ['id'], raw: true });
}

/** Returns one policy. Throws 404. */
export async function findPolicy(ctx: Ctx, id: number): Promise<SlaPolicyRow> {
  const row = await policies(ctx).findOne({ where: { id }, raw: true });
  if (!row) throw notFound();
  return row;
}

/** Creates a policy; the first one of a workspace becomes its default unless the request says otherwise. Throws 400. */
export async function createPolicy(ctx: Ctx, values: NewPolicy): Promise<SlaPolicyRow> {
  requireTarget(values.first_response_minutes ?? null, values.resolution_minutes ?? null);
  await requireCalendar(ctx, values);

  return ctx.runtime.db.transaction(async () => {
    await lockPolicies(ctx);
    const isDefault = values.is_default ?? (await policies(ctx).count()) === 0;
    if (isDefault) await dropDefault(ctx);
    const { id } = await ctx.runtime.db.models.SlaPolicy.create({
      ...stored.columnsOf(values),
      workspace_id: ctx.workspaceId,
      name: values.name,
      applies_to: [...new Set(values.applies_to ?? slaSubjects)],
      is_default: isDefault,
    });
    await announce(ctx, 'sla_policy_created', id);
    return findPolicy(ctx, id);
  });
}

/** Changes what is given. Deadlines that run already stay as they were promised. Throws 400 and 404. */
export async function updatePolicy(ctx: Ctx, id: number, values: PolicyPatch): Promise<SlaPolicyRow> {
  return ctx.runtime.db.transaction(async () => {
    await lockPolicies(ctx);
    const before = await findPolicy(ctx, id);
    const after = { ...before, ...stored.columnsOf(values) };
    requireTarget(after.first_response_minutes, after.resolution_minutes);
    await requireCalendar(ctx, values);

    if (values.is_default && !before.is_default) await dropDefault(ctx);
    await policies(ctx).update(
      { ...stored.columnsOf(values), applies_to: [...new Set(after.applies_to)], updated_at: dbNow },
      { where: { id } },
    );
    await announce(ctx, 'sla_policy_updated', id);
    return findPolicy(ctx, id);
  });
}

/**
 * Removes a policy. Deadlines that run already stay; new tickets and conversations have none until there is a default
 * again. Throws 404.
 */
export async function deletePolicy(ctx: Ctx, id: number): Promise<void> {
  await ctx.runtime.db.transaction(async () => {
    const gone = await policies(ctx).destroy({ where: { id } });
    if (gone === 0) throw notFound();
    await announce(ctx, 'sla_policy_deleted', id);
  });
}

function requireTarget(firstResponse: number | null, resolution: number | null): void {
  if (firstResponse === null && resolution === null) throw invalid({ non_field_errors: [reason('slaNeedsOne')] });
}

async function requireCalendar(ctx: Ctx, { calendar_id: id }: PolicyPatch): Promise<void> {
  if (id && (await of(ctx, ctx.runtime.db.models.Calendar).count({ where: { id } })) === 0)
    throw invalidPk('calendar_id', id);
}

/** Lets one change of a workspace's policies happen at a time: there is at most one default. */
async function lockPolicies(ctx: Ctx): Promise<void> {
  await ctx.runtime.db.rows('SELECT pg_advisory_xact_lock(hashtextextended($key, 3)) IS NULL AS locked', {
    key: `sla-policies:${ctx.workspaceId}`,
  });
}

async function dropDefault(ctx: Ctx): Promise<void> {
  await policies(ctx).update({ is_default: false, updated_at: dbNow }, { where: { is_default: true } });
}

async function announce(ctx: Ctx, kind: EventKind<'workspace'>, policyId: number): Promise<void> {
  await recordEvent(ctx, {
    subjectType: 'workspace',
    subjectId: ctx.workspaceId,
    kind,
    data: { policy_id: policyId },
  });
}

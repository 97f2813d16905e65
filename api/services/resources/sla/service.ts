import type { Ctx } from '../../../core/context';
import { invalid, notFound } from '../../../core/errors';
import { recordEvent } from '../../../core/events';
import type { PolicyView } from './serializer';

const columns = 'id, name, first_response_minutes, resolution_minutes, applies_to, is_default, created_at, updated_at';

export interface PolicyInput {
  readonly name?: string | undefined;
  readonly first_response_minutes?: number | null | undefined;
  readonly resolution_minutes?: number | null | undefined;
  readonly applies_to?: readonly ('tickets' | 'conversations')[] | undefined;
  readonly is_default?: boolean | undefined;
}

/** The workspace's policies. */
export async function listPolicies(ctx: Ctx): Promise<PolicyView[]> {
  return ctx.runtime.db.rows<PolicyView>(
    `SELECT ${columns} FROM sla_policies WHERE workspace_id = $workspaceId ORDER BY id`,
    { workspaceId: ctx.workspaceId },
  );
}

/** One policy. Throws 404. */
export async function findPolicy(ctx: Ctx, id: number): Promise<PolicyView> {
  const row = await ctx.runtime.db.row<PolicyView>(
    `SELECT ${columns} FROM sla_policies WHERE workspace_id = $workspaceId AND id = $id`,
    { workspaceId: ctx.workspaceId, id },
  );
  if (!row) throw notFound();
  return row;
}

/** Creates a policy; the first one of a workspace becomes its default unless told otherwise. Throws 400. */
export async function createPolicy(ctx: Ctx, values: PolicyInput & { readonly name: string }): Promise<PolicyView> {
  requireTarget(values.first_response_minutes ?? null, values.resolution_minutes ?? null);
  const { db } = ctx.runtime;
  return db.transaction(async () => {
    const existing = await lockPolicies(ctx);
    const isDefault = values.is_default ?? existing.length === 0;
    if (isDefault) await dropDefault(ctx);
    const row = await db.row<PolicyView>(
      `INSERT INTO sla_policies (workspace_id, name, first_response_minutes, resolution_minutes, applies_to, is_default)
       VALUES ($workspaceId, $name, $firstResponse, $resolution, $appliesTo::text[], $isDefault) RETURNING ${columns}`,
      {
        workspaceId: ctx.workspaceId,
        name: values.name,
        firstResponse: values.first_response_minutes ?? null,
        resolution: values.resolution_minutes ?? null,
        appliesTo: [...new Set(values.applies_to ?? ['tickets', 'conversations'])],
        isDefault,
      },
    );
    if (!row) throw new Error('the policy was not stored');
    await recordEvent(ctx, {
      subjectType: 'workspace',
      subjectId: ctx.workspaceId,
      kind: 'sla_policy_created',
      data: { policy_id: row.id },
    });
    return row;
  });
}

/** Changes what is given. Deadlines that run already stay as they were promised. Throws 400 and 404. */
export async function updatePolicy(ctx: Ctx, id: number, values: PolicyInput): Promise<PolicyView> {
  const { db } = ctx.runtime;
  return db.transaction(async () => {
    await lockPolicies(ctx);
    const before = await findPolicy(ctx, id);
    const firstResponse =
      values.first_response_minutes === undefined ? before.first_response_minutes : values.first_response_minutes;
    const resolution = values.resolution_minutes === undefined ? before.resolution_minutes : values.resolution_minutes;
    requireTarget(firstResponse, resolution);
    if (values.is_default && !before.is_default) await dropDefault(ctx);
    const row = await db.row<PolicyView>(
      `UPDATE sla_policies SET name = coalesce($name, name), first_response_minutes = $firstResponse, resolution_minutes = $resolution, applies_to = coalesce($appliesTo::text[], applies_to),
         is_default = coalesce($isDefault, is_default), updated_at = now()
       WHERE workspace_id = $workspaceId AND id = $id RETURNING ${columns}`,
      {
        workspaceId: ctx.workspaceId,
        id,
        name: values.name ?? null,
        firstResponse,
        resolution,
        appliesTo: values.applies_to ? [...new Set(values.applies_to)] : null,
        isDefault: values.is_default ?? null,
      },
    );
    if (!row) throw notFound();
    await recordEvent(ctx, {
      subjectType: 'workspace',
      subjectId: ctx.workspaceId,
      kind: 'sla_policy_updated',
      data: { policy_id: id },
    });
    return row;
  });
}

/** Removes a policy. Deadlines that run already stay; new tickets and conversations have none until there is a default again. Throws 404. */
export async function deletePolicy(ctx: Ctx, id: number): Promise<void> {
  await ctx.runtime.db.transaction(async () => {
    const row = await ctx.runtime.db.row(
      'DELETE FROM sla_policies WHERE workspace_id = $workspaceId AND id = $id RETURNING id',
      { workspaceId: ctx.workspaceId, id },
    );
    if (!row) throw notFound();
    await recordEvent(ctx, {
      subjectType: 'workspace',
      subjectId: ctx.workspaceId,
      kind: 'sla_policy_deleted',
      data: { policy_id: id },
    });
  });
}

function requireTarget(firstResponse: number | null, resolution: number | null): void {
  if (firstResponse === null && resolution === null)
    throw invalid({ non_field_errors: ['A policy needs first_response_minutes, resolution_minutes or both.'] });
}

/** One change of a workspace's policies at a time: there is at most one default. */
async function lockPolicies(ctx: Ctx): Promise<{ id: number }[]> {
  await ctx.runtime.db.rows('SELECT pg_advisory_xact_lock(hashtextextended($key, 3)) IS NULL AS locked', {
    key: `sla-policies:${ctx.workspaceId}`,
  });
  return ctx.runtime.db.rows<{ id: number }>('SELECT id FROM sla_policies WHERE workspace_id = $workspaceId', {
    workspaceId: ctx.workspaceId,
  });
}

async function dropDefault(ctx: Ctx): Promise<void> {
  await ctx.runtime.db.rows(
    'UPDATE sla_policies SET is_default = false, updated_at = now() WHERE workspace_id = $workspaceId AND is_default',
    { workspaceId: ctx.workspaceId },
  );
}

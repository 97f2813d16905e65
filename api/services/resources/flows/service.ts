import type { FlowRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { notFound } from '../../../core/http/errors';
import type { Page } from '../../../core/http/operations';
import { of } from '../../../core/db/scoped';
import { listPage, type PagingInput } from '../../../core/http/paging';

interface FlowFilters extends PagingInput {
  readonly status?: string | undefined;
  readonly search?: string | undefined;
}

const columns = `f.workspace_id, f.business_account_id, f.flow_id, f.name, f.status, f.categories, f.validation_errors,
  f.json_version, f.data_api_version, f.endpoint_uri, f.preview_url, f.preview_expires_at, f.flow_json, f.alerts,
  f.synced_at, f.gone_at, f.created_at, f.updated_at`;

/**
 * Returns a page of the workspace's flows by name, as they are stored; those that the upstream no longer has are
 * hidden.
 */
export async function listFlows(ctx: Ctx, filters: FlowFilters): Promise<Page<FlowRow>> {
  const search = (filters.search ?? '').trim();
  return listPage<FlowRow>(
    ctx,
    {
      select: columns,
      from: 'flows f',
      where: [
        'f.workspace_id = $workspaceId',
        'f.gone_at IS NULL',
        ...(filters.status ? ['f.status = $status'] : []),
        ...(search ? ['(fold(f.name) LIKE fold_pattern($search) OR f.flow_id LIKE fold_pattern($search))'] : []),
      ],
      bind: {
        workspaceId: ctx.workspaceId,
        ...(filters.status ? { status: filters.status } : {}),
        ...(search ? { search } : {}),
      },
      idSql: 'f.id',
      columns: { name: { sql: 'f.name', type: 'text' } },
      defaultOrdering: 'name',
    },
    filters,
  );
}

/** Returns the stored copy of a flow by the upstream's id, or null. */
export async function findFlow(ctx: Ctx, flowId: string): Promise<FlowRow | null> {
  return of(ctx, ctx.runtime.db.models.Flow).findOne({ where: { flow_id: flowId }, raw: true });
}

/** Returns the stored copy of a flow, or the 404. */
export async function getStoredFlow(ctx: Ctx, flowId: string): Promise<FlowRow> {
  const flow = await findFlow(ctx, flowId);
  if (!flow) throw notFound();
  return flow;
}

import type { ApprovalRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { conflict } from '../../../core/http/errors';
import { countAlone } from '../../identity/workspaces/service';

/** Most calls that ask at a time: who has hundreds to decide reads none of them. */
const maxAsking = { connection: 20, workspace: 100 } as const;

/** Who asks: a connection of an agent, or a rule. */
export interface Asking {
  readonly kind: ApprovalRow['connection_kind'];
  readonly id: number;
  readonly name: string;
}

/** Refuses one more call that asks where as many ask already as members can be expected to read: 409. */
export async function refuseMoreAsking(ctx: Ctx, { kind, id }: Asking): Promise<void> {
  await countAlone(ctx, 'approvals');
  const approvals = of(ctx, ctx.runtime.db.models.Approval);
  const asking = { status: 'pending', autonomy: 'approval' } as const;
  const own = await approvals.count({ where: { ...asking, connection_kind: kind, connection_id: id } });
  if (own >= maxAsking.connection)
    throw conflict(`${own} calls of this connection wait for approval: go on when members have decided.`);
  const all = await approvals.count({ where: asking });
  if (all >= maxAsking.workspace)
    throw conflict(`${all} calls of this workspace wait for approval: go on when members have decided.`);
}

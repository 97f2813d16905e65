import type { MemberRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';

/** A person to whom work can be given. */
type Colleague = Pick<MemberRow, 'id' | 'name' | 'email'>;

/** Returns the active members of the workspace, by id. */
export async function listColleagues(ctx: Ctx): Promise<Colleague[]> {
  return of(ctx, ctx.runtime.db.models.Member).findAll({
    attributes: ['id', 'name', 'email'],
    where: { is_active: true },
    order: [['id', 'ASC']],
    raw: true,
  });
}

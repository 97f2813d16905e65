import type { Ctx } from '../../../../core/context';
import { of } from '../../../../core/db/scoped';
import { identityHashing } from '../preference';
import type { Target } from './merge';

/** Returns a text that two targets share where they are one. */
export function keyOf(target: { readonly phone: string | null; readonly bsuid: string | null }): string {
  return `${target.phone ?? ''}/${target.bsuid ?? ''}`;
}

type Mark = Readonly<Record<'opted_out_at', Date> & Record<'source', string>>;

/** Returns the opt-outs that erased contacts left behind, by `keyOf`; most workspaces have none. */
export async function optOutMarks(ctx: Ctx, targets: readonly Target[]): Promise<Map<string, Mark>> {
  const known = of(ctx, ctx.runtime.db.models.OptOutMark);
  if ((await known.findOne({ attributes: ['source'], raw: true })) === null) return new Map();

  const owners = new Map<string, string>();
  const hashesOf = await identityHashing(ctx);
  for (const target of targets) for (const hash of hashesOf(target)) owners.set(hash.toString('hex'), keyOf(target));
  const found = await known.findAll({
    attributes: ['identity_hash', 'opted_out_at', 'source'],
    where: { identity_hash: [...owners.keys()].map((hash) => Buffer.from(hash, 'hex')) },
    order: ['opted_out_at'],
    raw: true,
  });
  return new Map(found.map((mark) => [owners.get(mark.identity_hash.toString('hex')) ?? '', mark]));
}

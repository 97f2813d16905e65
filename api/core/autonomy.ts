import type { Ctx } from './context';
import { AppError } from './http/errors';
import { reaches, type Frozen } from './frozenSends';

/** The 403 for what a credential below `autonomous` may not do by itself. */
class NeedsApproval extends AppError {
  constructor(message: string) {
    super('forbidden', message, { publicCode: 'needs_approval' });
    this.name = 'NeedsApproval';
  }
}

/** Returns whether sends in this context need a member's approval. */
export function isBound(ctx: Pick<Ctx, 'autonomy'>): boolean {
  return ctx.autonomy !== undefined && ctx.autonomy !== 'autonomous';
}

/** Throws the 403 of a credential that may not send by itself. */
export function requireMaySend(ctx: Pick<Ctx, 'autonomy'>): void {
  if (isBound(ctx))
    throw new NeedsApproval(
      'This API key may not send without approval: use /mcp, or a key with autonomy "autonomous".',
    );
}

/** Why a credential below `autonomous` may not undo an opt-out. */
export const mayNotOptIn =
  'This connection may opt a customer out, never in: only the customer or a member of the workspace opts in again.';

/**
 * Throws the 403 of a credential that may opt customers out, but not in again; what was approved of it may not, either:
 * the customer may have opted out after it was shown (contract 11).
 */
export function requireMayOptIn(ctx: Pick<Ctx, 'autonomy' | 'approved'>): void {
  if (isBound(ctx) || ctx.approved) throw new NeedsApproval(mayNotOptIn);
}

/**
 * Announces a send in its transaction. A rehearsal collects it; a credential below `autonomous` is refused, which rolls
 * the transaction back. `freeze` is called only when its result is needed.
 */
export async function announceSend(ctx: Ctx, freeze: () => Frozen | Promise<Frozen>): Promise<void> {
  if (!ctx.rehearsal && !isBound(ctx)) return;
  const frozen = await freeze();
  if (ctx.rehearsal) ctx.rehearsal.frozen.push(frozen);
  else if (reaches(frozen)) requireMaySend(ctx);
}

class Rehearsed extends Error {}

/** Does the work and rolls it back. Throws the errors of the work, and returns the sends that it would have made. */
export async function rehearsed(ctx: Ctx, work: (ctx: Ctx) => Promise<unknown>): Promise<readonly Frozen[]> {
  const rehearsal = { frozen: [] };
  try {
    // A savepoint, because joining an open transaction would keep what was rehearsed.
    await ctx.runtime.db.savepoint(async () => {
      await work({ ...ctx, rehearsal });
      throw new Rehearsed();
    });
  } catch (error) {
    if (!(error instanceof Rehearsed)) throw error;
  }
  return rehearsal.frozen;
}

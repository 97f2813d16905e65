import type { Ctx } from './context';
import { AppError } from './errors';

/**
 * What happens to the sends of a credential: they are kept as drafts, wait for approval, or go out.
 */
export const autonomyLevels = ['draft', 'approval', 'autonomous'] as const;
export type Autonomy = (typeof autonomyLevels)[number];

/** Returns the 403 for what a credential below `autonomous` may not do by itself. */
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

/** Throws the 403 of a credential that may opt customers out, but not in again (contract 11). */
export function requireMayOptIn(ctx: Pick<Ctx, 'autonomy'>): void {
  if (isBound(ctx)) throw new NeedsApproval(mayNotOptIn);
}

/**
 * Announces a send in its transaction. A rehearsal counts it; a credential below `autonomous` is refused, which undoes
 * the transaction. `reaches` is called only where its answer matters.
 */
export async function announceSend(ctx: Ctx, reaches?: () => Promise<boolean>): Promise<void> {
  if (!ctx.rehearsal && !isBound(ctx)) return;
  if (reaches && !(await reaches())) return;
  if (ctx.rehearsal) ctx.rehearsal.sends += 1;
  else requireMaySend(ctx);
}

class Rehearsed extends Error {}

/** Does the work and undoes it: throws what the work throws, and returns whether it would send. */
export async function rehearsed(ctx: Ctx, work: (ctx: Ctx) => Promise<unknown>): Promise<boolean> {
  const rehearsal = { sends: 0 };
  try {
    // A savepoint, because joining an open transaction would keep what was rehearsed.
    await ctx.runtime.db.savepoint(async () => {
      await work({ ...ctx, rehearsal });
      throw new Rehearsed();
    });
  } catch (error) {
    if (!(error instanceof Rehearsed)) throw error;
  }
  return rehearsal.sends > 0;
}

import { sameValue } from '../../../core/db/changes';
import type { Ctx } from '../../../core/context';
import { AppError, conflict, invalidField } from '../../../core/http/errors';
import { ChangedSince, type Frozen } from '../../../core/frozenSends';
import { of } from '../../../core/db/scoped';
import { versionOf } from './shownSends';
import { reason } from '../../resources/reasons';

/**
 * Throws the 409 where a template says something else than when it was shown, or a stage tells it otherwise, and the
 * 400 of a move whose template is not approved at the moment.
 */
export async function requireUnchanged(ctx: Ctx, frozen: readonly Frozen[]): Promise<void> {
  const { Template, TicketStage } = ctx.runtime.db.models;
  for (const send of frozen) {
    if (send.kind === 'ticket' || send.template === null) continue;
    const template = await of(ctx, Template).findOne({ where: { id: send.template.pk }, raw: true });
    if (!template || template.status === 'DELETED' || versionOf(template) !== versionOf(send.template))
      throw new ChangedSince();
    if (send.kind !== 'stage_move') continue;
    const stage = await of(ctx, TicketStage).findOne({ where: { id: send.stage_id }, raw: true });
    if (stage?.notify_template_pk !== template.id || !sameValue(stage.notify_template_variables, send.variables))
      throw new ChangedSince();
    if (stage.notify_template_media_id !== (send.header_file?.id ?? null)) throw new ChangedSince();
    if (template.status !== 'APPROVED')
      throw invalidField(
        'template',
        reason('onlyApproved', { name: template.name, status: template.status }),
        'template_not_approved',
      );
  }
}

/** Throws 409 where a member was shown something else. */
export function requireShown(approval: { readonly digest: string }, digest: string | null): void {
  if (digest !== null && digest !== approval.digest) throw conflict(reason('notShown'));
}

/** Says of a ticket that is gone what is said of everything else that is not as it was. */
export function asChanged(error: unknown): never {
  throw error instanceof AppError && error.code === 'not_found' ? new ChangedSince() : error;
}

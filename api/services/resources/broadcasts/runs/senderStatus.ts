import type { BroadcastRow } from '../../../../../models';
import type { Ctx } from '../../../../core/context';
import { AppError, trialIsOver } from '../../../../core/http/errors';
import { checkFilling, readVariables } from '../content';
import { takenBy, type TemplateContent } from '../../templates/requiredParts';

/** The data that decide whether a broadcast may be sent at all. */
export interface Sender
  extends TemplateContent, Pick<BroadcastRow, 'template_variables' | 'header_media_id' | 'template_takes'> {
  readonly template_status: string | null;
  readonly number_status: string | null;
  readonly trial_expired: boolean;
}

/** SQL: the same, of broadcast `b` of workspace `w` with template `t` by number `p`. */
export const senderSql = (
  now: string,
): string => `(coalesce(w.plan, '') = '' AND coalesce(w.trial_ends_at <= ${now}, false)) AS trial_expired,
    t.status AS template_status, p.status AS number_status,
    coalesce(t.category, '') AS category, coalesce(t.parameter_format, '') AS parameter_format, t.components,
    b.template_variables, b.header_media_id, b.template_takes`;

/** Returns as a sentence why the broadcast may send no more; null when sending may go on (contract 9, 12). */
export async function refusalOf(ctx: Ctx, sender: Sender): Promise<string | null> {
  const { template_status: status, number_status: number } = sender;
  if (sender.trial_expired) return trialIsOver;
  if (status !== 'APPROVED') return `The template is not approved any more (${status ?? 'deleted'}).`;
  if (number === null || number === 'DELETED')
    return 'The phone number that this broadcast was to be sent from is gone.';
  return misfitOf(ctx, sender);
}

/** Returns why the template, which the platform may have changed, is not the one that was filled; null where it is. */
async function misfitOf(ctx: Ctx, sender: Sender): Promise<string | null> {
  const took = sender.template_takes;
  const changed = Object.entries(takenBy(sender)).filter(([part, takes]) => took !== null && took[part] !== takes);
  if (changed.length > 0)
    return `The template has changed since the broadcast was confirmed: ${changed
      .map(([part, takes]) => `its ${part} took ${took?.[part] ?? 'nothing'} and takes ${takes} now`)
      .join('; ')}.`;
  try {
    // Not its flow: what we know of flows may be wrong for a moment, and the platform refuses one that is gone.
    await checkFilling(ctx, sender, {
      variables: readVariables(sender.template_variables),
      mediaId: sender.header_media_id,
    });
    return null;
  } catch (error) {
    if (error instanceof AppError && error.code === 'validation')
      return `The broadcast does not fill its template any more: ${error.message}`;
    throw error;
  }
}

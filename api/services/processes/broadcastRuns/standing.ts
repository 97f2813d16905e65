import { trialIsOver } from '../../../core/http/errors';

/** The data that decide whether a broadcast may be sent at all. */
export interface Sender {
  readonly template_status: string | null;
  readonly number_status: string | null;
  readonly trial_expired: boolean;
}

/** SQL: the same, of broadcast `b` of workspace `w` with template `t` by number `p`. */
export const senderSql = (
  now: string,
): string => `(coalesce(w.plan, '') = '' AND coalesce(w.trial_ends_at <= ${now}, false)) AS trial_expired,
    t.status AS template_status, p.status AS number_status`;

/** Returns as a sentence why the broadcast may send no more; null when sending may go on (contract 9, 12). */
export function refusalOf({
  trial_expired: expired,
  template_status: template,
  number_status: number,
}: Sender): string | null {
  if (expired) return trialIsOver;
  if (template !== 'APPROVED') return `The template is not approved any more (${template ?? 'deleted'}).`;
  if (number === null || number === 'DELETED')
    return 'The phone number that this broadcast was to be sent from is gone.';
  return null;
}

import type { ContactRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { invalidField } from '../../../core/http/errors';
import { resolveForRecipient } from '../messages/templates';
import { isAuthentication } from '../templates/requiredParts';
import { componentsFromVariables } from '../templates/parameters';
import { filledText } from '../templates/filledText';
import { findTemplate, type TemplateRecord } from '../templates/service';
import { audienceSql, skipReasonSql } from './audience';
import { readAudience, readVariables } from './content';
import { findBroadcast } from './queries';
import { reckonReach, type Reach } from './audienceReach';
import { reason } from '../reasons';

const samples = 3;

/** What a broadcast would do. */
interface Preview {
  readonly audience: number;
  readonly sendable: number;
  readonly skipped: number;
  readonly skipped_by_reason: Readonly<Record<string, number>>;
  readonly estimate: Reach['estimate'];
  readonly messaging_limit: Reach['messagingLimit'];
  readonly samples: readonly Record<string, unknown>[];
}

type Recipient = Pick<ContactRow, 'receiver_id' | 'name' | 'phone' | 'bsuid' | 'email' | 'company'>;

/**
 * Shows what a broadcast would do now: counts, skips by reason, cost, limit and rendered samples. Sends and changes
 * nothing (contract 9).
 */
export async function previewBroadcast(ctx: Ctx, id: number): Promise<Preview> {
  const broadcast = await findBroadcast(ctx, id);
  const template =
    broadcast.template_id === null ? null : await findTemplate(ctx, { templateId: broadcast.template_id });
  if (!template) throw invalidField('template_id', reason('templateGone'));
  const audience = await audienceSql(ctx, readAudience(broadcast.audience));
  const bind = { ...audience.bind, authentication: isAuthentication(template) };
  const { db } = ctx.runtime;
  const reach = await reckonReach(ctx, broadcast, template.category, { sql: audience.sql, bind });
  const recipients = await db.rows<Recipient>(
    `WITH ${audience.sql}
     SELECT c.receiver_id, c.name, c.phone, c.bsuid, c.email, c.company
     FROM picked p JOIN contacts c ON c.id = p.contact_id
     WHERE ${skipReasonSql} IS NULL
     ORDER BY c.id LIMIT ${samples}`,
    bind,
  );

  const variables = readVariables(broadcast.template_variables);
  const skipped = Object.values(reach.skippedByReason).reduce((sum, count) => sum + count, 0);
  return {
    audience: reach.audience,
    sendable: reach.audience - skipped,
    skipped,
    skipped_by_reason: reach.skippedByReason,
    estimate: reach.estimate,
    messaging_limit: reach.messagingLimit,
    samples: recipients.map((recipient) =>
      renderSample(
        template,
        recipient,
        componentsFromVariables(
          template,
          variables,
          (source) => resolveForRecipient(source, recipient),
          broadcast.header_file,
        ),
      ),
    ),
  };
}

function renderSample(
  template: TemplateRecord,
  recipient: Recipient,
  components: readonly Record<string, unknown>[],
): Record<string, unknown> {
  return {
    receiver_id: recipient.receiver_id,
    name: recipient.name,
    header: filledText(template.components, 'header', components),
    body: filledText(template.components, 'body', components),
    components,
  };
}

import { dueNowSql } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { inTurnOf } from '../../../core/db/database';
import { reasonOf } from '../../../core/http/faults';
import { kept, type Runtime } from '../../../core/runtime';
import { credentialsOf } from '../accounts/service';
import { stoppedSql } from '../accounts/stops';

/** What a customer is shown of who answers them: that they have read, or that they write. */
type CustomerSign = 'read' | 'typing';

/** What comes later says nothing any more. */
const answerWithinMs = 5_000;
/** Of one process: while the platform is slow, what comes beyond them is left out, and other calls have their lines. */
const mostAtOnce = 8;

const underWay = kept(() => new Set<Promise<void>>());

/**
 * Tells a customer once the surrounding transaction has committed, where the workspace wants that: about their newest
 * message, by the number that they wrote to. Holds nobody up, and is lost where the platform does not take it. `isDue`
 * is asked last.
 */
export function tellCustomer(
  ctx: Ctx,
  conversationId: number,
  sign: CustomerSign,
  isDue: () => Promise<boolean> = () => Promise.resolve(true),
): void {
  const { runtime, workspaceId } = ctx;
  runtime.db.afterCommit(() => {
    const signs = underWay(runtime);
    if (signs.size >= mostAtOnce) return;
    const sent = inTurnOf(workspaceId, () => send(ctx, conversationId, sign, isDue))
      .catch((error: unknown) =>
        runtime.logger.debug(
          { event: 'customer_sign.lost', workspaceId, conversationId, sign, reason: reasonOf(error) },
          'a customer is not told what is done for them',
        ),
      )
      .finally(() => signs.delete(sent));
    signs.add(sent);
  });
}

/** Waits until what is under way has ended. */
export async function customersTold(runtime: Runtime): Promise<void> {
  await Promise.all(underWay(runtime));
}

async function send(
  ctx: Ctx,
  conversationId: number,
  sign: CustomerSign,
  isDue: () => Promise<boolean>,
): Promise<void> {
  const { runtime, workspaceId } = ctx;
  // All that decides in one statement. The platform shows "typing…" within the window alone, and reads at any time.
  const about = await runtime.db.row<{ wamid: string; phone_number_id: string; account_pk: number }>(
    `SELECT m.wamid, n.phone_number_id, n.business_account_id AS account_pk
     FROM workspaces w
     JOIN conversations v ON v.id = $conversationId AND v.workspace_id = w.id
     CROSS JOIN LATERAL (
       SELECT wamid, phone_number_id FROM messages
       WHERE workspace_id = w.id AND conversation_id = v.id AND direction = 'inbound' AND wamid IS NOT NULL
         AND type NOT IN ('reaction', 'system')
       ORDER BY created_at DESC, id DESC LIMIT 1) m
     JOIN phone_numbers n ON n.id = m.phone_number_id AND n.workspace_id = w.id
     WHERE w.id = $workspaceId AND v.thread_owner = '' AND NOT ${stoppedSql('n.id')}
       AND CASE WHEN $isTyping::boolean THEN w.show_typing AND EXISTS (
         SELECT 1 FROM conversation_windows o WHERE o.conversation_id = v.id AND o.phone_number_id = n.id
           AND o.open_until > ${dueNowSql(runtime.clock)})
       ELSE w.show_read END`,
    { workspaceId, conversationId, isTyping: sign === 'typing' },
  );
  if (!about || !(await isDue())) return;
  const { accessToken } = await credentialsOf(runtime, about.account_pk);
  const body = {
    messaging_product: 'whatsapp',
    status: 'read',
    message_id: about.wamid,
    ...(sign === 'typing' ? { typing_indicator: { type: 'text' } } : {}),
  };
  const path = `${encodeURIComponent(about.phone_number_id)}/messages`;
  await runtime.upstream.post(accessToken, path, body, AbortSignal.timeout(answerWithinMs));
}

import type { Ctx } from '../../core/context';
import { readParkedCall, rehearse, type ParkedCall } from '../../services/processes/approvals/calls';
import { shownSends } from '../../services/processes/approvals/shownSends';
import { previewSend } from '../../services/resources/messages/preview';
import { findTicket } from '../../services/resources/tickets/queries';
import { serializeTicket } from '../../services/resources/tickets/serializer';

type Json = Readonly<Record<string, unknown>>;

/** What a dry run found: whether a customer would hear of the call, and what it would do. */
interface Preview {
  readonly sends: boolean;
  readonly shown: Json;
}

/** Rehearses a call and tells what it would change and send. Throws what the call would throw, changes nothing. */
export async function preview(ctx: Ctx, parked: ParkedCall): Promise<Preview> {
  const call = readParkedCall(parked);
  // Only a dry run tells what would be another one: a call that is parked has no need to read it.
  const before = call.kind === 'ticket' ? serializeTicket(await findTicket(ctx, call.id)) : null;
  const { sends, frozen, ticket, macro } = await rehearse(ctx, parked);
  if (call.kind === 'message') {
    const message = frozen.find((send) => send.kind === 'message');
    return { sends, shown: message ? { ...(await previewSend(ctx, message)) } : {} };
  }
  const shown = {
    ...(before && ticket ? { changes: changesOf(before, ticket) } : {}),
    ...(macro ? { steps: macro.steps } : {}),
    sends: shownSends(frozen).map(({ recipients, recipients_total, text }) => ({ recipients, recipients_total, text })),
  };
  return { sends, shown };
}

/** Returns what of a ticket is another one afterwards; each write changes the time of the last one. */
function changesOf(before: Json, after: Json): Json {
  return Object.fromEntries(
    Object.entries(before).flatMap(([name, from]) => {
      const to = after[name];
      const isSame = name === 'updated_at' || JSON.stringify(from) === JSON.stringify(to);
      return isSame ? [] : [[name, { from, to }]];
    }),
  );
}

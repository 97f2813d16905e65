import type { Ctx } from '../../../core/context';
import { lineOf } from '../../../core/phones';
import { isBlank } from '../../../core/http/visible';
import { nameSynced, noteFirstMessage } from '../../resources/contacts/rows';
import { showPast } from '../../resources/conversations/sentByOtherApps';
import { insertElsewhere, type Elsewhere } from '../../resources/messages/rows/insertFromOtherApps';
import { resolveContact } from '../contactMerge/resolve';
import { isCorrection } from './corrections';
import type { EventLookups } from './lookups';
import { readContent, stored } from './messages';
import { identityOf, objectAt, objectsIn, textOf, UnusableEvent, type Json } from './read';
import type { StoredEvent } from './claim';

/** The status of an earlier message, by the status in the phone's app. */
const pastStatus: Readonly<Record<string, 'failed' | 'delivered' | 'read' | 'played'>> = {
  ERROR: 'failed',
  DELIVERED: 'delivered',
  READ: 'read',
  PLAYED: 'played',
};

/**
 * Stores the messages with a customer in the phone's app from before the account was connected (coexistence). They are
 * shown in the conversation; they open or reopen nothing, and subscribers are not told.
 */
export async function receiveThread(ctx: Ctx, event: StoredEvent, known: EventLookups): Promise<void> {
  const thread = event.payload['thread'] as Json;
  const identity = identityOf(thread['id'], thread['user_id']);
  if (identity.phone === null && identity.bsuid === null) throw new UnusableEvent('the thread names no customer');
  const { id: contactId } = await resolveContact(ctx, identity, { quiet: true });

  const usable = objectsIn(thread['messages']).filter(({ id }) => textOf(id, 1) !== '');
  const contents = usable.map((message) =>
    readContent(ctx, { ...event, payload: { ...event.payload, message } }, known),
  );
  const messages = contents
    .filter((content) => !isCorrection(content))
    .map((content): Elsewhere => {
      const { message } = content;
      const row = stored({ ...content, contactId }, { quiet: true });
      const inbound = identityOf(message['from'], message['from_user_id']);
      const isTheirs =
        (inbound.phone !== null && identity.phone !== null && lineOf(inbound.phone) === lineOf(identity.phone)) ||
        (inbound.bsuid !== null && inbound.bsuid === identity.bsuid);
      const status = textOf(objectAt(message, 'history_context')?.['status'], 32);
      return {
        ...row,
        direction: isTheirs ? 'inbound' : 'outbound',
        message_status: isTheirs ? 'received' : (pastStatus[status] ?? 'sent'),
      };
    });
  const ids = await insertElsewhere(ctx, messages, { origin: 'phone_app', past: true });
  const fresh = messages
    .filter(({ wamid }) => ids.has(wamid))
    .sort((left, right) => Number(left.at) - Number(right.at));
  const first = fresh.find(({ direction }) => direction === 'inbound');
  if (first) await noteFirstMessage(ctx, contactId, first.at);
  const last = fresh.at(-1);
  if (last) await showPast(ctx, contactId, ids.get(last.wamid)?.id ?? 0, last.at);
}

/**
 * Stores a contact of the phone's address book: a new contact, or the name of one that has none. Subscribers are not
 * told.
 */
export async function receiveSyncedContact(ctx: Ctx, event: StoredEvent): Promise<void> {
  const sync = event.payload['sync'] as Json;
  const contact = objectAt(sync, 'contact');
  // A contact that is removed from the phone's address book stays here.
  if (sync['type'] !== 'contact' || sync['action'] === 'remove' || !contact) return;
  const identity = identityOf(contact['phone_number'], contact['user_id']);
  if (identity.phone === null && identity.bsuid === null) throw new UnusableEvent('the contact has no usable number');
  const { id, name } = await resolveContact(ctx, identity, { quiet: true });
  const given = textOf(contact['full_name'] ?? contact['first_name'], 255).trim();
  if (name === '' && !isBlank(given)) await nameSynced(ctx, id, given);
}

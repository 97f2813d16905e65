import type { Ctx } from '../../../core/context';
import { applyPreference } from '../../resources/contacts/preference';
import { resolveContact } from '../contactMerge/resolve';
import { eventTime, identityOf, objectAt, objectsIn, profileOf } from './read';
import type { StoredEvent } from './claim';

/** A customer's choice in the messaging app: stop, resume or sign up for marketing messages (upstream 2.9). */
export async function receivePreferences(ctx: Ctx, event: StoredEvent): Promise<void> {
  const value = objectAt(event.payload, 'value');
  const contacts = objectsIn(value?.['contacts']);
  for (const item of objectsIn(value?.['user_preferences'])) {
    const word = item['value'];
    if (item['category'] !== 'marketing_messages' || (word !== 'stop' && word !== 'resume' && word !== 'signup'))
      continue;
    const entry = contacts.find(
      (contact) =>
        (item['wa_id'] !== undefined && contact['wa_id'] === item['wa_id']) ||
        (item['user_id'] !== undefined && contact['user_id'] === item['user_id']),
    );
    const identity = identityOf(item['wa_id'] ?? entry?.['wa_id'], item['user_id'] ?? entry?.['user_id']);
    if (identity.phone === null && identity.bsuid === null) continue;
    const at = eventTime(item['timestamp'] ?? event.payload['time'], ctx.runtime.clock.now());
    const contact = await resolveContact(ctx, identity, profileOf(entry), at);
    await applyPreference(ctx, contact.id, word === 'stop', at, 'platform');
  }
}

import type { Ctx } from '../../../core/context';
import { invalidField } from '../../../core/http/errors';
import type { InputOf } from '../../../core/http/fields';
import { listContacts } from '../../resources/contacts/lists';
import { applyPatch, lockConversation } from '../../resources/conversations/service';
import { changeEach, matchingIds, namedIds, requireChange, requireOneWay, type BulkOutcome } from './batches';
import type { bulkContactsInput } from './schema';
import { tagsAfter } from './tags';
import { reason } from '../../resources/reasons';

/** Changes many contacts, each by the rules of a single one. Throws 400 where none takes the change. */
export async function changeContacts(ctx: Ctx, input: InputOf<typeof bulkContactsInput>): Promise<BulkOutcome> {
  const { receiver_ids: handles, filters = {}, change } = input;
  requireOneWay('receiver_ids', handles, input.filters);
  requireChange(change);
  const { add_tags: add, remove_tags: remove, marketing_opt_out: optOut } = change;
  // Whoever opts in is asked, one by one.
  if (optOut === false) throw invalidField('marketing_opt_out', reason('onlyOptOut'));
  const selected = handles
    ? await namedIds(ctx, handles)
    : await matchingIds(ctx, 'contacts', (own, paging) => listContacts(own, { ...filters, ...paging }));
  return changeEach(ctx, selected, async (id, bulk) => {
    const conversation = await lockConversation(ctx, { contactId: id });
    const tags = tagsAfter(conversation.tags, add, remove);
    const patch = {
      ...(tags === undefined ? {} : { tags }),
      ...(optOut === undefined ? {} : { marketing_opt_out: optOut }),
    };
    return applyPatch(ctx, conversation, patch, ['contacts'], { bulk, bulk_of: 'contacts' });
  });
}

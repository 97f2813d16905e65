import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { requireScope } from '../../../core/http/access';
import { conflict, invalidField, invalidPk, notFound } from '../../../core/http/errors';
import { contactIdsOf, handleValues } from '../../resources/contacts/handles';
import { lockIdentities } from '../../resources/contacts/locks';
import type { ContactView } from '../../resources/contacts/serializer';
import { contactsByIds, findContactById } from '../../resources/contacts/service';
import { mergeContacts } from './merge';
import { reason } from '../../resources/reasons';

/**
 * Makes two contacts one because a member says so: `into` stays, and all numbers and user ids of both lead to it. What
 * is done already is answered in the same way. Throws 404 for the contact of the path, 400 for `into`.
 */
export async function mergeByMember(ctx: Ctx, handle: string, into: string): Promise<ContactView> {
  requireScope(ctx, 'contact.delete');
  return ctx.runtime.db.transaction(async () => {
    const before = await bothOf(ctx, handle, into);
    // Their messages that come in now wait, and then find the one contact. Rows in the order of all who lock several.
    await lockIdentities(
      ctx,
      before.flatMap(({ phone, bsuid }) => [phone, bsuid]),
    );
    await of(ctx, ctx.runtime.db.models.Contact).findAll({
      attributes: ['id'],
      where: { id: before.map(({ id }) => id) },
      order: ['id'],
      lock: true,
      raw: true,
    });
    const both = await bothOf(ctx, handle, into);
    const [gone, kept] = both;
    if (gone.id === kept.id) {
      if (!(await isFormer(ctx, kept.id, [handle, into]))) throw invalidField('into', reason('sameContact'));
      return kept;
    }
    const isMeant = both.every(
      ({ id, phone, bsuid }, index) =>
        id === before[index]?.id && phone === before[index].phone && bsuid === before[index].bsuid,
    );
    if (!isMeant) throw conflict(reason('mergedMeanwhile'));
    return findContactById(ctx, await mergeContacts(ctx, gone.id, kept.id, kept.id));
  });
}

/** Returns both contacts. Throws 404 for the one of the path, 400 for `into`. */
export async function bothOf(ctx: Ctx, handle: string, into: string): Promise<readonly [ContactView, ContactView]> {
  const ids = await contactIdsOf(ctx, [handle, into]);
  const contacts = await contactsByIds(ctx, [...new Set(ids.values())]);
  const [gone, kept] = [handle, into].map((one) => contacts.get(ids.get(one) ?? 0));
  if (!gone) throw notFound();
  if (!kept) throw invalidPk('into', into);
  return [gone, kept];
}

/** Returns whether one of these handles is one that the contact had, or of a contact that was merged into it. */
async function isFormer(ctx: Ctx, contactId: number, handles: readonly string[]): Promise<boolean> {
  const values = handles.flatMap((handle) => handleValues(handle).plain);
  const where = { contact_id: contactId, kind: 'receiver_id', value: values } as const;
  return (await of(ctx, ctx.runtime.db.models.ContactAlias).count({ where })) > 0;
}

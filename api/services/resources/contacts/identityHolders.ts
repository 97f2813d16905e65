import { Op } from 'sequelize';
import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db/database';
import { recordEvent } from '../../../core/queue/events';
import { of } from '../../../core/db/scoped';
import { dbNow } from '../../../core/db/columnValues';
import { lineOf, spellingsOf } from '../../../core/phones';
import { forgetAlias, keepOtherLine } from './aliases';
import type { Identity } from './identity';
import { freeHandles } from './rows';
import { contactColumns, type ContactView } from './serializer';

/** A contact with the times that decide which of two events is the newer. */
export type Holder = ContactView & {
  readonly identity_at: Date | null;
  readonly profile_name_at: Date | null;
  readonly username_at: Date | null;
  /** Found by a number or id that it had before, not by its present one. */
  readonly by_phone: boolean;
  readonly by_old_phone: boolean;
  readonly by_bsuid: boolean;
  /** The other number of the person that the identity names, which is not the present one but theirs, too. */
  readonly other_phone: string | null;
  /** The user id that is known to go with it. */
  readonly other_bsuid: string | null;
};

/** Who has the phone, in any spelling of its line, and who the bsuid of an identity. */
interface Holders {
  readonly byPhone: Holder | undefined;
  readonly byBsuid: Holder | undefined;
  /** Another contact with the other spelling of the line. */
  readonly sameLine: Holder | undefined;
}

/** Returns the holders of an identity, as they were at `at`; their rows are locked. */
export async function findHolders(ctx: Ctx, identity: Identity, at: Date): Promise<Holders> {
  const rows = await ctx.runtime.db.rows<Holder>(
    // All ways to a person in one round trip, each by its own index: it is asked for every message that comes in.
    `WITH former AS (
       SELECT contact_id, kind, value, valid_until, bsuid
       FROM contact_aliases
       WHERE workspace_id = $workspaceId
         AND ((kind = 'bsuid' AND value = $bsuid::text)
           OR (kind = 'phone' AND value = ANY($phones::text[]) AND (valid_until IS NULL OR valid_until > $at)))
     ), other AS (
       SELECT contact_id, value, bsuid FROM former WHERE kind = 'phone' AND valid_until IS NULL
       UNION SELECT a.contact_id, a.value, a.bsuid
       FROM former f JOIN contact_aliases a ON a.contact_id = f.contact_id AND a.bsuid = f.value AND a.kind = 'phone'
       WHERE f.kind = 'bsuid' AND cardinality($phones::text[]) = 0
     )
     SELECT c.id, ${contactColumns}, c.created_at, c.updated_at, c.identity_at, c.profile_name_at, c.username_at,
       coalesce(c.phone = ANY($phones::text[]), false) AS by_phone,
       EXISTS (SELECT 1 FROM former f WHERE f.contact_id = c.id AND f.kind = 'phone') AS by_old_phone,
       coalesce(c.bsuid = $bsuid::text, false)
         OR EXISTS (SELECT 1 FROM former f WHERE f.contact_id = c.id AND f.kind = 'bsuid') AS by_bsuid,
       o.value AS other_phone, o.bsuid AS other_bsuid
     FROM contacts c LEFT JOIN other o ON o.contact_id = c.id
     WHERE ${ofWorkspace('c.workspace_id')} AND c.id IN (
       SELECT id FROM contacts WHERE phone = ANY($phones::text[]) AND ${ofWorkspace('workspace_id')}
       UNION ALL SELECT id FROM contacts WHERE bsuid = $bsuid::text AND ${ofWorkspace('workspace_id')}
       UNION ALL SELECT contact_id FROM former)
     ORDER BY c.id
     FOR UPDATE OF c`,
    {
      workspaceId: ctx.workspaceId,
      phones: identity.phone === null ? [] : spellingsOf(identity.phone),
      bsuid: identity.bsuid,
      at,
    },
  );

  // Before the change of number the phone belonged to the former holder, even if another contact has it now.
  const present = rows.filter((row) => row.by_phone);
  const [first, second] = present.sort(
    (left, right) => Number(right.phone === identity.phone) - Number(left.phone === identity.phone),
  );
  // The other number of a person is nobody's any more who has it beside another one, once somebody has it alone.
  const former = rows.find((row) => row.by_old_phone && (row.other_phone === null || first === undefined));
  return { byPhone: former ?? first, byBsuid: rows.find((row) => row.by_bsuid), sameLine: former ? undefined : second };
}

/**
 * Makes the other number of a locked person, by which an identity has named them, the present one, unless it is another
 * contact's.
 */
export async function turnTo(ctx: Ctx, holder: Holder, identity: Identity, at: Date): Promise<void> {
  const { other_phone: phone, other_bsuid: known } = holder;
  if (phone === null) return;
  const contacts = of(ctx, ctx.runtime.db.models.Contact);
  if ((await contacts.count({ where: { phone: [...spellingsOf(phone)], id: { [Op.ne]: holder.id } } })) > 0) return;
  const bsuid = identity.bsuid ?? known;
  await freeHandles(ctx, [phone, bsuid], holder.id);
  await keepOtherLine(ctx, holder.id, { phone: holder.phone, bsuid: holder.bsuid });
  await forgetAlias(ctx, 'phone', phone);
  if (bsuid !== null) await forgetAlias(ctx, 'bsuid', bsuid);
  await contacts.update(
    { phone: identity.phone ?? phone, bsuid, identity_at: at, updated_at: dbNow },
    { where: { id: holder.id } },
  );
}

/**
 * Takes a number that now is another person's away from the locked contact who had it; the bsuid names the contact from
 * now on, or its present number where this was another one.
 */
export async function detachPhone(ctx: Ctx, holder: Holder, at: Date): Promise<void> {
  const { other_phone: other, phone, bsuid } = holder;
  if (other !== null) await forgetAlias(ctx, 'phone', other);
  const isNamedByIt = lineOf(holder.receiver_id) === lineOf(other ?? phone ?? '');
  const name = other === null ? bsuid : (phone ?? bsuid);
  if (isNamedByIt) await freeHandles(ctx, [name], holder.id);
  const change = {
    ...(other === null ? { phone: null } : {}),
    ...(isNamedByIt && name !== null ? { receiver_id: name } : {}),
  };
  if (Object.keys(change).length > 0)
    await of(ctx, ctx.runtime.db.models.Contact).update({ ...change, updated_at: dbNow }, { where: { id: holder.id } });
  await recordEvent(ctx, {
    subjectType: 'contact',
    subjectId: holder.id,
    kind: 'phone_reassigned',
    data: { at: at.toISOString() },
  });
}

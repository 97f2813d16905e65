import { Op } from 'sequelize';
import type { Ctx, WorkspaceCtx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { dbNow } from '../../../core/db/columnValues';
import { lineOf, platformDigits, spellingsOf } from '../../../core/phones';
import type { Identity } from './identity';
import { lockIdentities } from './locks';

/** Keeps handles answering as the contact; a handle that another contact had is taken over. */
export async function addAliases(
  ctx: Ctx,
  contactId: number,
  aliases: readonly (readonly [kind: 'receiver_id' | 'id' | 'bsuid' | 'phone', value: string, validUntil?: Date])[],
): Promise<void> {
  if (aliases.length === 0) return;
  await ctx.runtime.db.rows(
    // A guarded upsert: of two words about a former number the one that is valid for longer stays.
    `INSERT INTO contact_aliases AS a (workspace_id, kind, value, contact_id, valid_until)
     SELECT DISTINCT ON (n.kind, n.value) $workspaceId, n.kind, n.value, $contactId, n."validUntil"
     FROM jsonb_to_recordset($aliases::jsonb) AS n(kind text, value text, "validUntil" timestamptz)
     ON CONFLICT (workspace_id, kind, value)
       DO UPDATE SET contact_id = excluded.contact_id, valid_until = excluded.valid_until, created_at = now()
     WHERE a.valid_until IS NULL OR excluded.valid_until IS NULL OR excluded.valid_until >= a.valid_until`,
    {
      workspaceId: ctx.workspaceId,
      contactId,
      aliases: JSON.stringify(
        aliases.map(([kind, value, validUntil]) => ({ kind, value, validUntil: validUntil ?? null })),
      ),
    },
  );
}

/**
 * Returns the contacts into which those of these ids were merged, by the former ids; a conversation has the same id.
 */
export async function contactsMerged(
  { runtime, workspaceId }: WorkspaceCtx,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await of({ workspaceId }, runtime.db.models.ContactAlias).findAll({
    attributes: ['value', 'contact_id'],
    where: { kind: 'id', value: ids.map(String) },
    raw: true,
  });
  return new Map(rows.map(({ value, contact_id: contactId }) => [Number(value), contactId]));
}

/** Ends an alias: the value is a contact's present one again, or another person's. */
export async function forgetAlias(ctx: Ctx, kind: 'bsuid' | 'phone', value: string): Promise<void> {
  await of(ctx, ctx.runtime.db.models.ContactAlias).destroy({ where: { kind, value: [...spellingsOf(value)] } });
}

/** Returns which of phone and bsuid is one that a contact has beside its present ones. */
export async function otherLineOf(ctx: Ctx, { phone, bsuid }: Identity): Promise<'phone' | 'bsuid' | null> {
  const found = await of(ctx, ctx.runtime.db.models.ContactAlias).findOne({
    attributes: ['kind'],
    where: {
      [Op.or]: [
        { kind: 'phone', value: phone === null ? [] : [...spellingsOf(phone)], valid_until: null },
        { kind: 'bsuid', value: bsuid ?? [] },
      ],
    },
    raw: true,
  });
  return found === null ? null : found.kind === 'phone' ? 'phone' : 'bsuid';
}

/** Returns the numbers and user ids that a contact has beside its present ones. */
export async function otherLinesOf(ctx: Ctx, contactId: number): Promise<Identity[]> {
  const rows = await of(ctx, ctx.runtime.db.models.ContactAlias).findAll({
    attributes: ['kind', 'value'],
    where: { contact_id: contactId, kind: ['phone', 'bsuid'], valid_until: null },
    raw: true,
  });
  return rows.map(({ kind, value }) => ({ phone: null, bsuid: null, [kind]: value }));
}

/** Keeps the number and the user id of a person who has others at present: both name the contact for good. */
export async function keepOtherLine(ctx: Ctx, contactId: number, { phone, bsuid }: Identity): Promise<void> {
  await addAliases(ctx, contactId, [
    ...(phone === null ? [] : [['phone', phone] as const]),
    ...(bsuid === null ? [] : [['bsuid', bsuid] as const]),
  ]);
  const own = [phone, bsuid].filter((value) => value !== null);
  await of(ctx, ctx.runtime.db.models.ContactAlias).update({ bsuid }, { where: { contact_id: contactId, value: own } });
}

/**
 * Adopts the digits under which the platform knows a number that is dialled otherwise (upstream 1.1): both then mean
 * the contact. Where another contact has them, the two are one line: an event has them joined.
 */
export async function adoptPlatformPhone(
  ctx: Ctx,
  contactId: number,
  dialled: string,
  platform: string,
): Promise<void> {
  const phone = platformDigits(platform);
  if (phone === null || phone === dialled) return;

  await lockIdentities(ctx, [dialled, phone]);
  // Giving a contact a phone needs the lock of that phone: a phone that is free here stays free until the transaction
  // ends.
  const contacts = of(ctx, ctx.runtime.db.models.Contact);
  const isTaken = (await contacts.count({ where: { phone, id: { [Op.ne]: contactId } } })) > 0;
  if (isTaken || (await otherLineOf(ctx, { phone, bsuid: null })) !== null) {
    // Of no account: it stands in the place of an event of the platform, which the answer is news of.
    await ctx.runtime.db.models.InboxEvent.create({
      workspace_id: ctx.workspaceId,
      business_account_id: 0,
      kind: 'same_line',
      payload: { value: { dialled, wa_id: phone } },
    });
    return;
  }
  const [changed] = await contacts.update({ phone, updated_at: dbNow }, { where: { id: contactId, phone: dialled } });
  if (changed > 0 && lineOf(dialled) !== lineOf(phone))
    await addAliases(ctx, contactId, [
      ['phone', dialled],
      ['receiver_id', dialled],
    ]);
}

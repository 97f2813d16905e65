import { type Utils } from 'sequelize';
import type { ContactRow } from '../../../../models';
import { requireMayOptIn } from '../../../core/autonomy';
import { sameMembers, sameValue } from '../../../core/db/changes';
import type { Ctx } from '../../../core/context';
import { isUniqueViolation, ofWorkspace } from '../../../core/db/database';
import { invalidField, notFound } from '../../../core/http/errors';
import type { InputOf } from '../../../core/http/fields';
import { of } from '../../../core/db/scoped';
import { dbNow, jsonNull, type Changes } from '../../../core/db/columnValues';
import { validateValues, type Subject } from '../customFields/values';
import { otherSpelling } from '../../../core/phones';
import { otherLineOf } from './aliases';
import { contactIdSql, handleValues } from './handles';
import { insertContact } from './insert';
import { lockIdentities } from './locks';
import type { createContactInput } from './schema';
import { contactColumns, type ContactView } from './serializer';
import { reason } from '../reasons';

/** SQL: the columns of a contact as lists and reads have them. */
const viewColumns = `c.id, ${contactColumns}, c.created_at, c.updated_at`;

/**
 * Returns the contact behind a handle of a path: its receiver_id, phone with or without `+`, bsuid, or a former
 * receiver_id. Throws 404. `lock` takes the row for the surrounding transaction.
 */
export async function findContact(ctx: Ctx, handle: string, lock = false): Promise<ContactView> {
  const named = { handle: '$handle', plain: '$plain', digits: '$digits', other: '$other' };
  const sql = `SELECT ${viewColumns}
     FROM contacts c
     WHERE c.workspace_id = $workspaceId AND c.id = ${contactIdSql(named)}
     ${lock ? 'FOR UPDATE' : ''}`;
  const bind = { workspaceId: ctx.workspaceId, handle, ...handleValues(handle) };
  const { db } = ctx.runtime;
  // Who waited for the row of a contact that was merged meanwhile finds the other one by looking again.
  const row = (await db.row<ContactView>(sql, bind)) ?? (lock ? await db.row<ContactView>(sql, bind) : null);
  if (!row) throw notFound();
  return row;
}

/** Returns contacts by their ids, those that exist. */
export async function contactsByIds(ctx: Ctx, ids: readonly number[]): Promise<Map<number, ContactView>> {
  const rows = await ctx.runtime.db.rows<ContactView>(
    // With a column that is computed from another table.
    `SELECT ${viewColumns}
     FROM contacts c
     WHERE ${ofWorkspace('c.workspace_id')} AND c.id = ANY($ids::bigint[])`,
    { workspaceId: ctx.workspaceId, ids },
  );
  return new Map(rows.map((row) => [row.id, row]));
}

type Called = Pick<ContactView, 'receiver_id' | 'name' | 'username' | 'phone'>;

/** Returns what people are called by their receiver_ids: who is no more is not among them. */
export function contactsCalled(ctx: Ctx, receivers: readonly string[]): Promise<readonly Called[]> {
  return of(ctx, ctx.runtime.db.models.Contact).findAll({
    attributes: ['receiver_id', 'name', 'username', 'phone'],
    where: { receiver_id: [...receivers] },
    raw: true,
  });
}

const phoneTaken = reason('phoneTaken');
const bsuidTaken = reason('bsuidTaken');

/** What `POST /contacts/` takes. */
type ContactInput = InputOf<typeof createContactInput>;

/** Creates a contact with its conversation. Throws the 400 of a phone or bsuid that is taken. */
export async function createContact(ctx: Ctx, values: ContactInput): Promise<ContactView> {
  const phone = values.phone ?? null;
  const bsuid = values.bsuid ?? null;
  if (phone === null && bsuid === null) throw invalidField('phone', reason('required'));

  try {
    return await ctx.runtime.db.transaction(async () => {
      const custom = await validateValues(ctx, ['contacts'], values.custom_fields ?? {});
      // A message of the same person that comes in now waits, and then finds the contact.
      await lockIdentities(ctx, [phone, bsuid]);
      const other = phone === null ? null : otherSpelling(phone);
      if (other !== null && (await of(ctx, ctx.runtime.db.models.Contact).count({ where: { phone: other } })) > 0)
        throw invalidField('phone', phoneTaken);
      const taken = await otherLineOf(ctx, { phone, bsuid });
      if (taken !== null) throw invalidField(taken, taken === 'phone' ? phoneTaken : bsuidTaken);
      const id = await insertContact(ctx, { phone, bsuid }, { ...values, custom_fields: custom.set });
      return findContactById(ctx, id);
    });
  } catch (error) {
    if (
      isUniqueViolation(error, 'contacts_phone') ||
      (isUniqueViolation(error, 'contacts_receiver') && phone !== null)
    ) {
      throw invalidField('phone', phoneTaken);
    }
    if (isUniqueViolation(error, 'contacts_bsuid') || isUniqueViolation(error, 'contacts_receiver')) {
      throw invalidField('bsuid', bsuidTaken);
    }
    throw error;
  }
}

/** Returns a contact by its id, or by the id of a row that was merged into it. Throws 404. */
export async function findContactById(ctx: Ctx, id: number): Promise<ContactView> {
  const row = await ctx.runtime.db.row<ContactView>(
    // With a column that is computed from another table.
    `SELECT ${viewColumns}
     FROM contacts c
     WHERE c.workspace_id = $workspaceId AND c.id = coalesce(
       (SELECT id FROM contacts WHERE workspace_id = $workspaceId AND id = $id::bigint),
       (SELECT contact_id FROM contact_aliases
        WHERE workspace_id = $workspaceId AND kind = 'id' AND value = $id::bigint::text))`,
    { workspaceId: ctx.workspaceId, id },
  );
  if (!row) throw notFound();
  return row;
}

/** Columns of a contact with their new values. */
type Columns = { [K in keyof ContactRow]?: ContactRow[K] | Utils.Literal };

/**
 * Changes profile fields and custom values of a locked contact; returns what has changed. Throws the 400 of a custom
 * value.
 */
export async function applyProfile(
  ctx: Ctx,
  contact: ContactView,
  values: Omit<ContactInput, 'phone' | 'bsuid'>,
  subjects: readonly Subject[] = ['contacts'],
): Promise<Changes> {
  const columns: Columns = {};
  const changes: Changes = {};

  for (const column of ['name', 'email', 'company', 'notes'] as const) {
    const given = values[column];
    if (given === undefined || (given ?? '') === contact[column]) continue;
    columns[column] = given ?? '';
    changes[column] = { from: contact[column], to: given ?? '' };
    // From now on a person's word: profiles do not replace it.
    if (column === 'name') columns.profile_name_at = null;
  }

  if (values.tags !== undefined && !sameValue(values.tags, contact.tags)) {
    // Plain null would be SQL's own.
    columns.tags = values.tags ?? jsonNull;
    // The same tags in another order are stored as written, but recorded as no change.
    if (!sameMembers(values.tags, contact.tags)) changes['tags'] = { from: contact.tags, to: values.tags };
  }

  if (values.custom_fields) {
    const { set, remove } = await validateValues(ctx, subjects, values.custom_fields, contact.custom_fields);
    const asked = [...Object.keys(set), ...remove];
    const before = pick(contact.custom_fields, asked);
    const after = pick(set, asked);
    const names = asked.filter((name) => !sameValue(after[name], before[name]));
    if (names.length > 0) {
      const kept = Object.entries({ ...contact.custom_fields, ...set }).filter(([name]) => !remove.includes(name));
      columns.custom_fields = Object.fromEntries(kept);
      changes['custom_fields'] = { from: pick(before, names), to: pick(after, names) };
    }
  }

  const optOut = values.marketing_opt_out;
  if (optOut !== undefined && optOut !== contact.marketing_opt_out) {
    if (!optOut) requireMayOptIn(ctx);
    columns.marketing_opt_out = optOut;
    columns.marketing_preference_at = dbNow;
    columns.marketing_opt_out_at = optOut ? ctx.runtime.clock.now() : null;
    columns.marketing_opt_out_source = optOut ? (ctx.actor.type === 'member' ? 'member' : 'api') : null;
    changes['marketing_opt_out'] = { from: contact.marketing_opt_out, to: optOut };
  }

  if (Object.keys(columns).length > 0)
    await of(ctx, ctx.runtime.db.models.Contact).update(
      { ...columns, updated_at: dbNow },
      { where: { id: contact.id } },
    );
  return changes;
}

function pick(values: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, Object.hasOwn(values, name) ? values[name] : null]));
}

import { sameMembers, sameValue } from '../../../core/changes';
import type { Ctx } from '../../../core/context';
import { isUniqueViolation, ofWorkspace, type Bind } from '../../../core/db';
import { invalidField, notFound } from '../../../core/errors';
import { recordEvent } from '../../../core/events';
import type { Page } from '../../../core/operations';
import { likePattern, listPage, type PagingInput } from '../../../core/paging';
import { validateValues, valueConditions, type Subject } from '../customFields/values';
import { phoneDigits, type Identity } from './identity';
import { lockIdentities } from './locks';
import { eraseReceived, eraseTraces, type ErasedIdentity } from './erasure';
import { openConversationsSql } from './rows';
import { forgetMarks, identityHashes } from './preference';
import { contactSortColumns } from './schema';
import { contactColumns, type ContactView } from './serializer';

export interface ContactFilters extends PagingInput {
  readonly search?: string | undefined;
  readonly tag?: string | undefined;
  readonly conv_status?: readonly string[] | undefined;
  readonly assigned_member?: 'none' | number | undefined;
  readonly assigned_team_inbox?: 'none' | number | undefined;
  readonly priority?: readonly string[] | undefined;
  readonly opted_out?: boolean | undefined;
  readonly created_after?: Date | undefined;
  readonly created_before?: Date | undefined;
  readonly updated_after?: Date | undefined;
  readonly custom_field?: Readonly<Record<string, unknown>> | undefined;
  readonly ordering?: string | undefined;
}

/** Conditions on a conversation that contact and conversation lists share; adds their values to `bind`. */
export function stateConditions(
  filters: Pick<ContactFilters, 'conv_status' | 'assigned_member' | 'assigned_team_inbox' | 'priority'>,
  bind: Bind,
): string[] {
  const where: string[] = [];
  if (filters.conv_status) {
    where.push('v.conv_status = ANY($convStatus::text[])');
    bind['convStatus'] = filters.conv_status;
  }
  if (filters.priority) {
    where.push('v.priority = ANY($priority::text[])');
    bind['priority'] = filters.priority;
  }
  for (const [column, name, value] of [
    ['assigned_member_id', 'member', filters.assigned_member],
    ['assigned_team_inbox_id', 'inbox', filters.assigned_team_inbox],
  ] as const) {
    if (value === undefined) continue;
    where.push(value === 'none' ? `v.${column} IS NULL` : `v.${column} = $${name}`);
    if (value !== 'none') bind[name] = value;
  }
  return where;
}

/** The search term's condition on `search_text`, or none for an empty term (contract 3.1, 5). */
export function searchCondition(term: string | undefined, bind: Bind): string[] {
  // The parting character of search_text can be in no term: a match never crosses two fields.
  const cleaned = (term ?? '').replace(/[\u0001-\u001f]/g, ' ').trim();
  if (cleaned === '') return [];
  bind['search'] = likePattern(cleaned);
  const digits = /^[+\d\s().-]+$/.test(cleaned) ? cleaned.replace(/[\s().-]/g, '') : null;
  if (digits === null || digits === cleaned || digits.replace('+', '') === '')
    return ['c.search_text LIKE lower($search)'];
  // A number typed with spaces and dashes is looked for as its digits too.
  bind['searchDigits'] = likePattern(digits);
  return ['(c.search_text LIKE lower($search) OR c.search_text LIKE $searchDigits)'];
}

/** Whether the trigram index can look the term up: it knows nothing shorter than three letters or digits in a row. */
export function isIndexed(term: string | undefined): boolean {
  return /[\p{L}\p{N}]{3}/u.test(term ?? '');
}

/** Contacts of the workspace, filtered (contract 5). */
export async function listContacts(ctx: Ctx, filters: ContactFilters): Promise<Page<ContactView>> {
  const bind: Bind = { workspaceId: ctx.workspaceId };
  const state = stateConditions(filters, bind);
  const where = ['c.workspace_id = $workspaceId', ...searchCondition(filters.search, bind), ...state];
  if (filters.tag !== undefined) {
    where.push('c.tags @> $tag::jsonb');
    bind['tag'] = JSON.stringify([filters.tag]);
  }
  if (filters.opted_out !== undefined)
    where.push(filters.opted_out ? 'c.marketing_opt_out' : 'NOT c.marketing_opt_out');
  for (const [name, condition] of [
    ['created_after', 'c.created_at > $created_after'],
    ['created_before', 'c.created_at < $created_before'],
    ['updated_after', 'c.updated_at > $updated_after'],
  ] as const) {
    const value = filters[name];
    if (value === undefined) continue;
    where.push(condition);
    bind[name] = value;
  }
  where.push(...(await valueConditions(ctx, 'contacts', filters.custom_field, 'c.custom_fields', bind)));
  const from = state.length > 0 ? 'contacts c JOIN conversations v ON v.contact_id = c.id' : 'contacts c';
  return listPage<ContactView>(
    ctx.runtime.db,
    {
      select: `${contactColumns}, c.created_at, c.updated_at`,
      from,
      where,
      bind,
      idSql: 'c.id',
      columns: contactSortColumns,
      defaultOrdering: '-created_at',
      selective: isIndexed(filters.search),
    },
    filters,
  );
}

/**
 * The contact behind a handle of a path: its receiver_id, phone with or without `+`, bsuid, or a former receiver_id
 * (contract 5). Throws 404. `lock` takes the row for the surrounding transaction.
 */
export async function findContact(ctx: Ctx, handle: string, lock = false): Promise<ContactView> {
  const digits = phoneDigits(handle);
  const row = await ctx.runtime.db.row<ContactView>(
    `SELECT c.id, ${contactColumns}, c.created_at, c.updated_at FROM contacts c
     WHERE c.workspace_id = $workspaceId AND c.id = coalesce(
       (SELECT id FROM contacts WHERE receiver_id = $plain AND ${ofWorkspace('workspace_id')}),
       (SELECT id FROM contacts WHERE phone = $digits AND ${ofWorkspace('workspace_id')}),
       (SELECT id FROM contacts WHERE bsuid = $handle AND ${ofWorkspace('workspace_id')}),
       (SELECT contact_id FROM contact_aliases WHERE workspace_id = $workspaceId AND kind = 'receiver_id' AND value = $plain),
       (SELECT contact_id FROM contact_aliases WHERE workspace_id = $workspaceId AND kind = 'bsuid' AND value = $handle),
       (SELECT contact_id FROM contact_aliases WHERE workspace_id = $workspaceId AND kind = 'phone' AND value = $digits AND valid_until IS NULL))
     ${lock ? 'FOR UPDATE' : ''}`,
    { workspaceId: ctx.workspaceId, handle, digits, plain: digits ?? handle },
  );
  if (!row) throw notFound();
  return row;
}

/** Returns contacts by their ids, those that exist. */
export async function contactsByIds(ctx: Ctx, ids: readonly number[]): Promise<Map<number, ContactView>> {
  const rows = await ctx.runtime.db.rows<ContactView>(
    `SELECT c.id, ${contactColumns}, c.created_at, c.updated_at FROM contacts c
     WHERE ${ofWorkspace('c.workspace_id')} AND c.id = ANY($ids::bigint[])`,
    { workspaceId: ctx.workspaceId, ids },
  );
  return new Map(rows.map((row) => [row.id, row]));
}

export interface ContactInput {
  readonly phone?: string | null | undefined;
  readonly bsuid?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly email?: string | null | undefined;
  readonly company?: string | null | undefined;
  readonly notes?: string | null | undefined;
  readonly tags?: unknown;
  readonly custom_fields?: Record<string, unknown> | undefined;
  readonly marketing_opt_out?: boolean | undefined;
}

/** A contact that an upstream event brings: its profile and the time at which it told all this. */
export interface NewContact extends ContactInput {
  readonly profile?: { readonly name?: string; readonly username?: string; readonly at: Date };
}

/** Creates a contact with its conversation. 400 when the phone or bsuid is taken (contract 5). */
export async function createContact(ctx: Ctx, values: ContactInput): Promise<ContactView> {
  const phone = values.phone ?? null;
  const bsuid = values.bsuid ?? null;
  if (phone === null && bsuid === null) throw invalidField('phone', 'This field is required.');
  try {
    return await ctx.runtime.db.transaction(async () => {
      const custom = await validateValues(ctx, ['contacts'], values.custom_fields ?? {});
      // A message of the same person that comes in now waits, and then finds the contact.
      await lockIdentities(ctx, [phone, bsuid]);
      const id = await insertContact(ctx, { phone, bsuid }, { ...values, custom_fields: custom.set });
      return findContactById(ctx, id);
    });
  } catch (error) {
    if (
      isUniqueViolation(error, 'contacts_phone') ||
      (isUniqueViolation(error, 'contacts_receiver') && phone !== null)
    ) {
      throw invalidField('phone', 'contact with this phone already exists.');
    }
    if (isUniqueViolation(error, 'contacts_bsuid') || isUniqueViolation(error, 'contacts_receiver')) {
      throw invalidField('bsuid', 'contact with this bsuid already exists.');
    }
    throw error;
  }
}

/** A contact by its id, or by the id of a row that was merged into it, within the workspace. Throws 404. */
export async function findContactById(ctx: Ctx, id: number): Promise<ContactView> {
  const row = await ctx.runtime.db.row<ContactView>(
    `SELECT c.id, ${contactColumns}, c.created_at, c.updated_at FROM contacts c WHERE c.workspace_id = $workspaceId AND c.id = coalesce(
       (SELECT id FROM contacts WHERE workspace_id = $workspaceId AND id = $id::bigint),
       (SELECT contact_id FROM contact_aliases WHERE workspace_id = $workspaceId AND kind = 'id' AND value = $id::bigint::text))`,
    { workspaceId: ctx.workspaceId, id },
  );
  if (!row) throw notFound();
  return row;
}

/** Inserts the contact, its conversation and the event; unique violations pass through. A kept opt-out mark applies again. */
export async function insertContact(ctx: Ctx, identity: Identity, values: NewContact): Promise<number> {
  const { db } = ctx.runtime;
  const optOutSource = ctx.actor.type === 'member' ? 'member' : 'api';
  const hashes = identityHashes(ctx, identity);
  const row = await db.row<{ id: number }>(
    `WITH mark AS (
       SELECT opted_out_at, source FROM opt_out_marks WHERE workspace_id = $workspaceId AND identity_hash = ANY($hashes::bytea[]) ORDER BY opted_out_at DESC LIMIT 1
     ), inserted AS (
       INSERT INTO contacts (workspace_id, receiver_id, phone, bsuid, name, email, company, notes, tags, custom_fields, marketing_opt_out, marketing_opt_out_at, marketing_opt_out_source,
         marketing_preference_at, identity_at, profile_name_at, username, username_at)
       SELECT $workspaceId, $receiverId, $phone, $bsuid, $name, $email, $company, $notes, $tags::jsonb, $customFields::jsonb,
         $optOut OR EXISTS (SELECT 1 FROM mark),
         CASE WHEN $optOut THEN now() ELSE (SELECT opted_out_at FROM mark) END,
         CASE WHEN $optOut THEN $optOutSource ELSE (SELECT source FROM mark) END,
         CASE WHEN $optOut THEN now() ELSE (SELECT opted_out_at FROM mark) END, $identityAt, $profileNameAt, $username, $usernameAt
       RETURNING id
     ), conversation AS (${openConversationsSql('inserted')})
     SELECT id FROM inserted`,
    {
      workspaceId: ctx.workspaceId,
      receiverId: identity.phone ?? identity.bsuid,
      phone: identity.phone,
      bsuid: identity.bsuid,
      name: values.name ?? '',
      email: values.email ?? '',
      company: values.company ?? '',
      notes: values.notes ?? '',
      tags: JSON.stringify(values.tags === undefined ? [] : values.tags),
      customFields: JSON.stringify(values.custom_fields ?? {}),
      optOut: values.marketing_opt_out ?? false,
      optOutSource,
      identityAt: identity.phone !== null && identity.bsuid !== null ? (values.profile?.at ?? null) : null,
      profileNameAt: values.profile?.name ? values.profile.at : null,
      username: values.profile?.username?.replace(/^@/, '').slice(0, 64) || null,
      usernameAt: values.profile?.username ? values.profile.at : null,
      hashes,
    },
  );
  if (!row) throw new Error('the contact was not inserted');
  await recordEvent(ctx, { subjectType: 'contact', subjectId: row.id, kind: 'contact_created' });
  return row.id;
}

/** Changes profile fields and custom values of a locked contact; gives what has changed. Throws the 400 of a custom value. */
export async function applyProfile(
  ctx: Ctx,
  contact: ContactView,
  values: Omit<ContactInput, 'phone' | 'bsuid'>,
  subjects: readonly Subject[] = ['contacts'],
): Promise<Record<string, { from: unknown; to: unknown }>> {
  const sets: string[] = [];
  const bind: Bind = { workspaceId: ctx.workspaceId, id: contact.id };
  const changes: Record<string, { from: unknown; to: unknown }> = {};
  const set = (column: string, value: unknown, sql = `$${column}`): void => {
    sets.push(`${column} = ${sql}`);
    bind[column] = value;
  };
  for (const column of ['name', 'email', 'company', 'notes'] as const) {
    const given = values[column];
    if (given === undefined || (given ?? '') === contact[column]) continue;
    set(column, given ?? '');
    // From now on a person's word: profiles do not replace it.
    if (column === 'name') sets.push('profile_name_at = NULL');
    changes[column] = { from: contact[column], to: given ?? '' };
  }
  if (values.tags !== undefined && !sameValue(values.tags, contact.tags)) {
    set('tags', JSON.stringify(values.tags), '$tags::jsonb');
    // The same tags in another order are kept as written, and are no change to tell of.
    if (!sameMembers(values.tags, contact.tags)) changes['tags'] = { from: contact.tags, to: values.tags };
  }
  if (values.custom_fields) {
    const { set: written, remove } = await validateValues(ctx, subjects, values.custom_fields, contact.custom_fields);
    const asked = [...Object.keys(written), ...remove];
    const before = pick(contact.custom_fields, asked);
    const after = pick(written, asked);
    const names = asked.filter((name) => !sameValue(after[name], before[name]));
    if (names.length > 0) {
      // Merged by the database: what another writer has put there meanwhile stays.
      sets.push('custom_fields = (custom_fields || $customSet::jsonb) - $customRemove::text[]');
      Object.assign(bind, { customSet: JSON.stringify(written), customRemove: remove });
      changes['custom_fields'] = { from: pick(before, names), to: pick(after, names) };
    }
  }
  if (values.marketing_opt_out !== undefined && values.marketing_opt_out !== contact.marketing_opt_out) {
    const source = ctx.actor.type === 'member' ? 'member' : 'api';
    set('marketing_opt_out', values.marketing_opt_out);
    sets.push('marketing_preference_at = now()');
    set('marketing_opt_out_at', values.marketing_opt_out ? ctx.runtime.clock.now() : null);
    set('marketing_opt_out_source', values.marketing_opt_out ? source : null);
    changes['marketing_opt_out'] = { from: contact.marketing_opt_out, to: values.marketing_opt_out };
  }
  if (sets.length > 0)
    await ctx.runtime.db.rows(
      `UPDATE contacts SET ${sets.join(', ')}, updated_at = now() WHERE workspace_id = $workspaceId AND id = $id`,
      bind,
    );
  return changes;
}

function pick(values: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, Object.hasOwn(values, name) ? values[name] : null]));
}

/** Erases a contact with all that carries it; an opt-out leaves a keyed hash behind. */
export async function deleteContact(ctx: Ctx, handle: string): Promise<void> {
  const { db } = ctx.runtime;
  await db.transaction(async () => {
    const identity = await identityToErase(ctx, await findContact(ctx, handle));
    await eraseReceived(ctx, identity);
    const contact = await findContact(ctx, handle, true);
    if (!contact.marketing_opt_out) {
      await forgetMarks(ctx, contact);
    } else {
      const hashes = identityHashes(ctx, contact);
      await db.rows(
        `INSERT INTO opt_out_marks (workspace_id, identity_hash, opted_out_at, source)
         SELECT $workspaceId, hash, coalesce($at, now()), $source FROM unnest($hashes::bytea[]) AS hash
         ON CONFLICT (workspace_id, identity_hash) DO UPDATE SET opted_out_at = excluded.opted_out_at, source = excluded.source`,
        {
          workspaceId: ctx.workspaceId,
          hashes,
          at: contact.marketing_opt_out_at,
          source: contact.marketing_opt_out_source ?? 'api',
        },
      );
    }
    await eraseTraces(ctx, identity);
    // The trail holds names and addresses as old values: it goes with the contact.
    await db.rows(
      `DELETE FROM events WHERE workspace_id = $workspaceId AND ((subject_type = 'contact' AND subject_id = $id)
         OR (subject_type = 'conversation' AND subject_id = (SELECT id FROM conversations WHERE contact_id = $id)))`,
      { workspaceId: ctx.workspaceId, id: contact.id },
    );
    await db.rows('DELETE FROM contacts WHERE workspace_id = $workspaceId AND id = $id', {
      workspaceId: ctx.workspaceId,
      id: contact.id,
    });
    await recordEvent(ctx, { subjectType: 'contact', subjectId: contact.id, kind: 'contact_deleted' });
  });
}

/** Every handle by which the contact may be named somewhere, former ones included. */
async function identityToErase(ctx: Ctx, contact: ContactView): Promise<ErasedIdentity> {
  const row = await ctx.runtime.db.row<{ id: number; handles: string[] }>(
    `SELECT v.id, ARRAY(SELECT value FROM contact_aliases WHERE workspace_id = $workspaceId AND contact_id = $id
       AND kind IN ('receiver_id', 'phone', 'bsuid')) AS handles
     FROM conversations v WHERE v.workspace_id = $workspaceId AND v.contact_id = $id`,
    { workspaceId: ctx.workspaceId, id: contact.id },
  );
  const own = [contact.receiver_id, contact.phone, contact.bsuid].filter((value) => value !== null);
  return { conversationId: row?.id ?? 0, handles: [...own, ...(row?.handles ?? [])] };
}

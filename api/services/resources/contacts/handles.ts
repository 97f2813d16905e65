import type { Ctx } from '../../../core/context';
import type { ContactRow } from '../../../../models';
import { ofWorkspace, type Bind } from '../../../core/db/database';
import { of } from '../../../core/db/scoped';
import { otherSpelling, phoneDigits } from '../../../core/phones';

/**
 * SQL: the id of the contact that a handle names, by its present identity, else by a former one; each way has its own
 * index. `plain` is the handle or its digits, `digits` those of a phone, `other` the other spelling of its line.
 */
export function contactIdSql(of: Readonly<Record<'handle' | 'plain' | 'digits' | 'other', string>>): string {
  const own = (column: string, value: string): string =>
    `(SELECT id FROM contacts WHERE ${column} = ${value} AND ${ofWorkspace('workspace_id')})`;
  const former = (kind: string, value: string, more = ''): string =>
    `(SELECT contact_id FROM contact_aliases
      WHERE workspace_id = $workspaceId AND kind = '${kind}' AND value = ${value}${more})`;
  const still = ' AND valid_until IS NULL';
  return `coalesce(
    ${own('receiver_id', of.plain)}, ${own('phone', of.digits)}, ${own('bsuid', of.handle)},
    ${own('receiver_id', of.other)}, ${own('phone', of.other)},
    ${former('receiver_id', of.plain)}, ${former('bsuid', of.handle)}, ${former('phone', of.digits, still)},
    ${former('receiver_id', of.other)}, ${former('phone', of.other, still)})`;
}

/** Returns the values that a handle is looked up by. */
export function handleValues(handle: string): { plain: string; digits: string | null; other: string | null } {
  const digits = phoneDigits(handle);
  return { plain: digits ?? handle, digits, other: digits && otherSpelling(digits) };
}

/**
 * SQL: named queries for the contacts that handles name: `named(handle, contact_id, place)`, null where there is none.
 */
export const namedSql = `named AS (
    SELECT h.handle, ${contactIdSql({ handle: 'h.handle', plain: 'h.plain', digits: 'h.digits', other: 'h.other' })}
      AS contact_id, h.place
    FROM unnest($handles::text[], $plains::text[], $digits::text[], $others::text[])
      WITH ORDINALITY AS h(handle, plain, digits, other, place)
  )`;

/** Returns the values of `namedSql`, without the workspace. */
export function handleBind(handles: readonly string[]): Bind {
  const values = handles.map(handleValues);
  return {
    handles,
    plains: values.map(({ plain }) => plain),
    digits: values.map(({ digits }) => digits),
    others: values.map(({ other }) => other),
  };
}

/** Returns the ids of the contacts that handles (receiver_id, phone, bsuid) name; others are missing. */
export async function contactIdsOf(ctx: Ctx, handles: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (handles.length === 0) return new Map();

  // A set of handles of three kinds, each looked up by its own index.
  const rows = await ctx.runtime.db.rows<{ handle: string; contact_id: number }>(
    `WITH ${namedSql} SELECT handle, contact_id FROM named WHERE contact_id IS NOT NULL`,
    { workspaceId: ctx.workspaceId, ...handleBind([...new Set(handles)]) },
  );
  return new Map(rows.map((row) => [row.handle, row.contact_id]));
}

/** Returns what is known of the names of contacts, by their `receiver_id`s as they are now. */
export function namedByReceiver(
  ctx: Ctx,
  receivers: readonly string[],
): Promise<readonly Pick<ContactRow, 'receiver_id' | 'name' | 'username' | 'phone'>[]> {
  const attributes = ['receiver_id', 'name', 'username', 'phone'];
  return of(ctx, ctx.runtime.db.models.Contact).findAll({
    attributes,
    where: { receiver_id: [...new Set(receivers)] },
    raw: true,
  });
}

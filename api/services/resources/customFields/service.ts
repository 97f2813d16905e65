import type { CustomFieldRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { isUniqueViolation } from '../../../core/db';
import { conflict, invalidField, notFound } from '../../../core/errors';
import type { Runtime } from '../../../core/runtime';
import { fieldColumns, type CustomFieldView } from './serializer';

/** Rows rewritten in one statement when a field's values are removed. */
const purgeBatch = 2_000;

/** Tables that hold custom values; a conversation shows those of its contact. */
const valueTables = ['contacts', 'tickets'] as const;

export interface FieldInput {
  readonly label?: string | undefined;
  readonly field_type?: CustomFieldRow['field_type'] | undefined;
  readonly applies_to?: readonly string[] | undefined;
  readonly options?: readonly string[] | null | undefined;
}

/** All definitions of the workspace, by label. */
export async function listFields(ctx: Ctx): Promise<CustomFieldView[]> {
  return ctx.runtime.db.rows<CustomFieldView>(
    `SELECT ${fieldColumns} FROM custom_fields WHERE workspace_id = $workspaceId AND deleted_at IS NULL ORDER BY name`,
    { workspaceId: ctx.workspaceId },
  );
}

/** One definition. Throws 404. `lock` holds it, and every writer of its values, until the transaction ends. */
export async function findField(ctx: Ctx, id: number, lock = false): Promise<CustomFieldView> {
  const row = await ctx.runtime.db.row<CustomFieldView>(
    `SELECT ${fieldColumns} FROM custom_fields WHERE workspace_id = $workspaceId AND id = $id AND deleted_at IS NULL ${lock ? 'FOR UPDATE' : ''}`,
    { workspaceId: ctx.workspaceId, id },
  );
  if (!row) throw notFound();
  return row;
}

/** Creates a definition. 400 when the name is taken or options and type do not fit each other (contract 5). */
export async function createField(
  ctx: Ctx,
  values: FieldInput & { readonly name: string; readonly field_type: CustomFieldRow['field_type'] },
): Promise<CustomFieldView> {
  const options = checkedOptions(values.field_type, values.options);
  try {
    const row = await ctx.runtime.db.row<CustomFieldView>(
      `INSERT INTO custom_fields (workspace_id, name, label, field_type, applies_to, options)
       VALUES ($workspaceId, $name, $label, $fieldType, $appliesTo::text[], $options::text[]) RETURNING ${fieldColumns}`,
      {
        workspaceId: ctx.workspaceId,
        name: values.name,
        label: values.label ?? values.name,
        fieldType: values.field_type,
        appliesTo: values.applies_to ?? ['contacts', 'conversations'],
        options,
      },
    );
    if (!row) throw new Error('the definition was not inserted');
    return row;
  } catch (error) {
    if (!isUniqueViolation(error, 'custom_fields_name')) throw error;
    const deleted = await ctx.runtime.db.row(
      'SELECT 1 AS ok FROM custom_fields WHERE workspace_id = $workspaceId AND name = $name AND deleted_at IS NOT NULL',
      { workspaceId: ctx.workspaceId, name: values.name },
    );
    if (deleted)
      throw conflict('The values of the deleted field of this name are still being removed. Try again shortly.');
    throw invalidField('name', 'custom field with this name already exists.');
  }
}

/** Changes a definition. 409 for another type once a value exists (contract 5). */
export async function updateField(ctx: Ctx, id: number, values: FieldInput): Promise<CustomFieldView> {
  return ctx.runtime.db.transaction(async () => {
    const field = await findField(ctx, id, true);
    const type = values.field_type ?? field.field_type;
    if (type !== field.field_type && (await hasValues(ctx, field.name)))
      throw conflict('The type of a custom field cannot be changed once a value exists.');
    const kept = isSelect(type) && isSelect(field.field_type) ? field.options : undefined;
    const row = await ctx.runtime.db.row<CustomFieldView>(
      `UPDATE custom_fields SET label = $label, field_type = $type, applies_to = $appliesTo::text[], options = $options::text[], updated_at = now()
       WHERE workspace_id = $workspaceId AND id = $id RETURNING ${fieldColumns}`,
      {
        workspaceId: ctx.workspaceId,
        id,
        label: values.label ?? field.label,
        type,
        appliesTo: values.applies_to ?? field.applies_to,
        options: checkedOptions(type, values.options === undefined ? kept : values.options),
      },
    );
    if (!row) throw notFound();
    return row;
  });
}

/**
 * Deletes a definition and its values. From the first statement on nobody sees or writes the field; values go in
 * batches, and where this process dies the sweep goes on (contract 5).
 */
export async function deleteField(ctx: Ctx, id: number): Promise<void> {
  const { db } = ctx.runtime;
  const field = await db.transaction(async () => {
    const found = await findField(ctx, id, true);
    await db.rows(
      `UPDATE custom_fields SET deleted_at = now(), applies_to = '{}', updated_at = now() WHERE workspace_id = $workspaceId AND id = $id`,
      { workspaceId: ctx.workspaceId, id },
    );
    return found;
  });
  await purgeValues(ctx.runtime, { id, workspace_id: ctx.workspaceId, name: field.name });
}

/** Removes what deletions left behind; gives how many definitions are gone (run by the sweep). */
export async function purgeDeletedFields(runtime: Runtime): Promise<number> {
  const left = await runtime.db.rows<{ id: number; workspace_id: number; name: string }>(
    "SELECT id, workspace_id, name FROM custom_fields WHERE deleted_at < now() - interval '1 minute' ORDER BY deleted_at LIMIT 20",
  );
  for (const field of left) await purgeValues(runtime, field);
  return left.length;
}

async function purgeValues(
  runtime: Runtime,
  field: { readonly id: number; readonly workspace_id: number; readonly name: string },
): Promise<void> {
  for (const table of valueTables) {
    // Walked in the order of an index that begins with the workspace; the key alone is in no index.
    let edge: { created_at: string; id: number } | null = { created_at: '-infinity', id: 0 };
    while (edge) {
      edge = await runtime.db.row<{ created_at: string; id: number }>(
        `WITH page AS (
           SELECT id, created_at FROM ${table} WHERE workspace_id = $workspaceId AND (created_at, id) > ($createdAt::timestamptz, $id::bigint)
           ORDER BY created_at, id LIMIT ${purgeBatch}
         ), cleared AS (
           UPDATE ${table} t SET custom_fields = t.custom_fields - $name::text
           WHERE t.id = ANY(ARRAY(SELECT c.id FROM ${table} c JOIN page p ON p.id = c.id WHERE jsonb_exists(c.custom_fields, $name::text) ORDER BY c.id FOR UPDATE OF c))
         )
         SELECT created_at::text AS created_at, id FROM page ORDER BY page.created_at DESC, id DESC LIMIT 1`,
        { workspaceId: field.workspace_id, name: field.name, createdAt: edge.created_at, id: edge.id },
      );
    }
  }
  await runtime.db.rows('DELETE FROM custom_fields WHERE id = $id AND deleted_at IS NOT NULL', { id: field.id });
}

async function hasValues(ctx: Ctx, name: string): Promise<boolean> {
  for (const table of valueTables) {
    const found = await ctx.runtime.db.row(
      `SELECT 1 AS ok FROM ${table} WHERE workspace_id = $workspaceId AND jsonb_exists(custom_fields, $name) LIMIT 1`,
      { workspaceId: ctx.workspaceId, name },
    );
    if (found) return true;
  }
  return false;
}

function isSelect(type: CustomFieldRow['field_type']): boolean {
  return type === 'select' || type === 'multi_select';
}

function checkedOptions(
  type: CustomFieldRow['field_type'],
  options: readonly string[] | null | undefined,
): readonly string[] {
  const given = options?.length ?? 0;
  if (isSelect(type) && given === 0)
    throw invalidField('options', 'This field is required for select and multi_select.');
  if (!isSelect(type) && given > 0) throw invalidField('options', 'Only select and multi_select take options.');
  return options ?? [];
}

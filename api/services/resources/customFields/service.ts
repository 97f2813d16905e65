import { literal, Op, Transaction } from 'sequelize';
import type { CustomFieldRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { isUniqueViolation } from '../../../core/db/database';
import { conflict, invalidField, notFound } from '../../../core/http/errors';
import type { Runtime } from '../../../core/runtime';
import { never, type IsOver } from '../../../core/queue/sweep';
import { of } from '../../../core/db/scoped';
import { releaseFromRules } from '../rules/naming';
import { refuseAboveCeiling } from '../../identity/workspaces/objectLimits';
import { reason } from '../reasons';

/** Rows rewritten in one statement when a field's values are removed. */
const purgeBatch = 2_000;
const fieldsPerSweep = 20;

/** Tables that hold custom values; a conversation shows those of its contact. */
const valueTables = ['contacts', 'tickets'] as const;

interface FieldInput {
  readonly label?: string | undefined;
  readonly field_type?: CustomFieldRow['field_type'] | undefined;
  readonly applies_to?: readonly CustomFieldRow['applies_to'][number][] | undefined;
  readonly options?: readonly string[] | null | undefined;
}

const customFields = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.CustomField);

/** Returns all definitions of the workspace, by name. */
export async function listFields(ctx: Ctx): Promise<CustomFieldRow[]> {
  return customFields(ctx).findAll({ where: { deleted_at: null }, order: ['name'], raw: true });
}

/** Returns one definition. Throws 404. With `lock`, whoever writes values of it waits until the transaction ends. */
export async function findField(ctx: Ctx, id: number, lock = false): Promise<CustomFieldRow> {
  const row = await customFields(ctx).findOne({
    where: { id, deleted_at: null },
    ...(lock ? { lock: Transaction.LOCK.UPDATE } : {}),
    raw: true,
  });
  if (!row) throw notFound();
  return row;
}

/** Creates a definition. 400 when the name is taken or options and type do not fit each other (contract 5). */
export async function createField(
  ctx: Ctx,
  values: FieldInput & { readonly name: string; readonly field_type: CustomFieldRow['field_type'] },
): Promise<CustomFieldRow> {
  const options = checkedOptions(values.field_type, values.options);
  try {
    return await ctx.runtime.db.transaction(async () => {
      await refuseAboveCeiling(ctx, 'custom fields', () => customFields(ctx).count({ where: { deleted_at: null } }));
      const row = await ctx.runtime.db.models.CustomField.create({
        workspace_id: ctx.workspaceId,
        name: values.name,
        label: values.label ?? values.name,
        field_type: values.field_type,
        applies_to: [...(values.applies_to ?? (['contacts', 'conversations'] as const))],
        options,
        deleted_at: null,
      });
      return row.get({ plain: true });
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'custom_fields_name')) throw error;
    const where = { name: values.name, deleted_at: { [Op.ne]: null } };
    if ((await customFields(ctx).count({ where })) > 0) throw conflict(reason('valuesLeave'));
    throw invalidField('name', reason('fieldTaken'));
  }
}

/** Changes a definition. 409 for another type once a value exists (contract 5). */
export async function updateField(ctx: Ctx, id: number, values: FieldInput): Promise<CustomFieldRow> {
  return ctx.runtime.db.transaction(async () => {
    const field = await findField(ctx, id, true);
    const type = values.field_type ?? field.field_type;
    if (type !== field.field_type && (await hasValues(ctx, field.name))) throw conflict(reason('typeFixed'));

    const kept = isSelect(type) && isSelect(field.field_type) ? field.options : undefined;
    await customFields(ctx).update(
      {
        label: values.label,
        field_type: type,
        applies_to: values.applies_to && [...values.applies_to],
        options: checkedOptions(type, values.options === undefined ? kept : values.options),
        updated_at: literal('now()'),
      },
      { where: { id } },
    );
    return findField(ctx, id);
  });
}

/**
 * Deletes a definition and its values. From the first statement on the field can be neither seen nor written; values go
 * in batches, and where this process dies the sweep goes on (contract 5). Throws 409 where rules name it and are not to
 * be paused.
 */
export async function deleteField(ctx: Ctx, id: number, pauseRules = false): Promise<void> {
  const field = await ctx.runtime.db.transaction(async () => {
    const found = await findField(ctx, id, true);
    await releaseFromRules(ctx, { kind: 'field', name: found.name }, pauseRules);
    await customFields(ctx).update(
      { deleted_at: literal('now()'), applies_to: [], updated_at: literal('now()') },
      { where: { id } },
    );
    return found;
  });
  await purgeValues(ctx.runtime, { id, workspace_id: ctx.workspaceId, name: field.name });
}

/** Removes what deletions left behind, in every workspace; returns how many definitions it found (run by the sweep). */
export async function purgeDeletedFieldsAnywhere(runtime: Runtime, isOver: IsOver = never): Promise<number> {
  const left = await runtime.db.models.CustomField.findAll({
    attributes: ['id', 'workspace_id', 'name'],
    where: { deleted_at: { [Op.lt]: literal("now() - interval '1 minute'") } },
    order: ['deleted_at'],
    limit: fieldsPerSweep,
    raw: true,
  });
  for (const field of left) await purgeValues(runtime, field, isOver);
  return left.length;
}

/** Removes the values of a field in batches, each one statement, and then its definition, unless its time is over. */
async function purgeValues(
  runtime: Runtime,
  field: Pick<CustomFieldRow, 'id' | 'workspace_id' | 'name'>,
  isOver: IsOver = never,
): Promise<void> {
  for (const table of valueTables) {
    // Walked in the order of an index that begins with the workspace; no index has the field's name inside the JSON.
    let edge: { created_at: string; id: number } | null = { created_at: '-infinity', id: 0 };
    while (edge) {
      edge = await runtime.db.row<{ created_at: string; id: number }>(
        `WITH page AS (
           SELECT id, created_at FROM ${table}
           WHERE workspace_id = $workspaceId AND (created_at, id) > ($createdAt::timestamptz, $id::bigint)
           ORDER BY created_at, id
           LIMIT ${purgeBatch}
         ), cleared AS (
           UPDATE ${table} t SET custom_fields = t.custom_fields - $name::text
           WHERE t.id = ANY(ARRAY(
             SELECT c.id FROM ${table} c JOIN page p ON p.id = c.id
             WHERE jsonb_exists(c.custom_fields, $name::text)
             ORDER BY c.id
             FOR UPDATE OF c))
         )
         SELECT created_at::text AS created_at, id
         FROM page
         ORDER BY page.created_at DESC, id DESC
         LIMIT 1`,
        { workspaceId: field.workspace_id, name: field.name, createdAt: edge.created_at, id: edge.id },
      );
      // The next run starts again, and changes nothing in rows that are cleared already.
      if (edge && isOver()) return;
    }
  }
  await of({ workspaceId: field.workspace_id }, runtime.db.models.CustomField).destroy({
    where: { id: field.id, deleted_at: { [Op.ne]: null } },
  });
}

/** Returns whether a row has a value of this field; tables are chosen by name, so this is SQL. */
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

function checkedOptions(type: CustomFieldRow['field_type'], options: readonly string[] | null | undefined): string[] {
  const given = options?.length ?? 0;
  if (isSelect(type) && given === 0) throw invalidField('options', reason('optionsRequired'));
  if (!isSelect(type) && given > 0) throw invalidField('options', reason('onlySelects'));
  return [...(options ?? [])];
}

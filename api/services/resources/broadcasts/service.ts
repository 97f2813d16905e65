import { broadcastStart } from '../../../../workflows/contract';
import { sameValue } from '../../../core/changes';
import { announceSend } from '../../../core/autonomy';
import type { Ctx } from '../../../core/context';
import { ofWorkspace, type Bind } from '../../../core/db';
import { conflict, invalid, invalidField, invalidPk, notFound } from '../../../core/errors';
import { recordEvent } from '../../../core/events';
import { Fault } from '../../../core/fields';
import type { Page } from '../../../core/operations';
import { listPage, type PagingInput } from '../../../core/paging';
import { narrowNumbers, requireNumber, type NumberChoice } from '../messages/numbers';
import { variableProblems } from '../templates/parameters';
import { flowOfTemplate, flowProblem } from '../flows/carried';
import { findTemplate, type TemplateRecord } from '../templates/service';
import { parseVariables, type TemplateVariables } from '../templates/variables';
import { audienceSql, checkInbox, checkReceivers } from './audience';
import { parseAudience, type Audience, type BroadcastStatus, type RecipientState } from './schema';
import { serializeBroadcast, type BroadcastView, type RecipientView } from './serializer';
import { readStats } from './stats';

const columns = `b.name, b.template_pk, b.phone_number_id, b.audience, b.template_variables, b.status, b.failure_reason, b.scheduled_at, b.confirmed_at, b.started_at, b.resolved_at,
  b.completed_at, b.version, b.created_by_member_id, b.created_at, b.updated_at, t.template_id, t.name AS template_name, p.phone_number_id AS number, a.account_id AS account`;
const joins =
  'LEFT JOIN templates t ON t.id = b.template_pk LEFT JOIN phone_numbers p ON p.id = b.phone_number_id LEFT JOIN business_accounts a ON a.id = p.business_account_id';

/** One broadcast of the workspace; throws 404. */
export async function findBroadcast(ctx: Ctx, id: number): Promise<BroadcastView> {
  const row = await ctx.runtime.db.row<BroadcastView>(
    `SELECT b.id, ${columns} FROM broadcasts b ${joins} WHERE b.workspace_id = $workspaceId AND b.id = $id`,
    { workspaceId: ctx.workspaceId, id },
  );
  if (!row) throw notFound();
  return row;
}

/** A broadcast with its live numbers, ready for the wire; throws 404. */
export async function readBroadcast(ctx: Ctx, id: number): Promise<Record<string, unknown>> {
  const row = await findBroadcast(ctx, id);
  return present(ctx, [row]).then(([record]) => record ?? {});
}

/** Returns broadcasts by their ids, those that exist, with their live numbers, ready for the wire. */
export async function broadcastsByIds(ctx: Ctx, ids: readonly number[]): Promise<Map<number, Record<string, unknown>>> {
  const rows = await ctx.runtime.db.rows<BroadcastView>(
    `SELECT b.id, ${columns} FROM broadcasts b ${joins}
     WHERE ${ofWorkspace('b.workspace_id')} AND b.id = ANY($ids::bigint[])`,
    { workspaceId: ctx.workspaceId, ids },
  );
  return new Map((await present(ctx, rows)).map((record) => [Number(record['id']), record]));
}

async function present(ctx: Ctx, rows: readonly BroadcastView[]): Promise<Record<string, unknown>[]> {
  const stats = await readStats(
    ctx.runtime.db,
    ctx.workspaceId,
    rows.map(({ id }) => id),
  );
  return rows.flatMap((row) => {
    const numbers = stats.get(row.id);
    return numbers ? [serializeBroadcast(row, numbers)] : [];
  });
}

/** Broadcasts of the workspace, newest first. */
export async function listBroadcasts(
  ctx: Ctx,
  filters: PagingInput & { readonly status?: BroadcastStatus | undefined },
): Promise<Page<Record<string, unknown>>> {
  const page = await listPage<BroadcastView>(
    ctx.runtime.db,
    {
      select: columns,
      from: 'broadcasts b',
      joins,
      where: ['b.workspace_id = $workspaceId', ...(filters.status ? ['b.status = $status'] : [])],
      bind: { workspaceId: ctx.workspaceId, ...(filters.status ? { status: filters.status } : {}) },
      idSql: 'b.id',
      columns: { created_at: { sql: 'b.created_at', type: 'timestamptz' } },
      defaultOrdering: '-created_at',
    },
    filters,
  );
  return { ...page, items: await present(ctx, page.items) };
}

/** The message of a recipient that was claimed: one whose message is being sent shows as `sending`. */
const messageFrom = `LEFT JOIN LATERAL (
    SELECT id, delivery_state FROM messages WHERE r.state = 'pending' AND workspace_id = r.workspace_id
      AND dedupe_key = 'broadcast:' || r.broadcast_id || ':' || r.contact_id AND broadcast_position = r.position LIMIT 1
  ) m ON true`;
/**
 * What is shown of a recipient; a merged contact shows as what it is now. Each is looked up by its key, row by row and
 * with the workspace as a check: joined plainly, the workspace is a way to the rows, and a planner without statistics
 * reads all of it for each recipient.
 */
const recipientJoins = `${messageFrom}
  LEFT JOIN LATERAL (
    SELECT contact_id FROM contact_aliases
    WHERE workspace_id = r.workspace_id AND kind = 'id' AND value = r.contact_id::text LIMIT 1
  ) a ON true
  LEFT JOIN LATERAL (
    SELECT id, receiver_id, name FROM contacts
    WHERE id = coalesce(a.contact_id, r.contact_id) AND (workspace_id = r.workspace_id) IS TRUE LIMIT 1
  ) c ON true`;
const sendingSql = `coalesce(m.delivery_state = 'sending', false)`;

/** Recipients of a broadcast in their order. */
export async function listRecipients(
  ctx: Ctx,
  id: number,
  filters: PagingInput & { readonly status?: RecipientState | undefined },
): Promise<Page<RecipientView>> {
  await findBroadcast(ctx, id);
  const { status } = filters;
  const condition =
    status === undefined
      ? []
      : status === 'sending'
        ? [`r.state = 'pending' AND ${sendingSql}`]
        : status === 'pending'
          ? [`r.state = 'pending' AND NOT ${sendingSql}`]
          : ['r.state = $state'];
  return listPage<RecipientView>(
    ctx.runtime.db,
    {
      select: `coalesce(c.id, r.contact_id) AS contact_id, c.receiver_id, c.name, CASE WHEN ${sendingSql} THEN 'sending' ELSE r.state END AS status, r.reason, r.error_code, r.message_status, coalesce(r.message_id, m.id) AS message_id, r.updated_at`,
      joins: recipientJoins,
      from: `broadcast_recipients r${status === 'sending' || status === 'pending' ? ` ${messageFrom}` : ''}`,
      where: ['r.workspace_id = $workspaceId', 'r.broadcast_id = $id', ...condition],
      bind: {
        workspaceId: ctx.workspaceId,
        id,
        ...(status && condition[0] === 'r.state = $state' ? { state: status } : {}),
      },
      idSql: 'r.position',
      columns: { position: { sql: 'r.position', type: 'integer' } },
      defaultOrdering: 'position',
    },
    filters,
  );
}

export interface BroadcastInput extends NumberChoice {
  readonly name?: string | undefined;
  readonly template_id?: string | null | undefined;
  readonly audience?: Audience | undefined;
  readonly template_variables?: TemplateVariables | null | undefined;
}

/** Creates a draft; nothing is sent (contract 3.1). Throws 400. */
export async function createBroadcast(
  ctx: Ctx,
  values: BroadcastInput & { readonly name: string; readonly template_id: string; readonly audience: Audience },
): Promise<Record<string, unknown>> {
  const { numberPk, templatePk } = await checkContent(ctx, values, values.template_id, values.template_variables ?? {});
  await checkAudience(ctx, values.audience);
  const row = await ctx.runtime.db.row<{ id: number }>(
    `INSERT INTO broadcasts (workspace_id, name, template_pk, phone_number_id, audience, template_variables, created_by_member_id, api_key_id)
     VALUES ($workspaceId, $name, $templatePk, $numberPk, $audience::jsonb, $variables::jsonb, $memberId, $apiKeyId) RETURNING id`,
    {
      workspaceId: ctx.workspaceId,
      name: values.name,
      templatePk,
      numberPk,
      audience: JSON.stringify(values.audience),
      variables: JSON.stringify(values.template_variables ?? {}),
      memberId: ctx.actor.memberId,
      apiKeyId: ctx.actor.apiKeyId,
    },
  );
  if (!row) throw new Error('the broadcast was not stored');
  return readBroadcast(ctx, row.id);
}

/** Changes a draft; anything else is a 409. */
export async function updateBroadcast(ctx: Ctx, id: number, values: BroadcastInput): Promise<Record<string, unknown>> {
  const known = await findBroadcast(ctx, id);
  if (known.status !== 'draft') throw conflict(`Only a draft can be changed; this broadcast is ${known.status}.`);
  const sets: string[] = [];
  const bind: Bind = { workspaceId: ctx.workspaceId, id };
  const set = (column: string, value: unknown, cast = ''): void => {
    sets.push(`${column} = $${column}${cast}`);
    bind[column] = value;
  };
  if (values.name !== undefined) set('name', values.name);
  // What the draft holds already is not judged again: a recipient or an option of it may be gone by now.
  if (values.audience !== undefined && !sameValue(asStored(values.audience), known.audience)) {
    await checkAudience(ctx, values.audience);
    set('audience', JSON.stringify(values.audience), '::jsonb');
  }
  const variables =
    values.template_variables === undefined
      ? readVariables(known.template_variables)
      : (values.template_variables ?? {});
  const choice = {
    msgapp_business_account_id: values.msgapp_business_account_id,
    phone_number_id: values.phone_number_id,
  };
  if (values.template_id === null && known.template_id !== null)
    throw invalidField('template_id', 'This field may not be null.');
  const numberGiven =
    (choice.phone_number_id ?? known.number) !== known.number ||
    (choice.msgapp_business_account_id ?? known.account) !== known.account;
  const contentGiven =
    (values.template_id ?? known.template_id) !== known.template_id ||
    !sameValue(variables, readVariables(known.template_variables));
  if (numberGiven || contentGiven) {
    const number = numberGiven ? choice : { phone_number_id: known.number };
    const { numberPk, templatePk } = await checkContent(
      ctx,
      number,
      values.template_id ?? known.template_id ?? '',
      variables,
    );
    set('template_pk', templatePk);
    set('phone_number_id', numberPk);
    set('template_variables', JSON.stringify(variables), '::jsonb');
  }
  // The answer is read before the row is anybody else's: who won is told so, even when the draft is deleted right after.
  return ctx.runtime.db.transaction(async () => {
    if (sets.length > 0) {
      const changed = await ctx.runtime.db.row(
        `UPDATE broadcasts SET ${sets.join(', ')}, updated_at = now() WHERE workspace_id = $workspaceId AND id = $id AND status = 'draft' RETURNING id`,
        bind,
      );
      if (!changed) throw conflict('Only a draft can be changed.');
    }
    return readBroadcast(ctx, id);
  });
}

/** A value as the database keeps it. */
function asStored(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

/** Template, number and mapping fit together (contract 9); throws the 400 that names the field. */
async function checkContent(
  ctx: Ctx,
  choice: NumberChoice,
  templateId: string,
  variables: TemplateVariables,
): Promise<{ numberPk: number; templatePk: number }> {
  const anywhere = await findTemplate(ctx, { templateId });
  if (!anywhere || anywhere.status === 'DELETED') throw invalidPk('template_id', templateId);
  // Without a named number the only one of the template's account sends: nobody hears from a number that nobody chose.
  const named = choice.phone_number_id ?? choice.msgapp_business_account_id;
  const number = requireNumber(
    await narrowNumbers(ctx, named ? choice : { msgapp_business_account_id: anywhere.account_id }, null),
  );
  const template: TemplateRecord | null = await findTemplate(ctx, { templateId }, number.business_account_id);
  if (!template || template.status === 'DELETED')
    throw invalidField('template_id', 'This template does not belong to the account of the phone number.');
  if (template.status !== 'APPROVED')
    throw invalidField(
      'template_id',
      `Only APPROVED templates can be sent; the status of "${template.name}" is ${template.status}.`,
      'template_not_approved',
    );
  const problems = variableProblems(template, variables);
  if (problems.length > 0) throw invalid({ template_variables: problems });
  const flow = await flowProblem(ctx, number.business_account_id, flowOfTemplate(template.components));
  if (flow !== null) throw invalidField('template_id', flow);
  return { numberPk: number.id, templatePk: template.id };
}

async function checkAudience(ctx: Ctx, audience: Audience): Promise<void> {
  if (audience.receiver_ids?.length === 0) throw invalidField('audience', 'receiver_ids: This list may not be empty.');
  await checkReceivers(ctx, audience);
  await checkInbox(ctx, audience);
  await audienceSql(ctx, audience);
}

/** A stored mapping, read by the rules of its input. */
export function readVariables(stored: unknown): TemplateVariables {
  const variables = parseVariables(stored, ['static', 'field']);
  return variables instanceof Fault ? {} : variables;
}

/** A stored audience, read by the rules of its input; throws when no rule takes it any more. */
export function readAudience(stored: unknown): Audience {
  const audience = parseAudience(stored);
  if (audience instanceof Fault) throw invalid({ audience: [...audience.messages] });
  return audience;
}

/**
 * Sends a draft now, or schedules it (contract 9.1). The guarded update decides: of several confirms, and against
 * a delete, exactly one wins and the others are a 409. A time that is not in the future is a 400 and changes nothing.
 */
export async function confirmBroadcast(ctx: Ctx, id: number, scheduledAt?: Date): Promise<Record<string, unknown>> {
  const { db, clock } = ctx.runtime;
  const known = await findBroadcast(ctx, id);
  if (scheduledAt && scheduledAt <= clock.now()) throw invalidField('scheduled_at', 'A future datetime is required.');
  if (known.status !== 'draft') throw conflict(`Only a draft can be confirmed; this broadcast is ${known.status}.`);
  return db.transaction(async () => {
    const row = await db.row<{ version: number }>(
      `UPDATE broadcasts SET status = $status::text, scheduled_at = $scheduledAt, confirmed_at = $now::timestamptz, started_at = CASE WHEN $status::text = 'running' THEN $now::timestamptz END, version = version + 1, updated_at = now()
       WHERE workspace_id = $workspaceId AND id = $id AND status = 'draft' RETURNING version`,
      {
        workspaceId: ctx.workspaceId,
        id,
        status: scheduledAt ? 'scheduled' : 'running',
        scheduledAt: scheduledAt ?? null,
        now: clock.now(),
      },
    );
    if (!row) throw conflict('Only a draft can be confirmed.');
    await announceSend(ctx);
    await announce(ctx, id, row.version, 'confirm', scheduledAt?.getTime() ?? null);
    await recordEvent(ctx, {
      subjectType: 'broadcast',
      subjectId: id,
      kind: scheduledAt ? 'broadcast_scheduled' : 'broadcast_started',
      data: scheduledAt ? { scheduled_at: scheduledAt.toISOString() } : {},
    });
    return readBroadcast(ctx, id);
  });
}

/** Takes a scheduled broadcast back to draft; anything else, one that has just fired included, is a 409. */
export async function unscheduleBroadcast(ctx: Ctx, id: number): Promise<Record<string, unknown>> {
  const { db } = ctx.runtime;
  return db.transaction(async () => {
    const row = await db.row<{ version: number }>(
      `UPDATE broadcasts SET status = 'draft', scheduled_at = NULL, confirmed_at = NULL, version = version + 1, updated_at = now()
       WHERE workspace_id = $workspaceId AND id = $id AND status = 'scheduled' RETURNING version`,
      { workspaceId: ctx.workspaceId, id },
    );
    if (!row)
      throw conflict(
        `Only a scheduled broadcast can be unscheduled; this one is ${(await findBroadcast(ctx, id)).status}.`,
      );
    await announce(ctx, id, row.version, 'unschedule', null);
    await recordEvent(ctx, { subjectType: 'broadcast', subjectId: id, kind: 'broadcast_unscheduled' });
    return readBroadcast(ctx, id);
  });
}

/** Discards a draft (contract 9.1); anything else is a 409. */
export async function deleteBroadcast(ctx: Ctx, id: number): Promise<void> {
  const gone = await ctx.runtime.db.row(
    `DELETE FROM broadcasts WHERE workspace_id = $workspaceId AND id = $id AND status = 'draft' RETURNING id`,
    { workspaceId: ctx.workspaceId, id },
  );
  if (!gone)
    throw conflict(`Only a draft can be discarded; this broadcast is ${(await findBroadcast(ctx, id)).status}.`);
}

async function announce(
  ctx: Ctx,
  id: number,
  version: number,
  signal: 'confirm' | 'unschedule',
  atMs: number | null,
): Promise<void> {
  const state = { workspaceId: ctx.workspaceId, broadcastId: id, version, atMs };
  await ctx.runtime.outbox.add(ctx, {
    start: { ...broadcastStart(ctx.workspaceId, id), workflow: 'broadcast' },
    input: state,
    signal,
    argument: signal === 'confirm' ? state : { version },
    version,
  });
}

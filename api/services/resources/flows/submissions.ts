import { col } from 'sequelize';
import type { FlowSubmissionRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db/database';
import { joined, of, recordsOf } from '../../../core/db/scoped';
import { recordEvent } from '../../../core/queue/events';
import type { Page } from '../../../core/http/operations';
import { listPage, type PagingInput } from '../../../core/http/paging';
import { noteHappened } from '../rules/starts';
import { flowOfButton, flowOfInteractive, flowOfTemplate, flowTokensOf, resolveFlow } from './flowsInMessages';
import { getStoredFlow } from './service';
import { typedResponse } from './typing';

/** How far back a flow_token is looked for in a conversation. */
const recentMessages = 200;

/** A submission as its list shows it. */
export type SubmissionView = Pick<FlowSubmissionRow, 'id' | 'flow_id' | 'wamid' | 'response' | 'submitted_at'> & {
  readonly receiver_id: string;
};

/** Returns what customers submitted in a flow, newest first, typed by the flow's definition as it is now. */
export async function listSubmissions(ctx: Ctx, flowId: string, paging: PagingInput): Promise<Page<SubmissionView>> {
  const flow = await getStoredFlow(ctx, flowId);
  const page = await listPage<Omit<SubmissionView, 'id'>>(
    ctx,
    {
      select: 's.flow_id, s.wamid, s.response, s.submitted_at, c.receiver_id',
      from: 'flow_submissions s',
      joins: 'JOIN contacts c ON c.id = s.contact_id AND (c.workspace_id = s.workspace_id) IS TRUE',
      where: ['s.workspace_id = $workspaceId', 's.flow_id = $flowId'],
      bind: { workspaceId: ctx.workspaceId, flowId },
      idSql: 's.id',
      columns: { submitted_at: { sql: 's.submitted_at', type: 'timestamptz' } },
      defaultOrdering: '-submitted_at',
    },
    paging,
  );
  return {
    ...page,
    items: page.items.map((item) => ({ ...item, response: typedResponse(item.response, flow.flow_json) })),
  };
}

/** Returns submissions by their ids, those that exist, typed like a list's. */
export async function submissionsByIds(ctx: Ctx, ids: readonly number[]): Promise<Map<number, SubmissionView>> {
  const rows = await ctx.runtime.db.rows<SubmissionView & { readonly flow_json: unknown }>(
    // A flow is found by workspace and the platform's id together, which what is included is not.
    `SELECT s.id, s.flow_id, s.wamid, s.response, s.submitted_at, c.receiver_id, f.flow_json
     FROM flow_submissions s JOIN contacts c ON c.id = s.contact_id AND c.workspace_id = s.workspace_id
       LEFT JOIN flows f ON f.workspace_id = s.workspace_id AND f.flow_id = s.flow_id
     WHERE ${ofWorkspace('s.workspace_id')} AND s.id = ANY($ids::bigint[])`,
    { workspaceId: ctx.workspaceId, ids },
  );
  return new Map(
    rows.map(({ flow_json, ...row }) => [row.id, { ...row, response: typedResponse(row.response, flow_json) }]),
  );
}

/** A customer's answer in a flow, as it arrived. */
interface Submission {
  readonly contactId: number;
  readonly conversationId: number;
  readonly wamid: string;
  /** The message that it answers, where the upstream named one. */
  readonly replyTo: string;
  readonly flowToken: string | null;
  readonly response: Readonly<Record<string, unknown>>;
  readonly at: Date;
}

/**
 * Stores a submission once, in the surrounding transaction. Its flow is the one that the answered message carried, else
 * the one of the latest message of the conversation with the same flow_token.
 */
export async function recordSubmission(ctx: Ctx, given: Submission): Promise<void> {
  const flowId = await flowOfSubmission(ctx, given);
  const row = await ctx.runtime.db.row<{ id: number }>(
    `INSERT INTO flow_submissions (workspace_id, contact_id, flow_id, wamid, response, submitted_at)
     VALUES ($workspaceId, $contactId, $flowId, $wamid, $response::jsonb, $at)
     ON CONFLICT (workspace_id, wamid) DO NOTHING RETURNING id`,
    {
      workspaceId: ctx.workspaceId,
      contactId: given.contactId,
      flowId,
      wamid: given.wamid,
      response: JSON.stringify(given.response),
      at: given.at,
    },
  );
  if (!row) return;
  const { first, watched } = await recordEvent(ctx, {
    subjectType: 'conversation',
    subjectId: given.conversationId,
    kind: 'flow_submitted',
    data: { submission_id: row.id, flow_id: flowId, message_id: given.wamid },
  });
  const { conversationId, at } = given;
  if (watched) await noteHappened(ctx, [{ conversationId, event: 'flow.submitted', eventId: first, at }]);
}

interface Carrier {
  readonly body: unknown;
  /** The template's, as it was when the message was sent; null where that was not noted. */
  readonly flow_button: unknown;
  /** The template's, as they are now. */
  readonly components: unknown;
  readonly business_account_id: number;
}

/** Finds messages of ours in the conversation that may carry a flow, the newest first. */
async function findCarriers(ctx: Ctx, conversationId: number, only: { readonly wamid?: string }): Promise<Carrier[]> {
  const merged = await of(ctx, ctx.runtime.db.models.LeftHistory).findAll({
    attributes: ['conversation_id'],
    where: { kept_id: conversationId },
    raw: true,
  });
  const ids = [conversationId, ...merged.map((row) => row.conversation_id)];
  return recordsOf<Carrier>(ctx, ctx.runtime.db.models.Message, {
    attributes: [
      'body',
      'flow_button',
      [col('template.components'), 'components'],
      [col('phone_number.business_account_id'), 'business_account_id'],
    ],
    where: { ...only, conversation_id: ids, direction: 'outbound', type: ['interactive', 'template'] },
    include: [joined('phone_number', true), joined('template')],
    order: [
      ['created_at', 'DESC'],
      ['id', 'DESC'],
    ],
    limit: recentMessages,
  });
}

async function flowOfSubmission(ctx: Ctx, given: Submission): Promise<string | null> {
  if (given.replyTo !== '') {
    const [answered] = await findCarriers(ctx, given.conversationId, { wamid: given.replyTo });
    const flowId = answered ? await flowOfCarrier(ctx, answered) : null;
    if (flowId !== null) return flowId;
  }
  const { flowToken } = given;
  // What the upstream gives for messages without a token of their own fits all of them.
  if (flowToken === null || flowToken === 'unused') return null;
  const recent = await findCarriers(ctx, given.conversationId, {});
  const sent = recent.find((message) => flowTokensOf(message.body).includes(flowToken));
  return sent ? flowOfCarrier(ctx, sent) : null;
}

async function flowOfCarrier(ctx: Ctx, message: Carrier): Promise<string | null> {
  const wanted =
    flowOfInteractive(message.body) ?? flowOfButton(message.flow_button) ?? flowOfTemplate(message.components);
  if (!wanted) return null;
  // An id is kept even where the flow has vanished meanwhile: it is what the customer answered.
  return wanted.by === 'flow_id' ? wanted.value : resolveFlow(ctx, message.business_account_id, wanted);
}

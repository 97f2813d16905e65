import type { RuleRunRow } from '../../../../models';
import type { RuleRunState } from '../../../../models/ruleParts';
import type { Ctx } from '../../../core/context';
import { dueNow } from '../../../core/clock';
import { of } from '../../../core/db/scoped';
import { conflict, invalidPk, notFound } from '../../../core/http/errors';
import type { Page } from '../../../core/http/operations';
import { listPage, type PagingInput } from '../../../core/http/paging';
import { lockConversation } from '../../resources/conversations/service';
import { contactIdsOf } from '../../resources/contacts/handles';
import { reason } from '../../resources/reasons';

/** A run of a rule with the customer whom it is about. */
export type RuleRunView = Omit<
  RuleRunRow,
  'workspace_id' | 'look_at' | 'chain' | 'event_id' | 'message_id' | 'by_hand'
> & {
  readonly receiver_id: string;
};

interface RunFilters extends PagingInput {
  readonly run?: number | undefined;
  readonly state?: RuleRunState | undefined;
  readonly receiver?: string | undefined;
  readonly after?: Date | undefined;
  readonly before?: Date | undefined;
}

/** Returns a page of the runs of a rule, the newest first. Throws 400 for a customer who is none. */
export async function listRuleRuns(ctx: Ctx, ruleId: number, filters: RunFilters): Promise<Page<RuleRunView>> {
  const { run, state, receiver, after, before } = filters;
  const contactId = receiver === undefined ? undefined : (await contactIdsOf(ctx, [receiver])).get(receiver);
  if (receiver !== undefined && contactId === undefined) throw invalidPk('receiver', receiver);
  const conditions: readonly (readonly [sql: string, name: string, value: unknown])[] = [
    ['n.id = $run', 'run', run],
    ['n.state = $state', 'state', state],
    ['n.conversation_id = $contactId', 'contactId', contactId],
    ['n.started_at >= $after', 'after', after],
    ['n.started_at < $before', 'before', before],
  ];
  const given = conditions.filter(([, , value]) => value !== undefined);
  return listPage<Omit<RuleRunView, 'id'>>(
    ctx,
    {
      select: `n.rule_id, n.rule_version, n.conversation_id, n.state, n.reason, n.event, n.started_at, n.moment,
        n.ended_at, n.macro_run_id, c.receiver_id`,
      from: 'rule_runs n',
      joins: 'JOIN contacts c ON c.id = n.conversation_id',
      where: ['n.workspace_id = $workspaceId', 'n.rule_id = $ruleId', ...given.map(([sql]) => sql)],
      bind: {
        workspaceId: ctx.workspaceId,
        ruleId,
        ...Object.fromEntries(given.map(([, name, value]) => [name, value])),
      },
      idSql: 'n.id',
      columns: { started_at: { sql: 'n.started_at', type: 'timestamptz' } },
      defaultOrdering: '-started_at',
    },
    filters,
  );
}

interface RunIds {
  readonly id: number;
  readonly run_id: number;
}

const runs = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.RuleRun);

/** What a change of a wait is told that is over. */
export const notWaiting = reason('runOver');

/** Throws the 404 of a run that the rule does not have. */
export async function requireRun(ctx: Ctx, { id, run_id: runId }: RunIds): Promise<void> {
  if ((await runs(ctx).count({ where: { id: runId, rule_id: id } })) === 0) throw notFound();
}

/**
 * Gives a wait the moment that a member chooses, or ends it (null), with its conversation locked: what was judged
 * before stands. A moment that has passed is now; none, or its own, changes nothing. Throws 404 and 409.
 */
export async function decideWait(
  ctx: Ctx,
  { id, run_id: runId }: RunIds,
  moment: Date | null | undefined,
): Promise<void> {
  await ctx.runtime.db.transaction(async () => {
    const run = await runs(ctx).findOne({ where: { id: runId, rule_id: id }, raw: true });
    if (!run) throw notFound();
    await lockConversation(ctx, { conversationId: run.conversation_id });
    if (moment === undefined || moment?.getTime() === run.moment.getTime()) return;
    const now = await dueNow(ctx.runtime);
    const at = moment && moment > now ? moment : now;
    const [changed] = await runs(ctx).update(
      moment
        ? { moment: at, look_at: at, by_hand: true }
        : { state: 'ended', reason: 'by_member', look_at: null, ended_at: now },
      { where: { id: runId, state: 'waiting' } },
    );
    if (changed === 0) throw conflict(notWaiting);
  });
}

/** Returns one run. Throws 404. */
export async function readRuleRun(ctx: Ctx, { id, run_id: runId }: RunIds): Promise<RuleRunView> {
  const page = await listRuleRuns(ctx, id, { run: runId });
  return page.items[0] ?? Promise.reject(notFound());
}

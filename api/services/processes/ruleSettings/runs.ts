import type { RuleRunRow } from '../../../../models';
import type { RuleRunState } from '../../../../models/ruleParts';
import type { Ctx } from '../../../core/context';
import { invalidPk } from '../../../core/http/errors';
import type { Page } from '../../../core/http/operations';
import { listPage, type PagingInput } from '../../../core/http/paging';
import { contactIdsOf } from '../../resources/contacts/handles';

/** A run of a rule with the customer whom it is about. */
export type RuleRunView = Omit<RuleRunRow, 'workspace_id' | 'look_at' | 'chain' | 'event_id'> & {
  readonly receiver_id: string;
};

interface RunFilters extends PagingInput {
  readonly state?: RuleRunState | undefined;
  readonly receiver?: string | undefined;
  readonly after?: Date | undefined;
  readonly before?: Date | undefined;
}

/** Returns a page of the runs of a rule, the newest first. Throws 400 for a customer who is none. */
export async function listRuleRuns(ctx: Ctx, ruleId: number, filters: RunFilters): Promise<Page<RuleRunView>> {
  const { state, receiver, after, before } = filters;
  const contactId = receiver === undefined ? undefined : (await contactIdsOf(ctx, [receiver])).get(receiver);
  if (receiver !== undefined && contactId === undefined) throw invalidPk('receiver', receiver);
  const conditions: readonly (readonly [sql: string, name: string, value: unknown])[] = [
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

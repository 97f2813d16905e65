import { Argument, type Command } from 'commander';
import { autonomyLevels, memberScopes, type Autonomy } from '../api/core/http/access';
import { systemCtx, type Ctx } from '../api/core/context';
import type { Runtime } from '../api/core/runtime';
import { showInvisibleIn } from '../api/core/http/invisible';
import {
  approvalStatuses,
  approve,
  getApproval,
  listApprovals,
  reject,
  type ApprovalRow,
} from '../api/services/processes/approvals/service';
import { shownSends } from '../api/services/processes/approvals/shownSends';
import { getMember, workspaceOfMemberAnywhere } from '../api/services/identity/members/service';
import { changeGrant, disconnectGrant, findGrant, listGrants } from '../api/services/identity/oauth/connections';
import { recordSecurity } from '../api/services/identity/securityLog/service';
import { serializeAgent } from '../api/services/identity/oauth/operations';
import { cliRequestId, ctxOf, group, id, recorded, type Deps, type Result } from './deps';
import { allOf } from './lists';

/** `agent`: connections that members granted; `approval`: calls of agents that wait for a member. */
export function registerAgent(program: Command, deps: Deps): void {
  const agent = group(
    program,
    'agent',
    'List connected agents, set whether their messages need approval, and disconnect them.',
  );
  const ofWorkspace = (command: Command): Command =>
    command.requiredOption('--workspace <id>', 'id of the workspace', id);

  ofWorkspace(agent.command('list').description('List the connected agents of a workspace.')).action(
    (options: { readonly workspace: number }) =>
      deps.run(async (runtime) => ({
        agents: (await listGrants(await ctxOf(runtime, options.workspace))).map(serializeAgent),
      })),
  );
  ofWorkspace(
    agent.command('show').description('Show one connected agent.').argument('<id>', 'id of the connection', id),
  ).action((grantId: number, options: { readonly workspace: number }) =>
    deps.run(async (runtime) => serializeAgent(await findGrant(await ctxOf(runtime, options.workspace), grantId))),
  );
  ofWorkspace(
    agent
      .command('autonomy')
      .description('Set whether the messages of an agent need approval.')
      .argument('<id>', 'id of the connection', id)
      .addArgument(
        new Argument('<level>', 'draft and approval need approval; autonomous does not').choices([...autonomyLevels]),
      ),
  ).action((grantId: number, level: Autonomy, options: { readonly workspace: number }) =>
    deps.run(async (runtime) => {
      const ctx = await ctxOf(runtime, options.workspace);
      const set = (): ReturnType<typeof changeGrant> => changeGrant(ctx, grantId, { autonomy: level });
      return serializeAgent(await recorded(ctx, 'connectedAgents.update', { autonomy: level }, set));
    }),
  );
  ofWorkspace(
    agent
      .command('disconnect')
      .description('Disconnect an agent. Its next call is refused.')
      .argument('<id>', 'id of the connection', id),
  ).action((grantId: number, options: { readonly workspace: number }) =>
    deps.run(async (runtime) => {
      const ctx = await ctxOf(runtime, options.workspace);
      return recorded(ctx, 'connectedAgents.disconnect', {}, async () => {
        await disconnectGrant(ctx, grantId);
        return { id: grantId, disconnected: true };
      });
    }),
  );

  const approval = group(program, 'approval', "List and decide agents' calls that wait for approval.");
  ofWorkspace(
    approval
      .command('list')
      .description('List the calls that wait for approval.')
      .option('--status <status>', `one of ${approvalStatuses.join(', ')}`),
  ).action((options: { readonly workspace: number; readonly status?: string }) =>
    deps.run(async (runtime) => {
      const status = approvalStatuses.find((known) => known === options.status);
      if (options.status !== undefined && status === undefined)
        throw new Error(`--status is one of ${approvalStatuses.join(', ')}.`);
      const ctx = await ctxOf(runtime, options.workspace);
      return { approvals: (await allOf((paging) => listApprovals(ctx, { ...paging, status }))).map(shown) };
    }),
  );
  ofWorkspace(
    approval
      .command('show')
      .description('Show one call that waits for approval.')
      .argument('<id>', 'id of the approval', id),
  ).action((approvalId: number, options: { readonly workspace: number }) =>
    deps.run(async (runtime) => shown(await getApproval(await ctxOf(runtime, options.workspace), approvalId))),
  );
  const decides = (name: string, what: string): Command =>
    approval
      .command(name)
      .description(what)
      .argument('<id>', 'id of the approval', id)
      .requiredOption('--member <id>', 'id of the member who decides', id);
  decides('approve', 'Approve a parked call: what was shown is sent now.')
    .option('--digest <digest>', 'digest that list or show has printed; another one is refused')
    .action((approvalId: number, options: { readonly member: number; readonly digest?: string }) =>
      deps.run(async (runtime) => {
        const ctx = await asMember(runtime, options.member);
        const approved = shown(await approve(ctx, approvalId, options.digest));
        await recordSecurity(ctx, { action: 'approvals.approve', subjectId: approvalId });
        return approved;
      }),
    );
  decides('reject', 'Reject a parked call: nothing is sent.').action(
    (approvalId: number, options: { readonly member: number }) =>
      deps.run(async (runtime) => {
        const ctx = await asMember(runtime, options.member);
        const rejected = shown(await reject(ctx, approvalId));
        await recordSecurity(ctx, { action: 'approvals.reject', subjectId: approvalId });
        return rejected;
      }),
  );
}

/** Returns a context that acts for a member, with what that member may do. */
async function asMember(runtime: Runtime, memberId: number): Promise<Ctx> {
  const workspaceId = await workspaceOfMemberAnywhere(runtime, memberId);
  const member = await getMember(systemCtx(runtime, workspaceId, cliRequestId), memberId);
  if (!member.is_active) throw new Error(`Member ${memberId} is not active.`);
  return {
    ...systemCtx(runtime, workspaceId, cliRequestId, { type: 'member', memberId, apiKeyId: null }),
    scopes: new Set(memberScopes(member.role, member.permissions)),
  };
}

/** Returns a call as a terminal shows it, with what an eye would miss. */
function shown(row: ApprovalRow): Result {
  return showInvisibleIn({
    id: row.id,
    status: row.status,
    tool: row.tool,
    agent: row.connection_name,
    autonomy: row.autonomy,
    macro: row.macro_name,
    steps: row.steps,
    sends: shownSends(row.frozen),
    digest: row.digest,
    input: row.input,
    result: row.result,
    requested_by: row.requested_by?.email ?? null,
    decided_by: row.decided_by?.email ?? null,
    created_at: row.created_at,
    expires_at: row.expires_at,
    decided_at: row.decided_at,
  });
}

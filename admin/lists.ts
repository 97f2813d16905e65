import { Option, type Command } from 'commander';
import { systemCtx, type Ctx } from '../api/core/context';
import type { Page } from '../api/core/http/operations';
import type { PagingInput } from '../api/core/http/paging';
import { isoTime } from '../api/core/http/shapes';
import type { Runtime } from '../api/core/runtime';
import { apiKeyView } from '../api/services/identity/apiKeys/serializer';
import { getKey, listKeys, workspaceOfKeyAnywhere } from '../api/services/identity/apiKeys/service';
import { listBroadcasts, readBroadcast } from '../api/services/resources/broadcasts/queries';
import { unscheduleBroadcast } from '../api/services/resources/broadcasts/service';
import { readUsage, type WorkspaceUsage } from '../api/services/processes/maintenance/usage';
import { standingOfAnyWorkspace } from '../api/services/resources/broadcasts/runs/watchBroadcast';
import { listIgnored } from '../api/services/processes/events/ignored';
import { listSetAside, retrySetAside } from '../api/services/processes/webhookDelivery/deliveriesSetAside';
import { readParked } from '../api/services/processes/events/parked';
import { teamInbox } from '../api/services/resources/inboxes/serializer';
import { getInbox, listInboxes } from '../api/services/resources/inboxes/service';
import { serializeMacro } from '../api/services/resources/macros/serializer';
import { findMacro, listMacros } from '../api/services/resources/macros/service';
import { teamMember } from '../api/services/identity/members/serializer';
import {
  getMember,
  listMembers,
  workspaceOfMemberAnywhere,
  type MemberRecord,
} from '../api/services/identity/members/service';
import { clientAnywhere, listClients } from '../api/services/identity/oauth/clients';
import { serializeClient } from '../api/services/identity/oauth/operations';
import { workspaceView } from '../api/services/identity/workspaces/serializer';
import { getWorkspace, listWorkspacesAnywhere } from '../api/services/identity/workspaces/service';
import { listDeliveries } from '../api/services/resources/webhooks/deliveries';
import { deliveryStates, type DeliveryState } from '../api/services/resources/webhooks/eventTypes';
import { serializeDelivery, serializeWebhook } from '../api/services/resources/webhooks/serializer';
import { findWebhook, listWebhooks } from '../api/services/resources/webhooks/service';
import { cliRequestId, ctxOf, group, id, recorded, type Deps, type Result } from './deps';

const pageSize = 200;
const maxListed = 10_000;

/** `list` and `show` of every group, so that a workspace can be run without the dashboard. */
export function registerLists(program: Command, deps: Deps): void {
  const lists = (name: string, what: string, read: (ctx: Ctx) => Promise<Result>): void => {
    group(program, name, '')
      .command('list')
      .description(`List the ${what} of a workspace.`)
      .requiredOption('--workspace <id>', 'id of the workspace', id)
      .action((options: { readonly workspace: number }) =>
        deps.run(async (runtime) => read(await ctxOf(runtime, options.workspace))),
      );
  };
  const showsWithin = (name: string, what: string, read: (ctx: Ctx, id: number) => Promise<Result>): void => {
    group(program, name, '')
      .command('show')
      .description(`Show one ${what}.`)
      .argument('<id>', `id of the ${what}`, id)
      .requiredOption('--workspace <id>', 'id of the workspace', id)
      .action((objectId: number, options: { readonly workspace: number }) =>
        deps.run(async (runtime) => read(await ctxOf(runtime, options.workspace), objectId)),
      );
  };
  const shows = (name: string, what: string, read: (runtime: Runtime, id: number) => Promise<Result>): void => {
    group(program, name, '')
      .command('show')
      .description(`Show one ${what}.`)
      .argument('<id>', `id of the ${what}`, id)
      .action((objectId: number) => deps.run((runtime) => read(runtime, objectId)));
  };

  group(program, 'workspace', '')
    .command('list')
    .description('List all workspaces of this installation.')
    .option('--usage', 'what each uses, waits for and fails at instead of its settings; the busiest first')
    .action(({ usage }: { readonly usage?: boolean }) =>
      deps.run(async (runtime) => ({
        workspaces: usage
          ? (await readUsage(runtime)).map((each) => ({
              id: each.id,
              name: each.name,
              ...usageView(each, deps.json()),
            }))
          : (await listWorkspacesAnywhere(runtime)).map(workspaceView),
      })),
    );
  shows('workspace', 'workspace', async (runtime, workspaceId) => {
    const view = workspaceView(await getWorkspace(await ctxOf(runtime, workspaceId)));
    const [usage] = await readUsage(runtime, workspaceId);
    return { ...view, ...(usage ? usageView(usage, deps.json()) : {}) };
  });

  lists('member', 'members', async (ctx) => ({
    members: (await allOf((paging) => listMembers(ctx, paging))).map(memberView),
  }));
  shows('member', 'member', async (runtime, memberId) => {
    const ctx = systemCtx(runtime, await workspaceOfMemberAnywhere(runtime, memberId), cliRequestId);
    return { workspace_id: ctx.workspaceId, ...memberView(await getMember(ctx, memberId)) };
  });

  lists('key', 'API keys', async (ctx) => ({ keys: (await listKeys(ctx)).map(apiKeyView) }));
  shows('key', 'API key', async (runtime, keyId) => {
    const ctx = systemCtx(runtime, await workspaceOfKeyAnywhere(runtime, keyId), cliRequestId);
    return { workspace_id: ctx.workspaceId, ...apiKeyView(await getKey(ctx, keyId)) };
  });

  lists('inbox', 'parked events and team inboxes', async (ctx) => ({
    inboxes: (await listInboxes(ctx)).map(teamInbox),
    ...(await readParked(ctx)),
    ignored: await listIgnored(ctx),
  }));
  showsWithin('inbox', 'team inbox', async (ctx, inboxId) => ({ ...teamInbox(await getInbox(ctx, inboxId)) }));

  lists('oauth-client', 'OAuth clients', async (ctx) => ({ clients: (await listClients(ctx)).map(serializeClient) }));
  group(program, 'oauth-client', '')
    .command('show')
    .description('Show one OAuth client.')
    .argument('<client-id>', 'the client_id that create printed')
    .action((clientId: string) =>
      deps.run(async (runtime) => {
        const client = await clientAnywhere(runtime, clientId);
        return { workspace_id: client.workspace_id, ...serializeClient(client) };
      }),
    );

  lists('macro', 'macros', async (ctx) => ({ macros: (await listMacros(ctx)).map(serializeMacro) }));
  showsWithin('macro', 'macro', async (ctx, macroId) => serializeMacro(await findMacro(ctx, macroId)));

  group(program, 'webhook', 'List webhook subscriptions and what became of their events.');
  lists('webhook', 'webhook subscriptions', async (ctx) => ({
    webhooks: (await listWebhooks(ctx)).map(serializeWebhook),
    events_set_aside: await listSetAside(ctx),
  }));
  showsWithin('webhook', 'webhook subscription', async (ctx, webhookId) =>
    serializeWebhook(await findWebhook(ctx, webhookId)),
  );
  group(program, 'webhook', '')
    .command('deliveries')
    .description('List the newest 200 deliveries of a subscription: attempts, last answer, next attempt.')
    .argument('<id>', 'id of the webhook subscription', id)
    .requiredOption('--workspace <id>', 'id of the workspace', id)
    .addOption(new Option('--status <status>', 'only those in this state').choices(deliveryStates))
    .action(
      (webhookId: number, { workspace, status }: { readonly workspace: number; readonly status?: DeliveryState }) =>
        deps.run(async (runtime) => {
          const ctx = await ctxOf(runtime, workspace);
          await findWebhook(ctx, webhookId);
          const { items } = await listDeliveries(ctx, webhookId, { status, page_size: pageSize });
          return { deliveries: items.map(serializeDelivery) };
        }),
    );

  group(program, 'webhook', '')
    .command('retry-events')
    .description('Try again to send events that were set aside because they could not be told.')
    .requiredOption('--workspace <id>', 'id of the workspace', id)
    .action(({ workspace }: { readonly workspace: number }) =>
      deps.run(async (runtime) => {
        const ctx = await ctxOf(runtime, workspace);
        return recorded(ctx, 'webhooks.retryEvents', {}, async () => ({ retried: await retrySetAside(ctx) }));
      }),
    );

  lists('broadcast', 'broadcasts', async (ctx) => ({
    broadcasts: await allOf((paging) => listBroadcasts(ctx, paging)),
  }));
  shows('broadcast', 'broadcast', async (runtime, broadcastId) =>
    readBroadcast(await ofBroadcast(runtime, broadcastId), broadcastId),
  );
  group(program, 'broadcast', '')
    .command('unschedule')
    .description('Take a scheduled broadcast back: it becomes a draft again.')
    .argument('<id>', 'id of the broadcast', id)
    .action((broadcastId: number) =>
      deps.run(async (runtime) => {
        const ctx = await ofBroadcast(runtime, broadcastId);
        return recorded(ctx, 'broadcasts.unschedule', {}, () => unscheduleBroadcast(ctx, broadcastId));
      }),
    );
}

async function ofBroadcast(runtime: Runtime, broadcastId: number): Promise<Ctx> {
  const { workspace_id } = await standingOfAnyWorkspace(runtime, broadcastId);
  return systemCtx(runtime, workspace_id, cliRequestId);
}

function memberView(row: MemberRecord): Result {
  return { ...teamMember(row), permissions: row.permissions };
}

/** Returns all pages of a list, up to what a terminal can be asked to show. */
export async function allOf<T>(read: (paging: PagingInput) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  let position: PagingInput = {};
  for (;;) {
    const page = await read({ ...position, page_size: pageSize });
    items.push(...page.items);
    if (!page.next || items.length >= maxListed) return items;
    position = page.next;
  }
}

/** People read counts by kind in one cell of a table, `outbox 3, files_pending 1`; programs get the object. */
function usageView(usage: WorkspaceUsage, forPrograms: boolean): Result {
  const told = (rows: Readonly<Record<string, number>>): unknown =>
    forPrograms
      ? rows
      : Object.entries(rows)
          .map(([kind, count]) => `${kind} ${count}`)
          .join(', ');
  return {
    messages_30_days: usage.messages,
    conversations_30_days: usage.conversations,
    stored_bytes: usage.storedBytes,
    busy_ms_30_days: usage.busyMs,
    last_activity: isoTime(usage.lastActivity),
    waiting: told(usage.waiting),
    failing: told(usage.failing),
  };
}

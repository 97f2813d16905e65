import { cut } from '../../../core/text/cut';
import { systemCtx, type Ctx } from '../../../core/context';
import { reasonOf } from '../../../core/http/faults';
import { forEachOf } from '../../../core/queue/parallel';
import { never, type IsOver } from '../../../core/queue/sweep';
import type { Runtime } from '../../../core/runtime';
import { readPhoneNumbers, readTemplates } from '../../resources/accounts/readUpstream';
import { credentialsOf, getAccount, listAccounts } from '../../resources/accounts/service';
import { liftStops, storeNumbers } from '../../resources/accounts/storeUpstream';
import {
  catalogueIsDue,
  claimDueSyncAnywhere,
  claimRequestedSyncsAnywhere,
  lockForStoring,
  noteCatalogueRead,
  noteSynced,
  readBegins,
  type Turn,
} from '../../resources/accounts/syncs';
import { readProducts, type UpstreamProduct } from '../../resources/catalogue/readUpstream';
import { storeProducts } from '../../resources/catalogue/store';
import { readFlowJson, readFlows, type UpstreamFlow } from '../../resources/flows/readUpstream';
import { markMissingFlows, storeFlows, withoutDefinition } from '../../resources/flows/store';
import { dropMissingTemplates, storeTemplates } from '../../resources/templates/storeUpstream';
import { replayKnownNumbers } from '../events/parked';
import { restartBroadcasts } from '../../resources/broadcasts/runs/restart';
import { restartStageMoves } from '../../resources/tickets/stageMoves/service';

/** The most flow definitions that one sync reads, by two calls each; later syncs read the rest. */
const maxDefinitions = 100;
const definitionsAtOnce = 4;

/** What a sync found. */
interface SyncResult {
  readonly phone_numbers: number;
  readonly templates: number;
  /** Templates that the upstream no longer has. */
  readonly templates_deleted: number;
  readonly flows: number;
  /** Flows that the upstream no longer has. */
  readonly flows_gone: number;
  readonly products: number;
  /** Products that the upstream no longer has. */
  readonly products_deleted: number;
  /** Parts that the upstream did not give, with its reason: not every token may read flows and catalogues. */
  readonly skipped: readonly string[];
}

interface SyncOptions {
  /** Lifts every stop of the account and its numbers, because an operator says that the cause is gone. */
  readonly resume?: boolean;
  /** Reads the catalogues even if they were read recently. */
  readonly catalogue?: boolean;
  /** Records who asked for the sync, in the transaction that stores the result of an account. */
  readonly record?: (businessAccountPk: number) => Promise<void>;
}

/**
 * Reads the numbers, templates, flows and products of one account from the upstream and stores them. Starts again when
 * another sync, which began later, has stored its result first.
 */
export async function syncAccount(ctx: Ctx, businessAccountPk: number, options: SyncOptions = {}): Promise<SyncResult> {
  const account = await getAccount(ctx, businessAccountPk);
  const { accessToken } = await credentialsOf(ctx.runtime, businessAccountPk);
  const { upstream } = ctx.runtime;
  const readAt = await readBegins(ctx, businessAccountPk);
  const skipped: string[] = [];

  const optional = async <T>(part: string, work: Promise<T>): Promise<T | null> => {
    try {
      return await work;
    } catch (error) {
      skipped.push(`${part}: ${cut(reasonOf(error), 300)}`);
      return null;
    }
  };
  const withProducts = options.catalogue === true || (await catalogueIsDue(ctx, businessAccountPk));
  const [numbers, templates, flows, products] = await Promise.all([
    readPhoneNumbers(upstream, accessToken, account.account_id),
    readTemplates(upstream, accessToken, account.account_id),
    optional('flows', readFlowsWithDefinitions(ctx, accessToken, account.account_id)),
    withProducts ? optional('products', readProducts(upstream, accessToken, account.account_id)) : null,
  ]);

  const stored = await ctx.runtime.db.transaction(async () => {
    // The lock also prevents deadlocks: two syncs of one account would lock its rows in different orders.
    if (!(await lockForStoring(ctx, businessAccountPk, readAt))) return null;
    await storeNumbers(ctx, businessAccountPk, numbers, readAt);
    await replayKnownNumbers(ctx);
    await storeTemplates(ctx, businessAccountPk, templates, readAt);
    const deleted = await dropMissingTemplates(ctx, businessAccountPk, templates, readAt);
    const gone = flows ? await takeFlows(ctx, businessAccountPk, flows, readAt) : 0;
    const removed = products ? await takeProducts(ctx, businessAccountPk, products) : 0;
    const lifted = await liftStops(ctx, businessAccountPk, readAt, options.resume ?? false);
    await noteSynced(ctx, businessAccountPk, readAt);
    await options.record?.(businessAccountPk);
    return {
      lifted,
      phone_numbers: numbers.length,
      templates: templates.length,
      templates_deleted: deleted,
      flows: flows?.length ?? 0,
      flows_gone: gone,
      products: products?.length ?? 0,
      products_deleted: removed,
      skipped,
    };
  });
  if (!stored) return syncAccount(ctx, businessAccountPk, options);
  const { lifted, ...result } = stored;
  // After the commit. Waiting messages need no call here: the workers look for them every second.
  if (lifted) {
    await restartBroadcasts(ctx.runtime, { quietForMs: 0, onlyIn: ctx.workspaceId });
    await restartStageMoves(ctx.runtime, ctx.workspaceId);
  }
  return result;
}

/**
 * Reads the flows of an account, with the definitions of those that have changed; a definition that cannot be read is
 * not changed.
 */
async function readFlowsWithDefinitions(ctx: Ctx, accessToken: string, accountId: string): Promise<UpstreamFlow[]> {
  const { upstream } = ctx.runtime;
  const flows = await readFlows(upstream, accessToken, accountId);
  const wanted = [...(await withoutDefinition(ctx, flows, maxDefinitions))];
  const definitions = new Map<string, unknown>();
  await Promise.all(
    Array.from({ length: definitionsAtOnce }, async () => {
      for (let flowId = wanted.shift(); flowId !== undefined; flowId = wanted.shift()) {
        const definition = await readFlowJson(upstream, accessToken, flowId).catch(() => undefined);
        if (definition !== undefined) definitions.set(flowId, definition);
      }
    }),
  );
  return flows.map((flow) =>
    definitions.has(flow.flow_id) ? { ...flow, flow_json: definitions.get(flow.flow_id) } : flow,
  );
}

async function takeFlows(ctx: Ctx, accountPk: number, flows: readonly UpstreamFlow[], readAt: Date): Promise<number> {
  await storeFlows(ctx, accountPk, flows, readAt);
  return markMissingFlows(ctx, accountPk, flows, readAt);
}

async function takeProducts(ctx: Ctx, accountPk: number, products: readonly UpstreamProduct[]): Promise<number> {
  const removed = await storeProducts(ctx, accountPk, products);
  await noteCatalogueRead(ctx, accountPk);
  return removed;
}

/**
 * Syncs every account of the workspace, one after the other, so that one whose token is refused keeps none of the
 * others stopped. Throws the first failure at the end; all of them are logged.
 */
export async function syncWorkspace(
  ctx: Ctx,
  options: SyncOptions = {},
): Promise<SyncResult & { readonly business_accounts: number }> {
  const accounts = await listAccounts(ctx);
  const results: SyncResult[] = [];
  const failures: unknown[] = [];
  for (const account of accounts)
    await syncAccount(ctx, account.id, options).then(
      (result) => results.push(result),
      (error: unknown) => {
        failures.push(error);
        noteFailure(ctx.runtime, account.id, error);
      },
    );
  if (failures.length > 0) throw failures[0];
  const sum = (count: (result: SyncResult) => number): number =>
    results.reduce((total, result) => total + count(result), 0);
  return {
    business_accounts: accounts.length,
    phone_numbers: sum((result) => result.phone_numbers),
    templates: sum((result) => result.templates),
    templates_deleted: sum((result) => result.templates_deleted),
    flows: sum((result) => result.flows),
    flows_gone: sum((result) => result.flows_gone),
    products: sum((result) => result.products),
    products_deleted: sum((result) => result.products_deleted),
    skipped: results.flatMap((result) => result.skipped),
  };
}

/** How many accounts a process reads at the same time. */
const accountsAtOnce = 4;

/** Syncs the accounts for which events asked, and returns their number; one that fails waits for its regular sync. */
export async function syncRequested(runtime: Runtime): Promise<number> {
  const asked = await claimRequestedSyncsAnywhere(runtime);
  await forEachOf(asked, accountsAtOnce, async (turn) => void (await syncInTurn(runtime, turn)));
  return asked.length;
}

/** Syncs accounts that are due, until none is left or the sweep has to end; returns how many succeeded. */
export async function syncAllDue(runtime: Runtime, isOver: IsOver = never): Promise<number> {
  let synced = 0;
  const lane = async (): Promise<void> => {
    for (
      let due = await claimDueSyncAnywhere(runtime);
      due;
      due = isOver() ? null : await claimDueSyncAnywhere(runtime)
    )
      if (await syncInTurn(runtime, due)) synced += 1;
  };
  await Promise.all(Array.from({ length: accountsAtOnce }, lane));
  return synced;
}

/**
 * Syncs an account; returns whether that succeeded within its time. One whose platform is slow goes on beside those
 * that come after it.
 */
async function syncInTurn(runtime: Runtime, turn: Turn): Promise<boolean> {
  const synced = syncAccount(systemCtx(runtime, turn.workspace_id, 'sync'), turn.id).then(
    () => true,
    (error: unknown) => {
      noteFailure(runtime, turn.id, error);
      return false;
    },
  );
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), runtime.process.timing.syncTurnMs);
  });
  return Promise.race([synced, over]).finally(() => clearTimeout(timer));
}

function noteFailure({ logger }: Runtime, businessAccount: number, error: unknown): void {
  logger.warn(
    { event: 'account.sync_failed', businessAccount, reason: reasonOf(error) },
    'an account could not be synced',
  );
}

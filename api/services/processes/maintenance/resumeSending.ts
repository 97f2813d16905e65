import { systemCtx } from '../../../core/context';
import { AppError } from '../../../core/http/errors';
import type { Runtime } from '../../../core/runtime';
import { holdAfterLossAnywhere } from '../../resources/messages/rows/scheduled';
import { settleWaitingAsUnknown } from '../../resources/messages/rows/settlement';
import {
  acceptDatabase,
  compareWitness,
  fenceState,
  listHoldsOfAnyWorkspace,
  removeHold,
  type HoldScope,
  type HoldView,
} from '../../resources/accounts/fence';
import { endUnknownWaitsAnywhere, type EndedWait } from '../../resources/rules/waits';
import { settleLostBroadcasts } from '../../resources/broadcasts/runs/settleUnknownSends';
import { restartBroadcasts } from '../../resources/broadcasts/runs/restart';
import { settleLostNotifications } from '../../resources/tickets/stageMoves/settleUnknownNotifications';
import { restartStageMoves } from '../../resources/tickets/stageMoves/service';
import { reason } from '../../resources/reasons';

/** What the operator says of a database that went back in time. */
interface Lost {
  /** The last moment whose changes this database certainly has, such as the time of the backup. */
  readonly unknownSince?: Date | undefined;
  /** Nothing was lost: a standby took over that had everything. */
  readonly nothing?: boolean | undefined;
}

/** What resuming did. */
interface Resumed {
  /** Whether there was a hold of this scope. */
  readonly was_held: boolean;
  readonly unknown_messages: number;
  readonly unknown_recipients: number;
  readonly failed_broadcasts: number;
  /** Messages for later that wait for a member now. */
  readonly held_messages: number;
  /** Waits of rules that were due since then, and may have been applied: they end as late. */
  readonly ended_waits: readonly EndedWait[];
  /** Broadcasts and stage moves that send again. */
  readonly woken: number;
  /** Holds of other scopes, which stay until they are resumed themselves. */
  readonly holds_left: readonly HoldView[];
}

/**
 * Lets a scope send again (contract 16). After the database went back in time, everything that may have been sent since
 * becomes `unknown` first, in the same transaction: what was accepted before the hold began and still waits. What was
 * accepted during the hold goes out. Throws a 400 where the operator has to say how much was lost and has not.
 */
export async function resumeSending(runtime: Runtime, scope: HoldScope, lost: Lost = {}): Promise<Resumed> {
  const all = scope.workspaceId === null && scope.phoneNumberPk === null;
  const { unknownSince: since } = lost;
  if (since !== undefined && lost.nothing === true)
    throw new AppError('validation', 'Say either since when sends are unknown, or that nothing was lost.');
  if (!all && (since !== undefined || lost.nothing === true))
    throw new AppError('validation', 'A database goes back as a whole: leave out the workspace and the number.');
  if (since !== undefined && since > runtime.clock.now()) throw new AppError('validation', reason('future'));

  const settled = await runtime.db.transaction(async () => {
    // Also of a database in which nothing was noticed, such as a restored dump: the witness would notice it later.
    if (since !== undefined || lost.nothing === true) await acceptDatabase(runtime);
    else if (all && (await fenceState(runtime)).wentBack)
      throw new AppError(
        'validation',
        'The database was restored, or a standby was promoted. Say since when it may lack what was sent ' +
          '(--unknown-since, for example the time of the backup), or that nothing was lost (--nothing-lost).',
      );
    const none = { messages: 0, recipients: 0, broadcasts: 0, scheduled: 0, waits: [] };
    const marked = all && since !== undefined ? await settleLost(runtime, since) : none;
    return { ...marked, was_held: await removeHold(runtime, scope) };
  });

  // Messages are found by the look at what waits.
  const woken = await wakeHeld(runtime);
  runtime.logger.warn({ event: 'sending.resumed', ...scope, ...settled, woken }, 'sending is resumed');
  return {
    was_held: settled.was_held,
    unknown_messages: settled.messages,
    unknown_recipients: settled.recipients,
    failed_broadcasts: settled.broadcasts,
    held_messages: settled.scheduled,
    ended_waits: settled.waits,
    woken,
    holds_left: await listHoldsOfAnyWorkspace(runtime),
  };
}

/**
 * Gives the broadcasts and moves that waited for the end of a hold their intents again; messages are found by the look.
 * Returns how many.
 */
async function wakeHeld(runtime: Runtime): Promise<number> {
  return (await restartBroadcasts(runtime, { quietForMs: 0 })) + (await restartStageMoves(runtime));
}

/**
 * Compares the database with the witness that the `reconcile` workflow remembers, and returns the witness to remember
 * from now on. If a start of the server had held sending and nothing is lost, sending resumes at once.
 */
export async function compareDatabase(runtime: Runtime, seen: string | null): Promise<string> {
  const { word, cameBack } = await compareWitness(runtime, seen);
  if (cameBack) {
    const woken = await wakeHeld(runtime);
    runtime.logger.info({ event: 'database.came_up', woken }, 'the database is the one that it was; sending goes on');
  }
  return word;
}

/**
 * Returns from when on what was accepted was certainly not sent before: since everything was held. A hold from before
 * the last moment that the database knows came with the copy, and may have ended in what was lost.
 */
async function certainFrom(runtime: Runtime, since: Date): Promise<Date> {
  const [hold] = await runtime.db.models.DeliveryHold.findAll({
    where: { workspace_id: null, phone_number_id: null },
    attributes: ['created_at'],
    raw: true,
  });
  return hold && hold.created_at > since ? hold.created_at : runtime.clock.now();
}

async function settleLost(
  runtime: Runtime,
  since: Date,
): Promise<{
  messages: number;
  recipients: number;
  broadcasts: number;
  scheduled: number;
  waits: readonly EndedWait[];
}> {
  const until = await certainFrom(runtime, since);
  // What was to be sent later may have been sent, changed or discarded since.
  const scheduled = await holdAfterLossAnywhere((workspaceId) => systemCtx(runtime, workspaceId, 'resume'), since);
  const { recipients, broadcasts } = await settleLostBroadcasts(runtime, until);
  const told = await settleLostNotifications(runtime, until);
  const messages = await settleWaitingAsUnknown(runtime, until);
  const waits = await endUnknownWaitsAnywhere(runtime, since);
  return { messages, recipients: recipients + told, broadcasts, scheduled, waits };
}

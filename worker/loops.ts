import { setTimeout as pause } from 'node:timers/promises';
import type { Runtime } from '../api/core/runtime';
import { startWaiting } from '../api/services/delivery/waitingMessages';
import { sendMail } from '../api/services/identity/members/mailing';
import { beginFetches, fetchDueFiles, fetchesEnded } from '../api/services/processes/files/fetch';
import { passOverdue } from '../api/services/processes/overdue/service';
import { fanOutEvents } from '../api/services/processes/webhookDelivery/fanOut';
import { fenceState, noteDatabaseWentBack } from '../api/services/resources/accounts/fence';
import { passLeftHistories } from '../api/services/resources/contacts/histories';
import { sendPushes } from '../api/services/resources/notices/push';
import { inboxSteps, startInbox } from './events';
import { startLoop, type Loop, type Step } from './loop';
import { sweepNow } from './sweeps';

/** How long a stop waits for downloads; one that has not ended by then is tried again after its lease. */
const endWithinMs = 5_000;

/**
 * Hands over the intents whose own process did not. What could not be delivered waits for its own next try, so no batch
 * is the same one again. While Temporal is away, which the process remembers, the batch counts as empty.
 */
const relayStep: Step = async (runtime) => (await runtime.outbox.relay()) > 0 && runtime.temporal.available();

/**
 * What the loops do that need no workflow, one step each, for a process that runs no loops and does all that is due at
 * one moment (tests).
 */
export const steps: readonly Step[] = [
  ...inboxSteps,
  fetchDueFiles,
  relayStep,
  fanOutEvents,
  passOverdue,
  async (runtime) => runtime.mail !== null && sendMail(runtime),
  async (runtime) => runtime.config.vapid !== null && sendPushes(runtime),
];

/**
 * Starts what a worker does beside Temporal, by its roles: each loop calls one service function again and again. With
 * nothing to do that is some statements a second.
 */
export function startLoops(runtime: Runtime): Loop[] {
  const { roles } = runtime.config.worker;
  return [
    ...(roles.has('relay')
      ? [startDeliveries, startOutboxRelay, startWebhookFanOut, startFence, startOverdue, startHistories]
      : []),
    ...(roles.has('relay') && runtime.mail ? [startMails] : []),
    ...(roles.has('relay') && runtime.config.vapid ? [startPushes] : []),
    ...(roles.has('inbox') ? [startInbox, startFetches] : []),
  ].map((start) => start(runtime));
}

/**
 * Starts the delivery of waiting messages that nothing is sending. Every worker looks; each takes what no other one has
 * taken.
 */
export function startDeliveries(runtime: Runtime): Loop {
  return startLoop({
    name: 'waiting messages',
    logger: runtime.logger,
    idleMs: runtime.process.timing.looks.waitingMs,
    step: () => startWaiting(runtime),
  });
}

/** Delivers intents whose own process did not: it died, or Temporal was away. */
export function startOutboxRelay(runtime: Runtime): Loop {
  return startLoop({
    name: 'outbox relay',
    logger: runtime.logger,
    idleMs: runtime.process.timing.looks.relayMs,
    step: () => relayStep(runtime),
  });
}

/** Makes deliveries of events. Every worker does; those of one workspace are made by one worker at a time. */
export function startWebhookFanOut(runtime: Runtime): Loop {
  const { looks } = runtime.process.timing;
  return startLoop({
    name: 'webhook fan-out',
    logger: runtime.logger,
    idleMs: looks.eventsMs,
    maxIdleMs: looks.quietEventsMs,
    step: () => fanOutEvents(runtime),
  });
}

/**
 * Detects that the database was restored or a standby promoted, and records it. Sending is held from the first moment
 * even without this loop; it records the time after which accepted messages were certainly not sent before, and tells
 * the operator. After a start of the database server it asks the sweeps to compare the database with its witness at
 * once, so that sending resumes within seconds.
 */
function startFence(runtime: Runtime): Loop {
  return startLoop({
    name: 'delivery fence',
    logger: runtime.logger,
    idleMs: runtime.process.timing.looks.fenceMs,
    step: async () => {
      const { wentBack, cameUp } = await fenceState(runtime);
      if (wentBack) await noteDatabaseWentBack(runtime);
      else if (cameUp) await sweepNow(runtime);
      return false;
    },
  });
}

/** Does what timers should have done by now: one look at three partial indexes where there is nothing. */
function startOverdue(runtime: Runtime): Loop {
  return startLoop({
    name: 'overdue timers',
    logger: runtime.logger,
    idleMs: runtime.process.timing.looks.wakesMs,
    step: () => passOverdue(runtime),
  });
}

/** Moves or removes what merges and erasures of long histories have left: one look at a table that is mostly empty. */
function startHistories(runtime: Runtime): Loop {
  return startLoop({
    name: 'left histories',
    logger: runtime.logger,
    idleMs: runtime.process.timing.looks.historiesMs,
    step: () => passLeftHistories(runtime),
  });
}

/** Sends the waiting mails one by one: a slow mail server delays this loop only. */
export function startMails(runtime: Runtime): Loop {
  return startLoop({
    name: 'mails',
    logger: runtime.logger,
    idleMs: runtime.process.timing.looks.mailsMs,
    step: () => sendMail(runtime),
  });
}

/** Pushes notices to members' browsers: a slow push service delays this loop only. */
export function startPushes(runtime: Runtime): Loop {
  return startLoop({
    name: 'pushes',
    logger: runtime.logger,
    idleMs: runtime.process.timing.looks.pushesMs,
    step: () => sendPushes(runtime),
  });
}

/** Fetches customers' files as soon as they are seen, and again while the platform or the store is away. */
export function startFetches(runtime: Runtime): Loop {
  const loop = startLoop({
    name: 'files',
    logger: runtime.logger,
    idleMs: runtime.process.timing.looks.filesMs,
    step: () => beginFetches(runtime),
  });
  return {
    ...loop,
    async stop() {
      await loop.stop();
      await Promise.race([fetchesEnded(runtime), pause(endWithinMs, null, { ref: false })]);
    },
  };
}

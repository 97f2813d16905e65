import { systemCtx } from '../../api/core/context';
import { dueNowSql } from '../../api/core/clock';
import type { Runtime } from '../../api/core/runtime';
import { deliverNext } from '../../api/services/delivery/sends';
import { applyRule } from '../../api/services/processes/ruleRuns/apply';
import { judgeDue } from '../../api/services/processes/ruleTimers/dueWaits';
import { deliverRound } from '../../api/services/processes/webhookDelivery/deliver';
import { customersTold } from '../../api/services/resources/messages/customerSigns';
import { sumUpReports } from '../../api/services/resources/reports/dailySums';
import type { Sandbox } from '../../dev/sandbox/server';
import { steps } from '../../worker/loops';
import { eventually } from './eventually';

/** More rounds than any test's work takes: beyond them something gives work again and again. */
const maxRounds = 1_000;

/** Whose work is done: that of the workspaces from this one on. */
interface Whose {
  readonly runtime: Runtime;
  readonly sandbox: Sandbox | undefined;
  readonly fromWorkspace: number;
}

/**
 * Does what workers and the workflows of deliveries would do by now, until nothing is left: events of the platform and
 * its statuses, files, intents, events for subscribers and their deliveries, queued messages, mails, pushes, overdue
 * snoozes, the sums of reports. What waits for a later time (a retry, a rate) is left.
 */
export async function doAllWork(whose: Whose): Promise<void> {
  const { runtime, sandbox } = whose;
  for (let round = 0; round < maxRounds; round += 1) {
    await sandbox?.settle();
    let worked = false;
    for (const step of steps) while (await step(runtime)) worked = true;
    // Both, whatever the first did.
    const sent = await sendQueued(whose);
    const told = await tellSubscribers(whose);
    const applied = await applyRules(whose);
    if (worked || sent || told || applied) continue;
    await sumUpReports(runtime);
    await customersTold(runtime);
    return;
  }
  throw new Error(`there is still work after ${maxRounds} rounds`);
}

/** Judges what is due of rules, as their timers do, and applies what members have approved, as its workflow does. */
async function applyRules({ runtime, fromWorkspace }: Whose): Promise<boolean> {
  const due = await runtime.db.rows<{ workspace_id: number; conversation_id: number }>(
    `SELECT DISTINCT workspace_id, conversation_id FROM rule_runs
     WHERE workspace_id >= $fromWorkspace AND look_at <= ${dueNowSql(runtime.clock)} ORDER BY 1, 2`,
    { fromWorkspace },
  );
  for (const { workspace_id: workspaceId, conversation_id: conversationId } of due)
    await judgeDue(systemCtx(runtime, workspaceId, 'test'), conversationId);
  const opened = await runtime.db.rows<{ workspace_id: number; id: number; macro_run_id: number }>(
    `SELECT r.workspace_id, r.id, r.macro_run_id FROM rule_runs r JOIN macro_runs m ON m.id = r.macro_run_id
     WHERE r.workspace_id >= $fromWorkspace AND m.state = 'pending' ORDER BY r.id`,
    { fromWorkspace },
  );
  for (const row of opened)
    await applyRule(systemCtx(runtime, row.workspace_id, 'test'), { runId: row.macro_run_id, ruleRunId: row.id });
  return due.length > 0 || opened.length > 0;
}

/** Sends the queued messages, as the process that accepts them does. */
async function sendQueued({ runtime, fromWorkspace }: Whose): Promise<boolean> {
  const waiting = await runtime.db.rows<{ workspace_id: number; conversation_id: number }>(
    `SELECT DISTINCT workspace_id, conversation_id FROM messages
     WHERE workspace_id >= $fromWorkspace AND delivery_state = 'queued' AND send_seq IS NOT NULL
     ORDER BY workspace_id, conversation_id`,
    { fromWorkspace },
  );
  let sent = false;
  for (const { workspace_id: workspaceId, conversation_id: conversationId } of waiting)
    while ((await deliverNext(runtime, { workspaceId, conversationId })).kind === 'progress') sent = true;
  return sent;
}

/** Makes the due deliveries of webhooks, as the workflows of their subscriptions do. */
async function tellSubscribers({ runtime, fromWorkspace }: Whose): Promise<boolean> {
  const pending = `SELECT d.workspace_id, d.subscription_id, max(d.attempts)::int AS attempts, count(*)::int AS count
     FROM webhook_deliveries d WHERE d.workspace_id >= $fromWorkspace AND d.state = 'pending'
     GROUP BY 1, 2 ORDER BY 1, 2`;
  const read = () => runtime.db.rows<{ workspace_id: number; subscription_id: number }>(pending, { fromWorkspace });
  const before = await read();
  for (const row of before) {
    const ctx = systemCtx(runtime, row.workspace_id, 'test');
    while ((await deliverRound(ctx, row.subscription_id)).waitMs === 0);
  }
  return JSON.stringify(before) !== JSON.stringify(await read());
}

/**
 * What workers and workflows have to do by now, each as a look for one such row of the workspaces from one on. What a
 * worker has in its hands is available later, in case the worker dies; what waits for another try has an error as well.
 */
const due: Readonly<Record<string, string>> = {
  'an event of the platform': `FROM inbox_events WHERE state = 'new' AND (error IS NULL OR available_at <= now())`,
  'an intent': `FROM outbox WHERE set_aside_at IS NULL AND (error = '' OR available_at <= now())`,
  'an event for subscribers': 'FROM webhook_events WHERE fanned_out_at IS NULL AND set_aside_at IS NULL',
  'a delivery of a webhook': `FROM webhook_deliveries
    WHERE state = 'pending' AND (next_attempt_at IS NULL OR next_attempt_at <= now())`,
  'a message': `FROM messages WHERE delivery_state IN ('queued', 'sending') AND (next_attempt_at IS NULL OR
    next_attempt_at <= now())`,
  'a run of a macro': `FROM macro_runs WHERE state = 'pending'`,
  'a move of a ticket': 'FROM ticket_stage_moves WHERE completed_at IS NULL',
  'a broadcast': `FROM broadcasts WHERE status = 'running'`,
};
const anyDue = Object.entries(due)
  .map(([what, from]) => `(SELECT '${what}' AS what ${from} AND workspace_id >= $fromWorkspace LIMIT 1)`)
  .join(' UNION ALL ');

/** Waits until workers have done all that is due, and what the platform says to it is taken in. */
export async function awaitWork({ runtime, sandbox, fromWorkspace }: Whose): Promise<void> {
  // Twice: what was sent before the first look is answered before the second.
  for (let look = 0; look < 2; look += 1) {
    await eventually(async () => {
      // On a full machine the platform takes longer than its own limit to say what it has to.
      if (sandbox && !(await sandbox.settle())) throw new Error('the platform has more to say');
      const left = await runtime.db.rows<{ what: string }>(anyDue, { fromWorkspace });
      if (left.length > 0) throw new Error(`not done yet: ${left.map(({ what }) => what).join(', ')}`);
    });
  }
}

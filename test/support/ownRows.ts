/*
 * What a test on a shared desk may say of work on the whole installation: what became of the rows of its own workspace.
 * How many rows a sweep takes is not its own: other files of the lane leave claims, snoozes and messages behind, which
 * become due while it runs (`test/unit/ownRows.test.ts` refuses such counts).
 *
 *   expect(await changedRows(desk.workspace, 'messages', settleStaleClaims)).toEqual([id]);
 *   expect(await startedAgain(workspace, restartSilentStageMoves)).toEqual([`stage-move/${workspace.id}/${move}`]);
 *   expect(sentFrom(workspace)).toEqual([]);
 *
 * Where the whole is the subject (shares, pages, an empty queue), what others left goes first:
 *
 *   await leaveNothingTo(desk, 'drainInbox');
 *
 * Beside a worker one look may pass over a row that the worker holds just then, so it is repeated:
 *
 *   await sweepUntil(desk, breachOverdue, async () => expect(await ticket(id)).toMatchObject({ sla_breached: true }));
 */
import type { Runtime } from '../../api/core/runtime';
import type { SentRecord } from '../../dev/sandbox/types';
import type { TestWorkspace } from '../factories/workspaces';
import type { TestServer } from './api';
import { eventually } from './eventually';

/** Work on the whole installation. */
type Sweep = (runtime: Runtime) => Promise<unknown>;
type Own = Pick<TestWorkspace, 'id' | 'server'>;

/** Returns the ids of the workspace's rows of a table that the work wrote or removed, in order. */
export async function changedRows(
  { id, server: { runtime } }: Own,
  table: 'broadcasts' | 'conversation_episodes' | 'conversations' | 'messages' | 'scheduled_messages' | 'tickets',
  work: Sweep,
): Promise<number[]> {
  // Each write of a row is a new version of it, whatever it changes.
  const versions = async (): Promise<Map<number, string>> =>
    new Map(
      (
        await runtime.db.rows<{ id: number; version: string }>(
          `SELECT id, ctid::text || xmin::text AS version FROM ${table} WHERE workspace_id = $id ORDER BY id`,
          { id },
        )
      ).map((row) => [row.id, row.version]),
    );
  const before = await versions();
  await work(runtime);
  const after = await versions();
  return [...new Set([...before.keys(), ...after.keys()])].filter((row) => before.get(row) !== after.get(row));
}

/** Returns the ids of the workspace's workflows that the work asks to start or to look again. */
export async function startedAgain({ id, server: { runtime } }: Own, work: Sweep): Promise<string[]> {
  const ids: string[] = [];
  await work({
    ...runtime,
    outbox: {
      ...runtime.outbox,
      addMany: async (workspaceId, intents) => {
        if (workspaceId === id) ids.push(...intents.map(({ start }) => start.id));
        await runtime.outbox.addMany(workspaceId, intents);
      },
    },
  });
  return ids;
}

/** Does the work again and again, as workers do, until the check passes. */
export const sweepUntil = (
  { runtime }: Pick<TestServer, 'runtime'>,
  work: Sweep,
  check: () => Promise<void>,
): Promise<void> =>
  eventually(async () => {
    await work(runtime);
    await check();
  });

/** Returns what the platform was given from the workspace's numbers since the desk was opened. */
export function sentFrom({ server, account }: Pick<TestWorkspace, 'server' | 'account'>): SentRecord[] {
  const numbers = [account.phoneNumberId, account.secondPhoneNumberId];
  return server.sandbox.state.sent.filter(({ phone_number_id: number }) => numbers.includes(number));
}

const events = 'DELETE FROM inbox_events';
const unsent = `UPDATE messages SET delivery_state = 'settled' WHERE delivery_state IN ('queued', 'sending')`;

/** How what a sweep would find is ended, in all workspaces. */
const endings = {
  breachOverdue: `WITH others AS (UPDATE tickets SET first_response_sla = NULL, resolution_sla = NULL
      WHERE first_response_sla IS NOT NULL OR resolution_sla IS NOT NULL)
    UPDATE conversations SET sla_first_response_deadline = NULL, sla_resolution_deadline = NULL
    WHERE sla_first_response_deadline IS NOT NULL OR sla_resolution_deadline IS NOT NULL`,
  claimEvents: events,
  drainInbox: events,
  expireQueued: unsent,
  relay: 'DELETE FROM outbox',
  sendMail: 'DELETE FROM mails',
  sendOverdue: 'DELETE FROM scheduled_messages',
  sendPushes: 'DELETE FROM notices',
  settleStaleClaims: unsent,
  settleUnknown: 'UPDATE messages SET unknown_intake_ms = NULL WHERE unknown_intake_ms IS NOT NULL',
  takeWaiting: unsent,
  wakeOverdue: `UPDATE conversations SET conv_status = 'open', snoozed_until = NULL WHERE conv_status = 'snoozed'`,
} as const;
/** Work on the whole installation of which a test can be alone. */
export type Left = keyof typeof endings;

/**
 * Ends what earlier files, and earlier tests, have left to a sweep. Nobody else works in the installation of a desk
 * without a worker, so all that the sweep finds afterwards is the test's own.
 */
export async function leaveNothingTo({ runtime }: Pick<TestServer, 'runtime'>, sweep: Left): Promise<void> {
  await runtime.db.rows(endings[sweep]);
}

import { restartBroadcasts } from '../../api/services/resources/broadcasts/runs/restart';
import { breachOverdue } from '../../api/services/resources/sla/breaches';
import { expireQueued, settleStaleClaims, settleUnknown } from '../../api/services/resources/messages/rows/settlement';
import { maxSweptRows, type IsOver } from '../../api/core/queue/sweep';
import type { Runtime } from '../../api/core/runtime';
import { createBroadcast, insertContacts } from '../factories/broadcasts';
import type { TestApi } from '../support/api';
import { leaveNothingTo, type Left } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';
import { captureStatements } from '../support/statements';

/*
 * A sweep goes on page by page until nothing is left, and none of its statements takes more than a page: however many
 * rows an outage has left behind, each statement ends within its time and one run of the sweep does them all.
 */

let desk: TestApi;
beforeAll(async () => {
  // No Temporal: intents stay in the table.
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

const run = (sql: string, bind: Record<string, unknown> = {}): Promise<object[]> =>
  desk.runtime.db.transaction(async () => {
    await desk.runtime.db.rows(`SET LOCAL statement_timeout = '60s'`);
    return desk.runtime.db.rows(sql, { workspaceId: desk.workspace.id, ...bind });
  });

const conversations = 5_100;
const messages = 4_100;

/** Conversations of the workspace, the first `messages` of them with one queued message each. */
async function seed(): Promise<void> {
  await insertContacts(desk.workspace, conversations, 49_400_000_000);
  await run(
    `INSERT INTO messages (workspace_id, conversation_id, phone_number_id, direction, type, body, message_status,
      origin,
       delivery_state, opaque, send_seq, deliver_by)
     SELECT workspace_id, id, (SELECT min(id) FROM phone_numbers WHERE workspace_id = $workspaceId), 'outbound', 'text',
       '{"text": {"body": "Hello"}}', 'queued', 'api', 'queued', gen_random_uuid(), 1, now() + interval '1 day'
     FROM conversations WHERE workspace_id = $workspaceId ORDER BY id LIMIT ${messages}`,
  );
}
const states = (set: string) => () => run(`UPDATE messages SET ${set} WHERE workspace_id = $workspaceId`);

interface Sweep {
  /** By which the rows of others are ended; none where it looks at the test's own only. */
  readonly left?: Left;
  readonly prepare: () => Promise<unknown>;
  readonly sweep: (runtime: Runtime, isOver?: IsOver) => Promise<number>;
  readonly rows: number;
  /** A text of the statement that takes one page. */
  readonly statement: string;
}

const sweeps: Readonly<Record<string, Sweep>> = {
  'claims whose sender died': {
    left: 'settleStaleClaims',
    prepare: async () => {
      await seed();
      await states(`delivery_state = 'sending', claim_expires_at = now() - interval '1 minute', attempts = 1`)();
    },
    sweep: settleStaleClaims,
    rows: messages,
    statement: 'UPDATE messages SET',
  },
  'outcomes that never became known': {
    left: 'settleUnknown',
    prepare: states('unknown_intake_ms = -86400000'),
    sweep: settleUnknown,
    rows: messages,
    statement: 'UPDATE messages SET',
  },
  'messages whose time is over': {
    left: 'expireQueued',
    prepare: states(
      `message_status = 'queued', failed_at = NULL, unknown_intake_ms = NULL, delivery_state = 'queued',
       deliver_by = now() - interval '1 hour'`,
    ),
    sweep: expireQueued,
    rows: messages,
    statement: 'UPDATE messages SET',
  },
  'deadlines that have passed': {
    left: 'breachOverdue',
    prepare: () =>
      run(
        `UPDATE conversations SET sla_resolution_deadline = now() - interval '1 hour'
         WHERE workspace_id = $workspaceId`,
      ),
    sweep: breachOverdue,
    rows: conversations,
    statement: 'UPDATE conversations t SET sla_breached',
  },
  'broadcasts that nothing cares for': {
    prepare: async () => {
      const id = await createBroadcast(desk.workspace);
      await run(
        `INSERT INTO broadcasts (workspace_id, name, template_pk, phone_number_id, audience, status, confirmed_at,
          started_at, resolved_at)
         SELECT b.workspace_id, 'News ' || n, b.template_pk, b.phone_number_id, b.audience, 'running',
           now() - interval '1 day', now() - interval '1 hour', now() - interval '1 hour'
         FROM broadcasts b, generate_series(1, 2100) AS n WHERE b.workspace_id = $workspaceId AND b.id = $id`,
        { id },
      );
    },
    sweep: (runtime, isOver) => restartBroadcasts(runtime, { onlyIn: desk.workspace.id }, isOver),
    rows: 2_100,
    statement: 'FROM broadcasts',
  },
};

it.each(Object.entries(sweeps))(
  '%s: all of them in one run, a page at a time, or as many as its time allows',
  async (_name, { left, prepare, sweep, rows, statement }) => {
    if (left) await leaveNothingTo(desk, left);
    await prepare();
    // Intents are renewed as long as they wait; what was changed is not found again.
    const isFoundAgain = statement.startsWith('FROM');
    expect(await sweep(desk.runtime, () => true)).toBe(maxSweptRows);
    const rest = isFoundAgain ? rows : rows - maxSweptRows;
    const { result, statements } = await captureStatements(() => sweep(desk.runtime));
    expect(result).toBe(rest);
    const pages = Math.ceil(rest / maxSweptRows);
    expect(statements.filter(({ text }) => text.includes(statement))).toHaveLength(pages);
    if (!isFoundAgain) expect(await sweep(desk.runtime)).toBe(0);
  },
);

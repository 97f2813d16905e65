import { fc, runs } from '../support/properties';
import {
  claimRecipients,
  readDue,
  type ClaimedMessage,
  type Due,
  type Prepared,
} from '../../api/services/resources/broadcasts/runs/claims';
import { endBroadcast, openBroadcast } from '../../api/services/resources/broadcasts/runs/run';
import type { BroadcastStats } from '../../api/services/resources/broadcasts/stats';
import { mergeContacts } from '../../api/services/processes/contactMerge/merge';
import { recordOutcomes, type AttemptOutcome } from '../../api/services/resources/messages/rows/outcomes';
import { settleStaleClaims, settleUnknown } from '../../api/services/resources/messages/rows/settlement';
import { createBroadcast, insertContacts } from '../factories/broadcasts';
import { signedWebhook, status, webhook } from '../factories/customers';
import { unique } from '../factories/unique';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { captureStatements, Explainer } from '../support/statements';

const path = '/api/v1/broadcasts/';
const size = 14;
const kinds = [
  'claim',
  'accepted',
  'failed',
  'unknown',
  'retry',
  'sent',
  'delivered',
  'read',
  'failedLater',
  'crash',
  'giveUp',
  'optOut',
  'erase',
  'merge',
  'end',
  'endFailed',
] as const;
type Kind = (typeof kinds)[number];
interface Step {
  readonly kind: Kind;
  readonly pick: number;
  readonly many: number;
}

/** Steps that bring recipients into every state, so that the model always gets there. */
const everyState: Step[] = (
  [
    ['claim', 6],
    ['accepted', 2],
    ['read', 2],
    ['failed', 2],
    ['unknown', 2],
    ['giveUp', 1],
    ['claim', 6],
    ['accepted', 2],
    ['end', 1],
  ] as const
).map(([kind, many]) => ({ kind, pick: 0, many }));

const preparedOf = ({ position, contact }: Due): Prepared => ({
  position,
  contact,
  body: { type: 'template', template: { name: 'ticket_update' } },
});
const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

/**
 * Contract C9: `stats` adds up at every moment, whatever becomes of whom in whatever order, before and after the end.
 */
describe('the numbers of a broadcast', () => {
  let desk: TestApi;
  beforeAll(async () => {
    desk = await sharedDesk('plain');
  });
  afterAll(() => desk.close());

  const read = async (workspace: TestWorkspace, id: number): Promise<BroadcastStats> =>
    (await workspace.api.get(`${path}${id}/`)).body.stats;

  function expectSums(stats: BroadcastStats): void {
    expect(stats.pending + stats.sent + stats.failed + stats.skipped + stats.unknown).toBe(stats.audience);
    expect([stats.delivered <= stats.sent, stats.read <= stats.delivered]).toEqual([true, true]);
    expect([sum(stats.skipped_by_reason), sum(stats.failed_by_code)]).toEqual([stats.skipped, stats.failed]);
  }

  /** What the ledger adds up to is what a recount of the recipients gives. */
  async function expectLedger(workspace: TestWorkspace, id: number): Promise<void> {
    const groups = 'state, message_status, reason, error_code';
    const recount = await desk.runtime.db.rows(
      `SELECT ${groups}, count(*) AS count FROM broadcast_recipients WHERE broadcast_id = $id GROUP BY ${groups}
        ORDER BY ${groups}`,
      { id },
    );
    const sums = await desk.runtime.db.rows(
      `SELECT ${groups}, sum(count)::bigint AS count FROM broadcast_numbers
        WHERE workspace_id = $workspace AND broadcast_id = $id
       GROUP BY ${groups} HAVING sum(count) <> 0 ORDER BY ${groups}`,
      { workspace: workspace.id, id },
    );
    expect(sums).toEqual(recount);
  }

  /** One run: what was claimed and what the upstream called it. */
  class Run {
    private open: ClaimedMessage[] = [];
    private readonly wamids: string[] = [];
    private readonly opaques: string[] = [];

    constructor(
      private readonly workspace: TestWorkspace,
      private readonly id: number,
      private readonly contacts: number[],
    ) {}

    async play({ kind, pick, many }: Step): Promise<void> {
      const { runtime } = desk;
      if (kind === 'claim') {
        const { due } = await readDue(this.workspace.ctx, { broadcastId: this.id, from: 1, to: size });
        const prepared = due.slice(0, many).map(preparedOf);
        const { claimed } = await claimRecipients(this.workspace.ctx, this.id, prepared, false);
        this.open.push(...claimed);
        this.opaques.push(...claimed.map(({ opaque }) => opaque));
      } else if (kind === 'accepted' || kind === 'failed' || kind === 'unknown' || kind === 'retry')
        await this.answer(kind, pick, many);
      else if (kind === 'crash') {
        // A worker is gone with its calls under way: nobody can tell what became of them.
        await runtime.db.rows(
          `UPDATE messages SET claim_expires_at = now() - interval '1 minute'
            WHERE workspace_id = $id AND delivery_state = 'sending'`,
          { id: this.workspace.id },
        );
        await settleStaleClaims(runtime);
        this.open = [];
      } else if (kind === 'giveUp') {
        await runtime.db.rows(
          `UPDATE messages SET unknown_intake_ms = -86400000
            WHERE workspace_id = $id AND unknown_intake_ms IS NOT NULL`,
          { id: this.workspace.id },
        );
        await settleUnknown(runtime);
      } else if (kind === 'optOut')
        await runtime.db.rows('UPDATE contacts SET marketing_opt_out = true WHERE id = $contact', {
          contact: this.contacts[pick % size],
        });
      else if (kind === 'erase') {
        const row = await runtime.db.row<{ receiver_id: string }>(
          'SELECT receiver_id FROM contacts WHERE id = $contact',
          { contact: this.contacts[pick % size] },
        );
        if (row) await this.workspace.api.delete(`/api/v1/contacts/${row.receiver_id}/`);
      } else if (kind === 'merge') {
        const [first, second] = [this.contacts[pick % size], this.contacts[(pick + many) % size]];
        const both = await runtime.db.rows('SELECT id FROM contacts WHERE id = ANY($ids::int[])', {
          ids: [first, second],
        });
        if (both.length === 2 && first !== undefined && second !== undefined)
          await runtime.db.transaction(() => mergeContacts(this.workspace.ctx, first, second));
      } else if (kind === 'end' || kind === 'endFailed')
        await endBroadcast(this.workspace.ctx, {
          broadcastId: this.id,
          reason: kind === 'end' ? '' : 'The template is PAUSED.',
        });
      else await this.hear(kind === 'failedLater' ? 'failed' : kind, pick, many);
    }

    private async answer(kind: 'accepted' | 'failed' | 'unknown' | 'retry', pick: number, many: number): Promise<void> {
      const answered = this.open.splice(pick % Math.max(1, this.open.length), many);
      await Promise.all(
        answered.map(({ id, attempts }) => {
          const wamid = `wamid.model${unique()}`;
          if (kind === 'accepted') this.wamids.push(wamid);
          const more: Partial<AttemptOutcome> =
            kind === 'accepted'
              ? { wamid }
              : kind === 'failed'
                ? { code: pick % 2 ? 131026 : -1, title: 'T', message: 'M' }
                : kind === 'retry'
                  ? { waitMs: 0 }
                  : {};
          return recordOutcomes(desk.runtime, this.workspace.id, [{ id, attempts, kind, ...more }]);
        }),
      );
    }

    /** Statuses of messages that were answered for, and by our own id of any that was ever claimed. */
    private async hear(word: string, pick: number, many: number): Promise<void> {
      const fault = word === 'failed' ? { errors: [{ code: 131049, title: 'Cap' }] } : {};
      const known = this.wamids
        .slice(pick % Math.max(1, this.wamids.length))
        .slice(0, many)
        .map((wamid) => status(wamid, word, fault));
      const claimed = this.opaques
        .slice(pick % Math.max(1, this.opaques.length))
        .slice(0, 1)
        .map((opaque) => status(`wamid.by${opaque}`, word, { biz_opaque_callback_data: opaque, ...fault }));
      const statuses = [...known, ...claimed];
      if (statuses.length === 0) return;
      expect((await signedWebhook(this.workspace, webhook(this.workspace, { statuses }))).status).toBe(200);
      await desk.settled();
    }
  }

  /** A broadcast of `size` recipients that runs, with the first `claims` of them claimed. */
  async function running(claims: number): Promise<{ workspace: TestWorkspace; id: number; claimed: ClaimedMessage[] }> {
    const workspace = await createWorkspace(desk);
    await insertContacts(workspace, size, 4_914_000_000_000 + unique() * 100);
    const id = await createBroadcast(workspace);
    await workspace.api.post(`${path}${id}/confirm/`);
    await openBroadcast(workspace.ctx, id);
    const { due } = await readDue(workspace.ctx, { broadcastId: id, from: 1, to: size });
    const prepared = due.slice(0, claims).map(preparedOf);
    return { workspace, id, claimed: (await claimRecipients(workspace.ctx, id, prepared, false)).claimed };
  }

  /** Lets the upstream refuse the first claimed message for now, and returns it. */
  async function putOff(workspace: TestWorkspace, claimed: readonly ClaimedMessage[], waitMs: number) {
    const [message] = claimed;
    if (!message) throw new Error('nobody was claimed');
    const { id, attempts } = message;
    await recordOutcomes(desk.runtime, workspace.id, [{ id, attempts, kind: 'retry', waitMs }]);
    return message;
  }

  it('follow every message of a statement that moves many, and each as it stands', async () => {
    const { workspace, id, claimed } = await running(6);
    const ids = claimed.map((message) => message.id);
    await desk.runtime.db.rows(
      `UPDATE messages SET message_status = (ARRAY['sent', 'delivered', 'read', 'played', 'failed',
        'unknown'])[array_position($ids::int[], id)], error_code = CASE id WHEN $failed THEN 131026 END
        WHERE id = ANY($ids::int[])`,
      { ids, failed: ids[4] },
    );
    const stats = await read(workspace, id);
    expectSums(stats);
    const told = { sent: 4, delivered: 3, read: 2, failed: 1, unknown: 1, failed_by_code: { 131026: 1 } };
    expect(stats).toMatchObject({ audience: size, pending: size - 6, ...told });
    expect(
      await desk.runtime.db.rows(
        `SELECT message_id FROM broadcast_recipients WHERE broadcast_id = $id AND message_id IS NOT NULL
          ORDER BY position`,
        { id },
      ),
    ).toEqual(ids.map((message) => ({ message_id: message })));
  });

  it('leave a skipped recipient skipped whose message waits, and count it once the upstream speaks of it', async () => {
    const { workspace, id, claimed } = await running(1);
    const message = await putOff(workspace, claimed, 60_000);
    await desk.runtime.db.rows(
      `UPDATE broadcast_recipients SET state = 'skipped', reason = 'opted_out'
        WHERE broadcast_id = $id AND position = 1`,
      { id },
    );
    // What lifts a stop does to everything that waits.
    await desk.runtime.db.rows('UPDATE messages SET next_attempt_at = NULL, updated_at = now() WHERE id = $message', {
      message: message.id,
    });
    expect(await read(workspace, id)).toMatchObject({
      skipped: 1,
      skipped_by_reason: { opted_out: 1 },
      pending: size - 1,
    });

    await signedWebhook(
      workspace,
      webhook(workspace, {
        statuses: [status('wamid.after', 'delivered', { biz_opaque_callback_data: message.opaque })],
      }),
    );
    await desk.settled();
    const stats = await read(workspace, id);
    expectSums(stats);
    expect(stats).toMatchObject({ skipped: 0, skipped_by_reason: {}, sent: 1, delivered: 1, pending: size - 1 });
  });

  it('leave no message behind of somebody who opts out before another try', async () => {
    const { workspace, id, claimed } = await running(1);
    await putOff(workspace, claimed, 0);
    await desk.runtime.db.rows(
      `UPDATE contacts SET marketing_opt_out = true
        WHERE workspace_id = $workspace AND id = (SELECT contact_id FROM broadcast_recipients
          WHERE broadcast_id = $id AND position = 1)`,
      { workspace: workspace.id, id },
    );
    const { due } = await readDue(workspace.ctx, { broadcastId: id, from: 1, to: 1 });
    const prepared = due.map(preparedOf);
    expect(await claimRecipients(workspace.ctx, id, prepared, false)).toEqual({ claimed: [], skipped: 1 });
    await endBroadcast(workspace.ctx, { broadcastId: id, reason: '' });
    expect(
      await desk.runtime.db.rows('SELECT id FROM messages WHERE workspace_id = $id', { id: workspace.id }),
    ).toEqual([]);
    expect(await read(workspace, id)).toMatchObject({
      skipped: 1,
      skipped_by_reason: { opted_out: 1 },
      pending: size - 1,
    });
  });

  it('are those of the recipients, after many statements at once and however often the ledger is folded', async () => {
    const { workspace, id, claimed } = await running(size);
    const { db } = desk.runtime;
    const steps = ['sent', 'delivered', 'read', 'failed'];
    const looks: Promise<BroadcastStats>[] = [];
    for (const step of steps) {
      await Promise.all([
        ...claimed.map((message) =>
          db.rows('UPDATE messages SET message_status = $step WHERE workspace_id = $workspace AND id = $message', {
            step: step === 'failed' && message.id % 3 ? 'played' : step,
            workspace: workspace.id,
            message: message.id,
          }),
        ),
        ...[1, 2, 3].map(() => db.rows('SELECT fold_broadcast_numbers($id)', { id })),
        ...[1, 2, 3].map(() => looks[looks.push(read(workspace, id)) - 1]),
      ]);
      looks.push(read(workspace, id));
    }
    for (const look of await Promise.all(looks)) {
      expectSums(look);
      expect(look.audience).toBe(size);
    }
    await expectLedger(workspace, id);
    await db.rows('SELECT fold_broadcast_numbers($id)', { id });
    await expectLedger(workspace, id);
  });

  it('of fifty that have ended are read without a look at recipients or messages, however many there are', async () => {
    const workspace = await createWorkspace(desk);
    const first = await createBroadcast(workspace);
    await desk.runtime.db.rows(
      `WITH ended AS (
         INSERT INTO broadcasts (workspace_id, name, template_pk, phone_number_id, audience, status, confirmed_at,
           started_at, resolved_at, completed_at)
         SELECT b.workspace_id, 'News ' || n, b.template_pk, b.phone_number_id, b.audience, 'completed', now(), now(),
           now(), now()
         FROM broadcasts b, generate_series(1, 50) AS n WHERE b.workspace_id = $workspace AND b.id = $first
         RETURNING id
       )
       INSERT INTO broadcast_recipients (broadcast_id, position, workspace_id, contact_id, state, reason, error_code)
       SELECT id, n, $workspace, n, CASE n % 3 WHEN 0 THEN 'sent' WHEN 1 THEN 'failed' ELSE 'skipped' END,
         CASE n % 3 WHEN 2 THEN 'opted_out' ELSE '' END, CASE n % 3 WHEN 1 THEN 131000 + n % 5 END
       FROM ended, generate_series(1, 1500) AS n`,
      { workspace: workspace.id, first },
    );
    const { result, statements } = await captureStatements(() =>
      workspace.api.get(`${path}?page_size=50&status=completed`),
    );
    expect(result.body.results.map(({ stats }) => [stats.audience, stats.failed, stats.skipped])).toEqual(
      Array.from({ length: 50 }, () => [1_500, 500, 500]),
    );
    expect(statements.filter(({ text }) => /broadcast_recipients|\bmessages\b/.test(text))).toEqual([]);
    const lists = statements.filter(({ text }) => text.includes('broadcast'));
    expect(lists.filter(({ text }) => text.includes('broadcast_numbers'))).toHaveLength(1);
    const explainer = await Explainer.open(desk.test.env['DATABASE_URL'] ?? '');
    let buffers = 0;
    for (const statement of lists) buffers += (await explainer.read(statement)).buffers;
    await explainer.close();
    // A sum over the recipients would read some 20 pages of each; the rows of the ledger and of the list are a few.
    expect(buffers).toBeLessThan(12 * 50);
  });

  it('always add up (model)', async () => {
    const step = fc.record<Step>({
      kind: fc.constantFrom<Kind>(...kinds, 'claim', 'claim', 'accepted', 'accepted', 'delivered'),
      pick: fc.nat({ max: 30 }),
      many: fc.integer({ min: 1, max: 6 }),
    });
    const seen: Partial<Record<keyof BroadcastStats, number>> = {};
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), async (steps) => {
        const workspace = await createWorkspace(desk);
        await insertContacts(workspace, size, 4_914_000_000_000 + unique() * 100);
        const contacts = (
          await desk.runtime.db.rows<{ id: number }>('SELECT id FROM contacts WHERE workspace_id = $id ORDER BY id', {
            id: workspace.id,
          })
        ).map(({ id }) => id);
        await desk.runtime.db.rows('UPDATE contacts SET marketing_opt_out = true WHERE id = $id', { id: contacts[0] });
        const id = await createBroadcast(workspace);
        expect((await workspace.api.post(`${path}${id}/confirm/`)).status).toBe(200);
        expect(await openBroadcast(workspace.ctx, id)).toMatchObject({ kind: 'running', audience: size });
        const run = new Run(workspace, id, contacts);
        for (const one of steps) {
          // Looked at while it happens and after it.
          const [, during] = await Promise.all([run.play(one), read(workspace, id)]);
          expectSums(during);
          const stats = await read(workspace, id);
          expectSums(stats);
          expect(stats.audience).toBe(size);
          for (const key of ['sent', 'read', 'failed', 'skipped', 'unknown'] as const)
            seen[key] = Math.max(seen[key] ?? 0, stats[key]);
        }
        await expectLedger(workspace, id);
        // The list, and the recipients one by one, say the same.
        const stats = await read(workspace, id);
        const listed = (await workspace.api.get(path)).body.results;
        expect(listed).toMatchObject([{ id, stats }]);
        const recipients = (await workspace.api.get(`${path}${id}/recipients/?page_size=200`)).body;
        expect(recipients.count).toBe(size);
        const count = (...states: string[]): number =>
          recipients.results.filter((row) => states.includes(String(row['status']))).length;
        expect({
          pending: count('pending', 'sending'),
          sent: count('sent'),
          failed: count('failed'),
          skipped: count('skipped'),
          unknown: count('unknown'),
        }).toEqual({
          pending: stats.pending,
          sent: stats.sent,
          failed: stats.failed,
          skipped: stats.skipped,
          unknown: stats.unknown,
        });
        for (const state of ['pending', 'sending', 'sent', 'failed', 'skipped', 'unknown'])
          expect((await workspace.api.get(`${path}${id}/recipients/?status=${state}`)).body.count).toBe(count(state));
      }),
      { numRuns: runs(12), endOnFailure: true, examples: [[everyState]] },
    );
    for (const key of ['sent', 'read', 'failed', 'skipped', 'unknown'] as const)
      expect([key, (seen[key] ?? 0) > 0]).toEqual([key, true]);
  });
});

import { demoPhoneNumberId } from '../../dev/sandbox/demo';
import { discardLater } from '../../api/services/processes/outbound/sendLater';
import { createMessage } from '../../api/services/processes/outbound/service';
import { readMessage } from '../../api/services/resources/messages/service';
import { createRuntime } from '../../api/core/runtime';
import { wakeOverdue } from '../../api/services/resources/conversations/snooze';
import { messageDeliveryStart, snoozeTimerStart } from '../../workflows/starts';
import { createDesk, type Desk } from '../support/desk';
import { eventually } from '../support/eventually';
import { createTestRuntime, type TestRuntime } from '../support/runtime';
import { startWorker } from '../support/worker';
import type { Sandbox } from '../../dev/sandbox/server';
import { workflowOf } from '../support/workflows';

const soon = (ms: number): Date => new Date(Date.now() + ms);

let test: TestRuntime & { readonly sandbox: Sandbox };
let desk: Desk;
beforeAll(async () => {
  test = await createTestRuntime({ sandbox: true });
  desk = await createDesk(test);
});
afterAll(() => test.close());

it('ends the timers of a crowd that woke together, each saying so', async () => {
  const crowd: string[] = [];
  for (let index = 0; index < 8; index += 1) crowd.push(await desk.customer(`1555000150${index}`));
  const due = soon(3_000);
  for (const handle of crowd) await desk.snooze(handle, due);
  await eventually(async () => expect(await test.runtime.db.rows('SELECT 1 AS ok FROM outbox')).toEqual([]));
  // No worker takes the timers: Temporal is as far behind as with ten thousand of them.
  await eventually(async () => expect(await wakeOverdue(test.runtime)).toBe(crowd.length));
  const worker = await startWorker(test);
  for (const handle of crowd) {
    const { id } = await desk.conversation(handle);
    const timer = workflowOf(test.runtime, snoozeTimerStart(desk.ctx.workspaceId, id).id);
    expect(await timer.result()).toBe('woken_with_others');
  }
  await worker.stop();
});

describe('workflows over real rows on a real server', () => {
  beforeAll(() => startWorker(test));

  const status = async (handle: string, wanted: string): Promise<void> =>
    eventually(async () => expect(await desk.conversation(handle)).toMatchObject({ conv_status: wanted }));

  const textsTo = (digits: string): unknown[] =>
    test.sandbox.state.sent
      .filter((record) => record.to === digits)
      .map((record) => (record.body?.['text'] as { body?: string } | undefined)?.body ?? record.body);

  it('wakes a snoozed conversation and records it', async () => {
    const handle = await desk.customer('15550001001');
    await desk.snooze(handle, soon(800));
    expect(await desk.conversation(handle)).toMatchObject({ conv_status: 'snoozed' });
    await status(handle, 'open');
    const events = await test.runtime.db.rows<{ kind: string; actor_type: string }>(
      `SELECT kind, actor_type FROM events WHERE subject_type = 'conversation' AND subject_id = $id ORDER BY id`,
      {
        id: (await desk.conversation(handle)).id,
      },
    );
    expect(events.at(-1)).toEqual({ kind: 'woken', actor_type: 'system' });
  });

  it('queues a message for later at its moment, and does what an operator asks', async () => {
    const handle = await desk.customer('15550001021');
    const later = async (ms: number): Promise<number> => {
      const body = { to: handle, body: `In ${ms}`, phone_number_id: demoPhoneNumberId, send_at: soon(ms) };
      return Number((await createMessage(desk.ctx, body))['id']);
    };
    const [own, sent, held, gone] = [
      await later(900),
      await later(3_600_000),
      await later(3_600_000),
      await later(60_000),
    ];
    await discardLater(desk.ctx, gone);
    await test.runtime.outbox.drain();
    const timer = (id: number) => workflowOf(test.runtime, `send-later/${desk.ctx.workspaceId}/${id}`);
    await timer(sent).signal('send');
    await timer(held).signal('cancel');
    const ends = await Promise.all([own, sent, held, gone].map((id) => timer(id).result()));
    expect(ends).toEqual(['queued', 'queued', 'held', 'cancelled']);
    expect((await desk.message(own)).message_status).not.toBe('');
    expect(await readMessage(desk.ctx, held)).toMatchObject({ message_status: 'held', held_reason: 'operator' });
  });

  it('follows a re-snooze, and leaves a resolved conversation alone', async () => {
    const handle = await desk.customer('15550001002');
    await desk.snooze(handle, soon(3_600_000));
    await desk.snooze(handle, soon(500));
    await status(handle, 'open');

    await desk.snooze(handle, soon(3_600_000));
    const { id } = await desk.conversation(handle);
    await test.runtime.db.rows(
      `UPDATE conversations SET conv_status = 'resolved', snoozed_until = NULL, snooze_version = snooze_version + 1
        WHERE id = $id`,
      { id },
    );
    const workflow = workflowOf(test.runtime, snoozeTimerStart(desk.ctx.workspaceId, id).id);
    await eventually(() =>
      workflow.signal('deadline', {
        workspaceId: desk.ctx.workspaceId,
        conversationId: id,
        dueAt: new Date(Date.now() - 1).toISOString(),
        version: 99,
      }),
    );
    expect(await workflow.result()).toBe('superseded');
    expect(await desk.conversation(handle)).toMatchObject({ conv_status: 'resolved' });
  });

  it.each(['wake', 'cancel'])('opens the conversation when an operator signals %s', async (signal) => {
    const handle = await desk.customer(signal === 'wake' ? '15550001003' : '15550001004');
    await desk.snooze(handle, soon(3_600_000));
    const { id } = await desk.conversation(handle);
    const workflow = workflowOf(test.runtime, snoozeTimerStart(desk.ctx.workspaceId, id).id);
    await eventually(() => workflow.signal(signal));
    await status(handle, 'open');
  });

  it('ends at once when a cancel is the first that it hears', async () => {
    const workspaceId = desk.ctx.workspaceId;
    const start = snoozeTimerStart(workspaceId, 999_999);
    const state = { workspaceId, conversationId: 999_999, dueAt: null, version: 4 };
    await eventually(() => test.runtime.temporal.signalWithStart(start, state, 'cancel', { version: 4 }));
    expect(await workflowOf(test.runtime, start.id).result()).toBe('cancelled');
  });

  it('tells operators which message waits, what the platform answered, and when the next attempt is', async () => {
    const handle = await desk.customer('15550001009');
    test.sandbox.faults.add({ kind: 'error', code: 131016, to: '15550001009', times: 4 });
    const message = await desk.send(handle, 'first');
    const { id } = await desk.conversation(handle);
    const workflow = workflowOf(test.runtime, messageDeliveryStart(desk.ctx.workspaceId, id).id);
    await eventually(async () =>
      expect(await workflow.query('state')).toMatchObject({
        settled: 0,
        waiting: {
          messageId: message,
          attempts: 2,
          why: expect.stringMatching(/^(refused|retry)$/) as string,
          answer: { status: expect.any(Number) as number, code: 131016 },
          until: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        },
      }),
    );
    await workflow.result();
    expect(await desk.message(message)).toMatchObject({ message_status: 'sent', attempts: 5 });
  });

  it('delivers everything when many signals meet runs that are just ending', async () => {
    const handle = await desk.customer('15550001008');
    // A process that sends nothing itself: each message goes by workflow.
    const accepting = createRuntime(test.runtime.config, 'test', { logger: test.runtime.logger });
    const ids: number[] = [];
    for (let index = 0; index < 40; index += 1) {
      ids.push(await desk.send(handle, `burst ${index}`, accepting));
      // Some after the actor has ended, some in its midst.
      if (index % 5 === 0)
        await eventually(async () => expect(await desk.message(ids[0] ?? 0)).toMatchObject({ message_status: 'sent' }));
    }
    await eventually(async () => expect(await desk.message(ids.at(-1) ?? 0)).toMatchObject({ message_status: 'sent' }));
    const sent = textsTo('15550001008');
    expect(sent).toEqual(ids.map((_id, index) => `burst ${index}`));
    const { id } = await desk.conversation(handle);
    await workflowOf(test.runtime, messageDeliveryStart(desk.ctx.workspaceId, id).id).result();
    await accepting.close();
  });
});

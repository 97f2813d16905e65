import type { Activities } from '../../workflows/activityTypes';
import type {
  BroadcastChunk,
  BroadcastEnd,
  BroadcastOpening,
  BroadcastPlan,
  BroadcastState,
} from '../../workflows/contract';
import { eventually } from '../support/eventually';
import { inTurn, isoTime, pause, refuse, settled, type Path } from './path';

const confirmed = (delayMs: number | null, version = 1): BroadcastState => ({
  workspaceId: 1,
  broadcastId: 1,
  version,
  dueAt: delayMs === null ? null : isoTime(Date.now() + delayMs),
});
const running: BroadcastOpening = { kind: 'running', audience: 500, skipped: 1 };
const chunk = (more: Partial<BroadcastChunk> = {}): BroadcastChunk => ({
  tally: { sent: 1, failed: 0, skipped: 0, unknown: 0 },
  more: false,
  troubled: false,
  stop: null,
  ...more,
});
const noPlan: BroadcastPlan = { ranges: [], open: 0, waitMs: 200 };
const ended = async (input: { reason: string }): Promise<BroadcastEnd> => ({
  status: input.reason === '' ? 'completed' : 'failed',
  reason: input.reason,
  tally: { sent: 1, failed: 0, skipped: 1, unknown: 0 },
  audience: 500,
});
/** A plan of so many stretches once, then nothing. */
const planned = (count: number, ...later: BroadcastPlan[]): Activities['planBroadcast'] => {
  const plans: BroadcastPlan[] = [
    {
      ranges: Array.from({ length: count }, (_unused, index) => ({ from: index * 250 + 1, to: (index + 1) * 250 })),
      open: 0,
      waitMs: 0,
    },
    noPlan,
    ...later,
  ];
  return async () => plans.shift() ?? noPlan;
};
/** Every path of a broadcast. */
export function broadcastPaths(): readonly Path[] {
  return [
    {
      name: 'broadcast.completed',
      workflow: 'broadcast',
      fakes: () => ({
        openBroadcast: async () => running,
        planBroadcast: planned(3),
        sendBroadcastChunk: inTurn(
          () => chunk({ more: true }),
          () => chunk(),
        ),
        endBroadcast: ended,
      }),
      run: async (begin) => settled(await begin(confirmed(null))),
    },
    {
      name: 'broadcast.scheduled',
      workflow: 'broadcast',
      fakes: () => ({
        openBroadcast: inTurn<BroadcastOpening>(
          () => ({ kind: 'not_due', waitMs: 300 }),
          () => running,
        ),
        planBroadcast: planned(1),
        sendBroadcastChunk: async () => chunk(),
        endBroadcast: ended,
      }),
      run: async (begin) => {
        const handle = await begin(confirmed(3_600_000));
        await handle.signal('cancel', { version: 0 });
        await handle.signal('deadline', confirmed(400, 3));
        await settled(handle);
      },
    },
    {
      name: 'broadcast.unscheduled',
      workflow: 'broadcast',
      fakes: () => ({}),
      run: async (begin) => {
        const handle = await begin(confirmed(3_600_000));
        await handle.signal('cancel', { version: 2 });
        await settled(handle);
      },
    },
    {
      name: 'broadcast.unscheduledByOperator',
      workflow: 'broadcast',
      fakes: () => ({ unscheduleBroadcast: async () => undefined, confirmBroadcast: async () => undefined }),
      run: async (begin) => {
        const handle = await begin(confirmed(3_600_000));
        await handle.signal('confirm');
        await pause(300);
        await handle.signal('unschedule');
        await pause(300);
        await handle.signal('cancel', { version: 2 });
        await settled(handle);
      },
    },
    {
      name: 'broadcast.superseded',
      workflow: 'broadcast',
      fakes: () => ({ openBroadcast: async () => ({ kind: 'superseded' }) }),
      run: async (begin) => settled(await begin(confirmed(null))),
    },
    {
      name: 'broadcast.refused',
      workflow: 'broadcast',
      fakes: () => ({ openBroadcast: async () => refuse() }),
      run: async (begin) => settled(await begin(confirmed(null))),
    },
    {
      name: 'broadcast.failedAtOpening',
      workflow: 'broadcast',
      fakes: () => ({ openBroadcast: async () => ({ kind: 'failed', reason: 'No.' }), endBroadcast: ended }),
      run: async (begin) => settled(await begin(confirmed(null))),
    },
    {
      name: 'broadcast.stopped',
      workflow: 'broadcast',
      fakes: () => ({
        openBroadcast: async () => running,
        planBroadcast: planned(6),
        sendBroadcastChunk: inTurn(
          () => chunk(),
          () => chunk({ stop: 'Refused.' }),
        ),
        endBroadcast: ended,
      }),
      run: async (begin) => settled(await begin(confirmed(null))),
    },
    {
      name: 'broadcast.troubledAndRetried',
      workflow: 'broadcast',
      fakes: () => ({
        openBroadcast: async () => running,
        planBroadcast: planned(
          3,
          { ranges: [], open: 5, waitMs: 300 },
          {
            ranges: [
              { from: 1, to: 9 },
              { from: 10, to: 20 },
            ],
            open: 0,
            waitMs: 0,
          },
        ),
        sendBroadcastChunk: inTurn(
          () => chunk({ troubled: true }),
          () => Promise.reject(new Error('away')),
          () => chunk(),
        ),
        endBroadcast: ended,
      }),
      run: async (begin) => settled(await begin(confirmed(null))),
    },
    {
      name: 'broadcast.held',
      workflow: 'broadcast',
      fakes: () => ({
        openBroadcast: async () => running,
        planBroadcast: planned(
          1,
          { ranges: [], open: 0, waitMs: 3_600_000, paused: 'The platform refuses the account.' },
          { ranges: [{ from: 1, to: 9 }], open: 0, waitMs: 0 },
        ),
        sendBroadcastChunk: inTurn(
          () => chunk({ held: true }),
          () => chunk(),
        ),
        endBroadcast: ended,
      }),
      run: async (begin) => {
        const handle = await begin(confirmed(null));
        await eventually(async () => {
          const { waiting } = await handle.query<{ waiting: string }>('progress');
          if (!waiting.includes('refuses the account')) throw new Error('it is not held');
        });
        // What lifting a hold sends: the row's deadline again, with nothing new in it.
        await handle.signal('deadline', confirmed(null));
        await settled(handle);
      },
    },
    {
      name: 'broadcast.endedWhilePaused',
      workflow: 'broadcast',
      fakes: () => ({
        openBroadcast: async () => running,
        planBroadcast: inTurn<BroadcastPlan>(
          () => ({ ...noPlan, waitMs: 3_600_000, paused: 'The platform refuses the account.' }),
          () => ({ ...noPlan, waitMs: 300, paused: 'The platform refuses the account.' }),
          () => ({ ...noPlan, stop: 'It was so for 24 hours.' }),
        ),
        endBroadcast: ended,
      }),
      run: async (begin) => settled(await begin(confirmed(null))),
    },
    {
      name: 'broadcast.queued',
      workflow: 'broadcast',
      fakes: () => ({
        openBroadcast: inTurn<BroadcastOpening>(
          () => ({ kind: 'not_due', waitMs: 300, behind: 7 }),
          () => ({ ...running, lanes: 2 }),
        ),
        planBroadcast: planned(5),
        sendBroadcastChunk: async () => chunk(),
        endBroadcast: ended,
      }),
      run: async (begin) => settled(await begin(confirmed(null))),
    },
    {
      name: 'broadcast.rested',
      workflow: 'broadcast',
      fakes: () => ({
        openBroadcast: async () => ({ ...running, lanes: 2 }),
        planBroadcast: planned(3),
        sendBroadcastChunk: inTurn(
          () => chunk({ more: true, waitMs: 200 }),
          () => chunk(),
        ),
        endBroadcast: ended,
      }),
      run: async (begin) => settled(await begin(confirmed(null))),
    },
    {
      name: 'broadcast.continued',
      workflow: 'broadcast',
      fakes: () => ({
        openBroadcast: async () => running,
        planBroadcast: planned(40),
        sendBroadcastChunk: async () => chunk(),
        endBroadcast: ended,
      }),
      run: async (begin) => settled(await begin(confirmed(null))),
    },
  ];
}

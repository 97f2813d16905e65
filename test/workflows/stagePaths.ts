import { ApplicationFailure } from '@temporalio/common';
import type { Activities } from '../../workflows/activityTypes';
import type { RecipientOutcome, RecipientPage } from '../../workflows/contract';
import { inTurn, pause, refuse, settled, type Path } from './path';

const move = { workspaceId: 1, ticketId: 1, moveId: 1 };
const page = (contactIds: number[]): RecipientPage => ({
  settled: { sent: 0, skipped: 1, failed: 0, unknown: 0 },
  contactIds,
  lastPlace: contactIds.at(-1) ?? null,
});

/** A move with these recipients, each told at the first try. */
const recipients = (...contactIds: number[]): Partial<Activities> => ({
  openStageMove: async () => page(contactIds),
  notifyStageRecipient: async () => ({ state: 'sent' }),
  completeStageMove: async () => undefined,
});
const numbered = (count: number): number[] => Array.from({ length: count }, (_unused, index) => index + 1);

/** Fails as an activity does whose recipient has to wait. */
const waits = (nextRetryDelay: number) => (): Promise<RecipientOutcome> =>
  Promise.reject(ApplicationFailure.create({ message: 'The platform answered 503 (code 131016).', nextRetryDelay }));

/** The ways of a stage notification. */
export function stagePaths(): readonly Path[] {
  return [
    {
      name: 'stageNotify.notified',
      workflow: 'stageNotify',
      fakes: () => ({
        ...recipients(1, 2, 3, 4),
        notifyStageRecipient: async ({ contactId }) =>
          contactId === 2 ? refuse() : { state: contactId === 3 ? 'gone' : 'sent' },
      }),
      run: async (begin) => settled(await begin(move)),
    },
    {
      name: 'stageNotify.nobody',
      workflow: 'stageNotify',
      fakes: () => recipients(),
      run: async (begin) => settled(await begin(move)),
    },
    {
      name: 'stageNotify.retried',
      workflow: 'stageNotify',
      fakes: () => ({
        ...recipients(1),
        notifyStageRecipient: inTurn<RecipientOutcome>(waits(100), () => ({ state: 'sent' })),
      }),
      run: async (begin) => settled(await begin(move)),
    },
    {
      name: 'stageNotify.triedAgain',
      workflow: 'stageNotify',
      fakes: () => ({
        ...recipients(1),
        notifyStageRecipient: inTurn<RecipientOutcome>(waits(3_600_000), () => ({ state: 'sent' })),
      }),
      run: async (begin) => {
        const handle = await begin(move);
        await pause(500);
        await handle.signal('deliver');
        await settled(handle);
      },
    },
    {
      name: 'stageNotify.stopped',
      workflow: 'stageNotify',
      fakes: () => ({
        ...recipients(1, 2),
        notifyStageRecipient: async ({ contactId, mayWaitForStop }) => ({
          state: contactId === 1 && !mayWaitForStop ? 'held' : 'sent',
        }),
      }),
      run: async (begin) => settled(await begin(move)),
    },
    {
      name: 'stageNotify.long',
      workflow: 'stageNotify',
      fakes: () => ({
        ...recipients(),
        openStageMove: async ({ afterPlace, limit }) => page(afterPlace === 0 ? numbered(limit) : [limit + 1]),
      }),
      run: async (begin) => settled(await begin(move)),
    },
  ];
}

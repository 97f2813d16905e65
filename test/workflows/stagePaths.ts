import type { Activities, BatchOutcome, StageNotifySummary } from '../../workflows/contract';
import { inTurn, refuse, settled, type Path } from './path';

const move = { workspaceId: 1, ticketId: 1, moveId: 1 };
const prepared: StageNotifySummary = { sent: 0, skipped: 1, failed: 0, unknown: 0 };

/** Everybody of a batch was told, but those who wait or are left. */
const told = (contactIds: readonly number[], alone: number[] = [], left: number[] = []): BatchOutcome => ({
  settled: { sent: contactIds.length - alone.length - left.length, skipped: 0, failed: 0, unknown: 0 },
  alone,
  left,
});

/** A move with these recipients, told together where nothing else is said. */
const recipients = (...contactIds: number[]): Partial<Activities> => ({
  openStageMove: async () => ({ settled: prepared, contactIds, lastPlace: contactIds.at(-1) ?? null }),
  listStageRecipients: async () => ({ contactIds, lastPlace: contactIds.at(-1) ?? null }),
  notifyStageRecipients: async (input) => told(input.contactIds),
  notifyStageRecipient: async () => ({ state: 'sent' }),
  completeStageMoveLocally: async () => undefined,
});

const numbered = (count: number): number[] => Array.from({ length: count }, (_unused, index) => index + 1);

/**
 * The ways of a stage notification. The histories of `stageNotify` without `together` in their name are of runs that
 * began before recipients were told together.
 */
export function stagePaths(): readonly Path[] {
  return [
    {
      name: 'stageNotify.together',
      workflow: 'stageNotify',
      fakes: () => recipients(...numbered(120)),
      run: async (begin) => settled(await begin(move)),
    },
    {
      name: 'stageNotify.atOnce',
      workflow: 'stageNotify',
      fakes: () => ({
        ...recipients(1, 2, 3, 4),
        openStageMove: async () => ({
          settled: prepared,
          contactIds: [1, 2, 3, 4],
          lastPlace: 4,
          notified: told([1, 2, 3, 4], [2], [3]),
        }),
      }),
      run: async (begin) => settled(await begin(move)),
    },
    {
      name: 'stageNotify.togetherNobody',
      workflow: 'stageNotify',
      fakes: () => recipients(),
      run: async (begin) => settled(await begin(move)),
    },
    {
      name: 'stageNotify.togetherLaterPage',
      workflow: 'stageNotify',
      fakes: () => recipients(501, 502),
      run: async (begin) => settled(await begin({ ...move, afterPlace: 500, settled: prepared })),
    },
    {
      name: 'stageNotify.togetherAlone',
      workflow: 'stageNotify',
      fakes: () => ({
        ...recipients(1, 2, 3),
        notifyStageRecipients: async (input) => told(input.contactIds, [2, 3]),
        notifyStageRecipient: async ({ contactId }) => (contactId === 2 ? refuse() : { state: 'unknown' }),
      }),
      run: async (begin) => settled(await begin(move)),
    },
    {
      name: 'stageNotify.togetherRefused',
      workflow: 'stageNotify',
      fakes: () => ({ ...recipients(1, 2), notifyStageRecipients: async () => refuse() }),
      run: async (begin) => settled(await begin(move)),
    },
    {
      name: 'stageNotify.togetherWithoutThroughput',
      workflow: 'stageNotify',
      fakes: () => ({
        ...recipients(1, 2),
        notifyStageRecipients: inTurn<BatchOutcome>(
          () => told([1, 2], [], [1, 2]),
          () => told([1, 2], [], [2]),
          () => told([2]),
        ),
      }),
      run: async (begin) => settled(await begin(move)),
    },
    {
      name: 'stageNotify.togetherLong',
      workflow: 'stageNotify',
      fakes: () => {
        let page = 0;
        return {
          ...recipients(...numbered(1_000)),
          listStageRecipients: async () => {
            page += 1;
            return page > 1 ? { contactIds: [], lastPlace: null } : { contactIds: numbered(1_000), lastPlace: 2_000 };
          },
        };
      },
      run: async (begin) => settled(await begin(move)),
    },
  ];
}

import type { Runtime } from '../../core/runtime';
import { deliverMessage } from './sends';

/** What became of messages that were delivered together, by their ids. */
interface Together {
  readonly settled: number[];
  readonly held: number[];
  readonly waiting: number[];
  readonly left: number[];
}

/** Brings messages to their end that keep no order with others. */
export async function deliverTogether(
  runtime: Runtime,
  { workspaceId, messageIds }: { readonly workspaceId: number; readonly messageIds: readonly number[] },
  _stopping: () => boolean,
): Promise<Together> {
  const together: Together = { settled: [], held: [], waiting: [], left: [] };
  await Promise.all(
    messageIds.map(async (messageId) => {
      const { kind } = await deliverMessage(runtime, { workspaceId, messageId });
      const list = kind === 'settled' ? together.settled : kind === 'held' ? together.held : together.waiting;
      list.push(messageId);
    }),
  );
  return together;
}

import type { Runtime } from '../../core/runtime';
import { claimMessages } from '../resources/messages/rows/claims';
import { recordWithOthers } from '../resources/messages/rows/outcomes';
import { attempt, type SendResult } from './attempts';
import { giveBackPermits, takePermits } from './permits';
import { dueMessages } from './sends';

/** How long messages are begun; the calls that are under way then, and their writing, come on top. */
const beginsForMs = 4_000;

/** What became of messages that were delivered together, by their ids. */
interface Together {
  /** Reached an end, now or before. */
  readonly settled: number[];
  /** The upstream refuses their number or account. */
  readonly held: number[];
  /** Wait for a time, or for another attempt's end: each for its own. */
  readonly waiting: number[];
  /** Not begun: the number had no throughput left for a while, or the process is to stop. */
  readonly left: number[];
}

/**
 * Brings messages to their end that keep no order with others, many by one claim and one record: the set-based twin of
 * `deliverMessage`. Messages are claimed under the permits for their calls, which begin at once; whatever cannot be
 * sent now is given back. Throws after all calls have ended when one could not be made or recorded.
 */
export async function deliverTogether(
  runtime: Runtime,
  { workspaceId, messageIds }: { readonly workspaceId: number; readonly messageIds: readonly number[] },
  stopping: () => boolean,
): Promise<Together> {
  const { queued, settled, held, waiting } = await dueMessages(runtime, { workspaceId, messageIds });
  const together: Together = { settled, held, waiting, left: [] };
  const until = Date.now() + beginsForMs;
  const calls: Promise<void>[] = [];
  let fault: unknown = null;

  function note(id: number, result: SendResult): void {
    if (result.kind === 'settled') settled.push(id);
    else if (result.kind === 'held') held.push(id);
    else waiting.push(id);
  }

  /** Claims and sends as many as there are permits for; false where none came in time. */
  async function sendSome(numberPk: number, rest: number[]): Promise<boolean> {
    const granted = await takePermits(runtime, numberPk, rest.length, { kind: 'notification' });
    if (granted === 0) return false;
    const some = rest.splice(0, granted);
    let unused = granted;
    try {
      const claimed = await claimMessages({ runtime, workspaceId }, some);
      const ids = new Set(claimed.map(({ id }) => id));
      waiting.push(...some.filter((id) => !ids.has(id)));
      unused -= claimed.length;
      for (const message of claimed)
        calls.push(
          attempt({ runtime, workspaceId }, message, {
            lane: 'bulk',
            // A single one waits for no others: it is written at once.
            ...(messageIds.length > 1 ? { write: recordWithOthers } : {}),
            onCalled: () => giveBackPermits(runtime, 1, 'notification'),
          })
            .then((result) => note(message.id, result))
            .catch((error: unknown) => {
              // The row keeps its claim, or went back: it is looked at again alone.
              fault ??= error;
            }),
        );
    } finally {
      giveBackPermits(runtime, unused, 'notification');
    }
    return true;
  }

  try {
    for (const [numberPk, ids] of queued)
      for (let going = true; going && ids.length > 0 && Date.now() < until && fault === null && !stopping();)
        going = await sendSome(numberPk, ids);
  } finally {
    await Promise.all(calls);
  }
  if (fault !== null) throw fault;
  for (const ids of queued.values()) together.left.push(...ids);
  return together;
}

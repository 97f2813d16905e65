import { Context } from '@temporalio/activity';

const heartbeatMs = 2_000;

/**
 * Sends heartbeats while the work runs, so that Temporal gives the activity of a killed worker to another one within
 * seconds, and not after its full time limit.
 */
export async function withHeartbeat<T>(
  work: (context: Context) => Promise<T>,
  details: () => unknown = () => undefined,
): Promise<T> {
  const context = Context.current();
  const beat = setInterval(() => context.heartbeat(details()), heartbeatMs);
  try {
    return await work(context);
  } finally {
    clearInterval(beat);
  }
}

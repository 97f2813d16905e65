import { Context } from '@temporalio/activity';

const heartbeatMs = 2_000;

/**
 * Sends heartbeats while the work goes on: the step of a killed worker is given to another one at once, not when its
 * time is over.
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

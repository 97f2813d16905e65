/** Returns how long to wait after some failures in a row: 250 ms, twice as long each time, at most ten seconds. */
export function backoffAfter(failures: number): number {
  return Math.min(125 * 2 ** failures, 10_000);
}

/**
 * Retries a write for about four seconds, because what it records has already happened: a short outage of the database
 * must not lose it.
 */
export async function retryWrite<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= 5) throw error;
      await new Promise((resolve) => setTimeout(resolve, attempt * 400));
    }
  }
}

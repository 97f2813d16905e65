/**
 * Tries a write for about four seconds: what it records has happened, and must not be lost to a short outage of the
 * database.
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

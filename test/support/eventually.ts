/** Milliseconds between tries: soon at first, then seldom, so that looks do not slow down what takes long. */
const [firstMs, growth, lastMs] = [20, 1.3, 150];

/** A busy machine may take as long for what a quiet one does at once. */
const leastMs = 30_000;

/**
 * Tries until the check passes (does not throw) and gives what it gave; after the limit, its last error. The limit is
 * for what never comes: no test may fail because a machine is slow.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  options: { readonly timeoutMs?: number; readonly everyMs?: number } = {},
): Promise<T> {
  const { timeoutMs = 60_000, everyMs } = options;
  if (timeoutMs < leastMs) throw new Error(`give it ${leastMs / 1_000} s at least`);
  const until = Date.now() + timeoutMs;
  let pauseMs = everyMs ?? firstMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() >= until) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      pauseMs = everyMs ?? Math.min(lastMs, pauseMs * growth);
    }
  }
}

/** The value below which this share of the samples lies (nearest rank). */
export function percentile(samples: readonly number[], share: number): number {
  if (samples.length === 0) return Number.NaN;
  const sorted = [...samples].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
}

/** Returns the middle of the samples: one disturbed round does not move it. */
export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5);
}

/** Resolves after so many milliseconds. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Runs `work` over all items, at most `width` at a time. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: Math.min(width, items.length) }, async () => {
      while (next < items.length) {
        const index = next;
        next += 1;
        await work(items[index] as T, index);
      }
    }),
  );
}

/** Asks again until the answer is true; throws when the time is over. */
export async function until(what: string, limitMs: number, ask: () => Promise<boolean>, everyMs = 100): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await ask())) {
    if (Date.now() > deadline) throw new Error(`${what} took longer than ${limitMs / 1000} s`);
    await sleep(everyMs);
  }
}

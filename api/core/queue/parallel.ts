/**
 * The most calls to Temporal that one part of a process makes at the same time: with more, a slow Temporal would miss
 * their deadlines.
 */
export const maxCallsAtOnce = 16;

/** Does some work for each item, in their order, for a limited number of items at the same time. */
export async function forEachOf<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of left) await work(item);
    }),
  );
}

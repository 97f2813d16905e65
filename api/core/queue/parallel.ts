/**
 * Rows that are taken or written by one statement where each then has work of its own, such as a call: statements are
 * few, and none holds up others for long.
 */
export const batchRows = 100;

/**
 * The most calls to Temporal, or to one receiver, that a part of a process makes at the same time: with more, they
 * would miss their deadlines where it is slow.
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

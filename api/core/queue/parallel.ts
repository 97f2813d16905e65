/** Calls to Temporal that one part of a process makes at a time: more would miss their deadline where it is slow. */
export const maxCallsAtOnce = 16;

/** Does some work for each item, for so many of them at a time, in their order. */
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

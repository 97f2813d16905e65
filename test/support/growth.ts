/** Milliseconds of processor time under which a difference says nothing: driver and collector take as much. */
const noise = 40;
const tries = 3;

/** Returns the processor time of this process that the work takes, in milliseconds. */
async function costOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Expects that four times the size costs about four times as much, not sixteen times. A ratio of processor times, with
 * twice that as its bound and the least of three where it is passed, so that a slow or a busy machine changes nothing.
 */
export async function expectLinear(name: string, size: number, work: (size: number) => unknown): Promise<void> {
  // The large size alone, where it costs so little that no small one could make it too much.
  let [small, large] = [noise, await costOf(() => work(size * 4))];
  for (let attempt = 0; attempt < tries && large > 8 * small; attempt += 1) {
    small = Math.max(noise, await costOf(() => work(size)));
    if (attempt > 0) large = Math.min(large, await costOf(() => work(size * 4)));
  }
  if (large > 8 * small) throw new Error(`${name}: ${large.toFixed(0)} ms for 4 times what takes ${small.toFixed(0)}`);
}

/** Pieces of text that make a careless expression or loop look again and again. */
export const troublesome: readonly string[] = [
  ...[' *a', ' _a', '~', '```a', '[', '[a](http', '{{', '{{1', '<a', '&', ' ', '\n', '\u00a0', '.', ';', 'a@', 'a.'],
  ...['-', '1', '1e', '"', '\\', 'http://a.', '٠', 'e\u0301', '\u202e', '😀', 'x', '2026-', '=a'],
];

/** Returns how often a piece fits into so many bytes of JSON. */
export function timesIn(bytes: number, piece: string): number {
  return Math.floor(bytes / (Buffer.byteLength(JSON.stringify(piece)) - 2));
}

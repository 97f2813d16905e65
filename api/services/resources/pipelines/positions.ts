/**
 * Returns the ids with one of them taken to a place; a place beyond the end is the end. The order of the others stays.
 */
export function placed(ids: readonly number[], id: number, place: number): number[] {
  const others = ids.filter((other) => other !== id);
  const index = Math.min(Math.max(place, 0), others.length);
  return [...others.slice(0, index), id, ...others.slice(index)];
}

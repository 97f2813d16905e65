import { patchedTags } from '../macroRuns/tags';

/** Returns tags after some were added and others taken away; undefined: neither was asked for. */
export function tagsAfter(current: unknown, add?: readonly string[], remove?: readonly string[]): string[] | undefined {
  if (!add && !remove) return undefined;
  const added = patchedTags(current, { type: 'add_tags', params: { tags: [...(add ?? [])] } }).patch.tags;
  return patchedTags(added, { type: 'remove_tags', params: { tags: [...(remove ?? [])] } }).patch.tags;
}

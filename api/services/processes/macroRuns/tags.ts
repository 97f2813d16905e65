import { AppError } from '../../../core/http/errors';
import { maxTagsBytes } from '../../../core/http/fields';
import type { TagAction } from '../../resources/macros/actions';
import { reason } from '../../resources/reasons';

/**
 * Returns the tags after `add_tags` or `remove_tags`, which work on lists of texts (contract 5). Throws where none is.
 */
export function patchedTags(current: unknown, action: TagAction): { patch: { tags: string[] }; detail: string } {
  const given = action.params.tags;
  const before: unknown = current ?? [];
  if (!Array.isArray(before)) throw new AppError('validation', reason('stepNoTags'));
  const tags = before as string[];
  if (action.type === 'add_tags') {
    const added = [...new Set(given)].filter((tag) => !tags.includes(tag));
    if (Buffer.byteLength(JSON.stringify([...tags, ...added])) > maxTagsBytes)
      throw new AppError('validation', reason('stepTagsTooLarge', { max: maxTagsBytes }));
    return {
      patch: { tags: [...tags, ...added] },
      detail: added.length > 0 ? `Tags added: ${added.join(', ')}.` : 'All tags were there already.',
    };
  }
  const removed = tags.filter((tag) => given.includes(tag));
  return {
    patch: { tags: tags.filter((tag) => !given.includes(tag)) },
    detail: removed.length > 0 ? `Tags removed: ${removed.join(', ')}.` : 'None of the tags was there.',
  };
}

import { changedFields, definitionsFor, editedTags, type FieldDefinition } from '../forms';
import type { PageRequest } from '../page';
import type { WireConversation } from './load';

/** What is known of a person, as fields of the panel. */
export const profileFields = ['name', 'email', 'company', 'notes'] as const;

/** Returns the operation that writes a custom field: each takes those alone that apply to its object. */
export function writerOf({ applies_to: subjects }: FieldDefinition): string {
  return subjects.includes('contacts') ? 'contacts.update' : 'conversations.update';
}

/** Saves a form of the panel. Returns the conversation where its tags changed, which can be taken back, else null. */
export async function saveDetails(page: PageRequest, before: WireConversation): Promise<WireConversation | null> {
  let tagged: WireConversation | null = null;
  for (const { operationId, input } of await readDetails(page, before)) {
    const saved = await page.call<WireConversation>(operationId, { receiver_id: before.receiver_id, ...input });
    if ('tags' in input) tagged = saved;
  }
  return tagged;
}

/** A call of an operation. */
interface Call {
  readonly operationId: string;
  readonly input: Record<string, unknown>;
}

/** Returns what a form of the panel asks for: what was changed in it, so that no colleague's newer value is lost. */
async function readDetails(page: PageRequest, { tags: stored }: WireConversation): Promise<Call[]> {
  const { form } = page;
  if (form['form'] === 'tags') {
    const tags = editedTags(stored, form['was.tags'], form['tags']);
    return [{ operationId: 'conversations.update', input: { tags } }];
  }
  if (form['form'] === 'opt_out')
    return [{ operationId: 'contacts.update', input: { marketing_opt_out: form['marketing_opt_out'] === 'true' } }];
  if (form['form'] === 'fields') return readFields(page);
  const input = changedFields(page, profileFields);
  return Object.keys(input).length > 0 ? [{ operationId: 'contacts.update', input }] : [];
}

async function readFields(page: PageRequest): Promise<Call[]> {
  const definitions = await definitionsFor(page, 'contacts', 'conversations');
  const given = changedFields(
    page,
    definitions.map(({ name }) => `custom.${name}`),
  );
  const changed = definitions.filter(({ name }) => given[`custom.${name}`] !== undefined);
  return [...new Set(changed.map(writerOf))].map((operationId) => {
    const own = changed.filter((definition) => writerOf(definition) === operationId);
    const values = own.map(({ name, field_type: type }): [string, unknown] => [
      name,
      valueOf(type, given[`custom.${name}`] ?? ''),
    ]);
    return { operationId, input: { custom_fields: Object.fromEntries(values) } };
  });
}

/**
 * Returns a typed text as the field's type wants it; one that is wrong goes on as it is, to be refused by its field.
 */
function valueOf(type: string, text: string): unknown {
  if (text.trim() === '') return null;
  if (type === 'number') return Number.isFinite(Number(text)) ? Number(text) : text;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return type === 'multi_select'
    ? text
        .split(';')
        .map((part) => part.trim())
        .filter(Boolean)
    : text;
}

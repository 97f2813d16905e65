import type { FieldErrors } from '../../../core/http/errors';
import type { PageRequest } from '../page';
import type { WireConversation } from './load';

interface Definition {
  readonly name: string;
  readonly label: string;
  readonly field_type: string;
  readonly applies_to: readonly string[];
  readonly options: readonly string[];
}

/** A custom value as a field of the form. */
interface CustomFieldView {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly value: unknown;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly multiple: boolean;
}

/** The panel beside a thread. */
interface DetailsView {
  readonly tags: readonly string[] | null;
  readonly fields: readonly CustomFieldView[];
  readonly values: Readonly<Record<string, string | null>>;
  readonly errors: FieldErrors;
  /** Which of its forms was refused. */
  readonly refused: string;
}

const profileFields = ['name', 'email', 'company', 'notes'] as const;
const inputTypes: Readonly<Record<string, string>> = {
  number: 'number',
  date: 'date',
  select: 'select',
  boolean: 'select',
};

/** Builds the panel; `form` and `errors` are those of a form of it that was refused. */
export async function loadDetails(
  page: PageRequest,
  conversation: WireConversation,
  form: Readonly<Record<string, string>> = {},
  errors: FieldErrors = {},
): Promise<DetailsView> {
  const [definitions, contact] = await Promise.all([
    page.callIfPermitted<Definition[]>('customFields.list', {}, []),
    // A field that applies to contacts only is not among the conversation's.
    page.callIfPermitted<Pick<WireConversation, 'custom_fields'>>(
      'contacts.get',
      { receiver_id: conversation.receiver_id },
      conversation,
    ),
  ]);
  const known = { ...conversation.custom_fields, ...contact.custom_fields };
  const isList = Array.isArray(conversation.tags) && conversation.tags.every((tag) => typeof tag === 'string');
  const hasNoTags = conversation.tags === null || conversation.tags === undefined || conversation.tags === '';
  const form_ = form['form'] ?? '';
  return {
    // Other shapes than a list of texts belong to whoever wrote them over the API.
    tags: isList ? (conversation.tags as string[]) : hasNoTags ? [] : null,
    fields: definitions
      .filter(({ applies_to: subjects }) => subjects.includes('contacts') || subjects.includes('conversations'))
      .map((definition) => viewOf(definition, known, form)),
    values: Object.fromEntries(
      profileFields.map((name) => [name, form_ === 'profile' ? (form[name] ?? '') : conversation[name]]),
    ),
    errors,
    refused: form_,
  };
}

function viewOf(
  definition: Definition,
  known: Readonly<Record<string, unknown>>,
  form: Readonly<Record<string, string>>,
): CustomFieldView {
  const { name, label, field_type: type } = definition;
  const stored = known[name];
  const typed = form['form'] === 'fields' ? form[`custom.${name}`] : undefined;
  const options =
    type === 'boolean'
      ? [
          { value: 'true', label: 'Yes' },
          { value: 'false', label: 'No' },
        ]
      : definition.options.map((option) => ({ value: option, label: option }));
  const multiple = type === 'multi_select';
  return {
    name: `custom.${name}`,
    label,
    type: inputTypes[type] ?? 'text',
    value: typed ?? (multiple && Array.isArray(stored) ? stored.join('; ') : (stored ?? '')),
    options: inputTypes[type] === 'select' ? [{ value: '', label: '–' }, ...options] : [],
    multiple,
  };
}

/** Returns the operation that a form of the panel asks for, with its input. */
export async function readDetails(page: PageRequest): Promise<{ operationId: string; input: Record<string, unknown> }> {
  const { form } = page;
  if (form['form'] === 'tags') {
    const tags = [
      ...new Set(
        (form['tags'] ?? '')
          .split(',')
          .map((tag) => tag.trim())
          .filter(Boolean),
      ),
    ];
    return { operationId: 'conversations.update', input: { tags } };
  }
  if (form['form'] === 'opt_out')
    return { operationId: 'contacts.update', input: { marketing_opt_out: form['marketing_opt_out'] === 'true' } };
  if (form['form'] === 'fields') {
    const definitions = await page.callIfPermitted<Definition[]>('customFields.list', {}, []);
    const custom: Record<string, unknown> = {};
    for (const { name, field_type: type } of definitions) {
      const given = form[`custom.${name}`];
      if (given !== undefined) custom[name] = valueOf(type, given);
    }
    return { operationId: 'contacts.update', input: { custom_fields: custom } };
  }
  return {
    operationId: 'contacts.update',
    input: Object.fromEntries(profileFields.map((name) => [name, form[name] ?? ''])),
  };
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

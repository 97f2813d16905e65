import { invalid, invalidField } from '../../core/errors';
import { boolean, Fault, field, input, isPlainObject, jsonObject, list, nullable, object, parseWith, required, runSchema, text, type Field } from '../../core/fields';

/** Longest text message (upstream-wire.md 1.2). */
const maxTextCharacters = 4096;

/** A message ready to be stored: the upstream-shaped body, or what names a template. */
export type Content =
  | { readonly kind: 'plain'; readonly type: string; readonly body: Record<string, unknown> }
  | { readonly kind: 'template'; readonly by: TemplateReference };

/** How a template is named: as the upstream does, or by our id with a variable mapping (contract C6). */
export interface TemplateReference {
  readonly name?: string;
  readonly language?: string;
  readonly components?: readonly unknown[];
  readonly templateId?: string;
  readonly variables?: Record<string, unknown>;
}

const typeShapes: Readonly<Record<string, Field<Record<string, unknown>>>> = {
  text: object({ body: required(text({ max: maxTextCharacters, blank: false, trim: false })), preview_url: boolean() }) as Field<Record<string, unknown>>,
};

/** Types that can be sent. */
export const sendableTypes: readonly string[] = [...Object.keys(typeShapes), 'template'];

const templateInput = input({ name: required(text({ max: 512, blank: false })), language: required(languageField()), components: nullable(list(jsonObject(), { max: 20 })) });

/** Both the upstream's `{code}` and the bare code are taken. */
function languageField(): Field<string> {
  const code = text({ max: 32, blank: false });
  return field<string>({ anyOf: [{ type: 'string' }, { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] }] }, (raw) =>
    parseWith(code, isPlainObject(raw) ? (raw['code'] ?? null) : raw),
  );
}

/** Reads the content of `POST /messages/` (contract C6). Throws the 400 that names the field. */
export function readContent(values: Readonly<Record<string, unknown>>): Content {
  const short = values['body'];
  const named = sendableTypes.filter((type) => values[type] !== undefined);
  if (named.length > 1) throw invalid({ non_field_errors: [`Send one of ${named.join(', ')}, not several.`] });
  const byTemplate = values['template_id'] !== undefined;
  const type = values['type'] ?? named[0] ?? (byTemplate ? 'template' : 'text');
  if (typeof type !== 'string' || !sendableTypes.includes(type)) throw invalidField('type', `"${String(type).slice(0, 100)}" is not a valid choice.`);
  if (type === 'template') return { kind: 'template', by: readTemplate(values) };
  const shape = typeShapes[type];
  const content = values[type] ?? (type === 'text' && typeof short === 'string' ? { body: short } : undefined);
  if (content === undefined || !shape) throw invalidField(type === 'text' ? 'body' : type, 'This field is required.');
  const parsed = parseWith(shape, content);
  if (parsed instanceof Fault) {
    const field = values[type] === undefined ? 'body' : type;
    throw invalid({ [field]: parsed.messages.map((message) => (field === 'body' ? message.replace(/^body: /, '') : message)) });
  }
  return { kind: 'plain', type, body: { type, [type]: parsed } };
}

function readTemplate(values: Readonly<Record<string, unknown>>): TemplateReference {
  const id = values['template_id'];
  if (id !== undefined) {
    const variables = values['template_variables'];
    const known = parseWith(text({ max: 64, blank: false }), id);
    if (known instanceof Fault) throw invalid({ template_id: [...known.messages] });
    return { templateId: known, ...(variables === undefined || variables === null || variables === '' ? {} : { variables: variables as Record<string, unknown> }) };
  }
  const given = values['template'];
  if (given === undefined) throw invalidField('template', 'This field is required.');
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw invalidField('template', 'Expected a dictionary with name, language and components.');
  const result = runSchema(templateInput, given as Record<string, unknown>);
  if ('errors' in result) throw invalid({ template: Object.entries(result.errors).flatMap(([key, messages]) => messages.map((message) => `${key}: ${message}`)) });
  const { name, language, components } = result.value as { name: string; language: string; components?: unknown[] };
  return { name, language, components: components ?? [] };
}


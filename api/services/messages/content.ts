import { invalid, invalidField } from '../../core/errors';
import {
  Fault,
  field,
  input,
  isPlainObject,
  jsonObject,
  list,
  nullable,
  parseWith,
  required,
  runSchema,
  text,
  type Field,
} from '../../core/fields';
import { plainTypes } from './contentFields';
import { interactiveField } from './interactive';

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

const typeShapes: Readonly<Record<string, Field<unknown>>> = { ...plainTypes, interactive: interactiveField };

/** Types that can be sent. */
export const sendableTypes: readonly string[] = [...Object.keys(typeShapes), 'template'];

/** How the reference shows each type: its shape; `readContent` checks it. */
export const contentFields: Readonly<Record<string, Field<unknown>>> = Object.fromEntries(
  Object.entries(typeShapes).map(([type, shape]) => [type, field<unknown>(shape.spec.meta?.json ?? {}, (raw) => raw)]),
);

const templateInput = input({
  name: required(text({ max: 512, blank: false })),
  language: required(languageField()),
  components: nullable(list(jsonObject(), { max: 20 })),
});

/** Both the upstream's `{code}` and the bare code are taken. */
function languageField(): Field<string> {
  const code = text({ max: 32, blank: false });
  return field<string>(
    { anyOf: [{ type: 'string' }, { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] }] },
    (raw) => parseWith(code, isPlainObject(raw) ? (raw['code'] ?? null) : raw),
  );
}

/** Reads the content of `POST /messages/` (contract C6). Throws the 400 that names the field. */
export function readContent(values: Readonly<Record<string, unknown>>): Content {
  const short = values['body'];
  const named = sendableTypes.filter((type) => values[type] !== undefined);
  if (named.length > 1) throw invalid({ non_field_errors: [`Send one of ${named.join(', ')}, not several.`] });
  const byTemplate = values['template_id'] !== undefined;
  if (byTemplate && named.length > 0)
    throw invalid({ non_field_errors: [`Send either template_id or ${named.join(', ')}, not both.`] });
  const type = values['type'] ?? named[0] ?? (byTemplate ? 'template' : 'text');
  if (typeof type !== 'string' || !sendableTypes.includes(type))
    throw invalidField('type', `"${String(type).slice(0, 100)}" is not a valid choice.`);
  if (type === 'template') return { kind: 'template', by: readTemplate(values) };
  const shape = typeShapes[type];
  const content = values[type] ?? (type === 'text' && short !== undefined ? { body: short } : undefined);
  if (content === undefined || !shape) throw invalidField(type === 'text' ? 'body' : type, 'This field is required.');
  if (type === 'reaction' && values['reply_to_wamid'])
    throw invalidField('reply_to_wamid', 'A reaction cannot be a reply.');
  const parsed = parseWith(shape, content);
  if (parsed instanceof Fault) {
    const field = values[type] === undefined ? 'body' : type;
    throw invalid({
      [field]: parsed.messages.map((message) => (field === 'body' ? message.replace(/^body: /, '') : message)),
    });
  }
  return { kind: 'plain', type, body: { type, [type]: parsed } };
}

function readTemplate(values: Readonly<Record<string, unknown>>): TemplateReference {
  const id = values['template_id'];
  if (id !== undefined) {
    const variables = values['template_variables'];
    const known = parseWith(text({ max: 64, blank: false }), id);
    if (known instanceof Fault) throw invalid({ template_id: [...known.messages] });
    return {
      templateId: known,
      ...(variables === undefined || variables === null || variables === ''
        ? {}
        : { variables: variables as Record<string, unknown> }),
    };
  }
  const given = values['template'];
  if (given === undefined) throw invalidField('template', 'This field is required.');
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalidField('template', 'Expected a dictionary with name, language and components.');
  const result = runSchema(templateInput, given as Record<string, unknown>);
  if ('errors' in result)
    throw invalid({
      template: Object.entries(result.errors).flatMap(([key, messages]) =>
        messages.map((message) => `${key}: ${message}`),
      ),
    });
  const { name, language, components } = result.value as { name: string; language: string; components?: unknown[] };
  return { name, language, components: components ?? [] };
}

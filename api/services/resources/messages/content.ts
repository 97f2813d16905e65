import { invalid, invalidField } from '../../../core/http/errors';
import {
  choice,
  Fault,
  field,
  input,
  isPlainObject,
  nullable,
  object,
  parseWith,
  printable,
  required,
  runClosed,
  text,
  type Field,
} from '../../../core/http/fields';
import { componentsField } from '../templates/componentFields';
import { plainTypes } from './contentFields';
import { interactiveField } from './interactive';
import { reason } from '../reasons';
import { without } from '../../../core/http/reasons';

/** A message ready to be stored: the upstream-shaped body, or what names a template. */
export type Content =
  | { readonly kind: 'plain'; readonly type: string; readonly body: Record<string, unknown> }
  | { readonly kind: 'template'; readonly by: TemplateReference };

/** How a template is named: as the upstream does, or by our id with a variable mapping (contract 6). */
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
  components: nullable(componentsField),
});

/** Both the upstream's `{code}` and the bare code are taken; its only policy is the one that is followed anyway. */
function languageField(): Field<string> {
  const code = text({ max: 32, blank: false });
  const written = object({ code: required(code), policy: choice(['deterministic']) });
  return field<string>(
    { anyOf: [{ type: 'string' }, { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] }] },
    (raw) => {
      if (!isPlainObject(raw)) return parseWith(code, raw);
      const value = parseWith(written, raw);
      return value instanceof Fault ? value : value.code;
    },
  );
}

/** Reads the content of `POST /messages/` (contract 6). Throws the 400 that names the field. */
export function readContent(values: Readonly<Record<string, unknown>>): Content {
  const short = values['body'];
  const named = sendableTypes.filter((type) => values[type] !== undefined);
  const byTemplate = values['template_id'] !== undefined;
  const type = values['type'] ?? named[0] ?? (byTemplate ? 'template' : 'text');
  if (typeof type !== 'string' || !sendableTypes.includes(type))
    throw invalidField('type', reason('noChoice', { value: printable(type) }));
  refuseContradictions(values, type, named);
  if (type === 'template') return { kind: 'template', by: readTemplate(values) };
  const shape = typeShapes[type];
  const content = values[type] ?? (type === 'text' && short !== undefined ? { body: short } : undefined);
  if (content === undefined || !shape) throw invalidField(type === 'text' ? 'body' : type, reason('required'));
  if (type === 'reaction' && values['reply_to_wamid'])
    throw invalidField('reply_to_wamid', 'A reaction cannot be a reply.');
  if (type === 'text' && typeof content === 'string')
    throw invalidField('text', 'Send the text as `body`, or `text` as {"body": "…"}.');
  const parsed = parseWith(shape, content);
  if (parsed instanceof Fault) {
    const field = values[type] === undefined ? 'body' : type;
    throw invalid({
      [field]: parsed.reasons.map((one) => (field === 'body' ? without('body: ', one) : one)),
    });
  }
  return { kind: 'plain', type, body: { type, [type]: parsed } };
}

/** Returns the content of a body as it is stored: nothing is left to fill in. */
export function literalContent(type: string, body: Readonly<Record<string, unknown>>): Content {
  if (type !== 'template') return { kind: 'plain', type, body };
  const { name, language, components } = body['template'] as {
    readonly name: string;
    readonly language: { readonly code: string };
    readonly components?: readonly unknown[];
  };
  return { kind: 'template', by: { name, language: language.code, components: components ?? [] } };
}

/** Refuses keys of which one would be dropped: a message cannot be taken back. */
function refuseContradictions(values: Readonly<Record<string, unknown>>, type: string, named: readonly string[]): void {
  const refuse = (message: string): never => {
    throw invalid({ non_field_errors: [message] });
  };
  if (named.length > 1) refuse(`Send one of ${named.join(', ')}, not several.`);
  const contents = [
    ...(values['body'] === undefined ? [] : ['body']),
    ...(values['template_id'] === undefined ? [] : ['template_id']),
    ...named,
  ];
  if (contents.length > 1) refuse(`Send either ${contents.join(' or ')}, not both.`);
  const meant = contents[0] === 'body' ? 'text' : contents[0] === 'template_id' ? 'template' : contents[0];
  if (meant !== undefined && meant !== type) refuse(`The type is ${type}, but ${contents[0]} was sent.`);
  if (hasVariables(values) && values['template_id'] === undefined)
    refuse('template_variables can only be sent with template_id.');
}

function hasVariables(values: Readonly<Record<string, unknown>>): boolean {
  const variables = values['template_variables'];
  return variables !== undefined && variables !== null && variables !== '';
}

function readTemplate(values: Readonly<Record<string, unknown>>): TemplateReference {
  const id = values['template_id'];
  if (id !== undefined) {
    const variables = values['template_variables'];
    const known = parseWith(text({ max: 64, blank: false }), id);
    if (known instanceof Fault) throw invalid({ template_id: [...known.reasons] });
    return {
      templateId: known,
      ...(hasVariables(values) ? { variables: variables as Record<string, unknown> } : {}),
    };
  }
  const given = values['template'];
  if (given === undefined) throw invalidField('template', reason('required'));
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalidField('template', 'Expected a dictionary with name, language and components.');
  const read = runClosed(templateInput, given as Record<string, unknown>);
  if (read instanceof Fault) throw invalid({ template: [...read.reasons] });
  const { name, language, components } = read as { name: string; language: string; components?: unknown[] };
  return { name, language, components: components ?? [] };
}

import { contactVariables } from '../../../services/resources/templates/variables';
import { isPlainObject } from '../../../core/http/fields';
import { asText, objectsOf, type Template } from '../lookups';
import { words } from '../words';

const { steps } = words;

const placeholder = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g;

/** One placeholder of a template, and where its value comes from. */
export interface Slot {
  readonly component: 'header' | 'body';
  /** What the template calls it. */
  readonly name: string;
  /** Its number, by which `template_variables` name it. */
  readonly number: string;
  /** The words around it. */
  readonly around: string;
}

/** Returns the text of a part of a template. */
function textOfPart(template: Pick<Template, 'components'>, part: string): string {
  const found = objectsOf(template.components).find((item) => asText(item['type']).toLowerCase() === part);
  return asText(found?.['text']);
}

/** Returns the placeholders of a template in their order. */
export function slotsOf(template: Pick<Template, 'components'>): readonly Slot[] {
  return (['header', 'body'] as const).flatMap((component) => {
    const text = textOfPart(template, component);
    return namesIn(text).map((name, index) => ({
      component,
      name,
      number: /^\d+$/.test(name) ? name : String(index + 1),
      around: around(text, name),
    }));
  });
}

/** Returns the names of the placeholders of a text, each once. */
export function namesIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(placeholder)].map((match) => match[1] ?? ''))];
}

function around(text: string, name: string): string {
  const at = text.search(new RegExp(`\\{\\{\\s*${name}\\s*\\}\\}`));
  const from = Math.max(0, at - 24);
  const to = Math.min(text.length, at + name.length + 28);
  return `${from > 0 ? '…' : ''}${text.slice(from, to).replace(/\s+/g, ' ')}${to < text.length ? '…' : ''}`;
}

const fieldWords: Readonly<Record<string, string>> = steps.fields;

/** Returns a text with its placeholders filled, or with the names of what fills them. */
export function fillTemplate(text: string, bindings: unknown): string {
  const names = namesIn(text);
  return text.replace(placeholder, (whole, name: string) => {
    const key = /^\d+$/.test(name) ? name : String(names.indexOf(name) + 1);
    const binding = isPlainObject(bindings) ? bindings[key] : undefined;
    if (!isPlainObject(binding)) return whole;
    if (binding['source'] === 'static') return asText(binding['value']);
    const field = asText(binding['field']);
    return binding['source'] === 'ticket'
      ? steps.ofTicket(field.replaceAll('_', ' '))
      : steps.field(fieldWords[field] ?? field);
  });
}

/** Returns what a customer reads of a template, with the names of what the mapping fills in. */
export function renderTemplate(template: Template, variables: unknown): string {
  const of = isPlainObject(variables) ? variables : {};
  return (['header', 'body', 'footer'] as const)
    .map((part) => fillTemplate(textOfPart(template, part), of[part]))
    .filter((text) => text !== '')
    .join('\n\n');
}

/** Whether a placeholder names a field of the contact. */
export const isContactVariable = (name: string): boolean => contactVariables.some((one) => one === name);

/** Returns a text as people write it: what is a field of the contact stands there by its name. */
export function namedText(text: string, variables: unknown): string {
  const bindings = isPlainObject(variables) && isPlainObject(variables['body']) ? variables['body'] : {};
  return text.replace(/\{\{(\d{1,2})\}\}/g, (whole, number: string) => {
    const binding = bindings[number];
    const isNamed = isPlainObject(binding) && binding['source'] === 'field' && !asText(binding['default']);
    return isNamed ? `{{${asText(binding['field'])}}}` : whole;
  });
}

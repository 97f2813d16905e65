import { cut } from '../../../core/text/cut';
import { Fault, field, isPlainObject, type Field } from '../../../core/http/fields';
import type { JsonSchema } from '../../../core/http/shapes';
import { reason } from '../reasons';
import { notAccepted } from '../../../core/http/fields';
import { Reason, after, type Message } from '../../../core/http/reasons';

/** Contact fields that a placeholder may show (contract 6.6). */
export const contactVariables = ['name', 'first_name', 'phone', 'email', 'company'] as const;
/** Ticket fields that a placeholder may show (contract 6.6). */
export const ticketVariables = [
  'id',
  'title',
  'type',
  'stage',
  'pipeline',
  'priority',
  'severity',
  'assignee',
  'outcome',
  'created_date',
  'due_date',
] as const;

type ContactVariable = (typeof contactVariables)[number];
export type TicketVariable = (typeof ticketVariables)[number];

/** Where the value of one placeholder comes from. */
export type VariableSource =
  | { readonly source: 'static'; readonly value: string }
  | { readonly source: 'field'; readonly field: ContactVariable; readonly default?: string }
  | { readonly source: 'ticket'; readonly field: TicketVariable; readonly default?: string };

type SourceKind = VariableSource['source'];

/** Placeholder numbers ("1" to "32") to bindings, per component. */
export interface TemplateVariables {
  readonly header?: Readonly<Record<string, VariableSource>>;
  readonly body?: Readonly<Record<string, VariableSource>>;
}

/** Highest number of a placeholder. */
export const maxVariables = 32;
const maxStatic = 512;
const tooLong = reason('tooLong', { max: maxStatic });
const isTooLong = (text: string): boolean => [...text].length > maxStatic;

/** Describes a mapping whose values come from these sources. */
export function variablesJson(sources: readonly SourceKind[]): JsonSchema {
  const fields = [...contactVariables, ...(sources.includes('ticket') ? ticketVariables : [])];
  const isAboutTickets = sources.includes('ticket');
  const binding = {
    title: isAboutTickets ? 'StageVariableSource' : 'VariableSource',
    type: 'object',
    properties: {
      source: { type: 'string', enum: [...sources], description: 'Where the value comes from.' },
      value: { type: 'string', maxLength: maxStatic, description: 'With `static`: the text.' },
      field: {
        type: 'string',
        enum: [...new Set<string>(fields)],
        description: isAboutTickets
          ? `With \`field\`: ${contactVariables.join(', ')} of the contact. With \`ticket\`: ` +
            `${ticketVariables.join(', ')} of the ticket.`
          : 'With `field`: which field of the contact.',
      },
      default: { type: 'string', maxLength: maxStatic, description: 'What stands there where the field is empty.' },
    },
    required: ['source'],
  };
  const values = { type: 'object', additionalProperties: binding };
  return {
    title: isAboutTickets ? 'StageTemplateVariables' : 'TemplateVariables',
    type: 'object',
    description:
      `What fills the placeholders 1 to ${maxVariables} of the header and the body, for example ` +
      '`{"body": {"1": {"source": "static", "value": "Monday"}}}`.',
    properties: {
      header: { ...values, description: 'Values of the header by placeholder number.' },
      body: { ...values, description: 'Values of the body by placeholder number.' },
    },
  };
}

/** Returns a mapping of contract 6.6 as an input field; everything wrong in it is told with its place. */
export function templateVariables(sources: readonly SourceKind[]): Field<TemplateVariables> {
  return field<TemplateVariables>(variablesJson(sources), (raw) => parseVariables(raw, sources));
}

/** Returns the mapping, or everything that is wrong with it. Stored mappings are read by the same rules. */
export function parseVariables(raw: unknown, sources: readonly SourceKind[]): TemplateVariables | Fault {
  if (!isPlainObject(raw)) return new Fault(reason('noVariables'));
  const faults: Message[] = [];
  const variables: { header?: Record<string, VariableSource>; body?: Record<string, VariableSource> } = {};
  for (const [component, bindings] of Object.entries(raw)) {
    if (component !== 'header' && component !== 'body')
      faults.push(after(`${cut(component, 100)}: `, reason('noComponent')));
    else if (!isPlainObject(bindings)) faults.push(after(`${component}: `, reason('noBindings')));
    else variables[component] = readBindings(component, bindings, sources, faults);
  }
  return faults.length > 0 ? new Fault(...faults.slice(0, 40)) : variables;
}

function readBindings(
  component: string,
  bindings: Record<string, unknown>,
  sources: readonly SourceKind[],
  faults: Message[],
): Record<string, VariableSource> {
  const read: Record<string, VariableSource> = {};
  for (const [placeholder, raw] of Object.entries(bindings)) {
    const place = `${component}.${cut(placeholder, 100)}`;
    if (!/^[1-9]\d?$/.test(placeholder) || Number(placeholder) > maxVariables) {
      faults.push(after(`${place}: `, reason('placeholderRange', { max: maxVariables })));
      continue;
    }
    const binding = readBinding(raw, sources);
    if (binding instanceof Reason) faults.push(after(`${place}: `, binding));
    else read[placeholder] = binding;
  }
  return read;
}

/** Returns the binding, or what is wrong with it. */
function readBinding(raw: unknown, sources: readonly SourceKind[]): VariableSource | Reason {
  if (!isPlainObject(raw)) return reason('noBinding');
  const source = sources.find((candidate) => candidate === raw['source']);
  if (!source) return reason('noneOf', { name: 'source', known: sources.join(', ') });
  const taken = ['source', ...(source === 'static' ? ['value'] : ['field', 'default'])];
  const extra = Object.keys(raw).find((key) => !taken.includes(key) && raw[key] !== null);
  if (extra !== undefined) return after(`${cut(extra, 100)}: `, notAccepted);
  if (source === 'static') {
    const value = raw['value'];
    if (typeof value !== 'string') return reason('mustBeText', { name: 'value' });
    return isTooLong(value) ? after('value: ', tooLong) : { source, value };
  }
  const given = raw['default'] ?? undefined;
  if (given !== undefined && typeof given !== 'string') return reason('mustBeText', { name: 'default' });
  if (given !== undefined && isTooLong(given)) return after('default: ', tooLong);
  const instead = given === undefined ? {} : { default: given };
  if (source === 'field') {
    const name = contactVariables.find((candidate) => candidate === raw['field']);
    return name
      ? { source, field: name, ...instead }
      : reason('noneOf', { name: 'field', known: contactVariables.join(', ') });
  }
  const name = ticketVariables.find((candidate) => candidate === raw['field']);
  return name
    ? { source, field: name, ...instead }
    : reason('noneOf', { name: 'field', known: ticketVariables.join(', ') });
}

import { cut } from '../../core/text/cut';
import {
  boolean,
  choice,
  describeObject,
  Fault,
  field,
  input,
  pk,
  required,
  runSchema,
  text,
  type Field,
  type InputSchema,
} from '../../core/http/fields';
import type { Operation, ToolDefinition } from '../../core/http/operations';
import { clampSize } from '../../core/http/paging';
import type { FieldReasons } from '../../core/http/errors';
import type { JsonSchema } from '../../core/http/shapes';
import { formats, toldBy, type Format } from './messagesForAgents';
import { outline, outputSchema } from './output';
import { argumentSchema, typeFaults } from './schemas';

/** Items of a list result unless asked for otherwise, and at most (contract 11). */
const defaultItems = 20;
const maxItems = 50;

/** The order in which agents see the tools: nine conversational, six ticketing (contract 11.1). */
const order = [
  'read_conversations',
  'read_messages',
  'send_message',
  'send_template',
  'update_conversation',
  'search_contacts',
  'update_contact',
  'get_templates',
  'run_macro',
  'list_tickets',
  'get_ticket',
  'create_ticket',
  'update_ticket',
  'comment_on_ticket',
  'list_ticket_pipelines',
];

/** A tool as `tools/list` gives it, in the terms of both SDKs. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { type: 'object' };
  readonly outputSchema?: { type: 'object' };
  readonly annotations: { title: string } & ToolDefinition['annotations'];
}

/** An operation with the definition under which agents call it. */
export interface Tool {
  readonly definition: ToolDefinition;
  readonly operation: Operation;
  readonly input: InputSchema;
  /** Of what it answers; agents get an outline of it. */
  readonly output: JsonSchema;
  readonly listed: ListedTool;
}

/** `true` rehearses a call; the text "true" is a mistake, not a yes. */
function dryRunField(): Field<boolean> {
  return field<boolean>({ type: 'boolean', description: 'true: only report what the call would do.' }, (raw) =>
    typeof raw === 'boolean' ? raw : new Fault('Must be a boolean: true or false.'),
  );
}

function limitField(): Field<number> {
  return field<number>({ type: 'integer', minimum: 1, maximum: maxItems, default: defaultItems }, (raw) =>
    clampSize(raw, maxItems, defaultItems),
  );
}

/** Returns all tools of the operations table by name. A Map: a tool called `constructor` must not be found. */
export function buildTools(operations: readonly Operation[]): ReadonlyMap<string, Tool> {
  const found = operations.flatMap((operation) =>
    (operation.tools ?? []).map((definition) => toTool(operation, definition)),
  );
  found.sort((left, right) => order.indexOf(left.definition.name) - order.indexOf(right.definition.name));
  return new Map(found.map((tool) => [tool.definition.name, tool]));
}

function toTool(operation: Operation, definition: ToolDefinition): Tool {
  const fields = definition.input?.fields ?? derivedFields(operation);
  const schema = input({ ...fields, ...fieldsOfTools(definition) } as Parameters<
    typeof input
  >[0]) as unknown as InputSchema;
  const described = describeObject(schema);
  const inputSchema: JsonSchema = {
    ...described,
    properties: Object.fromEntries(
      Object.entries((described['properties'] ?? {}) as Record<string, JsonSchema>).map(([name, own]) => [
        name,
        argumentSchema(definition.name, name, own),
      ]),
    ),
    additionalProperties: false,
  };
  const { name, title, description, annotations } = definition;
  const output = outputSchema(definition, operation);
  return {
    definition,
    operation,
    input: schema,
    output,
    listed: {
      name,
      title,
      description,
      inputSchema: inputSchema as { type: 'object' },
      outputSchema: outline(output) as { type: 'object' },
      annotations: { title, ...annotations },
    },
  };
}

/** What agents may say besides the input of the operation: how much they want to be told, or that nothing is done. */
function fieldsOfTools({ name, sends, annotations }: ToolDefinition): Record<string, unknown> {
  return {
    ...(sends ? { dry_run: dryRunField() } : {}),
    ...(name === 'read_messages' ? { with_images: boolean() } : {}),
    ...(annotations.readOnlyHint && toldBy(name) ? { response_format: choice(formats) } : {}),
  };
}

/** Path parameters, query and body in one; lists page by `limit` and `cursor`. */
function derivedFields(operation: Operation): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [, name = ''] of operation.path.matchAll(/\{(\w+)\}/g))
    fields[name] = required<unknown>(
      operation.intParams?.includes(name)
        ? (pk() as Field<unknown>)
        : (text({ max: 200, blank: false }) as Field<unknown>),
    );
  const query = { ...operation.query?.fields } as Record<string, unknown>;
  if (query['page_size'] !== undefined || query['limit'] !== undefined) {
    delete query['page'];
    delete query['page_size'];
    delete query['count'];
    query['limit'] = limitField();
  }
  return { ...fields, ...query, ...operation.body?.fields };
}

/** Returns the first of some names for a text, and how many more there are. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, 20).map((name) => `"${cut(name, 50)}"`);
  return names.length > shown.length ? `${shown.join(', ')} and ${names.length - shown.length} more` : shown.join(', ');
}

/** Returns what is wrong with an agent's arguments by the schema that the tool declares; null where nothing is. */
export function refuseArguments(tool: Tool, args: Record<string, unknown>): string | null {
  const known = Object.keys(tool.input.fields);
  const unknown = Object.keys(args).filter((key) => !known.includes(key));
  if (unknown.length > 0) return `Unknown argument ${listed(unknown)}. ` + `Known arguments: ${known.join(', ')}.`;
  const faults = typeFaults(tool.listed.inputSchema as Parameters<typeof typeFaults>[0], args);
  return Object.keys(faults).length > 0 ? fieldLines(faults) : null;
}

/** Returns the operation's input out of an agent's arguments, or what is wrong with them in one text. */
export function readArguments(
  tool: Tool,
  args: Record<string, unknown>,
):
  | {
      readonly input: Record<string, unknown>;
      readonly dryRun: boolean;
      readonly format: Format;
      readonly withImages: boolean;
    }
  | string {
  const result = runSchema(tool.input, joined(tool, args));
  if ('errors' in result) return fieldLines(result.errors);
  const { dry_run: dry, response_format: format = 'concise', with_images: images, ...rest } = result.value;
  return {
    input: tool.definition.adapt ? tool.definition.adapt(sized(tool, rest)) : sized(tool, rest),
    dryRun: dry === true,
    format: format as Format,
    withImages: images === true,
  };
}

/** Several words of a filter, which the API takes with commas between them. */
function joined(tool: Tool, args: Record<string, unknown>): Record<string, unknown> {
  const lists = tool.operation.query?.fields ?? {};
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => [
      key,
      Array.isArray(value) && Object.hasOwn(lists, key) ? value.join(',') : value,
    ]),
  );
}

/** Returns the same input with fewer items, for a result that came out too long; null when it cannot get smaller. */
export function halved(tool: Tool, given: Record<string, unknown>): Record<string, unknown> | null {
  const key = sizeKey(tool);
  const size = key === null ? 0 : Number(given[key]);
  return key === null || size <= 1 ? null : { ...given, [key]: Math.floor(size / 2) };
}

function sizeKey(tool: Tool): 'limit' | 'page_size' | null {
  if (!('limit' in tool.input.fields)) return null;
  return tool.operation.query && 'page_size' in tool.operation.query.fields ? 'page_size' : 'limit';
}

function sized(tool: Tool, values: Record<string, unknown>): Record<string, unknown> {
  const key = sizeKey(tool);
  if (key === null) return values;
  const { limit, ...rest } = values;
  return { ...rest, [key]: limit ?? defaultItems };
}

/** Returns a 400 of the API in lines that name the field and carry its messages word for word. */
export function fieldLines(fields: FieldReasons): string {
  return Object.entries(fields)
    .map(([key, messages]) => (key === 'non_field_errors' ? messages.join(' ') : `${key}: ${messages.join(' ')}`))
    .join('\n');
}

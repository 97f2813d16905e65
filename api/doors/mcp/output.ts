import { autonomyLevels } from '../../core/http/access';
import type { Operation, ToolDefinition } from '../../core/http/operations';
import { wire, type JsonSchema } from '../../core/http/shapes';
import { receiverShape } from '../../services/resources/conversations/serializer';
import { messageStatuses } from '../../services/resources/messages/rows/status';
import { leanMessageShape } from './lean';
import { dropped } from './present';

type Properties = Readonly<Record<string, JsonSchema>>;

/** What a list says beside its items, and a result that was shortened to fit. */
const ofLists: Properties = {
  total: wire.integer('How many there are in all.'),
  next_cursor: wire.text('Give it as cursor to get the rest.'),
};
const hint: Properties = { hint: wire.text('How to get the rest, or what was shortened.') };

/** The answer to a call that may send to a customer, when it was parked or rehearsed (contract 11). */
const parked: Properties = {
  status: wire.oneOf(['queued_for_approval', 'would_send', 'would_queue']),
  approval_id: wire.integer(),
  autonomy_level: wire.oneOf(autonomyLevels),
  decision: wire.text('Where the decision of the member shows.'),
};
const sentMessage: Properties = {
  ...parked,
  status: wire.oneOf([...messageStatuses, 'queued_for_approval', 'would_send', 'would_queue']),
  message_id: wire.integer('id of the message in read_messages.'),
  recipient: propertiesOnly({ receiver_id: wire.text(), name: wire.text(), phone: wire.text() }),
  from: wire.text('The number that would send.'),
  text: wire.text('What the customer would read.'),
  window_open_until: wire.datetime(),
};

/** Returns the schema of what a tool answers: what REST answers, as `present` and `lean` leave it (contract 11.1). */
export function outputSchema(definition: ToolDefinition, operation: Operation): JsonSchema {
  const { sends, name } = definition;
  if (sends === 'message') return propertiesOnly({ ...sentMessage, ...hint }, ['status', 'autonomy_level']);
  if (operation.output === null) throw new Error(`${name} has no answer that could be described`);
  const own = topSchema(operation.output);
  const properties = own['properties'] as Properties;
  if (name === 'read_messages') {
    const results = wire.list(presented(leanMessageShape));
    return propertiesOnly({ conversation: presented(receiverShape), ...properties, results }, ['results']);
  }
  // One object for all ends of the call: done, parked or rehearsed.
  return sends ? propertiesOnly({ ...properties, ...parked }) : own;
}

/** Lists become one object with their items, as `present` makes it. */
function topSchema(output: JsonSchema): JsonSchema {
  const results = (output['properties'] as Properties | undefined)?.['results'] ?? output;
  if (results['type'] === 'array')
    return propertiesOnly({ results: presented(results), ...ofLists, ...hint }, ['results']);
  const { properties, required } = presented(output);
  return propertiesOnly({ ...(properties as Properties), ...hint }, required as readonly string[] | undefined);
}

function propertiesOnly(properties: Properties, required: readonly string[] = []): JsonSchema {
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

/**
 * Returns the schema of a value after `present`: without the properties that it drops, and with none required that may
 * be empty. Objects are open, so that a client with a cached list accepts the answers of a later version.
 */
function presented(schema: JsonSchema): JsonSchema {
  const { title: _title, maxLength: _max, required, additionalProperties: more, ...rest } = filled(schema);
  const kept: Record<string, unknown> = { ...rest };
  if (typeof more === 'object') kept['additionalProperties'] = presented(more as JsonSchema);
  else if (more === true) kept['additionalProperties'] = true;
  if (rest['items']) kept['items'] = presented(rest['items'] as JsonSchema);
  if (!rest['properties']) return kept;
  const shown = Object.entries(rest['properties'] as Properties).filter(([name]) => !dropped.has(name));
  const always = shown
    .filter(([name, own]) => (required as readonly string[] | undefined)?.includes(name) && isNeverEmpty(own))
    .map(([name]) => name);
  return {
    ...kept,
    properties: Object.fromEntries(shown.map(([name, own]) => [name, presented(own)])),
    ...(always.length > 0 ? { required: always } : {}),
  };
}

/** Returns a schema without the null that is left out of results. */
function filled(schema: JsonSchema): JsonSchema {
  const { anyOf, type, ...rest } = schema;
  if (Array.isArray(anyOf)) {
    const others = (anyOf as JsonSchema[]).filter((variant) => variant['type'] !== 'null');
    return others.length === 1 ? { ...others[0], ...rest } : { ...rest, anyOf: others };
  }
  const types = Array.isArray(type) ? (type as string[]).filter((name) => name !== 'null') : type;
  return type === undefined ? schema : { type: Array.isArray(types) && types.length === 1 ? types[0] : types, ...rest };
}

/** Returns whether a value of the schema is never left out as empty. */
function isNeverEmpty(schema: JsonSchema): boolean {
  const { type } = schema;
  if (type === 'integer' || type === 'number' || type === 'boolean') return true;
  if (type === 'string') return 'enum' in schema || schema['format'] === 'date-time';
  return false;
}

import { autonomyLevels } from '../../core/http/access';
import type { Operation, ToolDefinition } from '../../core/http/operations';
import { wire, type JsonSchema } from '../../core/http/shapes';
import { receiverShape } from '../../services/resources/conversations/serializer';
import { shownStatuses } from '../../services/resources/messages/rows/status';
import { lastMessageShape, leanMessageShape, toldBy } from './messagesForAgents';
import { isTimeless, localised } from './localTimes';
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
  status: wire.oneOf(['queued_for_approval', 'would_send', 'would_queue', 'would_change']),
  changes: wire.any('Of a ticket: what would be another one.'),
  steps: wire.any('Of a macro.'),
  sends: wire.list(wire.any('Recipients and text.')),
  approval_id: wire.integer(),
  autonomy_level: wire.oneOf(autonomyLevels),
  decision: wire.text('Where the decision of the member shows.'),
};
const sentMessage: Properties = {
  ...parked,
  status: wire.oneOf([...shownStatuses, 'queued_for_approval', 'would_send', 'would_queue']),
  message_id: wire.integer('id of the message in read_messages.'),
  recipient: propertiesOnly({ receiver_id: wire.text(), name: wire.text(), phone: wire.text() }),
  from: wire.text('The number that would send.'),
  text: wire.text('What the customer would read.'),
  window_open_until: wire.datetime(),
  send_at: wire.datetime(),
};

const now: Properties = { now: wire.text("What the workspace's clock shows.") };

/** Returns the schema of what a tool answers: what REST answers, as `present` and `lean` leave it (contract 11.1). */
export function outputSchema(definition: ToolDefinition, operation: Operation): JsonSchema {
  const { sends, name } = definition;
  if (sends === 'message')
    return propertiesOnly({ ...withLocal(sentMessage), ...now, ...hint }, ['status', 'autonomy_level']);
  if (operation.output === null) throw new Error(`${name} has no answer that could be described`);
  const { properties, required } = topSchema(operation.output);
  const clock = isTimeless(name) ? {} : now;
  const own = { ...(properties as Properties), ...clock };
  if (name === 'read_messages') {
    const results = wire.list(presented(leanMessageShape));
    return propertiesOnly({ conversation: presented(receiverShape), ...own, results }, ['results']);
  }
  const told = definition.annotations.readOnlyHint ? undefined : toldBy(name);
  const kept = told ? Object.entries(own).filter(([key]) => !isLeftOut(key, told)) : Object.entries(own);
  // One object for all ends of the call: done, parked or rehearsed.
  return propertiesOnly(
    { ...Object.fromEntries(kept), ...(sends ? parked : {}) },
    required as readonly string[] | undefined,
  );
}

/** Returns whether a field is none of those that a result has. */
function isLeftOut(name: string, told: readonly string[]): boolean {
  return !told.includes(name.replace(/_local$/, '')) && !['now', 'hint'].includes(name);
}

/** Returns properties with the same moments by the workspace's clock. */
function withLocal(properties: Properties): Properties {
  const local = wire.text("The same by the workspace's clock.");
  const times = localised.filter((name) => Object.hasOwn(properties, name)).map((name) => [`${name}_local`, local]);
  return { ...properties, ...(Object.fromEntries(times) as Properties) };
}

/**
 * Returns a schema as agents get it: the names of the result's fields, and their types where they are no text. All of
 * it, for fifteen tools, would be half of the list, which is part of every prompt.
 */
export function outline({ properties, required }: JsonSchema): JsonSchema {
  const told = Object.entries(properties as Properties).map(([name, { type }]): [string, JsonSchema] => [
    name,
    typeof type === 'string' && type !== 'string' && type !== 'object' ? { type } : {},
  ]);
  return { type: 'object', properties: Object.fromEntries(told), ...(required === undefined ? {} : { required }) };
}

/** Lists become one object with their items, as `present` makes it. */
function topSchema(output: JsonSchema): JsonSchema {
  const results = (output['properties'] as Properties | undefined)?.['results'] ?? output;
  if (results['type'] === 'array')
    return propertiesOnly({ results: presented(results), ...ofLists, ...hint }, ['results']);
  return propertiesOnly({ ...(presented(output)['properties'] as Properties), ...hint });
}

function propertiesOnly(properties: Properties, required: readonly string[] = []): JsonSchema {
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

/**
 * Returns the schema of a value after `present` and `lean`: without the properties that they drop, and with none
 * required, as what is empty or seldom needed is left out. Objects are open, so that a client with a cached list
 * accepts the answers of a later version.
 */
function presented(schema: JsonSchema): JsonSchema {
  const { title: _title, maxLength: _max, required: _required, additionalProperties: more, ...rest } = filled(schema);
  const kept: Record<string, unknown> = { ...rest };
  if (typeof more === 'object') kept['additionalProperties'] = presented(more as JsonSchema);
  else if (more === true) kept['additionalProperties'] = true;
  if (rest['items']) kept['items'] = presented(rest['items'] as JsonSchema);
  if (!rest['properties']) return kept;
  const shown = Object.entries(rest['properties'] as Properties).filter(([name]) => !dropped.has(name));
  const properties = withLocal(Object.fromEntries(shown.map(([name, own]) => [name, presented(own)])));
  // The one object that has another form in few words.
  const last = properties['last_message'];
  if (!last) return { ...kept, properties };
  const both = { ...(last['properties'] as Properties), ...(presented(lastMessageShape)['properties'] as Properties) };
  return { ...kept, properties: { ...properties, last_message: { ...last, properties: both } } };
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

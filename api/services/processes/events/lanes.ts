import { lineOf } from '../../../core/phones';
import type { Runtime } from '../../../core/runtime';
import { readWritten, type Written } from './messages';
import { objectAt, textOf } from './read';
import type { StoredEvent } from './claim';
import type { EventLookups } from './lookups';

/** Most messages of one transaction: it holds their customers' rows for some ten milliseconds. */
const maxTogether = 50;
/** Most characters of these messages' payloads. */
const maxCharacters = 1_000_000;

/** An event, with the message in it if that is one that can be stored together with others. */
interface Taken {
  readonly event: StoredEvent;
  readonly written: Written | null;
}

/** Events of one customer in the order in which they came; some of them name nobody and are alone. */
type Lane = readonly Taken[];

/** Splits events by customer: those that share a phone or user id are in one lane. */
export function lanesOf(runtime: Runtime, events: readonly StoredEvent[], known: EventLookups): readonly Lane[] {
  const laneOf = new Map<string, Lane>();
  for (const event of events) {
    const taken = { event, written: event.kind === 'message' ? readWritten({ runtime }, event, known) : null };
    const before = namesOf(taken).flatMap((name) => laneOf.get(name) ?? []);
    const lane = [...new Set(before), taken].sort((left, right) => left.event.id - right.event.id);
    for (const name of lane.flatMap(namesOf)) laneOf.set(name, lane);
  }
  return [...new Set(laneOf.values())];
}

/** Returns all identifiers by which an event names its customer: phone and user id, as received, and the line. */
function namesOf({ event, written }: Taken): string[] {
  const message = objectAt(event.payload, 'message');
  const names = [
    event.order_key,
    textOf(message?.['from'], 200),
    textOf(message?.['from_user_id'], 200),
    lineOf(written?.identity.phone ?? ''),
    written?.identity.bsuid ?? '',
  ].filter((name) => name !== '');
  return names.length === 0 ? [`#${event.id}`] : names.map((name) => `${event.workspace_id}/${name}`);
}

/**
 * Returns the messages at the beginning of each lane that can be stored together, by workspace, in batches with a
 * limited number of messages and characters. A lane is in one batch: what is not in it follows when that is stored.
 */
export function batchesOf(lanes: readonly Lane[]): readonly (readonly (readonly Written[])[])[] {
  const batches: Written[][][] = [];
  const open = new Map<number, { readonly lanes: Written[][]; messages: number; characters: number }>();
  for (const lane of lanes) {
    const messages: Written[] = [];
    let characters = 0;
    for (const { written } of lane) {
      if (!written || messages.length === maxTogether || characters + written.length > maxCharacters) break;
      messages.push(written);
      characters += written.length;
    }
    const [first] = messages;
    if (!first) continue;
    const { workspace_id: workspaceId } = first.event;
    let batch = open.get(workspaceId);
    const isFull =
      batch && (batch.messages + messages.length > maxTogether || batch.characters + characters > maxCharacters);
    if (!batch || isFull) {
      batch = { lanes: [], messages: 0, characters: 0 };
      open.set(workspaceId, batch);
      batches.push(batch.lanes);
    }
    batch.lanes.push(messages);
    batch.messages += messages.length;
    batch.characters += characters;
  }
  return batches;
}

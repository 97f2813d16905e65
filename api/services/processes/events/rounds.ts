import type { Runtime } from '../../../core/runtime';
import { readWritten, type Written } from './messages';
import { objectAt, textOf } from './read';
import type { StoredEvent } from './claim';
import type { EventLookups } from './lookups';

/** Most messages of one transaction: it holds their customers' rows for some ten milliseconds. */
const maxTogether = 50;
/** Most characters of these messages' payloads. */
const maxCharacters = 1_000_000;

/** A set of messages with at most one of each customer. */
export interface Round {
  /** Messages that are stored together, by workspace. */
  readonly batches: readonly (readonly Written[])[];
  /** Events that are processed alone. */
  readonly alone: readonly StoredEvent[];
}

/**
 * Splits the events of messages into rounds that are processed one after the other. Messages of one customer (which
 * share a phone or user id) are in different rounds, in the order in which they came.
 */
export function roundsOf(runtime: Runtime, events: readonly StoredEvent[], known: EventLookups): readonly Round[] {
  const rounds: { written: Written[]; alone: StoredEvent[] }[] = [];
  /** How many rounds the events of a person take up to now. */
  const taken = new Map<string, number>();
  for (const event of events) {
    const written = readWritten({ runtime }, event, known);
    const keys = namesOf(event, written).map((name) => `${event.workspace_id}/${name}`);
    const place = Math.max(0, ...keys.map((key) => taken.get(key) ?? 0));
    for (const key of keys) taken.set(key, place + 1);
    const round = (rounds[place] ??= { written: [], alone: [] });
    if (written) round.written.push(written);
    else round.alone.push(event);
  }
  return rounds.map(({ written, alone }) => ({ batches: batchesOf(written), alone }));
}

/** Returns all identifiers by which an event names its customer: phone and user id, as received and as normalised. */
function namesOf({ order_key: orderKey, payload }: StoredEvent, written: Written | null): string[] {
  const message = objectAt(payload, 'message');
  const names = [
    orderKey,
    textOf(message?.['from'], 200),
    textOf(message?.['from_user_id'], 200),
    written?.identity.phone ?? '',
    written?.identity.bsuid ?? '',
  ];
  return [...new Set(names)].filter((name) => name !== '');
}

/** Splits messages by workspace, and into batches with a limited number of messages and characters. */
function batchesOf(messages: readonly Written[]): Written[][] {
  const batches: Written[][] = [];
  const open = new Map<number, { readonly messages: Written[]; characters: number }>();
  for (const message of messages) {
    const { workspace_id: workspaceId } = message.event;
    let batch = open.get(workspaceId);
    if (!batch || batch.messages.length >= maxTogether || batch.characters + message.length > maxCharacters) {
      batch = { messages: [], characters: 0 };
      open.set(workspaceId, batch);
      batches.push(batch.messages);
    }
    batch.messages.push(message);
    batch.characters += message.length;
  }
  return batches;
}

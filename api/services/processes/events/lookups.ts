import type { Ctx } from '../../../core/context';
import { bareWords } from '../../../core/http/visible';
import type { Runtime } from '../../../core/runtime';
import { speaksAwaySql } from '../../resources/calendars/hours';
import { trialOverSql } from '../webhookDelivery/deliver';
import { numberIdOf, UnknownNumber } from './read';
import type { StoredEvent } from './claim';

/** Data that the messages of a batch need, looked up once for all of them. */
export interface EventLookups {
  /** Our own id of the number that an event came in by; throws for one that is not known. */
  numberOf(event: StoredEvent): number;
  /**
   * Returns whether what a customer said is one of the workspace's words, whatever stands around it (contract 5): true
   * opts out, false opts in.
   */
  preferenceOf(event: StoredEvent, text: string): boolean | null;
  /** Returns whether the workspace answers customers outside of its hours, so that it is worth a look. */
  answersAway(event: Pick<StoredEvent, 'workspace_id'>): boolean;
}

/** Processes one stored event in the surrounding transaction; running it again changes nothing. */
export type Handler = (ctx: Ctx, event: StoredEvent, known: EventLookups) => Promise<void>;

interface Words {
  readonly id: number;
  readonly opt_out_words: readonly string[];
  readonly opt_in_words: readonly string[];
  readonly answers_away: boolean;
}

/** Characters of a text that can be one of the words, with what stands around it: the longest word has 64. */
const longestAnswer = 256;
/** Kinds of events whose number has to be known. */
const throughNumber: ReadonlySet<string> = new Set(['message', 'echo', 'call', 'thread']);

/** Reads the numbers and words that a batch of events needs. */
export async function readLookups(runtime: Runtime, events: readonly StoredEvent[]): Promise<EventLookups> {
  const messages = events.filter(({ kind }) => throughNumber.has(kind));
  const workspaceIds = [...new Set(messages.map((event) => event.workspace_id))];
  const numberIds = [...new Set(messages.map((event) => numberIdOf(event.payload)))];
  const numbers =
    messages.length === 0
      ? []
      : // SQL for all workspaces of the batch at once: it runs for every message.
        await runtime.db.rows<{ id: number; workspace_id: number; phone_number_id: string }>(
          `SELECT id, workspace_id, phone_number_id
           FROM phone_numbers
           WHERE workspace_id = ANY($workspaceIds::bigint[]) AND phone_number_id = ANY($numberIds::text[])`,
          { workspaceIds, numberIds },
        );
  const words =
    messages.length === 0
      ? []
      : await runtime.db.rows<Words>(
          `SELECT w.id, w.opt_out_words, w.opt_in_words,
             NOT ${trialOverSql('w')} AND ${speaksAwaySql('w')} AS answers_away
           FROM workspaces w
           WHERE w.id = ANY($workspaceIds::bigint[])`,
          { workspaceIds },
        );

  const numberByKey = new Map(numbers.map((row) => [`${row.workspace_id}/${row.phone_number_id}`, row.id]));
  const wordsByWorkspace = new Map(
    words.map((row) => [row.id, { out: folded(row.opt_out_words), back: folded(row.opt_in_words) }]),
  );
  return {
    numberOf(event) {
      const id = numberIdOf(event.payload);
      const known = numberByKey.get(`${event.workspace_id}/${id}`);
      if (known === undefined)
        throw new UnknownNumber(`phone number ${id} is not known, until a read of its account finds it`);
      return known;
    },
    preferenceOf(event, text) {
      if (text.length > longestAnswer) return null;
      const word = bareWords(text);
      const given = wordsByWorkspace.get(event.workspace_id);
      if (word === '' || !given) return null;
      return given.out.has(word) ? true : given.back.has(word) ? false : null;
    },
    answersAway: ({ workspace_id: id }) => words.some((row) => row.id === id && row.answers_away),
  };
}

function folded(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.map(bareWords));
}

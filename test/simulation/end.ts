import type { Days } from './days';
import type { Scene } from './run';
import type { Step } from './steps';

/** An outbound message as it is at the end. */
export interface MessageRow {
  readonly id: string;
  readonly conversation_id: string;
  readonly mark: string | null;
  readonly opaque: string;
  readonly origin: string;
  readonly dedupe_key: string | null;
  readonly delivery_state: string;
  readonly message_status: string;
  readonly send_seq: number | null;
  readonly error_code: number | null;
  readonly error_title: string;
  readonly created_ms: string;
  readonly failed_ms: string | null;
  readonly deliver_by_ms: string | null;
}

/** What is known at the end of a run. */
export interface End {
  readonly scene: Scene;
  readonly days: Days;
  readonly messages: readonly MessageRow[];
  /** What became of rules and of messages for later, where the run is about these. */
  readonly steps: readonly Step[];
  query<T extends object>(sql: string): Promise<T[]>;
}

/** Returns what is wrong, as sentences. */
export type Invariant = (end: End) => string[] | Promise<string[]>;

/** How late something may be where nothing goes wrong. */
export const maxCalmLateMs = 5_000;

/** Returns the messages that the platform took and denied: they may reach it again, unless it has spoken of them. */
export const liedOf = ({ platform }: Scene): ReadonlySet<string> =>
  new Set(platform.calls.filter(({ fate }) => fate === 'lied').map(({ opaque }) => opaque));

/** Returns what a message without a place in the order is about: a broadcast, or a move of a ticket. */
export const causeOf = ({ dedupe_key: key }: MessageRow): string => key?.split(':').slice(0, 2).join(':') ?? '';

export function repeated(values: readonly string[]): string[] {
  const seen = new Set<string>();
  return values.filter((value) => {
    if (seen.has(value)) return true;
    seen.add(value);
    return false;
  });
}

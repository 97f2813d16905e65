import { Counter, Registry } from 'prom-client';
import { codes, isKnownCode, type SendOutcome } from './platform/answers';
import type { Rank } from './platform/permits';

/** The most names that are counted separately, because a signed webhook may name its field anything. */
const maxNames = 100;

/** What a process counts as it happens; its metrics page serves the registry with everything else. */
export interface Counts {
  readonly registry: Registry;
  platformEventIgnored(field: string): void;
  /** A call that sends has ended. */
  platformCall(rank: Rank, outcome: SendOutcome): void;
  /** A try to fetch a customer's file has ended. */
  fileFetched(outcome: 'stored' | 'retried' | 'lost'): void;
  /** Counts a failed call of the file store. */
  fileStoreFailed(): void;
  /** Counts messages that reached this status, by the result of a call or by a later status of the platform. */
  messagesSettled(status: string, messages: number): void;
  /**
   * The platform refuses an account for the moment. Returns how many calls since the last line about it, once a minute
   * at most, else null.
   */
  platformRefuses(businessAccountId: number): number | null;
}

/** Operators read one line about an account in this time. */
const lineEveryMs = 60_000;

/**
 * Returns the code of an outcome as a label; only codes that the platform is known to answer, so that the number of
 * labels stays bounded.
 */
function codeOf(outcome: SendOutcome): string {
  if (outcome.kind !== 'rejected') return outcome.kind === 'unknown' ? 'unreadable' : '';
  if (outcome.code === codes.notReached) return 'unreachable';
  return isKnownCode(outcome.code) ? String(outcome.code) : 'other';
}

/** Creates the counters of one process. */
export function createCounts(): Counts {
  const registry = new Registry();
  const ignored = new Counter({
    name: 'msgdesk_platform_events_ignored_total',
    help: 'Events of the platform that were kept because nothing is done with their kind, by field.',
    labelNames: ['field'],
    registers: [registry],
  });
  const calls = new Counter({
    name: 'msgdesk_platform_calls_total',
    help: 'Calls to the platform that send a message: what came of them, its code, and whether people or mass sends.',
    labelNames: ['outcome', 'code', 'rank'],
    registers: [registry],
  });
  const settled = new Counter({
    name: 'msgdesk_messages_settled_total',
    help: 'Messages by what became of their calls, and by what the platform said of them later.',
    labelNames: ['status'],
    registers: [registry],
  });
  const fetched = new Counter({
    name: 'msgdesk_files_fetched_total',
    help: "Tries to fetch a customer's file from the platform, by what came of them.",
    labelNames: ['outcome'],
    registers: [registry],
  });
  const storeFailures = new Counter({
    name: 'msgdesk_file_store_failures_total',
    help: 'Reads and writes that the file store refused or did not answer.',
    registers: [registry],
  });
  const refusing = new Map<number, { calls: number; toldAt: number }>();
  const fields = new Set<string>();
  return {
    registry,
    platformEventIgnored(field) {
      const known = fields.has(field) || (fields.size < maxNames && /^\w{1,64}$/.test(field));
      if (known) fields.add(field);
      ignored.inc({ field: known ? field : 'other' });
    },
    platformCall(rank, outcome) {
      const word = outcome.kind === 'rejected' ? outcome.class : outcome.kind;
      calls.inc({ outcome: word, code: codeOf(outcome), rank });
    },
    fileFetched: (outcome) => fetched.inc({ outcome }),
    fileStoreFailed: () => storeFailures.inc(),
    messagesSettled(status, messages) {
      if (messages > 0) settled.inc({ status }, messages);
    },
    platformRefuses(businessAccountId) {
      const known = refusing.get(businessAccountId) ?? { calls: 0, toldAt: Number.NEGATIVE_INFINITY };
      known.calls += 1;
      refusing.set(businessAccountId, known);
      if (performance.now() - known.toldAt < lineEveryMs) return null;
      const { calls: since } = known;
      refusing.set(businessAccountId, { calls: 0, toldAt: performance.now() });
      return since;
    },
  };
}

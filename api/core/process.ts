/**
 * How long what a process has taken stays its own, and how often it looks for more. These are production's numbers;
 * tests of processes that die say smaller ones, and need not wait as long.
 */
export interface Timing {
  /** How long a request waits for a connection of the pool before it is refused as busy: people wait no longer. */
  readonly connectionWaitMs: number;
  /** A message claimed for its call: twice the platform's timeout. */
  readonly messageClaimMs: number;
  /** After a claim's end, before a sweep settles it: the sender itself looks first. */
  readonly claimGraceMs: number;
  /** A message whose outcome stays unknown fails after this time, counting only time in which statuses could arrive. */
  readonly unknownForMs: number;
  /**
   * After this time a conversation that was handed to its workflow is handed over again, if its message still waits.
   */
  readonly handedOverMs: number;
  /** Intents that a relay has taken; it begins nothing in the last seconds, because a call to Temporal takes two. */
  readonly relayLeaseMs: number;
  readonly relayBeginsForMs: number;
  /** Events of the platform that a drainer has taken: renewed while it works, so a dead one holds them up no longer. */
  readonly eventLeaseMs: number;
  /** A customer's file that a process fetches: longer than a fetch may take. */
  readonly fileLeaseMs: number;
  /** A mail that is being sent: above the half minute that its server has. */
  readonly mailClaimMs: number;
  /** Pushes that are being sent: above the 15 seconds that a push service has. */
  readonly pushClaimMs: number;
  /** A stage move without a sign of life for this time gets its intent again; a workflow that runs is left alone. */
  readonly moveSilentMs: number;
  /** A running broadcast that has sent nothing for this time gets its intent again. */
  readonly broadcastQuietMs: number;
  /** A scheduled broadcast gets its intent again this long after its time. */
  readonly broadcastOverdueMs: number;
  /** How long others wait for the sync of one account: most take a second or two. */
  readonly syncTurnMs: number;
  /** An Idempotency-Key whose request has no answer: longer than any request takes (contract 3). */
  readonly keyClaimMs: number;
  /** How often each loop of a worker looks when it found nothing. */
  readonly looks: {
    readonly relayMs: number;
    readonly waitingMs: number;
    readonly inboxMs: number;
    readonly filesMs: number;
    readonly syncMs: number;
    /** For events that are to be told; twice as long after each look in vain, up to the second figure. */
    readonly eventsMs: number;
    readonly quietEventsMs: number;
    readonly wakesMs: number;
    /** For what merges and erasures of long histories have left. */
    readonly historiesMs: number;
    readonly fenceMs: number;
    /** For mails: a person waits for theirs. */
    readonly mailsMs: number;
    /** For web push, which is worth little when it comes late. */
    readonly pushesMs: number;
    /** Whether the workflow of the sweeps runs: Temporal may have lost it, or an operator ended it. */
    readonly sweepsMs: number;
  };
}

export const usualTiming: Timing = Object.freeze({
  connectionWaitMs: 2_000,
  messageClaimMs: 20_000,
  claimGraceMs: 5_000,
  unknownForMs: 15 * 60_000,
  handedOverMs: 60_000,
  relayLeaseMs: 10_000,
  relayBeginsForMs: 7_000,
  eventLeaseMs: 10_000,
  fileLeaseMs: 6 * 60_000,
  mailClaimMs: 60_000,
  pushClaimMs: 60_000,
  moveSilentMs: 5 * 60_000,
  broadcastQuietMs: 120_000,
  broadcastOverdueMs: 60_000,
  syncTurnMs: 20_000,
  keyClaimMs: 60_000,
  looks: Object.freeze({
    relayMs: 1_500,
    waitingMs: 1_000,
    inboxMs: 1_000,
    filesMs: 2_000,
    syncMs: 5_000,
    eventsMs: 250,
    quietEventsMs: 1_000,
    // Together with the two seconds that a timer has, an overdue snooze wakes within three (contract 16).
    wakesMs: 800,
    historiesMs: 2_000,
    fenceMs: 5_000,
    mailsMs: 10_000,
    pushesMs: 2_000,
    sweepsMs: 60_000,
  }),
});

/** Of what serves nobody else, as an operator's command: nothing is gained by giving up soon on a busy machine. */
export const patientTiming: Timing = Object.freeze({ ...usualTiming, connectionWaitMs: 20_000 });

/** The state of one process outside the database: its timing, and what it keeps in memory. */
export interface Process {
  readonly timing: Timing;
  /** The values that `kept` functions hold for this process, by function. */
  readonly memory: Map<unknown, unknown>;
}

export const createProcess = (timing: Timing): Process => ({ timing, memory: new Map() });

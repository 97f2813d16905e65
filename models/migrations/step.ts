/*
 * A migration is a list of steps, each with a record of its own. A step that was cut short begins again, or goes on
 * where it ended; none needs the service to stand still.
 */

/**
 * Statements in one transaction, together with their record. They give up where they would wait long for a lock,
 * because everybody else queues behind whoever waits for a table.
 */
export interface TransactionStep {
  readonly kind: 'transaction';
  readonly statements: string;
}

/**
 * An index that is made while others write, of a partitioned table on one partition after the other. One that was left
 * unfinished is dropped and made anew.
 */
export interface IndexStep {
  readonly kind: 'index';
  readonly index: string;
  readonly table: string;
  /** The rest of the statement: `(workspace_id) WHERE …`. */
  readonly on: string;
  readonly unique?: boolean;
}

/**
 * A rule that a table in use gets: what is written from then on keeps it at once, and the rows that were there are
 * looked at while others write.
 */
export interface ConstraintStep {
  readonly kind: 'constraint';
  readonly constraint: string;
  readonly table: string;
  /** `FOREIGN KEY (…) REFERENCES …`, `CHECK (…)` or `NOT NULL column`. */
  readonly rule: string;
}

/** A change of many rows in short transactions, each with the record of how far it came. */
export interface BackfillStep {
  readonly kind: 'backfill';
  /**
   * Changes the next rows after `:after`, `:size` at most, in the order of a growing id, and returns that id of each as
   * `position`. It is repeated until it returns none.
   */
  readonly batch: string;
}

export type Step = TransactionStep | IndexStep | ConstraintStep | BackfillStep;

/** One forward-only change of the schema. Names sort in the order in which they run; a released one is never edited. */
export interface Migration {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** Makes a step of statements that take effect together. */
export const transaction = (...statements: readonly string[]): TransactionStep => ({
  kind: 'transaction',
  statements: statements.join(';\n'),
});

/** Makes a step that adds an index to a table in use. */
export const index = (step: Omit<IndexStep, 'kind'>): IndexStep => ({ kind: 'index', ...step });

/** Makes a step that gives a table in use a rule. */
export const constraint = (step: Omit<ConstraintStep, 'kind'>): ConstraintStep => ({ kind: 'constraint', ...step });

/** Makes a step that changes many rows. */
export const backfill = (batch: string): BackfillStep => ({ kind: 'backfill', batch });

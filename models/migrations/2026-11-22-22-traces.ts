import { transaction, type Step } from './step';

/** The name under which it is recorded. */
export const name = '2026-11-22-22-traces';

/** Keeps with an intent the trace that it is part of, so that whoever delivers it continues that trace. */
export const steps: readonly Step[] = [transaction('ALTER TABLE outbox ADD COLUMN trace varchar(55)')];

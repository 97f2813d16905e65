import { transaction, type Step } from './step';

/** The name under which it is recorded. */
export const name = '2026-11-22-14-answers';

/** Indexes the runs of no macro by what they are on: answers to webhooks act so often on one of them and no more. */
export const steps: readonly Step[] = [
  transaction(`CREATE INDEX macro_runs_answers ON macro_runs (coalesce(conversation_id, ticket_id), created_at)
     WHERE macro_id IS NULL`),
];

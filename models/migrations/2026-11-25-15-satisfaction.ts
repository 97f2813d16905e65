import { constraint, transaction, type Step } from './step';

/** Sorts after what it builds on; never changes once released. */
export const name = '2026-11-25-15-satisfaction';

const statements = `
ALTER TABLE workspaces
  ADD COLUMN ask_satisfaction boolean NOT NULL DEFAULT false,
  ADD COLUMN satisfaction_question text NOT NULL DEFAULT 'How satisfied are you with our help?',
  -- The buttons below the question, for the best rating first.
  ADD COLUMN satisfaction_labels text[] NOT NULL DEFAULT '{Satisfied,Okay,Dissatisfied}';

-- The question after an episode, and what the customer answered last.
ALTER TABLE conversation_episodes
  ADD COLUMN asked_at timestamptz(3),
  ADD COLUMN rating varchar(8),
  ADD COLUMN rated_at timestamptz(3);

ALTER TABLE report_days
  ADD COLUMN rated integer NOT NULL DEFAULT 0,
  ADD COLUMN satisfied integer NOT NULL DEFAULT 0;
`;

/** Asks customers how satisfied they are, and counts what they answer. */
export const steps: readonly Step[] = [
  transaction(statements),
  constraint({
    constraint: 'conversation_episodes_rating',
    table: 'conversation_episodes',
    rule: "CHECK (rating IN ('good', 'fair', 'poor'))",
  }),
  constraint({
    constraint: 'conversation_episodes_rated',
    table: 'conversation_episodes',
    rule: 'CHECK ((rating IS NULL) = (rated_at IS NULL))',
  }),
];

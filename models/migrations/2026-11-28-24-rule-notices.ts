import { transaction, type Step } from './step';

/** Sorts after what it builds on; never changes once released. */
export const name = '2026-11-28-24-rule-notices';

// The table holds an hour: its rows are looked at in a moment.
const statements = `
ALTER TABLE notices ADD COLUMN rule_id bigint;
ALTER TABLE notices DROP CONSTRAINT notices_kind_check, DROP CONSTRAINT notices_check;
ALTER TABLE notices ADD CONSTRAINT notices_kind_check
    CHECK (kind IN ('assigned', 'message', 'unassigned', 'mention', 'security', 'rule')),
  ADD CONSTRAINT notices_check CHECK ((kind = 'security') = (security_id IS NOT NULL)
    AND (kind = 'rule') = (rule_id IS NOT NULL) AND (kind IN ('security', 'rule')) = (conversation_id IS NULL));
`;

/** Members who may manage rules are told of one that asks for them. */
export const steps: readonly Step[] = [transaction(statements)];

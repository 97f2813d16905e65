import { transaction, type Step } from './step';

/** Sorts after what it builds on; never changes once released. */
export const name = '2026-11-27-17-pushes';

const statements = `
-- The browsers that need not be asked again for it.
ALTER TABLE notices ADD COLUMN pushed_to bigint[] NOT NULL DEFAULT '{}';
-- The newest notice alone says nothing of earlier ones. No released version reads it.
ALTER TABLE push_subscriptions DROP COLUMN pushed_id;
`;

/** Which notices a browser has taken, each by itself. */
export const steps: readonly Step[] = [transaction(statements)];

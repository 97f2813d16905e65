import { transaction, type Step } from './step';

/** Sorts after what it builds on; never changes once released. */
export const name = '2026-11-27-21-template-takes';

const statements = `
-- What the template took when the broadcast was confirmed; null for one that was confirmed before this was kept.
ALTER TABLE broadcasts ADD COLUMN template_takes jsonb;
`;

/** What a template took when its broadcast was confirmed: the platform changes templates meanwhile. */
export const steps: readonly Step[] = [transaction(statements)];

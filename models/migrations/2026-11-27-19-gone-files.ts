import { transaction, type Step } from './step';

/** Sorts after what it builds on; never changes once released. */
export const name = '2026-11-27-19-gone-files';

const statements = `
-- How often the platform said that it has no such file.
ALTER TABLE files ADD COLUMN gone_answers integer NOT NULL DEFAULT 0;
`;

/** How often the platform has denied a file: its attempts count outages, too. */
export const steps: readonly Step[] = [transaction(statements)];

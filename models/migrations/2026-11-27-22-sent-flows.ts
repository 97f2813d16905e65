import { transaction, type Step } from './step';

/** Sorts after what it builds on; never changes once released. */
export const name = '2026-11-27-22-sent-flows';

const statements = `
-- The button of a template that opens a flow, as it was when the message was sent. Null for all others, and for
-- messages of before.
ALTER TABLE messages ADD COLUMN flow_button jsonb;
`;

/** Which flow a message opens: its template may open another one by the time of the answer. */
export const steps: readonly Step[] = [transaction(statements)];

import { transaction, type Step } from './step';

/** The name under which it is recorded. */
export const name = '2026-11-24-44-webhookScopes';

/** Keeps what the maker of a subscription may see. Those that are there already go on as they were. */
export const steps: readonly Step[] = [
  transaction(
    "ALTER TABLE webhook_subscriptions ADD COLUMN view_scopes text[] NOT NULL DEFAULT '{}'",
    `UPDATE webhook_subscriptions SET view_scopes = '{chat.view,contact.view,ticket.view,broadcast.manage,template.view,
      flow.view,macro.view}'`,
  ),
];

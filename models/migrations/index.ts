import type { Sequelize } from 'sequelize';
import * as agents from './2026-11-21-agents';
import * as autonomy from './2026-11-22-autonomy';
import * as broadcasts from './2026-11-21-broadcasts';
import * as broadcastNumbers from './2026-11-22-broadcast-numbers';
import * as churn from './2026-11-22-churn';
import * as customFields from './2026-11-21-custom-fields';
import * as oauth from './2026-11-21-oauth';
import * as foundation from './2026-11-21-foundation';
import * as frozenRecipients from './2026-11-21-frozen-recipients';
import * as idempotency from './2026-11-22-idempotency';
import * as identity from './2026-11-21-identity';
import * as leanContacts from './2026-11-21-lean-contacts';
import * as leanInbox from './2026-11-21-lean-inbox';
import * as leanMessages from './2026-11-21-lean-messages';
import * as macros from './2026-11-21-macros';
import * as sendSlots from './2026-11-21-send-slots';
import * as tickets from './2026-11-21-tickets';
import * as retention from './2026-11-22-retention';
import * as sessionUse from './2026-11-22-session-use';
import * as updateInPlace from './2026-11-21-update-in-place';
import * as inbound from './2026-11-22-inbound';
import * as catalogue from './2026-11-22-catalogue';
import * as flows from './2026-11-22-flows';
import * as oneNumber from './2026-11-22-one-number';
import * as inboxTurns from './2026-11-22-inbox-turns';
import * as delivery from './2026-11-22-delivery';

/** One forward-only change of the schema. Names sort by date; a released one is never edited. */
export interface Migration {
  readonly name: string;
  readonly up: (sequelize: Sequelize) => Promise<void>;
}

/** All migrations, in the order in which they run. */
export const migrations: readonly Migration[] = [
  foundation,
  customFields,
  sendSlots,
  tickets,
  identity,
  broadcasts,
  frozenRecipients,
  agents,
  oauth,
  macros,
  leanInbox,
  updateInPlace,
  leanMessages,
  leanContacts,
  churn,
  inbound,
  idempotency,
  sessionUse,
  retention,
  flows,
  catalogue,
  oneNumber,
  inboxTurns,
  autonomy,
  broadcastNumbers,
  delivery,
];

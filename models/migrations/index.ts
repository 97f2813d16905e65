import * as workspaces from './2026-11-22-01-workspaces';
import * as platform from './2026-11-22-02-platform';
import * as definitions from './2026-11-22-03-definitions';
import * as contacts from './2026-11-22-04-contacts';
import * as messages from './2026-11-22-05-messages';
import * as queues from './2026-11-22-06-queues';
import * as tickets from './2026-11-22-07-tickets';
import * as broadcasts from './2026-11-22-08-broadcasts';
import * as macros from './2026-11-22-09-macros';
import * as agents from './2026-11-22-10-agents';
import * as autovacuum from './2026-11-22-11-autovacuum';
import * as webhooks from './2026-11-22-12-webhooks';
import * as holds from './2026-11-22-13-holds';
import * as answers from './2026-11-22-14-answers';
import * as webhookTriggers from './2026-11-22-16-webhookTriggers';
import * as webhookNotes from './2026-11-22-17-webhookNotes';
import * as witness from './2026-11-22-18-witness';
import * as turns from './2026-11-22-19-turns';
import * as agentBookings from './2026-11-22-20-agentBookings';
import * as rests from './2026-11-22-21-rests';
import type { Migration } from './step';

/** All migrations, in the order in which they run. */
export const migrations: readonly Migration[] = [
  workspaces,
  platform,
  definitions,
  contacts,
  messages,
  queues,
  tickets,
  broadcasts,
  macros,
  agents,
  autovacuum,
  webhooks,
  holds,
  answers,
  webhookTriggers,
  webhookNotes,
  witness,
  turns,
  agentBookings,
  rests,
];

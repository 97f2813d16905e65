import type { NonAttribute } from 'sequelize';
import { bigint, boolean, id, integer, json, key, longText, now, orNull, ref, text, texts, time } from './columns';
import type { AssignmentMode } from './enums';
import type { RuleBrake } from './ruleParts';
import { defineTable, including, type RowOf } from './table';

/** A tenant: everything below belongs to exactly one. */
const workspaceColumns = {
  id: id(),
  name: text(255),
  timezone: text(64, 'UTC'),
  /** What is spoken to members who ask for no other language. */
  language: text(16, 'en'),
  /** Whose a phone number of a file or form may be that names no country. */
  country: orNull(text(2)),
  plan: orNull(text(64)),
  trial_ends_at: orNull(time()),
  ticketing: boolean(false),
  /** Every member proves a second factor at sign-in. */
  require_factor: boolean(false),
  opt_out_words: texts(['STOP', 'UNSUBSCRIBE', 'OPTOUT', 'STOP PROMOTIONS']),
  opt_in_words: texts(['START', 'RESUBSCRIBE']),
  /** Customers see that a member has read what they wrote, and that one is writing to them. */
  show_read: boolean(false),
  show_typing: boolean(false),
  /** Customers are asked how satisfied they are, and by which buttons they answer, the best first. */
  ask_satisfaction: boolean(false),
  satisfaction_question: longText('How satisfied are you with our help?'),
  satisfaction_labels: texts(['Satisfied', 'Okay', 'Dissatisfied']),
  /** While there is one, no rule starts or acts. */
  rule_brake: orNull(json<RuleBrake>()),
  created_at: now(),
  updated_at: now(),
};

/** Columns of a row of `workspaces`. */
export type WorkspaceRow = RowOf<typeof workspaceColumns>;

/** Binds the table `workspaces`. */
export const workspaceTable = defineTable('Workspace', 'workspaces', workspaceColumns);

/** A team inbox that conversations and tickets can be assigned to. */
const teamInboxColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  name: text(255),
  description: longText(''),
  is_default: boolean(false),
  assignment: text<AssignmentMode>(16, 'manual'),
  created_at: now(),
};

/** Columns of a row of `team_inboxes`. */
export type TeamInboxRow = RowOf<typeof teamInboxColumns>;

/** What it may be read with. */
interface IncludedByTeamInbox {
  seats?: NonAttribute<{ readonly member_id: number }[]>;
}

/** Binds the table `team_inboxes`. */
export const teamInboxTable = defineTable(
  'TeamInbox',
  'team_inboxes',
  teamInboxColumns,
  including<IncludedByTeamInbox>(),
);

/** A member of a team inbox. */
const teamInboxMemberColumns = {
  team_inbox_id: key(ref('team_inboxes', 'cascade')),
  member_id: key(ref('members', 'cascade')),
  /** Up to how many open conversations they are assigned; null: without a limit. */
  capacity: orNull(integer()),
  /** Set at each assignment to them: where an inbox assigns in turns, the member with the lowest is next. */
  turn: bigint(0),
};

/** Binds the table `team_inbox_members`. */
export const teamInboxMemberTable = defineTable('TeamInboxMember', 'team_inbox_members', teamInboxMemberColumns);

import { literal } from 'sequelize';
import {
  bigint,
  bigints,
  boolean,
  bytes,
  id,
  json,
  key,
  longText,
  now,
  orNull,
  ref,
  text,
  texts,
  time,
  uuid,
} from './columns';
import type { ConcernKind, NoticeKind, NoticeLevel } from './enums';
import { defineTable, type RowOf } from './table';

/** A person of a workspace; an email that is proved is unique in the installation. */
const memberColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  uid: uuid(literal('gen_random_uuid()')),
  email: text(254),
  name: text(255, ''),
  email_proved_at: orNull(time()),
  password_hash: orNull(longText()),
  /** What the company's provider calls them; null: they never signed in by it. */
  sso_subject: orNull(text(255)),
  role: text<'owner' | 'admin' | 'agent'>(16),
  permissions: texts([]),
  is_active: boolean(true),
  /** The language that they chose for their pages and mails; null: their browser's, else their workspace's. */
  locale: orNull(text(16)),
  phone_number: text(32, ''),
  profile_picture: text(2048, ''),
  undo_send: boolean(false),
  opens_next: boolean(false),
  takes_answered: boolean(false),
  is_away: boolean(false),
  /** How they are told of what concerns them, by kind. */
  notify_assigned: text<NoticeLevel>(8, 'push'),
  notify_message: text<NoticeLevel>(8, 'push'),
  notify_unassigned: text<NoticeLevel>(8, 'page'),
  notify_mention: text<NoticeLevel>(8, 'push'),
  notify_held: text<NoticeLevel>(8, 'push'),
  notify_sound: boolean(true),
  /** When they were last mailed what happened to their account. */
  told_at: orNull(time()),
  /** Times of day, as HH:MM; null: none. */
  quiet_from: orNull(text(5)),
  quiet_until: orNull(text(5)),
  created_at: now(),
  updated_at: now(),
};

/** Columns of a row of `members`. */
export type MemberRow = RowOf<typeof memberColumns>;

/** Binds the table `members`. */
export const memberTable = defineTable('Member', 'members', memberColumns);

/** A signed-in dashboard session; only the hash of its token is stored. */
const sessionColumns = {
  id: id(),
  member_id: ref('members', 'cascade'),
  token_hash: bytes(),
  csrf_secret: text(64),
  /** Whether a second factor was proved, is still awaited, or was not asked for. */
  factor: text<'none' | 'awaited' | 'proved'>(16, 'none'),
  /** Opened by the company's provider. */
  is_sso: boolean(false),
  /** When the member last proved who they are. */
  verified_at: now(),
  /** What the browser called itself when it signed in. */
  user_agent: text(255, ''),
  /** The network that it signed in from. */
  address: text(64, ''),
  created_at: now(),
  last_used_at: now(),
  expires_at: time(),
};

/** Binds the table `sessions`. */
export const sessionTable = defineTable('Session', 'sessions', sessionColumns);

/** The links by which a member may choose a password; only the hashes of their tokens are stored. */
const memberLinkColumns = {
  token_hash: key(bytes()),
  member_id: ref('members', 'cascade'),
  created_at: now(),
  expires_at: time(),
};

/** Binds the table `member_links`. */
export const memberLinkTable = defineTable('MemberLink', 'member_links', memberLinkColumns);

/** What is kept of a passkey: nothing of it is secret. */
export interface StoredPasskey {
  readonly id: string;
  readonly publicKey: string;
  readonly counter: number;
}

/** Something that a member proves beside the password, or their recovery codes. */
const factorColumns = {
  id: id(),
  member_id: ref('members', 'cascade'),
  kind: text<'totp' | 'passkey' | 'recovery'>(16),
  name: text(64),
  /** The sealed secret of an authenticator app. */
  secret: orNull(longText()),
  /** The newest time step whose code was taken: a code works once. */
  last_step: orNull(bigint()),
  passkey: orNull(json<StoredPasskey>()),
  /** SHA-256 of each recovery code that is left, in hexadecimal. */
  codes: texts([]),
  created_at: now(),
  last_used_at: orNull(time()),
};

/** Columns of a row of `factors`. */
export type FactorRow = RowOf<typeof factorColumns>;

/** Binds the table `factors`. */
export const factorTable = defineTable('Factor', 'factors', factorColumns);

/** What a passkey of this session has to sign next; taken with the first try. */
const factorChallengeColumns = {
  session_id: key(ref('sessions', 'cascade')),
  challenge: text(128),
  created_at: now(),
};

/** Binds the table `factor_challenges`. */
export const factorChallengeTable = defineTable('FactorChallenge', 'factor_challenges', factorChallengeColumns);

/** The OpenID Connect provider by which a workspace's members sign in. */
const ssoProviderColumns = {
  workspace_id: key(ref('workspaces', 'cascade')),
  /** Emails of this domain sign in here. The operator gives it, to one workspace. */
  domain: text(253),
  /** Null: the workspace has not set up its provider. */
  issuer: orNull(text(512)),
  client_id: text(255, ''),
  /** Null: a client without a secret. */
  sealed_secret: orNull(longText()),
  /** The role of a person who signs in for the first time; null when only members may sign in. */
  new_member_role: orNull(text<'admin' | 'agent'>(16)),
  new_member_permissions: texts([]),
  /** Members sign in by the provider alone; owners also by password and second factor. */
  require_sso: boolean(false),
  /** A sign-in by the provider owes our second factor, too. */
  require_factor_for_sso: boolean(false),
  updated_at: now(),
};

/** Columns of a row of `sso_providers`. */
export type SsoProviderRow = RowOf<typeof ssoProviderColumns>;

/** Binds the table `sso_providers`. */
export const ssoProviderTable = defineTable('SsoProvider', 'sso_providers', ssoProviderColumns);

/** One thing that a member, a key or the operator did and that bears on safety. */
const securityEntryColumns = {
  id: id(),
  workspace_id: orNull(ref('workspaces', 'cascade')),
  action: text(64),
  actor_type: text(16),
  member_id: orNull(ref('members', 'set null')),
  api_key_id: orNull(bigint()),
  session_id: orNull(bigint()),
  address: text(64, ''),
  subject_id: orNull(bigint()),
  given: json({}),
  /** Who is told of it at once: the member, or the owners, too. */
  told: orNull(text<'member' | 'owners'>(8)),
  request_id: text(128, ''),
  created_at: now(),
};

/** Binds the table `security_log`. */
export const securityEntryTable = defineTable('SecurityEntry', 'security_log', securityEntryColumns);

/** A mail that is still to be sent to a member; its text and the token of its link are made when it is sent. */
const mailColumns = {
  member_id: key(ref('members', 'cascade')),
  kind: key(text<'link' | 'factorAdded' | 'factorsLost' | 'bell'>(16)),
  created_at: now(),
  /** It is not sent after this time. */
  expires_at: time(),
  /** Until this time a worker is sending it, or it waits after a failed attempt. */
  claimed_until: orNull(time()),
};

/** Columns of a row of `mails`. */
export type MailRow = RowOf<typeof mailColumns>;

/** Binds the table `mails`. */
export const mailTable = defineTable('Mail', 'mails', mailColumns);

/** Something that a member is told of; it lives for an hour. */
const noticeColumns = {
  member_id: key(bigint()),
  id: id(),
  workspace_id: bigint(),
  kind: text<NoticeKind | 'security' | 'rule'>(16),
  conversation_id: orNull(bigint()),
  /** The ticket whose comment mentions the member. */
  ticket_id: orNull(bigint()),
  /** The entry of `security_log` that is told, for what concerns no conversation. */
  security_id: orNull(bigint()),
  /** The rule that asks for who may manage rules. */
  rule_id: orNull(bigint()),
  created_at: now(),
  /** It is pushed until this time; null: it is not, or not any more. */
  push_until: orNull(time()),
  /** Until this time a worker is pushing it, or it waits after a failed attempt. */
  claimed_until: orNull(time()),
  /** The browsers (`push_subscriptions`) that need not be asked again for it. */
  pushed_to: bigints([]),
};

/** Binds the table `notices`. */
export const noticeTable = defineTable('Notice', 'notices', noticeColumns);

/** What concerns a member, with whether they have read it. */
const concernColumns = {
  id: id(),
  workspace_id: bigint(),
  member_id: ref('members', 'cascade'),
  kind: text<ConcernKind>(16),
  conversation_id: orNull(ref('conversations', 'cascade')),
  ticket_id: orNull(bigint()),
  /** By its kind and subject: the note, the comment, the message, the message for later; it may be gone. */
  source_id: orNull(bigint()),
  /** Who did it; null: nobody in particular. */
  actor_member_id: orNull(bigint()),
  created_at: now(),
  read_at: orNull(time()),
};

/** Binds the table `concerns`. */
export const concernTable = defineTable('Concern', 'concerns', concernColumns);

/** A browser that takes web push for a member, for as long as the session lasts in which it was turned on. */
const pushSubscriptionColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  member_id: ref('members', 'cascade'),
  session_id: ref('sessions', 'cascade'),
  /** SHA-256 of the address, by which the same browser is known again. */
  endpoint_hash: bytes(),
  /** Sealed: the address, which is a secret, and the keys for which is encrypted, as JSON. */
  sealed: longText(),
  created_at: now(),
};

/** Columns of a row of `push_subscriptions`. */
export type PushSubscriptionRow = RowOf<typeof pushSubscriptionColumns>;

/** Binds the table `push_subscriptions`. */
export const pushSubscriptionTable = defineTable('PushSubscription', 'push_subscriptions', pushSubscriptionColumns);

/** A member's own list of conversations: filters under a name. */
const savedViewColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  member_id: ref('members', 'cascade'),
  name: text(64),
  filters: json<Record<string, string>>(),
  created_at: now(),
};

/** Columns of a row of `saved_views`. */
export type SavedViewRow = RowOf<typeof savedViewColumns>;

/** Binds the table `saved_views`. */
export const savedViewTable = defineTable('SavedView', 'saved_views', savedViewColumns);

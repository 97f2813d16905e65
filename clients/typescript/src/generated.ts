// Made of the OpenAPI document for keys by `UPDATE_CLIENT=1 npm test -- test/api/ownClient`; not edited by hand.
import type { Download, Upload } from './client.js';
import type { ConditionalOptions, KeyedOptions, Options } from './http.js';
import type { Pages } from './pages.js';

/** The words of `X-Error-Code`. */
export type ErrorCode =
  | 'invalid'
  | 'parse_error'
  | 'authentication_failed'
  | 'permission_denied'
  | 'missing_scope'
  | 'trial_expired'
  | 'address_not_allowed'
  | 'reauthentication_required'
  | 'second_factor_required'
  | 'needs_approval'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'precondition_failed'
  | 'idempotency_key_reused'
  | 'idempotency_in_flight'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'headers_too_large'
  | 'request_timeout'
  | 'throttled'
  | 'unavailable'
  | 'internal_error'
  | 'window_closed'
  | 'template_not_approved'
  | 'opted_out'
  | 'phone_number_required'
  | 'macro_step_failed';

/** A customer as messages and conversations show them. */
export interface Receiver {
  /** `active` while a 24-hour messaging window is open. */
  chat_status: 'active' | 'inactive';
  /** Display name. */
  name: string;
  /** Phone number in E.164, or the `bsuid` of a customer who hides it. */
  phone_number: string;
  /** Names the customer in paths and bodies: usually the phone number in digits. */
  receiver_id: string;
  /** Address of the profile picture; empty without one. */
  receiver_profile: string;
  /** Whether the message was written in a group. */
  is_group: boolean;
  /** Until when free text may be sent (the 24-hour window); null: the customer never wrote. */
  active_till: string | null;
  /** Email address; empty if not known. */
  email: string;
  /** Company of the customer. */
  company: string;
  /** Internal notes; customers never see them. */
  notes: string;
  /** Any JSON value. Filters and macros work on an array of strings. */
  tags: unknown;
  /** Whether the customer permits calls. */
  calling_permission: boolean;
  /** When the customer first wrote; null: never. */
  first_message_at: string | null;
  /** When the team first answered; null: not yet. */
  first_response_at: string | null;
  /** When it was resolved; null: it is not. */
  resolved_at: string | null;
  /** Click id of the ad through which the customer came; empty without an ad. */
  ctwa_clid: string;
  /** Id of that ad. */
  ctwa_source_id: string;
  /** Address of that ad. */
  ctwa_source_url: string;
  /** Headline of that ad. */
  ctwa_headline: string;
  /** When the customer came through the ad; null without one. */
  ctwa_referral_at: string | null;
  /** When the first answer is due; null: no deadline. */
  sla_first_response_deadline: string | null;
  /** When it has to be resolved; null: no deadline. */
  sla_resolution_deadline: string | null;
  /** Whether a deadline has passed. */
  sla_breached: boolean;
  /** `id` of the member it is assigned to; null: none. */
  assigned_member: number | null;
  /** `id` of the team inbox it is assigned to; null: none. */
  assigned_team_inbox: number | null;
  /** `id` of the service level policy that sets its deadlines; null: none. */
  sla_policy: number | null;
  /** State of the conversation. */
  conv_status: 'open' | 'resolved' | 'pending' | 'snoozed' | 'spam' | 'converted';
  /** When a snoozed conversation opens again. Required, and in the future, with `snoozed`. */
  snoozed_until: string | null;
  /** How urgent it is. */
  priority: 'low' | 'normal' | 'high' | 'urgent';
  /** Values of the custom fields, by field name. */
  custom_fields: Record<string, unknown>;
}

/** The number of a message. */
export interface PhoneNumberBrief {
  /** The platform's id of the number. */
  phone_number_id: string;
  /** How the platform rates the quality of the messages. */
  quality_rating: string;
  /** The number as people write it. */
  display_phone_number: string;
  /** Name that customers see. */
  verified_name: string;
  /** `id` of the business account in this workspace. */
  business_account: number;
  /** Always empty. */
  pin: string;
  /** How many customers the platform lets the number write to first in 24 hours. */
  messaging_limit_tier: string;
}

/** The member who sent a message. */
export interface UserBrief {
  /** Id of this object in the workspace. */
  id: number;
  /** Part of the email address before the @. */
  username: string;
  /** First name. */
  first_name: string;
  /** Last name. */
  last_name: string;
  /** Email address; empty if not known. */
  email: string;
  /** Id that is unique in the whole installation. */
  uid: string;
  /** Address of the picture; empty without one. */
  profile_picture: string;
  /** Language that the member chose; `en` where they chose none. */
  locale: string;
  /** Phone number; empty if not known. */
  phone_number: string;
  /** Display name. */
  name: string;
  /** Not used; empty. */
  country: string;
  /** Not used; empty. */
  currency: string;
  /** Not used; empty. */
  referral_code: string;
  /** Not used; the text `0.00`. */
  wallet_balance: string;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** Not used; null. */
  deleted_at: string | null;
  /** Not used; false. */
  is_verified: boolean;
  /** Not used; null. */
  referred_by: number | null;
}

/** Who or what wrote a message of the team. */
export interface MessageAuthor {
  /** Kind, which names the object that holds the content. */
  type: 'member' | 'api_key' | 'agent' | 'broadcast' | 'ticket' | 'rule';
  /** Id of this object in the workspace. */
  id: number;
  /** Display name. */
  name: string;
  /** Name of the member who approved what an agent wrote. */
  approved_by: string | null;
}

/** The group of the platform in which a message was written. */
export interface Group {
  /** Id of this object in the workspace. */
  id: number | null;
  /** Name of the group. */
  subject: string;
  /** The platform's id of the group. */
  group_id: string;
}

/** Text of a message. */
export interface MessageText {
  /** What was written. */
  body: string;
  [name: string]: unknown;
}

/** File of a message, as the platform names it. */
export interface MessageMedia {
  /** The platform's id of the file. */
  id?: string;
  /** Where the file of an outbound message was taken from. */
  link?: string;
  /** Media type of the file. */
  mime_type?: string;
  /** Text below it. */
  caption?: string;
  /** File name that the customer sees. */
  filename?: string;
  [name: string]: unknown;
}

/** Place of a message. */
export interface MessageLocation {
  /** Degrees north. */
  latitude: number;
  /** Degrees east. */
  longitude: number;
  /** Display name. */
  name?: string;
  /** Address in one line. */
  address?: string;
  [name: string]: unknown;
}

/** Reaction to another message. */
export interface MessageReaction {
  /** `message_id` (wamid) of the message that it is about. */
  message_id?: string;
  /** Empty or absent: the reaction was taken back. */
  emoji?: string;
  [name: string]: unknown;
}

/** Tap on a template's button. */
export interface MessageButton {
  /** The text to show. */
  text?: string;
  /** What comes back when the button is tapped. */
  payload?: string;
  [name: string]: unknown;
}

/** Template of a message, as it was sent. */
export interface MessageTemplate {
  /** Display name. */
  name: string;
  /** Language code, for example `en_US`. */
  language?: Record<string, unknown>;
  /** Values for the parts of the template, in the form of the platform. */
  components?: (Record<string, unknown>)[];
  [name: string]: unknown;
}

/** What a message says; `type` names the object that holds it. */
export interface MessageBody {
  /** Names the key of the content. */
  type: string;
  /** The text to show. */
  text?: MessageText;
  /** A picture, by `id` or `link`. */
  image?: MessageMedia;
  /** A video, by `id` or `link`. */
  video?: MessageMedia;
  /** A sound file, by `id` or `link`. */
  audio?: MessageMedia;
  /** A file, by `id` or `link`. */
  document?: MessageMedia;
  /** A sticker, by `id` or `link`. */
  sticker?: MessageMedia;
  /** A place on the map. */
  location?: MessageLocation;
  /** Contact cards. */
  contacts?: (Record<string, unknown>)[];
  /** A reaction to a message. */
  reaction?: MessageReaction;
  /** Text of the button that opens the list. */
  button?: MessageButton;
  /** What was sent, or the `button_reply`, `list_reply` or `nfm_reply` of the customer. */
  interactive?: Record<string, unknown>;
  /** The template that was sent, with what filled it. */
  template?: MessageTemplate;
  /** Values that were dropped and rows that were refused. */
  errors?: (Record<string, unknown>)[];
  [name: string]: unknown;
}

/** How far we have the file of a message. */
export interface MessageFile {
  /** A file of a customer is fetched from the platform as soon as it is seen: `pending` until it is here. */
  status: 'pending' | 'stored' | 'lost';
  /** Why the last attempt to fetch it failed; of a lost one, why it is lost. */
  error: string;
  /** What its content is; until it is stored, what the sender said. */
  mime_type: string;
  /** In bytes. */
  size: number | null;
  /** File name that the customer sees. */
  filename: string;
  /** Of its bytes, in hex. */
  sha256: string | null;
}

/** An earlier text of a message that its author changed. */
export interface MessageEdit {
  /** The content as the platform has it: `type`, and an object of that name, for example `{"type": "text", "text": {"body": "Hi"}}`. */
  body: MessageBody;
  /** From when on it said this. */
  at: string;
}

/** A message of a customer or of the team, with how far its delivery is. */
export interface Message {
  /** Id of this object in the workspace. */
  id: number;
  /** The conversation, as its list shows it. */
  receiver: Receiver;
  /** The number of the business; null if it is not known any more. */
  phone_number: PhoneNumberBrief | null;
  /** The member who sent it, or whose key did; null for customers and the system. */
  send_by: UserBrief | null;
  /** What wrote an outbound message; `send_by` is the member in whose name it did. */
  written_by: MessageAuthor | null;
  /** The group in which it was written; null outside of groups. */
  group: Group | null;
  /** The text `true` in a list that shortens a long text; the message alone has it whole. */
  is_truncated: string;
  /** How many characters of each text are shown, where `is_truncated`; else the text `0`. */
  preview_length: string;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** `inbound`: from the customer; `outbound`: to the customer. */
  direction: 'inbound' | 'outbound';
  /** The content as the platform has it: `type`, and an object of that name, for example `{"type": "text", "text": {"body": "Hi"}}`. */
  body: MessageBody;
  /** The file that the message carries, where we keep it: `GET /messages/{id}/media/` gives it. */
  media: MessageFile | null;
  /** Whether the team has read it. */
  read: boolean;
  /** The platform's id (wamid); empty until the platform has accepted the message. */
  message_id: string;
  /** `scheduled`: it is sent at `send_at`. `held`: it was to be sent, and waits for a member. */
  message_status: 'scheduled' | 'held' | 'received' | 'queued' | 'unknown' | 'sent' | 'failed' | 'delivered' | 'read' | 'played';
  /** `message_id` of the message that this one answers; empty: none. */
  reply_to_wamid: string;
  /** The product that the customer asked about; null: none. */
  referred_product: unknown;
  /** State of the payment, for messages about orders; empty otherwise. */
  payment_status: string;
  /** Error code of the platform; null without an error. */
  error_code: number | null;
  /** Short text of the error; empty without one. */
  error_title: string;
  /** What the platform said about the error; empty without one. */
  error_message: string;
  /** `held_by_platform`: the platform has taken it (`sent`) and looks at its template first; else empty. */
  delivery_note: string;
  /** What sent an outbound message: api, dashboard, agent, macro, stage, broadcast, away (a reply), satisfaction (a question after the end), phone_app (a person in the app on the phone), other_app (another application that had the thread). Empty for inbound ones. */
  source: string;
  /** Whether it came in while another application had the thread. */
  standby: boolean;
  /** When its author changed it last. */
  edited_at: string | null;
  /** What it said before its author changed it, newest last. */
  edits: MessageEdit[];
  /** When its author deleted it. `body` stays; searches leave the message out. */
  deleted_at: string | null;
  /** Of a queued message: the platform's code that stops its number or account, so that it waits. */
  stopped_code: number | null;
  /** How the platform charges the message; empty until it says so. */
  pricing_category: string;
  /** Whether it stands for a message from before the import. */
  is_import_placeholder: boolean;
  /** Of a message that waits: when it is sent, or was to be. */
  send_at: string | null;
  /** Of a message that waits: what becomes of it if the customer writes before. */
  if_customer_writes: 'hold' | 'send' | 'cancel' | null;
  /** Why a message is `held`. */
  held_reason: 'customer_wrote' | 'late' | 'window_closed' | 'opted_out' | 'template' | 'number' | 'member' | 'trial' | 'restored' | 'operator' | 'refused' | null;
}

/** An object that was gone before its event could show it. */
export interface GoneObject {
  /** Id of what was gone before it could be shown. */
  id: number;
}

/** `message.received`: A customer wrote. */
export interface MessageReceivedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'message.received';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Message | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** `message.status_changed`: An outbound message's status changed. */
export interface MessageStatusChangedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'message.status_changed';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Message | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** `message.edited`: Its author changed a message: `body` is the new content, `edits` has the earlier ones. */
export interface MessageEditedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'message.edited';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Message | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** `message.deleted`: Its author deleted a message; its body stays. */
export interface MessageDeletedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'message.deleted';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Message | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** The latest message of a conversation, in short. */
export interface LastMessage {
  /** Id of this object in the workspace. */
  id: number;
  /** `inbound`: from the customer; `outbound`: to the customer. */
  direction: string;
  /** Kind, which names the object that holds the content. */
  type: string;
  /** `received` when inbound. Outbound: `queued`, `sent`, `delivered`, `read`, `played`, `failed`, or `unknown` while it is not known whether the platform took it. */
  message_status: string;
  /** The content as the platform has it: `type`, and an object of that name, for example `{"type": "text", "text": {"body": "Hi"}}`. */
  body: MessageBody;
  /** Not used; null. */
  deleted_at: string | null;
  /** When it was created. */
  created_at: string;
}

/** The thread with one customer; there is one for each contact. */
export interface Conversation {
  /** The contact's id, and the `chat_id` of a macro run. */
  id: number;
  /** `active` while a 24-hour messaging window is open. */
  chat_status: 'active' | 'inactive';
  /** Display name. */
  name: string;
  /** Phone number in E.164, or the `bsuid` of a customer who hides it. */
  phone_number: string;
  /** Names the customer in paths and bodies: usually the phone number in digits. */
  receiver_id: string;
  /** Address of the profile picture; empty without one. */
  receiver_profile: string;
  /** Whether the message was written in a group. */
  is_group: boolean;
  /** Until when free text may be sent (the 24-hour window); null: the customer never wrote. */
  active_till: string | null;
  /** Email address; empty if not known. */
  email: string;
  /** Company of the customer. */
  company: string;
  /** Internal notes; customers never see them. */
  notes: string;
  /** Any JSON value. Filters and macros work on an array of strings. */
  tags: unknown;
  /** Whether the customer permits calls. */
  calling_permission: boolean;
  /** When the customer first wrote; null: never. */
  first_message_at: string | null;
  /** When the team first answered; null: not yet. */
  first_response_at: string | null;
  /** When it was resolved; null: it is not. */
  resolved_at: string | null;
  /** Click id of the ad through which the customer came; empty without an ad. */
  ctwa_clid: string;
  /** Id of that ad. */
  ctwa_source_id: string;
  /** Address of that ad. */
  ctwa_source_url: string;
  /** Headline of that ad. */
  ctwa_headline: string;
  /** When the customer came through the ad; null without one. */
  ctwa_referral_at: string | null;
  /** When the first answer is due; null: no deadline. */
  sla_first_response_deadline: string | null;
  /** When it has to be resolved; null: no deadline. */
  sla_resolution_deadline: string | null;
  /** Whether a deadline has passed. */
  sla_breached: boolean;
  /** `id` of the member it is assigned to; null: none. */
  assigned_member: number | null;
  /** `id` of the team inbox it is assigned to; null: none. */
  assigned_team_inbox: number | null;
  /** `id` of the service level policy that sets its deadlines; null: none. */
  sla_policy: number | null;
  /** State of the conversation. */
  conv_status: 'open' | 'resolved' | 'pending' | 'snoozed' | 'spam' | 'converted';
  /** When a snoozed conversation opens again. Required, and in the future, with `snoozed`. */
  snoozed_until: string | null;
  /** How urgent it is. */
  priority: 'low' | 'normal' | 'high' | 'urgent';
  /** Values of the custom fields, by field name. */
  custom_fields: Record<string, unknown>;
  /** `id` of the contact; the same number as `id`. */
  contact_id: number;
  /** The platform's id of a customer who may hide the phone number (business-scoped user id); null if not known. */
  bsuid: string | null;
  /** The customer's user name on the platform; null if not known. */
  username: string | null;
  /** Whether the customer refused marketing messages. */
  marketing_opt_out: boolean;
  /** Inbound messages that are not read. An answer reads them all. */
  unread_count: number;
  /** Which other application of the platform has the thread and answers; empty: none, it is ours. */
  thread_owner: string;
  /** Since when the customer waits for an answer by a person or an agent; null where nobody waits. */
  waiting_since: string | null;
  /** Time of the newest message; null: there is none. */
  last_message_at: string | null;
  /** Of the last message by the customer, a person or an agent: no broadcast, no stage notification. */
  last_exchange_at: string | null;
  /** The newest message; null: there is none. */
  last_message: LastMessage | null;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

/** `conversation.created`: The first message of a conversation, in either direction. */
export interface ConversationCreatedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'conversation.created';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Conversation | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** `conversation.updated`: Status, priority or assignment of a conversation changed. */
export interface ConversationUpdatedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'conversation.updated';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Conversation | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** `conversation.snoozed`: A conversation was snoozed, or its time changed. */
export interface ConversationSnoozedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'conversation.snoozed';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Conversation | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** `conversation.woken`: A snoozed conversation is open again. */
export interface ConversationWokenEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'conversation.woken';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Conversation | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** `conversation.reopened`: A conversation that was done is open again. */
export interface ConversationReopenedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'conversation.reopened';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Conversation | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** `conversation.rated`: A customer said how satisfied they are: `changes.rating`. */
export interface ConversationRatedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'conversation.rated';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Conversation | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** A customer of the workspace. */
export interface Contact {
  /** The id that tickets name in `receiver` and `affected_contact_ids`. */
  id: number;
  /** Names the customer in paths and bodies: usually the phone number in digits. */
  receiver_id: string;
  /** E.164, or the business-scoped user id of a contact who hides the number. */
  phone: string;
  /** Display name. */
  name: string;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** Email address; empty if not known. */
  email: string;
  /** Company of the customer. */
  company: string;
  /** Internal notes; customers never see them. */
  notes: string;
  /** Any JSON value; filters and macros work on an array of strings. */
  tags: unknown;
  /** Click id of the ad through which the customer came; empty without an ad. */
  ctwa_clid: string;
  /** Id of that ad. */
  ctwa_source_id: string;
  /** Address of that ad. */
  ctwa_source_url: string;
  /** Headline of that ad. */
  ctwa_headline: string;
  /** When the customer came through the ad; null without one. */
  ctwa_referral_at: string | null;
  /** The platform's id of a customer who may hide the phone number (business-scoped user id); null if not known. */
  bsuid: string | null;
  /** The customer's user name on the platform; null if not known. */
  username: string | null;
  /** When the customer first wrote; null: never. */
  first_message_at: string | null;
  /** Values of the custom fields, by field name. */
  custom_fields: Record<string, unknown>;
  /** Free-form profile attributes from bulk imports. */
  attributes: Record<string, unknown>;
  /** Whether the customer refused marketing messages. */
  marketing_opt_out: boolean;
  /** When the customer opted out; null otherwise. */
  marketing_opt_out_at: string | null;
  /** How the customer opted out. */
  marketing_opt_out_source: 'keyword' | 'platform' | 'api' | 'member' | null;
}

/** `contact.created`: A contact was created. */
export interface ContactCreatedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'contact.created';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Contact | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** `contact.updated`: A contact changed. */
export interface ContactUpdatedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'contact.updated';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Contact | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** What is left of something that was deleted. */
export interface Deleted {
  /** Id of what was deleted. */
  id: number;
}

/** `contact.deleted`: A contact was erased. */
export interface ContactDeletedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'contact.deleted';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Deleted;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** `contact.merged`: Two contacts became one; `changes.id` names both. */
export interface ContactMergedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'contact.merged';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Contact | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** `contact.opted_out`: A contact wants no marketing messages. */
export interface ContactOptedOutEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'contact.opted_out';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Contact | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** `contact.opted_in`: A contact wants marketing messages again. */
export interface ContactOptedInEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'contact.opted_in';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Contact | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** A contact that a ticket concerns. */
export interface AffectedContact {
  /** Id of this object in the workspace. */
  id: number;
  /** Display name. */
  name: string;
  /** Phone number in E.164. */
  phone: string;
}

/** A member of the team, in short. */
export interface User {
  /** Id of this object in the workspace. */
  id: number;
  /** Part of the email address before the @. */
  username: string;
  /** First name. */
  first_name: string;
  /** Last name. */
  last_name: string;
  /** Email address; empty if not known. */
  email: string;
  /** Id that is unique in the whole installation. */
  uid: string;
  /** Address of the picture; empty without one. */
  profile_picture: string;
  /** Language that the member chose; `en` where they chose none. */
  locale: string;
  /** Phone number; empty if not known. */
  phone_number: string;
  /** Display name. */
  name: string;
  /** Not used; empty. */
  country: string;
  /** Not used; empty. */
  currency: string;
  /** Not used; empty. */
  referral_code: string;
  /** Not used; the text `0.00`. */
  wallet_balance: string;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** Not used; null. */
  deleted_at: string | null;
  /** Not used; false. */
  is_verified: boolean;
  /** Not used; null. */
  referred_by: number | null;
  /** Not used; `unknown`. */
  source: string;
  /** Not used; `unknown`. */
  last_login_source: string;
  /** Not used; false. */
  email_notify_alerts: boolean;
  /** Not used; false. */
  email_notify_updates: boolean;
}

/** A ticket that another one names. */
export interface RelatedTicket {
  /** Id of this object in the workspace. */
  id: number;
  /** Title in one line. */
  title: string;
  /** Name of the stage. */
  stage_name: string;
}

/** A ticket as events show it. */
export interface TicketInEvent {
  /** Id of this object in the workspace. */
  id: number;
  /** Title in one line. */
  title: string;
  /** Free text for the team. */
  description: string;
  /** `id` of the pipeline. */
  pipeline: number;
  /** Name of the pipeline. */
  pipeline_name: string;
  /** `id` of the stage. */
  stage: number;
  /** Name of the stage. */
  stage_name: string;
  /** Colour of the stage, `#RRGGBB`. */
  stage_color: string;
  /** Id of the primary contact. */
  receiver: number | null;
  /** Name of the primary contact; null: there is none. */
  receiver_name: string | null;
  /** Phone number of the primary contact; null: there is none. */
  receiver_phone: string | null;
  /** Further customers who are concerned. */
  affected_contacts: AffectedContact[];
  /** `id` of the member it is assigned to; null: none. */
  assigned_to: number | null;
  /** Name of that member; null: none. */
  assigned_to_name: string | null;
  /** `id` of the team inbox it is assigned to; null: none. */
  assigned_inbox: number | null;
  /** Members who follow it. */
  watchers: User[];
  /** Tickets that are parts of this one. */
  sub_tickets: RelatedTicket[];
  /** `id` of the ticket that this one is a part of; null: none. */
  parent_ticket: number | null;
  /** `id` of the ticket that this one repeats; null: none. */
  duplicate_of: number | null;
  /** Tickets that repeat this one. */
  duplicates: RelatedTicket[];
  /** How often it was moved back from a terminal stage. */
  reopened_count: number;
  /** When the customer last wrote; null: never. */
  last_customer_at: string | null;
  /** When it was escalated; null: never. */
  escalated_at: string | null;
  /** `id` of the member it was escalated to; null: none. */
  escalated_to: number | null;
  /** Name of that member; null: none. */
  escalated_to_name: string | null;
  /** `id` of the member who created it; null if none did. */
  created_by: number | null;
  /** Number of comments, as a text. */
  comment_count: string;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** When it is due; null: no date. */
  due_at: string | null;
  /** Kind, which names the object that holds the content. */
  type: 'complaint' | 'refund' | 'dispute' | 'bug' | 'feature' | 'review' | 'approval' | 'ops' | 'sales' | 'other';
  /** How severe it is; `sev1` is the worst. */
  severity: 'sev1' | 'sev2' | 'sev3' | 'sev4';
  /** How urgent it is. */
  priority: 'low' | 'normal' | 'high' | 'urgent';
  /** Where it was created. */
  source: 'msgapp' | 'manual' | 'api';
  /** How it ended; empty while it is open. */
  outcome: 'resolved' | 'refunded' | 'rejected' | 'escalated_external' | null;
  /** `id` of the service level policy that sets its deadlines; null: none. */
  sla_policy: number | null;
  /** When the team first answered; null: not yet. */
  first_response_at: string | null;
  /** When the first answer is due; null: no deadline. */
  first_response_sla: string | null;
  /** When it has to be resolved; null: no deadline. */
  resolution_sla: string | null;
  /** Since when its deadlines are paused; null: they are not. */
  sla_paused_at: string | null;
  /** Seconds that the clock stood still. */
  sla_paused_duration: string;
  /** Whether a deadline has passed. */
  sla_breached: boolean;
  /** Any JSON value. Filters and macros work on an array of strings. */
  tags: unknown;
  /** Values of the custom fields, by field name. */
  custom_fields: Record<string, unknown>;
  /** How many affected contacts there are; an event shows the first 50. */
  affected_contacts_total: number;
}

/** `ticket.created`: A ticket was created. */
export interface TicketCreatedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'ticket.created';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: TicketInEvent | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** `ticket.updated`: A ticket changed. */
export interface TicketUpdatedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'ticket.updated';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: TicketInEvent | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** `ticket.stage_changed`: A ticket moved to another stage. */
export interface TicketStageChangedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'ticket.stage_changed';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: TicketInEvent | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** A comment, with its ticket. */
export interface CommentOnTicket {
  /** Id of this object in the workspace. */
  id: number;
  /** The text. */
  body: string;
  /** Whether it is a note for the team. No comment ever reaches the customer. */
  is_internal: boolean;
  /** The member who wrote it; null: none. */
  author: User | null;
  /** When it was created. */
  created_at: string;
  /** The ticket. */
  ticket: TicketInEvent;
}

/** The ticket of what was gone. */
export interface GoneTicket {
  /** Id of this object in the workspace. */
  id: number;
}

/** Something on a ticket that was gone before its event could show it. */
export interface GoneOnTicket {
  /** Id of what was gone before it could be shown. */
  id: number;
  /** The ticket. */
  ticket: GoneTicket;
}

/** `ticket.commented`: A comment was added to a ticket. */
export interface TicketCommentedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'ticket.commented';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: CommentOnTicket | GoneOnTicket;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** `ticket.escalated`: A ticket was escalated. */
export interface TicketEscalatedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'ticket.escalated';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: TicketInEvent | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** `ticket.sla_breached`: A deadline of a ticket has passed. */
export interface TicketSlaBreachedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'ticket.sla_breached';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: TicketInEvent | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** `ticket.deleted`: A ticket was deleted. */
export interface TicketDeletedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'ticket.deleted';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Deleted;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** What became of telling a contact of a new stage. */
export interface StageNotification {
  /** Id of this object in the workspace. */
  id: number;
  /** What happened. */
  kind: string;
  /** The member who did it, or whose credential did; null: none. */
  actor: User | null;
  /** Who did it. */
  actor_type: 'member' | 'api_key' | 'agent' | 'system' | 'contact';
  /** Field name to `{from, to}`. */
  changes: Record<string, unknown>;
  /** More about it; which keys depends on `kind`. */
  data: Record<string, unknown>;
  /** When it was created. */
  created_at: string;
  /** The ticket. */
  ticket: TicketInEvent;
}

/** `stage_notification.sent`: A contact was told of a new stage. */
export interface StageNotificationSentEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'stage_notification.sent';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: StageNotification | GoneOnTicket;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** `stage_notification.skipped`: A contact was not told of a new stage, on purpose. */
export interface StageNotificationSkippedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'stage_notification.skipped';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: StageNotification | GoneOnTicket;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** `stage_notification.failed`: A contact could not be told of a new stage. */
export interface StageNotificationFailedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'stage_notification.failed';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: StageNotification | GoneOnTicket;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** Who gets a broadcast. */
export interface Audience {
  /** Everybody; no other filter beside it. */
  all?: boolean;
  /** These customers. */
  receiver_ids?: string[];
  /** Contacts with at least one of these tags. */
  tags_any?: string[];
  /** Contacts with all of these tags. */
  tags_all?: string[];
  /** Contacts with none of these tags. */
  tags_none?: string[];
  /** State of the conversation. */
  conv_status?: ('open' | 'resolved' | 'pending' | 'snoozed' | 'spam' | 'converted')[];
  /** An id, or `none`. */
  assigned_team_inbox?: string;
  /** Contacts that were created after this time. */
  created_after?: string;
  /** Contacts that were created before this time. */
  created_before?: string;
  /** Contacts who last wrote after this time. */
  last_inbound_after?: string;
  /** Contacts who last wrote before this time. */
  last_inbound_before?: string;
  /** Values of the custom fields, by field name. */
  custom_fields?: Record<string, unknown>;
  /** Those whom this broadcast, which has ended, certainly did not reach. */
  resend_of?: number;
}

/** Where the value of a placeholder comes from. */
export interface VariableSource {
  /** Where the value comes from. */
  source: 'static' | 'field';
  /** With `static`: the text. */
  value?: string;
  /** With `field`: which field of the contact. */
  field?: 'name' | 'first_name' | 'phone' | 'email' | 'company';
  /** What stands there where the field is empty. */
  default?: string;
}

/** What the placeholders of a template are, by part and name. */
export interface TemplateVariables {
  /** Values of the header by placeholder number. */
  header?: Record<string, VariableSource>;
  /** Values of the body by placeholder number. */
  body?: Record<string, VariableSource>;
}

/** The file in the header of a broadcast. */
export interface BroadcastMedia {
  /** Id of this object in the workspace. */
  id: string;
}

/** How many recipients are how far. */
export interface BroadcastStats {
  /** pending + sent + failed + skipped + unknown */
  audience: number;
  /** Not sent yet. */
  pending: number;
  /** Accepted by the platform, including those that were delivered and read. */
  sent: number;
  /** Of those sent: the platform has taken them and looks at the template first. */
  held: number;
  /** Delivered, the read ones included. */
  delivered: number;
  /** Read by the customer. */
  read: number;
  /** Refused by the platform. */
  failed: number;
  /** Not sent on purpose; `skipped_by_reason` says why. */
  skipped: number;
  /** It is not known whether these were sent. They are never sent again. */
  unknown: number;
  /** Reason to number of contacts. */
  skipped_by_reason: Record<string, unknown>;
  /** Number of failures by the platform's error code; `none` where there is none. */
  failed_by_code: Record<string, unknown>;
}

/** One template to many contacts. */
export interface Broadcast {
  /** Id of this object in the workspace. */
  id: number;
  /** Display name. */
  name: string;
  /** The platform's id of the template. */
  template_id: string | null;
  /** Name of the template. */
  template_name: string | null;
  /** The platform's id of the business account. */
  msgapp_business_account_id: string | null;
  /** The platform's id of the number. */
  phone_number_id: string | null;
  /** `{"all": true}` or filters, of which all must hold. A contact that `receiver_ids` names twice is a recipient twice, and skipped as `duplicate` the second time. */
  audience: Audience;
  /** What fills the placeholders 1 to 32 of the header and the body, for example `{"body": {"1": {"source": "static", "value": "Monday"}}}`. */
  template_variables: TemplateVariables;
  /** The uploaded file (`POST /media/`) for the header of the template; required where that is an image, video or document. */
  header_media: BroadcastMedia | null;
  /** Present state. */
  status: 'draft' | 'scheduled' | 'running' | 'completed' | 'failed';
  /** Empty unless failed. */
  failure_reason: string;
  /** Why a running one sends nothing at present; it goes on by itself when that is lifted. After 24 hours of a refusal by the platform it is `failed`. Else empty. */
  paused_reason: string;
  /** The broadcast that has to end first: one at a time is sent from a phone number. Else null. */
  queued_behind: number | null;
  /** When it is to be sent; null: at once, or not confirmed. */
  scheduled_at: string | null;
  /** When it was confirmed; null: it is a draft. */
  confirmed_at: string | null;
  /** When sending began; null: not yet. */
  started_at: string | null;
  /** When it ended; null: not yet. */
  completed_at: string | null;
  /** Member id. */
  created_by: number | null;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** How many recipients are in which state. */
  stats: BroadcastStats;
}

/** `broadcast.scheduled`: A broadcast was confirmed for later. */
export interface BroadcastScheduledEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'broadcast.scheduled';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Broadcast | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** `broadcast.started`: A broadcast began. */
export interface BroadcastStartedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'broadcast.started';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Broadcast | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** `broadcast.completed`: A broadcast is through. */
export interface BroadcastCompletedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'broadcast.completed';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Broadcast | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** `broadcast.failed`: A broadcast ended before it was through. */
export interface BroadcastFailedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'broadcast.failed';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Broadcast | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** What one step did. */
export interface MacroStepResult {
  /** Kind, which names the object that holds the content. */
  type: string;
  /** What it did. */
  detail: string;
}

/** The step at which a run failed, as it is kept. */
export interface RecordedMacroStep {
  /** Counts from 1. */
  index: number;
  /** Kind, which names the object that holds the content. */
  type: string;
  /** What is wrong, in English. */
  message: string;
  /** Why it failed, as one of the words of `X-Error-Code`; null in records of earlier versions. */
  code: string | null;
}

/** The rule that ran a macro. */
export interface RuleBrief {
  /** Id of this object in the workspace. */
  id: number;
  /** Display name. */
  name: string;
}

/** One run of a macro. */
export interface MacroRun {
  /** Id of this object in the workspace. */
  id: number;
  /** `id` of the macro. */
  macro: number | null;
  /** `id` of the conversation; null: it ran on a ticket. */
  chat_id: number | null;
  /** `id` of the ticket; null: it ran on a conversation. */
  ticket_id: number | null;
  /** Present state. */
  status: 'pending' | 'applied' | 'failed' | 'abandoned';
  /** What each action did. */
  ran: MacroStepResult[] | null;
  /** The action that failed; null: none did. */
  failed_step: RecordedMacroStep | null;
  /** The member who did it, or whose credential did; null: none. */
  actor: UserBrief | null;
  /** Who did it. */
  actor_type: string;
  /** The rule that ran it; `actor` is the member in whose name. */
  rule: RuleBrief | null;
  /** When it was created. */
  created_at: string;
  /** When it ended; null: not yet. */
  finished_at: string | null;
}

/** `macro.ran`: A macro, or the actions of an answer, were applied. */
export interface MacroRanEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'macro.ran';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: MacroRun | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** What starts a rule. */
export interface RuleStart {
  /** What happened. */
  event: 'message.received' | 'conversation.answered' | 'conversation.created' | 'conversation.reopened' | 'conversation.woken' | 'conversation.rated' | 'conversation.updated' | 'call.missed' | 'flow.submitted';
  /** What of the conversation changed. */
  changed?: string;
  /** The value that it has then. */
  to?: unknown;
  [name: string]: unknown;
}

/** One thing that must hold. */
export interface RuleCondition {
  /** The column or field. */
  field: string;
  /** How it is compared. */
  op: string;
  /** Absent for `set` and `not_set`. */
  value?: unknown;
  [name: string]: unknown;
}

/** What must hold for a rule to act. */
export interface RuleConditions {
  /** Everybody; no other filter beside it. */
  all: RuleCondition[];
  /** Conditions of which one must hold, where there are some. */
  any: RuleCondition[];
}

/** How long a rule waits. */
export interface RuleWait {
  /** For how many minutes. */
  minutes?: number;
  /** By the clock, or in hours of the conversation’s calendar. */
  by?: 'clock' | 'hours';
  /** Until the team works next; at once while it does. */
  until?: 'opening';
  /** So many minutes later. */
  plus_minutes?: number;
  /** Before what. */
  before?: 'window_end';
  [name: string]: unknown;
}

/** What ends the wait of a rule. */
export interface RuleUnless {
  /** What happened. */
  event: string;
  /** What of the conversation changed. */
  changed?: string;
  [name: string]: unknown;
}

/** Why a rule asks for a member. */
export interface RuleAttention {
  /** Why, in your words. */
  reason: 'owner_gone' | 'missing_scope' | 'reference_gone' | 'unusual_volume' | 'failing' | 'late';
  /** Since when; null: it is not. */
  since: string;
  /** The scope, the number or the kind of thing that it is about; null where it is about none. */
  detail: unknown;
}

/** What became of the runs of a rule. */
export interface RuleCounts {
  /** So many waits end where a change ends them. */
  waiting: number;
  /** How many have acted. */
  applied: number;
  /** How many waits something ended. */
  ended: number;
  /** Not sent on purpose; `skipped_by_reason` says why. */
  skipped: number;
  /** Refused by the platform. */
  failed: number;
}

/** When this happens, if that holds, after so long, unless something comes between: run this macro. */
export interface Rule {
  /** Id of this object in the workspace. */
  id: number;
  /** Display name. */
  name: string;
  /** Free text for the team. */
  description: string;
  /** State or region. */
  state: 'off' | 'on' | 'paused';
  /** What starts it: any of these; of the brake, whether it is on. */
  on: RuleStart[];
  /** What must hold when it starts and at the moment. */
  conditions: RuleConditions;
  /** How long it waits; null: not at all. */
  wait: RuleWait | null;
  /** What ends its wait: the first of these. */
  unless: RuleUnless[];
  /** How often for one customer. */
  repeat: 'each' | 'per_episode' | 'once';
  /** Whether it also starts by what another rule did. */
  after_rules: boolean;
  /** Null: it was deleted. */
  macro_id: number | null;
  /** Whether messages need approval: `draft` and `approval` do, `autonomous` does not. */
  autonomy: 'draft' | 'approval' | 'autonomous';
  /** The member whose rights it has; null: they are gone. */
  runs_as: UserBrief | null;
  /** Rises by a change that ends what waits. */
  version: number;
  /** Since when it looks at what happens; null while it is off. */
  active_since: string | null;
  /** Why it asks for a member; null: it does not. */
  attention: RuleAttention | null;
  /** What became of its runs in 90 days. */
  counts: RuleCounts;
  /** `id` of the member who created it; null if none did. */
  created_by: UserBrief | null;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

/** `rule.stopped`: A rule that was on acts no more: it was paused, switched off, deleted, or paused itself. */
export interface RuleStoppedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'rule.stopped';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Rule | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** Who or what asked for it. */
export interface ApprovalAsker {
  /** What happened. */
  kind: 'api_key' | 'oauth' | 'rule';
  /** Id of this object in the workspace. */
  id: number;
  /** Display name. */
  name: string;
}

/** One step of a macro. */
export interface MacroAction {
  /** Kind, which names the object that holds the content. */
  type: string;
  /** Values of the action; which keys depends on `type`. */
  params: Record<string, unknown>;
}

/** A customer whom a call would reach. */
export interface ApprovalRecipient {
  /** Id of this object in the workspace. */
  id: number;
  /** Names the customer in paths and bodies: usually the phone number in digits. */
  receiver_id: string;
  /** Display name. */
  name: string;
}

/** The template of a call that waits, in the version that was shown. */
export interface ApprovalTemplate {
  /** The platform's id of the template. */
  template_id: string;
  /** Display name. */
  name: string;
  /** Language code, for example `en_US`. */
  language: string;
  /** Digest of what the template says. */
  version: string;
}

/** What customers get once a call is approved. */
export interface ApprovalSend {
  /** A message, or the notification of a move into a stage. */
  kind: 'message' | 'stage_move';
  /** `id` of the stage; null for a message. */
  stage: number | null;
  /** Name of the stage; null for a message. */
  stage_name: string | null;
  /** The number that sends; null for a move: each conversation keeps its own. */
  from: string | null;
  /** How many customers it reaches. */
  recipients_total: number;
  /** The first ten of them. */
  recipients: ApprovalRecipient[];
  /** The template, where it is one. */
  template: ApprovalTemplate | null;
  /** What the customer reads, the first one of a move; characters that nobody sees as `[U+200B]`. */
  text: string;
  /** The message as the platform gets it; of a move that of its first recipient. */
  body: Record<string, unknown>;
  /** When a message is sent that waits for a moment. */
  send_at: string | null;
}

/** A call that waits for a member, or waited. */
export interface Approval {
  /** Id of this object in the workspace. */
  id: number;
  /** The API key or OAuth connection of the agent. */
  connection: ApprovalAsker;
  /** The member whose agent asked; null: none. */
  requested_by: User | null;
  /** Whether messages need approval: `draft` and `approval` do, `autonomous` does not. */
  autonomy: 'draft' | 'approval';
  /** Name of the tool. */
  tool: string;
  /** The exact call that was parked. */
  arguments: Record<string, unknown>;
  /** Name of the macro, for `run_macro`; null otherwise. */
  macro_name: string | null;
  /** Actions of the macro as they will run, for `run_macro`; null otherwise. */
  steps: MacroAction[] | null;
  /** What customers get once it is approved, as it was frozen when the call was parked. */
  sends: ApprovalSend[];
  /** Digest of all that is done when it is approved. */
  digest: string;
  /** Present state. */
  status: 'pending' | 'approved' | 'rejected' | 'expired';
  /** When it stops working; null: never. */
  expires_at: string | null;
  /** The member who decided; null: not decided. */
  decided_by: User | null;
  /** When it was decided; null: not decided. */
  decided_at: string | null;
  /** What the call gave, once approved; of a rejected one the message that was sent in its place. */
  result: unknown;
  /** Why it was rejected, as the member says. */
  note: string | null;
  /** Permissions that a member needs to decide. */
  required_scopes: string[];
  /** When it was created. */
  created_at: string;
}

/** `approval.requested`: A member's approval is asked for. */
export interface ApprovalRequestedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'approval.requested';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Approval | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** `approval.decided`: An approval was given, refused, or has expired. */
export interface ApprovalDecidedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'approval.decided';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Approval | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** A template's header, text, footer or buttons. */
export interface TemplatePart {
  /** HEADER, BODY, FOOTER, BUTTONS … */
  type: string;
  /** Of a header: TEXT, IMAGE … */
  format?: string;
  /** With its placeholders, as `{{1}}`. */
  text?: string;
  /** The buttons. */
  buttons?: (Record<string, unknown>)[];
  /** Values that the platform was shown for its review. */
  example?: Record<string, unknown>;
  [name: string]: unknown;
}

/** A message template, as the platform has approved or refused it. */
export interface Template {
  /** The platform's id of the business account. */
  business_account_id: string;
  /** The platform's id of the business account. */
  msgapp_account_id: string;
  /** The platform's id of the template. */
  template_id: string;
  /** Display name. */
  name: string;
  /** Language code, for example `en_US`. */
  language: string;
  /** The parts of the template, in the form of the platform. */
  components: TemplatePart[];
  /** `id` of the business account in this workspace. */
  business_account: number;
  /** Always null: the platform does not report it. */
  source_library_template: number | null;
  /** For example APPROVED, PENDING or REJECTED; only APPROVED can be sent. */
  status: string;
  /** For example MARKETING, UTILITY or AUTHENTICATION. */
  category: string;
  /** Empty unless the status is REJECTED. */
  rejected_reason: string;
}

/** `template.status_changed`: The platform changed a template's status. */
export interface TemplateStatusChangedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'template.status_changed';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: Template | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** What a customer entered into a form. */
export interface FlowSubmission {
  /** Id of the submission. */
  id: number;
  /** The flow that was answered. */
  flow_id: string;
  /** The contact who answered. */
  receiver_id: string;
  /** `message_id` of the inbound message that brought it. */
  message_id: string;
  /** The answers by their keys, typed by the flow’s fields where they can be; `{"raw": "…"}` when they are unreadable. */
  response: Record<string, unknown>;
  /** When the customer submitted it. */
  submitted_at: string;
}

/** `flow.submitted`: A customer submitted a flow. */
export interface FlowSubmittedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'flow.submitted';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: FlowSubmission | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** A business account whose costs the platform does not cover. */
export interface PaymentRefused {
  /** Id of this object in the workspace. */
  id: number;
  /** The platform's id of the account. */
  msgapp_business_account_id: string;
  /** Display name. */
  name: string;
  /** Code of the language or currency. */
  code: number;
  /** Since when it holds: all messages that cost something are lost; null: it is over. */
  refused_at: string | null;
}

/** `account.payment_refused`: The platform does not deliver what the account would have to pay for. */
export interface AccountPaymentRefusedEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'account.payment_refused';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: PaymentRefused | GoneObject;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** What a test event shows. */
export interface TestEventData {
  /** `id` of the subscription. */
  subscription_id: number;
}

/** `webhook.test`: Sent by `POST …/test/`. */
export interface WebhookTestEvent {
  /** The same each time that the event is sent: the header `webhook-id`. */
  id: string;
  /** Kind, which names the object that holds the content. */
  type: 'webhook.test';
  /** When it was created. */
  created_at: string;
  /** `id` of the workspace. */
  workspace_id: number;
  /** Rises by one with each event of the same conversation, ticket or other subject. */
  sequence: number;
  /** More about it; which keys depends on `kind`. */
  data: TestEventData;
  /** Field name to `{from, to}`, where there are any. */
  changes?: Record<string, unknown>;
}

/** What a subscription is sent: the body of each webhook. */
export type WebhookEvent = MessageReceivedEvent | MessageStatusChangedEvent | MessageEditedEvent | MessageDeletedEvent | ConversationCreatedEvent | ConversationUpdatedEvent | ConversationSnoozedEvent | ConversationWokenEvent | ConversationReopenedEvent | ConversationRatedEvent | ContactCreatedEvent | ContactUpdatedEvent | ContactDeletedEvent | ContactMergedEvent | ContactOptedOutEvent | ContactOptedInEvent | TicketCreatedEvent | TicketUpdatedEvent | TicketStageChangedEvent | TicketCommentedEvent | TicketEscalatedEvent | TicketSlaBreachedEvent | TicketDeletedEvent | StageNotificationSentEvent | StageNotificationSkippedEvent | StageNotificationFailedEvent | BroadcastScheduledEvent | BroadcastStartedEvent | BroadcastCompletedEvent | BroadcastFailedEvent | MacroRanEvent | RuleStoppedEvent | ApprovalRequestedEvent | ApprovalDecidedEvent | TemplateStatusChangedEvent | FlowSubmittedEvent | AccountPaymentRefusedEvent | WebhookTestEvent;

/** Something that an answer asks for. */
export interface WebhookAction {
  /** Type of a macro's action. */
  type: string;
  /** Values of the action; which keys depends on `type`. */
  params?: Record<string, unknown>;
  /** true only checks the action. */
  dry_run?: boolean;
}

/** What the receiver of an event may answer. */
export interface WebhookAnswer {
  /** What is done, in this order. */
  actions?: WebhookAction[];
}

/** Why a request was refused; all errors but a 400 have this form. */
export interface Refusal {
  /** What went wrong, in English. */
  error: string;
}

/** Messages for each field that is wrong. */
export interface ValidationErrors {
  /** What is wrong with the request as a whole, for example a closed 24-hour window. */
  non_field_errors?: string[];
  [name: string]: string[] | undefined;
}

/** What `POST /api/v1/contacts/` takes. */
export interface ContactsCreateBody {
  /** Phone number in E.164; what people write between its digits is left out. */
  phone?: string | null;
  /** The platform's id of a customer who may hide the phone number (business-scoped user id); null if not known. */
  bsuid?: string | null;
  /** Display name. */
  name?: string | null;
  /** Email address; empty if not known. */
  email?: string | null;
  /** Company of the customer. */
  company?: string | null;
  /** Internal notes; customers never see them. */
  notes?: string | null;
  /** Any JSON value; replaces the whole value. */
  tags?: unknown;
  /** Values of the custom fields, by field name. */
  custom_fields?: Record<string, unknown>;
  /** Whether the customer refused marketing messages. */
  marketing_opt_out?: boolean;
}

/** What `POST /api/v1/contacts/bulk/` takes. */
export interface ContactsImportBody {
  /** Rows of contact attributes. A key that names a custom field is stored typed, any other key as a free-form attribute. */
  contacts?: (Record<string, unknown>)[];
  /** What each column of a file is, in their order and in place of the header's own words: the name of a column or custom field, `(first_name)` and `(last_name)` for the parts of a name, `(attribute)` for what is kept under the header's word, an empty text for what is left out. */
  columns?: string[];
  /** ISO code of the country of a file's phone numbers that have no country code; null: all have one. Without it the workspace's own. */
  country?: string | null;
}

/** A row of an import that was refused, or a value of it that was dropped. */
export interface ImportError {
  /** Counts the data rows from 1, without the header row of a file. */
  row: number;
  /** Names the customer in paths and bodies: usually the phone number in digits. */
  receiver_id: string | null;
  /** The column or field. */
  field: string;
  /** At most 200 characters of it. */
  value: unknown;
  /** What is wrong, in English. */
  message: string;
  /** True: the value was dropped and the contact kept. False: the row was refused. */
  dropped: boolean;
}

/** What became of the rows of an import. */
export interface ImportResult {
  /** Rows that were sent. */
  received: number;
  /** Contacts that were created. */
  created: number;
  /** Contacts that existed and were updated. */
  updated: number;
  /** Rows that were refused. */
  failed: number;
  /** Values that were dropped and rows that were refused. */
  errors: ImportError[];
  /** True: there are more errors than the 1,000 that are listed. */
  errors_truncated?: boolean;
  /** Columns that are no field: they are kept as `attributes` of the contacts. */
  attributes_kept?: string[];
}

/** One thing that happened to a conversation or ticket. */
export interface ActivityEntry {
  /** Id of this object in the workspace. */
  id: number;
  /** What happened. */
  kind: string;
  /** The member who did it, or whose credential did; null: none. */
  actor: User | null;
  /** Who did it. */
  actor_type: 'member' | 'api_key' | 'agent' | 'system' | 'contact';
  /** Field name to `{from, to}`. */
  changes: Record<string, unknown>;
  /** More about it; which keys depends on `kind`. */
  data: Record<string, unknown>;
  /** When it was created. */
  created_at: string;
}

/** What `PATCH /api/v1/conversations/{receiver_id}/` takes. */
export interface ConversationsUpdateBody {
  /** State of the conversation. */
  conv_status?: 'open' | 'resolved' | 'pending' | 'snoozed' | 'spam' | 'converted';
  /** Another name of `conv_status`. */
  conversation_status?: 'open' | 'resolved' | 'pending' | 'snoozed' | 'spam' | 'converted';
  /** Another name of `conv_status`. */
  status?: 'open' | 'resolved' | 'pending' | 'snoozed' | 'spam' | 'converted';
  /** When a snoozed conversation opens again. Required, and in the future, with `snoozed`. */
  snoozed_until?: string | null;
  /** How urgent it is. */
  priority?: 'low' | 'normal' | 'high' | 'urgent';
  /** `id` of the member it is assigned to; null: none. */
  assigned_member?: number | null;
  /** `id` of the team inbox it is assigned to; null: none. */
  assigned_team_inbox?: number | null;
  /** Whether the customer permits calls. */
  calling_permission?: boolean;
  /** Any JSON value. Filters and macros work on an array of strings. */
  tags?: unknown;
  /** Values of the custom fields, by field name. */
  custom_fields?: Record<string, unknown>;
  /** Writes a note for the team, in the same transaction; it is never sent, and no answer shows it. */
  note?: string;
}

/** What `PATCH /api/v1/contacts/{receiver_id}/` takes. */
export interface ContactsUpdateBody {
  /** Display name. */
  name?: string | null;
  /** Email address; empty if not known. */
  email?: string | null;
  /** Company of the customer. */
  company?: string | null;
  /** Internal notes; customers never see them. */
  notes?: string | null;
  /** Any JSON value; replaces the whole value. */
  tags?: unknown;
  /** Values of the custom fields, by field name. */
  custom_fields?: Record<string, unknown>;
  /** Whether the customer refused marketing messages. */
  marketing_opt_out?: boolean;
  /** State of the conversation. */
  conv_status?: 'open' | 'resolved' | 'pending' | 'snoozed' | 'spam' | 'converted';
  /** Another name of `conv_status`. */
  conversation_status?: 'open' | 'resolved' | 'pending' | 'snoozed' | 'spam' | 'converted';
  /** Another name of `conv_status`. */
  status?: 'open' | 'resolved' | 'pending' | 'snoozed' | 'spam' | 'converted';
  /** When a snoozed conversation opens again. Required, and in the future, with `snoozed`. */
  snoozed_until?: string | null;
  /** How urgent it is. */
  priority?: 'low' | 'normal' | 'high' | 'urgent';
  /** `id` of the member it is assigned to; null: none. */
  assigned_member?: number | null;
  /** `id` of the team inbox it is assigned to; null: none. */
  assigned_team_inbox?: number | null;
  /** Whether the customer permits calls. */
  calling_permission?: boolean;
}

/** What a contact says now: texts, tags and custom values. */
export interface ContactState {
  /** Names the customer in paths and bodies: usually the phone number in digits. */
  receiver_id: string;
  /** Display name. */
  name: string;
  /** Email address; empty if not known. */
  email: string;
  /** Company of the customer. */
  company: string;
  /** Internal notes; customers never see them. */
  notes: string;
  /** Any JSON value. Filters and macros work on an array of strings. */
  tags: unknown;
  /** Values of the custom fields, by field name. */
  custom_fields: Record<string, unknown>;
  /** Whether the customer refused marketing messages. */
  marketing_opt_out: boolean;
  /** State of the conversation. */
  conv_status: 'open' | 'resolved' | 'pending' | 'snoozed' | 'spam' | 'converted';
  /** When a snoozed conversation opens again. Required, and in the future, with `snoozed`. */
  snoozed_until: string | null;
  /** How urgent it is. */
  priority: 'low' | 'normal' | 'high' | 'urgent';
  /** `id` of the member it is assigned to; null: none. */
  assigned_member: number | null;
  /** `id` of the team inbox it is assigned to; null: none. */
  assigned_team_inbox: number | null;
  /** Whether the customer permits calls. */
  calling_permission: boolean;
}

/** What `POST /api/v1/conversations/{receiver_id}/thread-control/` takes. */
export interface ConversationsThreadControlBody {
  /** What is asked of the platform. */
  action: 'take' | 'release';
  /** The number, where the workspace has several that it can be. */
  phone_number_id?: string;
}

/** A field that the workspace has defined. */
export interface CustomField {
  /** Id of this object in the workspace. */
  id: number;
  /** Key of the values in `custom_fields`. */
  name: string;
  /** Name that people see. */
  label: string;
  /** Kind of the values. */
  field_type: 'text' | 'number' | 'boolean' | 'date' | 'select' | 'multi_select';
  /** Which objects it is for. */
  applies_to: ('contacts' | 'conversations' | 'tickets')[];
  /** The values of a select; empty for other types. */
  options: string[];
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

/** What `POST /api/v1/custom-fields/` takes. */
export interface CustomFieldsCreateBody {
  /** Key of the values; cannot be changed later. */
  name: string;
  /** The name when left out. */
  label?: string;
  /** Kind of the values. */
  field_type: 'text' | 'number' | 'boolean' | 'date' | 'select' | 'multi_select';
  /** Where the field is shown and can be written; contacts and conversations when left out. */
  applies_to?: ('contacts' | 'conversations' | 'tickets')[];
  /** Only and always for select and multi_select; null and an empty list mean none. */
  options?: string[] | null;
}

/** What `PATCH /api/v1/custom-fields/{id}/` takes. */
export interface CustomFieldsUpdateBody {
  /** Name that people see. */
  label?: string;
  /** Kind of the values. */
  field_type?: 'text' | 'number' | 'boolean' | 'date' | 'select' | 'multi_select';
  /** Where the field is shown and can be written; contacts and conversations when left out. */
  applies_to?: ('contacts' | 'conversations' | 'tickets')[];
  /** Only and always for select and multi_select; null and an empty list mean none. */
  options?: string[] | null;
}

/** A message, with where the words stand that were looked for. */
export interface FoundMessage {
  /** Id of this object in the workspace. */
  id: number;
  /** The conversation, as its list shows it. */
  receiver: Receiver;
  /** Phone number in E.164, or the `bsuid` of a customer who hides it. */
  phone_number: PhoneNumberBrief | null;
  /** The member who sent it, or whose key did; null for customers and the system. */
  send_by: UserBrief | null;
  /** What wrote an outbound message; `send_by` is the member in whose name it did. */
  written_by: MessageAuthor | null;
  /** The group in which it was written; null outside of groups. */
  group: Group | null;
  /** The text `true` in a list that shortens a long text; the message alone has it whole. */
  is_truncated: string;
  /** How many characters of each text are shown, where `is_truncated`; else the text `0`. */
  preview_length: string;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** `inbound`: from the customer; `outbound`: to the customer. */
  direction: 'inbound' | 'outbound';
  /** The content as the platform has it: `type`, and an object of that name, for example `{"type": "text", "text": {"body": "Hi"}}`. */
  body: MessageBody;
  /** The file that the message carries, where we keep it: `GET /messages/{id}/media/` gives it. */
  media: MessageFile | null;
  /** Whether the team has read it. */
  read: boolean;
  /** The platform's id (wamid); empty until the platform has accepted the message. */
  message_id: string;
  /** `scheduled`: it is sent at `send_at`. `held`: it was to be sent, and waits for a member. */
  message_status: 'scheduled' | 'held' | 'received' | 'queued' | 'unknown' | 'sent' | 'failed' | 'delivered' | 'read' | 'played';
  /** `message_id` of the message that this one answers; empty: none. */
  reply_to_wamid: string;
  /** The product that the customer asked about; null: none. */
  referred_product: unknown;
  /** State of the payment, for messages about orders; empty otherwise. */
  payment_status: string;
  /** Error code of the platform; null without an error. */
  error_code: number | null;
  /** Short text of the error; empty without one. */
  error_title: string;
  /** What the platform said about the error; empty without one. */
  error_message: string;
  /** `held_by_platform`: the platform has taken it (`sent`) and looks at its template first; else empty. */
  delivery_note: string;
  /** What sent an outbound message: api, dashboard, agent, macro, stage, broadcast, away (a reply), satisfaction (a question after the end), phone_app (a person in the app on the phone), other_app (another application that had the thread). Empty for inbound ones. */
  source: string;
  /** Whether it came in while another application had the thread. */
  standby: boolean;
  /** When its author changed it last. */
  edited_at: string | null;
  /** What it said before its author changed it, newest last. */
  edits: MessageEdit[];
  /** When its author deleted it. `body` stays; searches leave the message out. */
  deleted_at: string | null;
  /** Of a queued message: the platform's code that stops its number or account, so that it waits. */
  stopped_code: number | null;
  /** How the platform charges the message; empty until it says so. */
  pricing_category: string;
  /** Whether it stands for a message from before the import. */
  is_import_placeholder: boolean;
  /** Of a message that waits: when it is sent, or was to be. */
  send_at: string | null;
  /** Of a message that waits: what becomes of it if the customer writes before. */
  if_customer_writes: 'hold' | 'send' | 'cancel' | null;
  /** Why a message is `held`. */
  held_reason: 'customer_wrote' | 'late' | 'window_closed' | 'opted_out' | 'template' | 'number' | 'member' | 'trial' | 'restored' | 'operator' | 'refused' | null;
  /** The text that was searched, of at most 10,000 characters. */
  text: string;
  /** Where words of the search stand in `text`: `[start, end]`, in UTF-16 units as JavaScript counts. */
  highlight: number[][];
}

/** A text. */
export interface TextContent {
  /** The text. */
  body: string;
  /** Whether a preview of the first link is shown. */
  preview_url?: boolean;
}

/** A picture or video, with a caption. */
export interface CaptionedMedia {
  /** Id of this object in the workspace. */
  id?: string;
  /** Public https address of the file. */
  link?: string;
  /** Text below it. */
  caption?: string;
}

/** A sound or voice message. */
export interface AudioContent {
  /** Id of this object in the workspace. */
  id?: string;
  /** Public https address of the file. */
  link?: string;
  /** Whether it is shown as a voice message. */
  voice?: boolean;
}

/** A document, with a caption. */
export interface DocumentContent {
  /** Id of this object in the workspace. */
  id?: string;
  /** Public https address of the file. */
  link?: string;
  /** Text below it. */
  caption?: string;
  /** File name that the customer sees. */
  filename?: string;
}

/** A file: the id of an upload, or a public address. */
export interface MediaSource {
  /** Id of this object in the workspace. */
  id?: string;
  /** Public https address of the file. */
  link?: string;
}

/** A place. */
export interface LocationContent {
  /** Degrees north. */
  latitude: number;
  /** Degrees east. */
  longitude: number;
  /** Display name. */
  name?: string;
  /** Address in one line. */
  address?: string;
}

/** Name on a card. */
export interface CardName {
  /** The whole name. */
  formatted_name: string;
  /** First name. */
  first_name?: string;
  /** Last name. */
  last_name?: string;
  /** Middle name. */
  middle_name?: string;
  /** Title before the name. */
  prefix?: string;
  /** What follows the name. */
  suffix?: string;
}

/** Phone number on a card. */
export interface CardPhone {
  /** Phone number in E.164. */
  phone: string;
  /** Kind, which names the object that holds the content. */
  type?: string;
  /** The platform's user id for this number. */
  wa_id?: string;
}

/** Email address on a card. */
export interface CardEmail {
  /** Email address; empty if not known. */
  email: string;
  /** Kind, which names the object that holds the content. */
  type?: string;
}

/** Postal address on a card. */
export interface CardAddress {
  /** Street and number. */
  street?: string;
  /** City. */
  city?: string;
  /** State or region. */
  state?: string;
  /** Postal code. */
  zip?: string;
  /** Country. */
  country?: string;
  /** Country, two letters (ISO 3166). */
  country_code?: string;
  /** Kind, which names the object that holds the content. */
  type?: string;
}

/** Web address on a card. */
export interface CardUrl {
  /** Web address. */
  url: string;
  /** Kind, which names the object that holds the content. */
  type?: string;
}

/** Employer on a card. */
export interface CardOrg {
  /** Company of the customer. */
  company?: string;
  /** Department. */
  department?: string;
  /** Title in one line. */
  title?: string;
}

/** A card with the data of a person. */
export interface ContactCard {
  /** Display name. */
  name: CardName;
  /** Phone numbers. */
  phones?: CardPhone[];
  /** Email addresses. */
  emails?: CardEmail[];
  /** Postal addresses. */
  addresses?: CardAddress[];
  /** Web addresses. */
  urls?: CardUrl[];
  /** Company. */
  org?: CardOrg | null;
  /** Birthday, YYYY-MM-DD. */
  birthday?: string;
}

/** A reaction to a message; an empty emoji takes it back. */
export interface ReactionContent {
  /** `message_id` (wamid) of the message that it is about. */
  message_id: string;
  /** The emoji; an empty text takes the reaction back. */
  emoji: string;
}

/** A file with a name. */
export interface NamedFile {
  /** Id of this object in the workspace. */
  id?: string;
  /** Public https address of the file. */
  link?: string;
  /** File name that the customer sees. */
  filename?: string;
}

/** What stands above the text: a text or a file. */
export interface InteractiveHeader {
  /** Kind, which names the object that holds the content. */
  type: 'text' | 'image' | 'video' | 'document';
  /** The text to show. */
  text?: string;
  /** A picture, by `id` or `link`. */
  image?: MediaSource;
  /** A video, by `id` or `link`. */
  video?: MediaSource;
  /** A file, by `id` or `link`. */
  document?: NamedFile;
}

/** The text of an interactive message. */
export interface InteractiveBody {
  /** The text to show. */
  text: string;
}

/** A small text below. */
export interface InteractiveFooter {
  /** The text to show. */
  text: string;
}

/** What a reply button sends back. */
export interface Reply {
  /** Id of this object in the workspace. */
  id: string;
  /** Title in one line. */
  title: string;
}

/** A button that answers. */
export interface ReplyButton {
  /** Kind, which names the object that holds the content. */
  type: 'reply';
  /** The button: its text, and the id that comes back. */
  reply: Reply;
}

/** The reply buttons. */
export interface InteractiveButtonAction {
  /** The buttons. */
  buttons: ReplyButton[];
}

/** A question with up to three reply buttons. */
export interface InteractiveButton {
  /** Kind, which names the object that holds the content. */
  type: 'button';
  /** What stands above the text. */
  header?: InteractiveHeader | null;
  /** The text. */
  body: InteractiveBody;
  /** Small text below. */
  footer?: InteractiveFooter | null;
  /** What the customer can do. */
  action: InteractiveButtonAction;
}

/** A text that stands above the text. */
export interface InteractiveTextHeader {
  /** Kind, which names the object that holds the content. */
  type: 'text';
  /** The text to show. */
  text: string;
}

/** The text above a list. */
export interface InteractiveListBody {
  /** The text to show. */
  text: string;
}

/** One choice of a list. */
export interface ListRow {
  /** Id of this object in the workspace. */
  id: string;
  /** Title in one line. */
  title: string;
  /** Free text for the team. */
  description?: string;
}

/** Choices of a list under one heading. */
export interface ListSection {
  /** Title in one line. */
  title?: string;
  /** Entries of the group. */
  rows: ListRow[];
}

/** The list and the button that opens it. */
export interface InteractiveListAction {
  /** Text of the button that opens the list. */
  button: string;
  /** Groups of the list. */
  sections: ListSection[];
}

/** A question with a list of answers. */
export interface InteractiveList {
  /** Kind, which names the object that holds the content. */
  type: 'list';
  /** What stands above the text. */
  header?: InteractiveTextHeader | null;
  /** The text. */
  body: InteractiveListBody;
  /** Small text below. */
  footer?: InteractiveFooter | null;
  /** What the customer can do. */
  action: InteractiveListAction;
}

/** Text and address of the button. */
export interface InteractiveCtaUrlActionParameters {
  /** Text of the button. */
  display_text: string;
  /** Web address. */
  url: string;
}

/** The button of a web address. */
export interface InteractiveCtaUrlAction {
  /** Display name. */
  name: 'cta_url';
  /** Values for this action or component. */
  parameters: InteractiveCtaUrlActionParameters;
}

/** A text with a button that opens a web address. */
export interface InteractiveCtaUrl {
  /** Kind, which names the object that holds the content. */
  type: 'cta_url';
  /** What stands above the text. */
  header?: InteractiveHeader | null;
  /** The text. */
  body: InteractiveBody;
  /** Small text below. */
  footer?: InteractiveFooter | null;
  /** What the customer can do. */
  action: InteractiveCtaUrlAction;
}

/** The button that sends the place. */
export interface InteractiveLocationRequestMessageAction {
  /** Display name. */
  name: 'send_location';
}

/** A request for the place where the customer is. */
export interface InteractiveLocationRequestMessage {
  /** Kind, which names the object that holds the content. */
  type: 'location_request_message';
  /** The text. */
  body: InteractiveBody;
  /** What the customer can do. */
  action: InteractiveLocationRequestMessageAction;
}

/** Which form it opens, and how. */
export interface InteractiveFlowActionParameters {
  /** Version of the message format; `3`. */
  flow_message_version?: string;
  /** The platform's id of the flow. */
  flow_id?: string;
  /** Name of the flow, instead of `flow_id`. */
  flow_name?: string;
  /** Text of the button. */
  flow_cta: string;
  /** Your own text; it comes back with the answers. */
  flow_token?: string;
  /** Whether the flow opens at a screen, or calls its endpoint first. */
  flow_action?: 'navigate' | 'data_exchange';
  /** With `navigate`: the first screen and its data. */
  flow_action_payload?: Record<string, unknown>;
  /** `draft` sends a flow that is not published yet. */
  mode?: 'draft' | 'published';
}

/** The button of a form. */
export interface InteractiveFlowAction {
  /** Display name. */
  name: 'flow';
  /** Values for this action or component. */
  parameters: InteractiveFlowActionParameters;
}

/** A text with a button that opens a form of the platform. */
export interface InteractiveFlow {
  /** Kind, which names the object that holds the content. */
  type: 'flow';
  /** What stands above the text. */
  header?: InteractiveHeader | null;
  /** The text. */
  body: InteractiveBody;
  /** Small text below. */
  footer?: InteractiveFooter | null;
  /** What the customer can do. */
  action: InteractiveFlowAction;
}

/** Which product it is. */
export interface InteractiveProductAction {
  /** The platform's id of the catalogue. */
  catalog_id: string;
  /** Your own id of the product. */
  product_retailer_id: string;
}

/** One product of a catalogue. */
export interface InteractiveProduct {
  /** Kind, which names the object that holds the content. */
  type: 'product';
  /** The text. */
  body?: InteractiveBody | null;
  /** Small text below. */
  footer?: InteractiveFooter | null;
  /** What the customer can do. */
  action: InteractiveProductAction;
}

/** A product of a list. */
export interface ListedProduct {
  /** Your own id of the product. */
  product_retailer_id: string;
}

/** Products of a list under one heading. */
export interface ProductSection {
  /** Title in one line. */
  title?: string;
  /** Products of the group. */
  product_items: ListedProduct[];
}

/** Which products they are. */
export interface InteractiveProductListAction {
  /** The platform's id of the catalogue. */
  catalog_id: string;
  /** Groups of the list. */
  sections: ProductSection[];
}

/** Several products of a catalogue. */
export interface InteractiveProductList {
  /** Kind, which names the object that holds the content. */
  type: 'product_list';
  /** What stands above the text. */
  header: InteractiveTextHeader;
  /** The text. */
  body: InteractiveBody;
  /** Small text below. */
  footer?: InteractiveFooter | null;
  /** What the customer can do. */
  action: InteractiveProductListAction;
}

/** The button of the catalogue. */
export interface InteractiveCatalogMessageAction {
  /** Display name. */
  name: 'catalog_message';
  /** Values for this action or component. */
  parameters?: Record<string, unknown>;
}

/** A text with a button that opens the catalogue. */
export interface InteractiveCatalogMessage {
  /** Kind, which names the object that holds the content. */
  type: 'catalog_message';
  /** The text. */
  body: InteractiveBody;
  /** Small text below. */
  footer?: InteractiveFooter | null;
  /** What the customer can do. */
  action: InteractiveCatalogMessageAction;
}

/** An order to be paid. */
export interface InteractiveOrderDetails {
  /** Kind, which names the object that holds the content. */
  type: 'order_details';
  /** What stands above the text. */
  header?: InteractiveHeader | null;
  /** The text. */
  body: InteractiveBody;
  /** Small text below. */
  footer?: InteractiveFooter | null;
  /** What the customer can do. */
  action: Record<string, unknown>;
}

/** How far an order is. */
export interface InteractiveOrderStatus {
  /** Kind, which names the object that holds the content. */
  type: 'order_status';
  /** What stands above the text. */
  header?: InteractiveHeader | null;
  /** The text. */
  body: InteractiveBody;
  /** Small text below. */
  footer?: InteractiveFooter | null;
  /** What the customer can do. */
  action: Record<string, unknown>;
}

/** Language of a template in the platform's own form. */
export interface TemplateLanguage {
  /** Code of the language or currency. */
  code: string;
}

/** An amount of money in a placeholder. */
export interface TemplateParameterCurrency {
  /** Text that is shown where the value cannot be formatted. */
  fallback_value?: string | null;
  /** Code of the language or currency. */
  code?: string | null;
  /** The amount times 1000. */
  amount_1000?: number | null;
}

/** A time in a placeholder. */
export interface TemplateParameterDateTime {
  /** Text that is shown where the value cannot be formatted. */
  fallback_value?: string | null;
}

/** The file of a placeholder. */
export interface TemplateMedia {
  /** Id of this object in the workspace. */
  id?: string | null;
  /** Public https address of the file. */
  link?: string | null;
  /** File name that the customer sees. */
  filename?: string | null;
}

/** A place in a placeholder. */
export interface TemplateParameterLocation {
  /** Degrees north. */
  latitude?: unknown;
  /** Degrees east. */
  longitude?: unknown;
  /** Display name. */
  name?: string | null;
  /** Address in one line. */
  address?: string | null;
}

/** A product in a placeholder. */
export interface TemplateParameterProduct {
  /** The platform's id of the catalogue. */
  catalog_id?: string | null;
  /** Your own id of the product. */
  product_retailer_id?: string | null;
}

/** The end of an offer in a placeholder. */
export interface TemplateParameterLimitedTimeOffer {
  /** When it ends, in milliseconds since 1970. */
  expiration_time_ms?: number | null;
}

/** What one placeholder is. */
export interface TemplateParameter {
  /** Kind, which names the object that holds the content. */
  type: string;
  /** Name of the placeholder, where the template names them. */
  parameter_name?: string | null;
  /** The text to show. */
  text?: string | null;
  /** Not used; empty. */
  currency?: TemplateParameterCurrency | null;
  /** A date or time. */
  date_time?: TemplateParameterDateTime | null;
  /** A picture, by `id` or `link`. */
  image?: TemplateMedia | null;
  /** A video, by `id` or `link`. */
  video?: TemplateMedia | null;
  /** A file, by `id` or `link`. */
  document?: TemplateMedia | null;
  /** An animation, by `id` or `link`. */
  gif?: TemplateMedia | null;
  /** A place on the map. */
  location?: TemplateParameterLocation | null;
  /** A product of a catalogue. */
  product?: TemplateParameterProduct | null;
  /** What comes back when the button is tapped. */
  payload?: string | null;
  /** Code that the button copies. */
  coupon_code?: string | null;
  /** What the customer can do. */
  action?: Record<string, unknown> | null;
  /** An offer that ends. */
  limited_time_offer?: TemplateParameterLimitedTimeOffer | null;
}

/** What the placeholders of one part of a card are. */
export interface TemplateCardComponent {
  /** Kind, which names the object that holds the content. */
  type: 'header' | 'body' | 'button' | 'carousel' | 'limited_time_offer';
  /** Kind of the button. */
  sub_type?: string | null;
  /** Position of the button, from 0. */
  index?: string | null;
  /** Values for this action or component. */
  parameters?: TemplateParameter[] | null;
}

/** What the placeholders of one card of a carousel are. */
export interface TemplateCard {
  /** Position of the card, from 0. */
  card_index: number;
  /** Values for the parts of the template, in the form of the platform. */
  components: TemplateCardComponent[];
}

/** What the placeholders of one part of a template are. */
export interface TemplateComponent {
  /** Kind, which names the object that holds the content. */
  type: 'header' | 'body' | 'button' | 'carousel' | 'limited_time_offer';
  /** Kind of the button. */
  sub_type?: string | null;
  /** Position of the button, from 0. */
  index?: string | null;
  /** Values for this action or component. */
  parameters?: TemplateParameter[] | null;
  /** Cards of a carousel. */
  cards?: TemplateCard[] | null;
}

/** A template as it is sent: name, language and what its placeholders are. */
export interface TemplateContent {
  /** Display name. */
  name: string;
  /** Language code, for example `en_US`. */
  language: string | TemplateLanguage;
  /** Values for the parts of the template, in the form of the platform. */
  components?: TemplateComponent[] | null;
}

/** What `POST /api/v1/messages/` takes. */
export interface MessagesCreateBody {
  /** Phone number in E.164 or business-scoped user id. */
  to: string;
  /** The number to send from. Without it: the only number of the account or workspace, or else the number that the conversation last used. Required if there is neither. */
  phone_number_id?: string | null;
  /** The business account that sends, from `GET /api/v1/phone-numbers/`. Needed only to choose between accounts. */
  msgapp_business_account_id?: string | null;
  /** Without it, the object that you send decides. */
  type?: 'text' | 'image' | 'video' | 'audio' | 'document' | 'sticker' | 'location' | 'contacts' | 'reaction' | 'interactive' | 'template';
  /** Short form of a text message. */
  body?: string;
  /** The text to show. */
  text?: TextContent;
  /** A picture, by `id` or `link`. */
  image?: CaptionedMedia;
  /** A video, by `id` or `link`. */
  video?: CaptionedMedia;
  /** A sound file, by `id` or `link`. */
  audio?: AudioContent;
  /** A file, by `id` or `link`. */
  document?: DocumentContent;
  /** A sticker, by `id` or `link`. */
  sticker?: MediaSource;
  /** A place on the map. */
  location?: LocationContent;
  /** Contact cards. */
  contacts?: ContactCard[];
  /** A reaction to a message. */
  reaction?: ReactionContent;
  /** Reply buttons, a list, a link button, a request for the location, a flow, products, or a request to pay. */
  interactive?: InteractiveButton | InteractiveList | InteractiveCtaUrl | InteractiveLocationRequestMessage | InteractiveFlow | InteractiveProduct | InteractiveProductList | InteractiveCatalogMessage | InteractiveOrderDetails | InteractiveOrderStatus;
  /** `{name, language, components}` of an APPROVED template. */
  template?: TemplateContent;
  /** Instead of `template`: its id, with `template_variables`. */
  template_id?: string;
  /** What fills the placeholders 1 to 32 of the header and the body, for example `{"body": {"1": {"source": "static", "value": "Monday"}}}`. */
  template_variables?: TemplateVariables;
  /** `message_id` (wamid) of the message that this one answers. It goes to the platform unchanged, so you can also answer a message that is not stored here. */
  reply_to_wamid?: string | null;
  /** Sends it later: a datetime up to 366 days ahead, or `opening`, when the calendar of the conversation opens next (at once while it is open). Free text needs a window that is still open then. */
  send_at?: string | 'opening' | null;
  /** What becomes of a message for later if the customer writes before: it waits for a member (`hold`, unless told), goes all the same (`send`), or is discarded (`cancel`). */
  if_customer_writes?: 'hold' | 'send' | 'cancel';
}

/** What `PATCH /api/v1/messages/{id}/` takes. */
export interface MessagesUpdateBody {
  /** Another text; or another content, as `body` of the message shows it. */
  body?: string | Record<string, unknown>;
  /** Another moment; of a message that is held, it is sent then. */
  send_at?: string | 'opening';
  /** `scheduled`: a message that is held is sent at its moment after all. */
  message_status?: 'scheduled' | 'held';
  /** Without it, the object that you send decides. */
  type?: 'text' | 'image' | 'video' | 'audio' | 'document' | 'sticker' | 'location' | 'contacts' | 'reaction' | 'interactive' | 'template';
  /** The text to show. */
  text?: TextContent;
  /** A picture, by `id` or `link`. */
  image?: CaptionedMedia;
  /** A video, by `id` or `link`. */
  video?: CaptionedMedia;
  /** A sound file, by `id` or `link`. */
  audio?: AudioContent;
  /** A file, by `id` or `link`. */
  document?: DocumentContent;
  /** A sticker, by `id` or `link`. */
  sticker?: MediaSource;
  /** A place on the map. */
  location?: LocationContent;
  /** Contact cards. */
  contacts?: ContactCard[];
  /** A reaction to a message. */
  reaction?: ReactionContent;
  /** Reply buttons, a list, a link button, a request for the location, a flow, products, or a request to pay. */
  interactive?: InteractiveButton | InteractiveList | InteractiveCtaUrl | InteractiveLocationRequestMessage | InteractiveFlow | InteractiveProduct | InteractiveProductList | InteractiveCatalogMessage | InteractiveOrderDetails | InteractiveOrderStatus;
  /** `{name, language, components}` of an APPROVED template. */
  template?: TemplateContent;
  /** Instead of `template`: its id, with `template_variables`. */
  template_id?: string;
  /** What fills the placeholders 1 to 32 of the header and the body, for example `{"body": {"1": {"source": "static", "value": "Monday"}}}`. */
  template_variables?: TemplateVariables;
  /** `message_id` (wamid) of the message that this one answers. It goes to the platform unchanged, so you can also answer a message that is not stored here. */
  reply_to_wamid?: string | null;
  /** What becomes of a message for later if the customer writes before: it waits for a member (`hold`, unless told), goes all the same (`send`), or is discarded (`cancel`). */
  if_customer_writes?: 'hold' | 'send' | 'cancel';
}

/** What `POST /api/v1/media/` takes. */
export interface MediaCreateUpload {
  /** The file. */
  file: string;
}

/** A file that messages can send by its id. */
export interface UploadedFile {
  /** Names the file where a message, broadcast, stage or canned reply takes one. */
  id: string;
  /** What its content is, whatever it was sent as. */
  mime_type: string;
  /** In bytes. */
  size: number;
  /** Of its bytes, in hex. */
  sha256: string;
  /** File name that the customer sees. */
  filename: string;
  /** When it was created. */
  created_at: string;
}

/** A number that messages are sent from. */
export interface PhoneNumber {
  /** Id of this object in the workspace. */
  id: number;
  /** The platform's id of the number. */
  phone_number_id: string;
  /** How the platform rates the quality of the messages. */
  quality_rating: string;
  /** The number as people write it. */
  display_phone_number: string;
  /** Name that customers see. */
  verified_name: string;
  /** `id` of the business account in this workspace. */
  business_account: number;
  /** Always empty. */
  pin: string;
  /** How many customers the platform lets the number write to first in 24 hours. */
  messaging_limit_tier: string;
  /** What `POST /api/v1/messages/` takes to choose the sender. */
  msgapp_business_account_id: string;
  /** Whether the platform has verified the number. */
  code_verification_status: string;
  /** User name of the number; empty without one. */
  business_username: string;
  /** Whether the platform approved the user name. */
  business_username_status: string;
  /** The platform's code that stops this number or its account; null while it may send. */
  stopped_code: number | null;
}

/** Something that the platform says of a form. */
export interface FlowAlert {
  /** Kind of the alert, for example `ENDPOINT_ERROR_RATE`, `ENDPOINT_LATENCY` or `CLIENT_ERROR_RATE`. */
  event: string;
  /** `ACTIVATED` or `DEACTIVATED`; empty where the alert has no state. */
  alert_state: string;
  /** What happened, in the words of the platform. */
  message: string;
  /** When the platform reported it. */
  at: string;
  /** Figures of the alert as the platform gives them, for example `threshold` or `p90_latency`. */
  details: Record<string, unknown>;
}

/** A form of the platform. */
export interface Flow {
  /** Id of the stored copy. */
  id: number;
  /** The platform's id of the flow, which paths and messages take. */
  flow_id: string;
  /** Name of the flow. */
  name: string;
  /** DRAFT until it is published; THROTTLED and BLOCKED while its endpoint does badly; DEPRECATED for good. */
  status: 'DRAFT' | 'PUBLISHED' | 'DEPRECATED' | 'BLOCKED' | 'THROTTLED';
  /** Errors that the platform finds in the definition, as it gives them. */
  validation_errors: unknown;
  /** Version of the flow definition language. */
  json_version: string;
  /** Version of the data exchange; empty without an endpoint. */
  data_api_version: string;
  /** `true` when the flow asks an endpoint while it runs, else `false`. */
  is_data_exchange: string;
  /** Page that shows the flow; empty when there is none. */
  preview_url: string;
  /** Until when the preview works. */
  preview_expires_at: string | null;
  /** When the flow was first stored here. */
  created_at: string;
  /** When the stored copy last changed. */
  updated_at: string;
  /** Categories of the flow, for example `["SURVEY"]`. */
  categories: unknown;
  /** Address of the endpoint; empty without one. */
  data_channel_uri: string;
  /** The same address under its newer name. */
  customer_endpoint_uri: string;
  /** Definition of the flow; null when it could not be read. */
  flow_json: unknown;
  /** The newest alert of each kind. */
  alerts: FlowAlert[];
  /** When the platform was last read successfully. */
  synced_at: string;
}

/** A figure at one time. */
export interface FlowMetricPoint {
  /** First instant of the point. */
  timestamp: string;
  /** Figures by their kind: `value`, or the kind of error. */
  values: Record<string, number>;
}

/** One figure of a form over time. */
export interface FlowMetric {
  /** What is measured. */
  name: 'endpoint_request_count' | 'endpoint_request_error' | 'endpoint_request_error_rate' | 'endpoint_request_latency_seconds_ceil' | 'endpoint_availability';
  /** Points in order of time; the ones without figures are left out. */
  points: FlowMetricPoint[];
}

/** How a form fares. */
export interface FlowMetrics {
  /** The flow. */
  flow_id: string;
  /** Time that one figure covers. */
  granularity: 'day' | 'hour' | 'lifetime';
  /** Start of the span; null for `lifetime`. */
  from: string | null;
  /** End of the span; null for `lifetime`. */
  to: string | null;
  /** One entry per figure that the platform measures. */
  metrics: FlowMetric[];
}

/** A product of a connected catalogue. */
export interface Product {
  /** Id of the stored copy. */
  id: number;
  /** The seller's own id of the product, which messages take as `product_retailer_id`. */
  retailer_id: string;
  /** Name of the product. */
  name: string;
  /** Description of the product. */
  description: string;
  /** Price as the platform writes it, for example `$24.90`. */
  price: string;
  /** Currency of the price, for example `USD`. */
  currency: string;
  /** Whether it can be had, as the platform words it: `in stock`, `out of stock`, … */
  availability: string;
  /** Address of the picture; empty when there is none. */
  image_url: string;
  /** Address of the product in the shop; empty when there is none. */
  url: string;
  /** The platform's id of the catalogue, which messages take as `catalog_id`. */
  catalog_id: string;
  /** When the product last changed here. */
  updated_at: string;
  /** When a sync last found the product. */
  synced_at: string;
}

/** The file in the header, by the id of an upload. */
export interface HeaderMedia {
  /** Id of this object in the workspace. */
  id: string;
}

/** What `POST /api/v1/broadcasts/` takes. */
export interface BroadcastsCreateBody {
  /** Display name. */
  name: string;
  /** An APPROVED template of the workspace. */
  template_id: string;
  /** `{"all": true}` or filters, of which all must hold. A contact that `receiver_ids` names twice is a recipient twice, and skipped as `duplicate` the second time. */
  audience: Audience;
  /** The platform's id of the business account. */
  msgapp_business_account_id?: string | null;
  /** The number to send from; required when the template's account has several. */
  phone_number_id?: string | null;
  /** What fills the placeholders 1 to 32 of the header and the body, for example `{"body": {"1": {"source": "static", "value": "Monday"}}}`. */
  template_variables?: TemplateVariables | null;
  /** The uploaded file (`POST /media/`) for the header of the template; required where that is an image, video or document. */
  header_media?: HeaderMedia | null;
}

/** What `PATCH /api/v1/broadcasts/{id}/` takes. */
export interface BroadcastsUpdateBody {
  /** Display name. */
  name?: string;
  /** An APPROVED template of the workspace. */
  template_id?: string | null;
  /** `{"all": true}` or filters, of which all must hold. A contact that `receiver_ids` names twice is a recipient twice, and skipped as `duplicate` the second time. */
  audience?: Audience;
  /** The platform's id of the business account. */
  msgapp_business_account_id?: string | null;
  /** The number to send from; required when the template's account has several. */
  phone_number_id?: string | null;
  /** What fills the placeholders 1 to 32 of the header and the body, for example `{"body": {"1": {"source": "static", "value": "Monday"}}}`. */
  template_variables?: TemplateVariables | null;
  /** The uploaded file (`POST /media/`) for the header of the template; required where that is an image, video or document. */
  header_media?: HeaderMedia | null;
}

/** What `POST /api/v1/broadcasts/{id}/confirm/` takes. */
export interface BroadcastsConfirmBody {
  /** A time in the future; without it, sending starts now. */
  scheduled_at?: string;
}

/** What became of a broadcast for one contact. */
export interface BroadcastRecipient {
  /** The contact's id. */
  contact: number;
  /** Empty once the contact was erased. */
  receiver_id: string;
  /** Display name. */
  name: string;
  /** Present state. */
  status: 'pending' | 'sending' | 'sent' | 'failed' | 'skipped' | 'unknown';
  /** Why it was skipped. */
  reason: string;
  /** Error code of the platform; null without an error. */
  error_code: number | null;
  /** The message's id, once there is one. */
  message: number | null;
  /** sent, held (by the platform), delivered, read or played; empty unless sent. */
  message_status: string;
  /** When it last changed. */
  updated_at: string;
}

/** What a broadcast will probably cost. */
export interface BroadcastEstimate {
  /** Messages that the platform is expected to charge. */
  billable: number;
  /** By the rates of the workspace; null where one is missing. */
  cost: number | null;
  /** Not used; empty. */
  currency: string | null;
}

/** How many customers a number may still write to first. */
export interface MessagingLimit {
  /** Customers who may get a template outside of their window in 24 hours; null: not known, or none. */
  limit: number | null;
  /** Customers who have got one, over all numbers of the workspace. */
  used_24h: number;
  /** What is left of the limit; null where there is none. */
  left: number | null;
  /** Recipients whom the limit leaves out. */
  over_by: number;
  /** Always true: the platform counts by itself, over all of the portfolio. */
  estimated: boolean;
}

/** A broadcast as one recipient will read it. */
export interface BroadcastSample {
  /** Names the customer in paths and bodies: usually the phone number in digits. */
  receiver_id: string;
  /** Display name. */
  name: string;
  /** What stands above the text. */
  header: string;
  /** The text. */
  body: string;
  /** As it is sent to the platform. */
  components: unknown;
}

/** What a broadcast would do now. */
export interface BroadcastPreview {
  /** How many contacts the audience has now. */
  audience: number;
  /** How many of them would get it. */
  sendable: number;
  /** Not sent on purpose; `skipped_by_reason` says why. */
  skipped: number;
  /** Reason to number of contacts. */
  skipped_by_reason: Record<string, unknown>;
  /** What sending it now is expected to cost. */
  estimate: BroadcastEstimate;
  /** How much of the messaging limit of the portfolio it takes. */
  messaging_limit: MessagingLimit;
  /** The message as a few of them would see it. */
  samples: BroadcastSample[];
}

/** A member of the team. */
export interface TeamMember {
  /** Id of this object in the workspace. */
  id: number;
  /** Display name. */
  name: string;
  /** Email address; empty if not known. */
  email: string;
  /** `owner` may do everything, `admin` everything but `billing`; `agent` has the `permissions` given. */
  role: 'owner' | 'admin' | 'agent';
  /** Whether it is in use; an inactive one is refused. */
  is_active: boolean;
  /** `id`s of the team inboxes the member belongs to. */
  team_inboxes: number[];
  /** Address of the picture; empty without one. */
  profile_picture: string;
  /** When it was created. */
  created_at: string;
}

/** A queue of conversations and tickets. */
export interface TeamInbox {
  /** Id of this object in the workspace. */
  id: number;
  /** Display name. */
  name: string;
  /** Free text for the team. */
  description: string;
  /** `id`s of the members who belong to it. */
  member_ids: number[];
  /** Whether it is the one that is used when none is named. */
  is_default: boolean;
  /** When it was created. */
  created_at: string;
}

/** An issue that outlives a conversation. */
export interface Ticket {
  /** Id of this object in the workspace. */
  id: number;
  /** Title in one line. */
  title: string;
  /** Free text for the team. */
  description: string;
  /** `id` of the pipeline. */
  pipeline: number;
  /** Name of the pipeline. */
  pipeline_name: string;
  /** `id` of the stage. */
  stage: number;
  /** Name of the stage. */
  stage_name: string;
  /** Colour of the stage, `#RRGGBB`. */
  stage_color: string;
  /** Id of the primary contact. */
  receiver: number | null;
  /** Name of the primary contact; null: there is none. */
  receiver_name: string | null;
  /** Phone number of the primary contact; null: there is none. */
  receiver_phone: string | null;
  /** Further customers who are concerned. */
  affected_contacts: AffectedContact[];
  /** `id` of the member it is assigned to; null: none. */
  assigned_to: number | null;
  /** Name of that member; null: none. */
  assigned_to_name: string | null;
  /** `id` of the team inbox it is assigned to; null: none. */
  assigned_inbox: number | null;
  /** Members who follow it. */
  watchers: User[];
  /** Tickets that are parts of this one. */
  sub_tickets: RelatedTicket[];
  /** `id` of the ticket that this one is a part of; null: none. */
  parent_ticket: number | null;
  /** `id` of the ticket that this one repeats; null: none. */
  duplicate_of: number | null;
  /** Tickets that repeat this one. */
  duplicates: RelatedTicket[];
  /** How often it was moved back from a terminal stage. */
  reopened_count: number;
  /** When the customer last wrote; null: never. */
  last_customer_at: string | null;
  /** When it was escalated; null: never. */
  escalated_at: string | null;
  /** `id` of the member it was escalated to; null: none. */
  escalated_to: number | null;
  /** Name of that member; null: none. */
  escalated_to_name: string | null;
  /** `id` of the member who created it; null if none did. */
  created_by: number | null;
  /** Number of comments, as a text. */
  comment_count: string;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** When it is due; null: no date. */
  due_at: string | null;
  /** Kind, which names the object that holds the content. */
  type: 'complaint' | 'refund' | 'dispute' | 'bug' | 'feature' | 'review' | 'approval' | 'ops' | 'sales' | 'other';
  /** How severe it is; `sev1` is the worst. */
  severity: 'sev1' | 'sev2' | 'sev3' | 'sev4';
  /** How urgent it is. */
  priority: 'low' | 'normal' | 'high' | 'urgent';
  /** Where it was created. */
  source: 'msgapp' | 'manual' | 'api';
  /** How it ended; empty while it is open. */
  outcome: 'resolved' | 'refunded' | 'rejected' | 'escalated_external' | null;
  /** `id` of the service level policy that sets its deadlines; null: none. */
  sla_policy: number | null;
  /** When the team first answered; null: not yet. */
  first_response_at: string | null;
  /** When the first answer is due; null: no deadline. */
  first_response_sla: string | null;
  /** When it has to be resolved; null: no deadline. */
  resolution_sla: string | null;
  /** Since when its deadlines are paused; null: they are not. */
  sla_paused_at: string | null;
  /** Seconds that the clock stood still. */
  sla_paused_duration: string;
  /** Whether a deadline has passed. */
  sla_breached: boolean;
  /** Any JSON value. Filters and macros work on an array of strings. */
  tags: unknown;
  /** Values of the custom fields, by field name. */
  custom_fields: Record<string, unknown>;
}

/** What `POST /api/v1/tickets/` takes. */
export interface TicketsCreateBody {
  /** Title in one line. */
  title: string;
  /** Free text for the team. */
  description?: string;
  /** Without `stage`, a changed pipeline takes its first stage. */
  pipeline?: number;
  /** A stage of the pipeline. Moving into a stage that notifies sends its template. */
  stage?: number;
  /** Id of the primary contact. */
  receiver?: number | null;
  /** The primary contact by its receiver_id, instead of `receiver`. */
  receiver_id?: string | null;
  /** Replaces the whole list; left out, it stays. */
  affected_contact_ids?: number[];
  /** The affected contacts by their receiver_ids, instead of `affected_contact_ids`. */
  affected_receiver_ids?: string[];
  /** Id of a member. */
  assigned_to?: number | null;
  /** `id` of the team inbox it is assigned to; null: none. */
  assigned_inbox?: number | null;
  /** Ids of members; replaces the whole list. */
  watcher_ids?: number[];
  /** `id` of the ticket that this one is a part of; null: none. */
  parent_ticket?: number | null;
  /** `id` of the ticket that this one repeats; null: none. */
  duplicate_of?: number | null;
  /** When it is due; null: no date. */
  due_at?: string | null;
  /** How it ended; empty while it is open. */
  outcome?: 'resolved' | 'refunded' | 'rejected' | 'escalated_external' | null;
  /** Kind, which names the object that holds the content. */
  type?: 'complaint' | 'refund' | 'dispute' | 'bug' | 'feature' | 'review' | 'approval' | 'ops' | 'sales' | 'other';
  /** How severe it is; `sev1` is the worst. */
  severity?: 'sev1' | 'sev2' | 'sev3' | 'sev4';
  /** How urgent it is. */
  priority?: 'low' | 'normal' | 'high' | 'urgent';
  /** Any JSON value; replaces the whole value. */
  tags?: unknown;
  /** Merged: keys that are left out stay. */
  custom_fields?: Record<string, unknown>;
}

/** What `PATCH /api/v1/tickets/{id}/` takes. */
export interface TicketsUpdateBody {
  /** Title in one line. */
  title?: string;
  /** Free text for the team. */
  description?: string;
  /** Without `stage`, a changed pipeline takes its first stage. */
  pipeline?: number;
  /** A stage of the pipeline. Moving into a stage that notifies sends its template. */
  stage?: number;
  /** Id of the primary contact. */
  receiver?: number | null;
  /** The primary contact by its receiver_id, instead of `receiver`. */
  receiver_id?: string | null;
  /** Replaces the whole list; left out, it stays. */
  affected_contact_ids?: number[];
  /** The affected contacts by their receiver_ids, instead of `affected_contact_ids`. */
  affected_receiver_ids?: string[];
  /** Id of a member. */
  assigned_to?: number | null;
  /** `id` of the team inbox it is assigned to; null: none. */
  assigned_inbox?: number | null;
  /** Ids of members; replaces the whole list. */
  watcher_ids?: number[];
  /** `id` of the ticket that this one is a part of; null: none. */
  parent_ticket?: number | null;
  /** `id` of the ticket that this one repeats; null: none. */
  duplicate_of?: number | null;
  /** When it is due; null: no date. */
  due_at?: string | null;
  /** How it ended; empty while it is open. */
  outcome?: 'resolved' | 'refunded' | 'rejected' | 'escalated_external' | null;
  /** Kind, which names the object that holds the content. */
  type?: 'complaint' | 'refund' | 'dispute' | 'bug' | 'feature' | 'review' | 'approval' | 'ops' | 'sales' | 'other';
  /** How severe it is; `sev1` is the worst. */
  severity?: 'sev1' | 'sev2' | 'sev3' | 'sev4';
  /** How urgent it is. */
  priority?: 'low' | 'normal' | 'high' | 'urgent';
  /** Any JSON value; replaces the whole value. */
  tags?: unknown;
  /** Merged: keys that are left out stay. */
  custom_fields?: Record<string, unknown>;
}

/** What `POST /api/v1/tickets/{ticket_id}/escalate/` takes. */
export interface TicketsEscalateBody {
  /** Id of the member who takes it up. */
  escalated_to: number;
  /** Why, in your words. */
  reason?: string | null;
}

/** A comment on a ticket. */
export interface Comment {
  /** Id of this object in the workspace. */
  id: number;
  /** The text. */
  body: string;
  /** Whether it is a note for the team. No comment ever reaches the customer. */
  is_internal: boolean;
  /** The member who wrote it; null: none. */
  author: User | null;
  /** When it was created. */
  created_at: string;
}

/** What `POST /api/v1/tickets/{ticket_id}/comments/` takes. */
export interface TicketCommentsCreateBody {
  /** The text. `@` and the name of a member, or their first name where nobody else has it, tells that member. */
  body: string;
  /** True by default. No comment ever reaches the customer. */
  is_internal?: boolean;
}

/** Where the value of a placeholder comes from, with fields of the ticket. */
export interface StageVariableSource {
  /** Where the value comes from. */
  source: 'static' | 'field' | 'ticket';
  /** With `static`: the text. */
  value?: string;
  /** With `field`: name, first_name, phone, email, company of the contact. With `ticket`: id, title, type, stage, pipeline, priority, severity, assignee, outcome, created_date, due_date of the ticket. */
  field?: 'name' | 'first_name' | 'phone' | 'email' | 'company' | 'id' | 'title' | 'type' | 'stage' | 'pipeline' | 'priority' | 'severity' | 'assignee' | 'outcome' | 'created_date' | 'due_date';
  /** What stands there where the field is empty. */
  default?: string;
}

/** What the placeholders of the template of a stage are. */
export interface StageTemplateVariables {
  /** Values of the header by placeholder number. */
  header?: Record<string, StageVariableSource>;
  /** Values of the body by placeholder number. */
  body?: Record<string, StageVariableSource>;
}

/** A step of a pipeline. */
export interface Stage {
  /** Id of this object in the workspace. */
  id: number;
  /** Display name. */
  name: string;
  /** How many tickets are in it. */
  ticket_count: string;
  /** From 0, without gaps. */
  position: number;
  /** #RRGGBB */
  color: string;
  /** Whether tickets in this stage are closed. */
  is_terminal: boolean;
  /** Whether deadlines are paused while a ticket is in this stage. */
  pauses_sla: boolean;
  /** Moving a ticket into the stage sends this template. */
  notify_template_id: string | null;
  /** Name of the template that the stage sends; null: none. */
  notify_template_name: string | null;
  /** What fills the placeholders 1 to 32 of the header and the body, for example `{"body": {"1": {"source": "static", "value": "Monday"}}}`. */
  notify_template_variables: StageTemplateVariables;
  /** The file for the header of the template. */
  notify_template_media_id: string | null;
}

/** The stages that tickets move through. */
export interface Pipeline {
  /** Id of this object in the workspace. */
  id: number;
  /** Display name. */
  name: string;
  /** Free text for the team. */
  description: string;
  /** From 0, without gaps. */
  position: number;
  /** Whether it is the one that is used when none is named. */
  is_default: boolean;
  /** When it was created. */
  created_at: string;
  /** The stages in order. */
  stages: Stage[];
}

/** A stage of a new pipeline. */
export interface StageInput {
  /** Display name. */
  name: string;
  /** Place in the pipeline from 0; the others move along. */
  position?: number;
  /** As #RRGGBB. */
  color?: string;
  /** Tickets in it are closed. */
  is_terminal?: boolean;
  /** Deadlines are paused while a ticket is in it. */
  pauses_sla?: boolean;
  /** Id of an APPROVED template; null or an empty text clears it, and the mapping with it. */
  notify_template_id?: string | null;
  /** What fills the placeholders 1 to 32 of the header and the body, for example `{"body": {"1": {"source": "static", "value": "Monday"}}}`. */
  notify_template_variables?: StageTemplateVariables | null;
  /** The uploaded file (`POST /media/`) for the header of the template; required where that is an image, video or document. */
  notify_template_media_id?: string | null;
}

/** What `POST /api/v1/ticket-pipelines/` takes. */
export interface TicketPipelinesCreateBody {
  /** Display name. */
  name: string;
  /** Free text for the team. */
  description?: string;
  /** Place among the pipelines from 0. */
  position?: number;
  /** New tickets go to the default pipeline; there is always exactly one. */
  is_default?: boolean;
  /** Its first stages in order, with everything that adding a stage takes; without them it begins with one stage, "New". */
  stages?: StageInput[];
}

/** What `PATCH /api/v1/ticket-pipelines/{id}/` takes. */
export interface TicketPipelinesUpdateBody {
  /** Display name. */
  name?: string;
  /** Free text for the team. */
  description?: string;
  /** Place among the pipelines from 0. */
  position?: number;
  /** New tickets go to the default pipeline; there is always exactly one. */
  is_default?: boolean;
}

/** What `POST /api/v1/ticket-pipelines/{pipeline_id}/stages/` takes. */
export interface TicketStagesCreateBody {
  /** Display name. */
  name: string;
  /** Place in the pipeline from 0; the others move along. */
  position?: number;
  /** As #RRGGBB. */
  color?: string;
  /** Tickets in it are closed. */
  is_terminal?: boolean;
  /** Deadlines are paused while a ticket is in it. */
  pauses_sla?: boolean;
  /** Id of an APPROVED template; null or an empty text clears it, and the mapping with it. */
  notify_template_id?: string | null;
  /** What fills the placeholders 1 to 32 of the header and the body, for example `{"body": {"1": {"source": "static", "value": "Monday"}}}`. */
  notify_template_variables?: StageTemplateVariables | null;
  /** The uploaded file (`POST /media/`) for the header of the template; required where that is an image, video or document. */
  notify_template_media_id?: string | null;
}

/** What `PATCH /api/v1/ticket-pipelines/{pipeline_id}/stages/{stage_id}/` takes. */
export interface TicketStagesUpdateBody {
  /** Display name. */
  name?: string;
  /** Place in the pipeline from 0; the others move along. */
  position?: number;
  /** As #RRGGBB. */
  color?: string;
  /** Tickets in it are closed. */
  is_terminal?: boolean;
  /** Deadlines are paused while a ticket is in it. */
  pauses_sla?: boolean;
  /** Id of an APPROVED template; null or an empty text clears it, and the mapping with it. */
  notify_template_id?: string | null;
  /** What fills the placeholders 1 to 32 of the header and the body, for example `{"body": {"1": {"source": "static", "value": "Monday"}}}`. */
  notify_template_variables?: StageTemplateVariables | null;
  /** The uploaded file (`POST /media/`) for the header of the template; required where that is an image, video or document. */
  notify_template_media_id?: string | null;
}

/** A saved series of actions. */
export interface Macro {
  /** Id of this object in the workspace. */
  id: number;
  /** Display name. */
  name: string;
  /** Free text for the team. */
  description: string;
  /** What is done, in this order. */
  actions: MacroAction[];
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

/** What `POST /api/v1/macros/{id}/run/` takes. */
export interface MacrosRunBody {
  /** Id of a conversation, which is the id of its contact. */
  chat_id?: number | null;
  /** The conversation by its receiver_id, instead of `chat_id`. */
  receiver_id?: string | null;
  /** Id of a ticket. */
  ticket_id?: number | null;
}

/** What a macro did. */
export interface MacroResult {
  /** What each action did. */
  ran: MacroStepResult[];
}

/** The step that failed, and why. */
export interface FailedMacroStep {
  /** Counts from 1. */
  index: number;
  /** Kind, which names the object that holds the content. */
  type: string;
  /** What is wrong, in English. */
  message: string;
}

/** The step that failed; nothing was applied. */
export interface MacroFailure {
  /** What went wrong, in English. */
  error: string;
  /** The action that failed; null: none did. */
  failed_step: FailedMacroStep;
}

/** A subscription of your software to events. */
export interface Webhook {
  /** Id of this object in the workspace. */
  id: number;
  /** Where events are sent. */
  url: string;
  /** Types of events that are sent. */
  events: string[];
  /** Free text for the team. */
  description: string;
  /** What the actions in its answers may do. */
  scopes: string[];
  /** Whether messages of its actions need approval, as for the credential that made it. */
  autonomy: 'draft' | 'approval' | 'autonomous';
  /** Whether it is in use; an inactive one is refused. */
  is_active: boolean;
  /** The member who made it, or whose key did. */
  created_by: number | null;
  /** Since when no delivery has succeeded; null while they do. */
  failing_since: string | null;
  /** When the service deactivated it; null where it did not. */
  disabled_at: string | null;
  /** Why the service deactivated it; empty where it did not. */
  disabled_reason: string;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

/** What `POST /api/v1/webhooks/` takes. */
export interface WebhooksCreateBody {
  /** Where events are sent: https, without a user name and password, at a public address. */
  url: string;
  /** Types of events; each needs the scope to view its object. `["*"]`, alone, means all that you may view. */
  events: ('*' | 'message.received' | 'message.status_changed' | 'message.edited' | 'message.deleted' | 'conversation.created' | 'conversation.updated' | 'conversation.snoozed' | 'conversation.woken' | 'conversation.reopened' | 'conversation.rated' | 'contact.created' | 'contact.updated' | 'contact.deleted' | 'contact.merged' | 'contact.opted_out' | 'contact.opted_in' | 'ticket.created' | 'ticket.updated' | 'ticket.stage_changed' | 'ticket.commented' | 'ticket.escalated' | 'ticket.sla_breached' | 'ticket.deleted' | 'stage_notification.sent' | 'stage_notification.skipped' | 'stage_notification.failed' | 'broadcast.scheduled' | 'broadcast.started' | 'broadcast.completed' | 'broadcast.failed' | 'macro.ran' | 'rule.stopped' | 'approval.requested' | 'approval.decided' | 'template.status_changed' | 'flow.submitted' | 'account.payment_refused')[];
  /** Free text for the team. */
  description?: string;
  /** Scopes of the actions that the receiver asks for in its answers: at most your own. Default: none. */
  scopes?: ('team.view' | 'chat.view' | 'chat.send_message' | 'chat.assign' | 'contact.view' | 'contact.edit' | 'contact.delete' | 'template.view' | 'catalogue.view' | 'inbox.view' | 'ticket.view' | 'ticket.manage' | 'flow.view' | 'macro.view' | 'macro.manage' | 'broadcast.manage' | 'webhook.manage' | 'report.view' | 'workspace.manage' | 'billing')[];
  /** While it is false, no events are sent; events of that time are not sent later either. */
  is_active?: boolean;
}

/** A subscription with the secret that signs its events, which is shown this once. */
export interface WebhookWithSecret {
  /** Id of this object in the workspace. */
  id: number;
  /** Where events are sent. */
  url: string;
  /** Types of events that are sent. */
  events: string[];
  /** Free text for the team. */
  description: string;
  /** What the actions in its answers may do. */
  scopes: string[];
  /** Whether messages of its actions need approval, as for the credential that made it. */
  autonomy: 'draft' | 'approval' | 'autonomous';
  /** Whether it is in use; an inactive one is refused. */
  is_active: boolean;
  /** The member who made it, or whose key did. */
  created_by: number | null;
  /** Since when no delivery has succeeded; null while they do. */
  failing_since: string | null;
  /** When the service deactivated it; null where it did not. */
  disabled_at: string | null;
  /** Why the service deactivated it; empty where it did not. */
  disabled_reason: string;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** Signs what is sent (Standard Webhooks). Shown this once. */
  secret: string;
}

/** What `PATCH /api/v1/webhooks/{id}/` takes. */
export interface WebhooksUpdateBody {
  /** Where events are sent: https, without a user name and password, at a public address. */
  url?: string;
  /** Types of events; each needs the scope to view its object. `["*"]`, alone, means all that you may view. */
  events?: ('*' | 'message.received' | 'message.status_changed' | 'message.edited' | 'message.deleted' | 'conversation.created' | 'conversation.updated' | 'conversation.snoozed' | 'conversation.woken' | 'conversation.reopened' | 'conversation.rated' | 'contact.created' | 'contact.updated' | 'contact.deleted' | 'contact.merged' | 'contact.opted_out' | 'contact.opted_in' | 'ticket.created' | 'ticket.updated' | 'ticket.stage_changed' | 'ticket.commented' | 'ticket.escalated' | 'ticket.sla_breached' | 'ticket.deleted' | 'stage_notification.sent' | 'stage_notification.skipped' | 'stage_notification.failed' | 'broadcast.scheduled' | 'broadcast.started' | 'broadcast.completed' | 'broadcast.failed' | 'macro.ran' | 'rule.stopped' | 'approval.requested' | 'approval.decided' | 'template.status_changed' | 'flow.submitted' | 'account.payment_refused')[];
  /** Free text for the team. */
  description?: string;
  /** Scopes of the actions that the receiver asks for in its answers: at most your own. Default: none. */
  scopes?: ('team.view' | 'chat.view' | 'chat.send_message' | 'chat.assign' | 'contact.view' | 'contact.edit' | 'contact.delete' | 'template.view' | 'catalogue.view' | 'inbox.view' | 'ticket.view' | 'ticket.manage' | 'flow.view' | 'macro.view' | 'macro.manage' | 'broadcast.manage' | 'webhook.manage' | 'report.view' | 'workspace.manage' | 'billing')[];
  /** While it is false, no events are sent; events of that time are not sent later either. */
  is_active?: boolean;
}

/** How far an event is on its way to a subscription. */
export interface WebhookDelivery {
  /** Id of this object in the workspace. */
  id: number;
  /** The `id` of the payload, and the header `webhook-id`. */
  event_id: string;
  /** Type of the event. */
  type: string;
  /** Present state. */
  status: 'pending' | 'delivered' | 'failed' | 'cancelled';
  /** How often it was tried. */
  attempts: number;
  /** Status of the last answer; null where there was none. */
  last_status_code: number | null;
  /** Why the last attempt failed; empty where it did not. */
  last_error: string;
  /** When it is tried again; null: not any more. */
  next_attempt_at: string | null;
  /** When it was created. */
  created_at: string;
  /** What became of the actions of the answer; null where it had none. */
  actions: unknown;
}

/** What `POST /api/v1/webhooks/{id}/replay/` takes. */
export interface WebhooksReplayBody {
  /** Events from this time on are sent again. */
  from: string;
  /** Events up to this time are sent again. Default: now. */
  to?: string;
}

/** How many events are sent again. */
export interface WebhookReplay {
  /** How many events are due again. */
  replayed: number;
}

/** An internal note; customers never see it. */
export interface Note {
  /** Id of this object in the workspace. */
  id: number;
  /** Whose conversation it stands beside. */
  receiver_id: string;
  /** The text. */
  body: string;
  /** `id`s of the members who are mentioned. */
  mentioned_ids: number[];
  /** The member who wrote it; null: none. */
  author: User | null;
  /** When it was created. */
  created_at: string;
}

/** What `POST /api/v1/conversations/{receiver_id}/notes/` takes. */
export interface NotesCreateBody {
  /** The text. `@` and the name of a member, or their first name where nobody else has it, tells that member. */
  body: string;
}

/** What `contacts.list` is asked. */
export interface ContactsListQuery {
  /** Text that the phone, name, email, company, username or bsuid contains, in upper or lower case. */
  search?: string;
  /** Only those that have this tag. */
  tag?: string;
  /** Comma-separated list of open, resolved, pending, snoozed, spam, converted. */
  conv_status?: ('open' | 'resolved' | 'pending' | 'snoozed' | 'spam' | 'converted')[];
  /** The `id` of a team member, or `none` for no assignee. */
  assigned_member?: string;
  /** The `id` of a team inbox, or `none`. */
  assigned_team_inbox?: string;
  /** Comma-separated list of low, normal, high, urgent. */
  priority?: ('low' | 'normal' | 'high' | 'urgent')[];
  /** Whether the contact opted out of marketing. */
  opted_out?: boolean;
  /** Only those that were created after this time. */
  created_after?: string;
  /** Only those that were created before this time. */
  created_before?: string;
  /** Only those that changed after this time. */
  updated_after?: string;
  /** Sort order; `-` means descending. */
  ordering?: 'created_at' | '-created_at' | 'updated_at' | '-updated_at' | 'name' | '-name';
  /** Page number from 1, or `last`. */
  page?: string;
  /** Items per page. */
  page_size?: number;
  /** Where the page begins, taken from `next` or `previous`. */
  cursor?: string;
  /** `false` leaves out `count`: a long list is counted for it on every page. */
  count?: boolean;
}

/** What `conversations.list` is asked. */
export interface ConversationsListQuery {
  /** Comma-separated list of open, resolved, pending, snoozed, spam, converted. */
  status?: ('open' | 'resolved' | 'pending' | 'snoozed' | 'spam' | 'converted')[];
  /** Another name of `status`. */
  conv_status?: ('open' | 'resolved' | 'pending' | 'snoozed' | 'spam' | 'converted')[];
  /** The `id` of a team member, or `none` for no assignee. */
  assigned_member?: string;
  /** The `id` of a team inbox, or `none`. */
  assigned_team_inbox?: string;
  /** Comma-separated list of low, normal, high, urgent. */
  priority?: ('low' | 'normal' | 'high' | 'urgent')[];
  /** Only those that have this tag. */
  tag?: string;
  /** Whether there are inbound messages that are not read. */
  unread?: boolean;
  /** Whether free text may be sent: the 24-hour window is open. */
  window_open?: boolean;
  /** Whether any message was ever exchanged. */
  has_messages?: boolean;
  /** Whether the customer, a person or an agent ever wrote; broadcasts and stage notifications do not count. */
  has_exchange?: boolean;
  /** Whether the customer waits for an answer: open or pending with an inbound message after the last one by a person or an agent, or snoozed with an inbound message since. `true` lists the longest wait first unless `ordering` says otherwise. */
  waiting?: boolean;
  /** Only those that changed after this time. */
  updated_after?: string;
  /** Text that the phone, name, email, company, username or bsuid contains, in upper or lower case. */
  search?: string;
  /** Words that one of the messages has, all of them, as `GET /messages/search/` finds them. */
  search_messages?: string;
  /** Sort order; `-` means descending. */
  ordering?: 'last_message_at' | '-last_message_at' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at' | 'last_exchange_at' | '-last_exchange_at';
  /** Page number from 1, or `last`. */
  page?: string;
  /** Items per page. */
  page_size?: number;
  /** Where the page begins, taken from `next` or `previous`. */
  cursor?: string;
  /** `false` leaves out `count`: a long list is counted for it on every page. */
  count?: boolean;
}

/** What `conversations.activity` is asked. */
export interface ConversationsActivityQuery {
  /** Page number from 1, or `last`. */
  page?: string;
  /** Items per page. */
  page_size?: number;
  /** Where the page begins, taken from `next` or `previous`. */
  cursor?: string;
  /** `false` leaves out `count`: a long list is counted for it on every page. */
  count?: boolean;
}

/** What `customFields.delete` is asked. */
export interface CustomFieldsDeleteQuery {
  /** true: rules that name it are paused; without it they forbid this. */
  pause_rules?: boolean;
}

/** What `messages.list` is asked. */
export interface MessagesListQuery {
  /** Page number from 1, or `last`. */
  page?: string;
  /** Items per page. */
  page_size?: number;
  /** Where the page begins, taken from `next` or `previous`. */
  cursor?: string;
  /** `false` leaves out `count`: a long list is counted for it on every page. */
  count?: boolean;
}

/** What `messages.search` is asked. */
export interface MessagesSearchQuery {
  /** Words that a message must have, in any order; the last one may be the beginning of a word. Case and accents do not matter. */
  q: string;
  /** Only messages of this customer: phone, contact id, BSUID or @username. */
  receiver?: string;
  /** Only what customers wrote, or only what was sent. */
  direction?: 'inbound' | 'outbound';
  /** Only messages after this time. */
  after?: string;
  /** Only messages before this time. */
  before?: string;
  /** Items per page. */
  page_size?: number;
  /** Where the page begins, taken from `next` or `previous`. */
  cursor?: string;
}

/** What `templates.list` is asked. */
export interface TemplatesListQuery {
  /** Only templates of this category, in upper or lower case. */
  category?: string;
  /** Only templates with this status, in upper or lower case. */
  status?: string;
  /** Items per page. */
  page_size?: number;
  /** Where the page begins, taken from `next` or `previous`. */
  cursor?: string;
}

/** What `flows.list` is asked. */
export interface FlowsListQuery {
  /** Only flows with this status, in upper or lower case. */
  status?: 'DRAFT' | 'PUBLISHED' | 'DEPRECATED' | 'BLOCKED' | 'THROTTLED';
  /** Only flows whose name or flow_id contains this text. */
  search?: string;
  /** Page number from 1, or `last`. */
  page?: string;
  /** Items per page. */
  page_size?: number;
  /** Where the page begins, taken from `next` or `previous`. */
  cursor?: string;
  /** `false` leaves out `count`: a long list is counted for it on every page. */
  count?: boolean;
}

/** What `flows.submissions` is asked. */
export interface FlowsSubmissionsQuery {
  /** Page number from 1, or `last`. */
  page?: string;
  /** Items per page. */
  page_size?: number;
  /** Where the page begins, taken from `next` or `previous`. */
  cursor?: string;
  /** `false` leaves out `count`: a long list is counted for it on every page. */
  count?: boolean;
}

/** What `flows.metrics` is asked. */
export interface FlowsMetricsQuery {
  /** Start of the span. Default: a week before its end, or a day with the granularity `hour`. At most 90 days before `to`, or 30 with `hour`. */
  from?: string;
  /** End of the span. Default: now. */
  to?: string;
  /** Time that one figure covers. Default: `day`. With `lifetime` there is one figure for all time, and `from` and `to` are ignored. */
  granularity?: 'day' | 'hour' | 'lifetime';
}

/** What `catalogue.products` is asked. */
export interface CatalogueProductsQuery {
  /** Only products whose name, retailer_id or description contains this text. */
  search?: string;
  /** Only products with this availability as the platform words it, in upper or lower case. */
  availability?: string;
  /** Page number from 1, or `last`. */
  page?: string;
  /** Items per page. */
  page_size?: number;
  /** Where the page begins, taken from `next` or `previous`. */
  cursor?: string;
  /** `false` leaves out `count`: a long list is counted for it on every page. */
  count?: boolean;
}

/** What `broadcasts.list` is asked. */
export interface BroadcastsListQuery {
  /** Only broadcasts in this state. */
  status?: 'draft' | 'scheduled' | 'running' | 'completed' | 'failed';
  /** Page number from 1, or `last`. */
  page?: string;
  /** Items per page. */
  page_size?: number;
  /** Where the page begins, taken from `next` or `previous`. */
  cursor?: string;
  /** `false` leaves out `count`: a long list is counted for it on every page. */
  count?: boolean;
}

/** What `broadcasts.recipients` is asked. */
export interface BroadcastsRecipientsQuery {
  /** Only recipients in this state. */
  status?: 'pending' | 'sending' | 'sent' | 'failed' | 'skipped' | 'unknown';
  /** Page number from 1, or `last`. */
  page?: string;
  /** Items per page. */
  page_size?: number;
  /** Where the page begins, taken from `next` or `previous`. */
  cursor?: string;
  /** `false` leaves out `count`: a long list is counted for it on every page. */
  count?: boolean;
}

/** What `teamMembers.list` is asked. */
export interface TeamMembersListQuery {
  /** Page number from 1, or `last`. */
  page?: string;
  /** Items per page. */
  page_size?: number;
  /** Where the page begins, taken from `next` or `previous`. */
  cursor?: string;
  /** `false` leaves out `count`: a long list is counted for it on every page. */
  count?: boolean;
}

/** What `tickets.list` is asked. */
export interface TicketsListQuery {
  /** Ids of pipelines, separated by commas. */
  pipeline?: number[];
  /** Ids of stages, separated by commas. */
  stage?: number[];
  /** Whether the stage is not terminal. */
  open?: boolean;
  /** The `id` of a team member, or `none` for no assignee. */
  assigned_to?: string;
  /** The `id` of a team inbox, or `none`. */
  assigned_inbox?: string;
  /** The `id` of the primary contact. */
  receiver?: number;
  /** The primary contact by its receiver_id. */
  receiver_id?: string;
  /** The `id` of an affected contact. */
  affected_contact?: number;
  /** An affected contact by its receiver_id. */
  affected_receiver_id?: string;
  /** Comma-separated list of low, normal, high, urgent. */
  priority?: ('low' | 'normal' | 'high' | 'urgent')[];
  /** Comma-separated list of sev1, sev2, sev3, sev4. */
  severity?: ('sev1' | 'sev2' | 'sev3' | 'sev4')[];
  /** Comma-separated list of complaint, refund, dispute, bug, feature, review, approval, ops, sales, other. */
  type?: ('complaint' | 'refund' | 'dispute' | 'bug' | 'feature' | 'review' | 'approval' | 'ops' | 'sales' | 'other')[];
  /** Comma-separated list of msgapp, manual, api. */
  source?: ('msgapp' | 'manual' | 'api')[];
  /** Comma-separated list of resolved, refunded, rejected, escalated_external. */
  outcome?: ('resolved' | 'refunded' | 'rejected' | 'escalated_external')[];
  /** Only those that have this tag. */
  tag?: string;
  /** Whether a deadline of the service level was missed. */
  sla_breached?: boolean;
  /** Whether the ticket was escalated. */
  escalated?: boolean;
  /** The `id` of the parent ticket, or `none`. */
  parent_ticket?: string;
  /** Only those that are due before this time. */
  due_before?: string;
  /** Only those that were created after this time. */
  created_after?: string;
  /** Only those that were created before this time. */
  created_before?: string;
  /** Only those that changed after this time. */
  updated_after?: string;
  /** Text that the title or description contains, or the id. */
  search?: string;
  /** Sort order; `-` means descending. */
  ordering?: 'created_at' | '-created_at' | 'updated_at' | '-updated_at' | 'due_at' | '-due_at' | 'last_customer_at' | '-last_customer_at' | 'priority' | '-priority' | 'severity' | '-severity' | 'title' | '-title' | 'id' | '-id';
  /** How many tickets the answer holds at most. */
  limit?: number;
  /** How many tickets to skip; 0 by default. */
  offset?: number;
}

/** What `ticketComments.list` is asked. */
export interface TicketCommentsListQuery {
  /** Page number from 1, or `last`. */
  page?: string;
  /** Items per page. */
  page_size?: number;
  /** Where the page begins, taken from `next` or `previous`. */
  cursor?: string;
  /** `false` leaves out `count`: a long list is counted for it on every page. */
  count?: boolean;
}

/** What `tickets.activity` is asked. */
export interface TicketsActivityQuery {
  /** Page number from 1, or `last`. */
  page?: string;
  /** Items per page. */
  page_size?: number;
  /** Where the page begins, taken from `next` or `previous`. */
  cursor?: string;
  /** `false` leaves out `count`: a long list is counted for it on every page. */
  count?: boolean;
}

/** What `ticketPipelines.delete` is asked. */
export interface TicketPipelinesDeleteQuery {
  /** Where its tickets go. No customer is notified of this move. */
  move_to?: number;
}

/** What `ticketStages.delete` is asked. */
export interface TicketStagesDeleteQuery {
  /** Where its tickets go. No customer is notified of this move. */
  move_to?: number;
}

/** What `macros.runs` is asked. */
export interface MacrosRunsQuery {
  /** Page number from 1, or `last`. */
  page?: string;
  /** Items per page. */
  page_size?: number;
  /** Where the page begins, taken from `next` or `previous`. */
  cursor?: string;
  /** `false` leaves out `count`: a long list is counted for it on every page. */
  count?: boolean;
}

/** What `webhooks.deliveries` is asked. */
export interface WebhooksDeliveriesQuery {
  /** Page number from 1, or `last`. */
  page?: string;
  /** Items per page. */
  page_size?: number;
  /** Where the page begins, taken from `next` or `previous`. */
  cursor?: string;
  /** `false` leaves out `count`: a long list is counted for it on every page. */
  count?: boolean;
  /** Only deliveries in this state. */
  status?: 'pending' | 'delivered' | 'failed' | 'cancelled';
  /** Only deliveries of this type of event. */
  event?: 'message.received' | 'message.status_changed' | 'message.edited' | 'message.deleted' | 'conversation.created' | 'conversation.updated' | 'conversation.snoozed' | 'conversation.woken' | 'conversation.reopened' | 'conversation.rated' | 'contact.created' | 'contact.updated' | 'contact.deleted' | 'contact.merged' | 'contact.opted_out' | 'contact.opted_in' | 'ticket.created' | 'ticket.updated' | 'ticket.stage_changed' | 'ticket.commented' | 'ticket.escalated' | 'ticket.sla_breached' | 'ticket.deleted' | 'stage_notification.sent' | 'stage_notification.skipped' | 'stage_notification.failed' | 'broadcast.scheduled' | 'broadcast.started' | 'broadcast.completed' | 'broadcast.failed' | 'macro.ran' | 'rule.stopped' | 'approval.requested' | 'approval.decided' | 'template.status_changed' | 'flow.submitted' | 'account.payment_refused' | 'webhook.test';
}

/** What `notes.list` is asked. */
export interface NotesListQuery {
  /** Page number from 1, or `last`. */
  page?: string;
  /** Items per page. */
  page_size?: number;
  /** Where the page begins, taken from `next` or `previous`. */
  cursor?: string;
  /** `false` leaves out `count`: a long list is counted for it on every page. */
  count?: boolean;
}

/** What each type of event shows. */
export interface EventData {
  'message.received': Message;
  'message.status_changed': Message;
  'message.edited': Message;
  'message.deleted': Message;
  'conversation.created': Conversation;
  'conversation.updated': Conversation;
  'conversation.snoozed': Conversation;
  'conversation.woken': Conversation;
  'conversation.reopened': Conversation;
  'conversation.rated': Conversation;
  'contact.created': Contact;
  'contact.updated': Contact;
  'contact.deleted': Deleted;
  'contact.merged': Contact;
  'contact.opted_out': Contact;
  'contact.opted_in': Contact;
  'ticket.created': TicketInEvent;
  'ticket.updated': TicketInEvent;
  'ticket.stage_changed': TicketInEvent;
  'ticket.commented': CommentOnTicket;
  'ticket.escalated': TicketInEvent;
  'ticket.sla_breached': TicketInEvent;
  'ticket.deleted': Deleted;
  'stage_notification.sent': StageNotification;
  'stage_notification.skipped': StageNotification;
  'stage_notification.failed': StageNotification;
  'broadcast.scheduled': Broadcast;
  'broadcast.started': Broadcast;
  'broadcast.completed': Broadcast;
  'broadcast.failed': Broadcast;
  'macro.ran': MacroRun;
  'rule.stopped': Rule;
  'approval.requested': Approval;
  'approval.decided': Approval;
  'template.status_changed': Template;
  'flow.submitted': FlowSubmission;
  'account.payment_refused': PaymentRefused;
  'webhook.test': TestEventData;
}

export interface ContactsMethods {
  /** List and search contacts. */
  list(query?: ContactsListQuery, options?: Options): Pages<Contact>;
  /** Create a contact. */
  create(body?: ContactsCreateBody, options?: KeyedOptions): Promise<Contact>;
  /** Read a contact. */
  get(receiverId: string, options?: Options): Promise<Contact>;
  /** Erase a contact with its conversation and messages. */
  delete(receiverId: string, options?: ConditionalOptions): Promise<void>;
  /** Update a contact and its conversation state. */
  update(receiverId: string, body: ContactsUpdateBody, options?: ConditionalOptions): Promise<ContactState>;
  /** Import contacts from JSON rows or a CSV file. */
  import(body?: ContactsImportBody, options?: KeyedOptions): Promise<ImportResult>;
}

export interface ConversationsMethods {
  /** List conversations. */
  list(query?: ConversationsListQuery, options?: Options): Pages<Conversation>;
  /** Read a conversation. */
  get(receiverId: string, options?: Options): Promise<Conversation>;
  /** Change status, snooze, priority, assignment, tags. */
  update(receiverId: string, body: ConversationsUpdateBody, options?: ConditionalOptions): Promise<Conversation>;
  /** List the activity of a conversation, newest first. */
  activity(receiverId: string, query?: ConversationsActivityQuery, options?: Options): Pages<ActivityEntry>;
  /** Take a thread from another application, or give it back. */
  threadControl(receiverId: string, body: ConversationsThreadControlBody, options?: Options): Promise<Conversation>;
  /** Mark inbound messages as read. */
  read(receiverId: string, options?: Options): Promise<Conversation>;
}

export interface CustomFieldsMethods {
  /** List custom field definitions. */
  list(options?: Options): Promise<CustomField[]>;
  /** Define a custom field. */
  create(body: CustomFieldsCreateBody, options?: Options): Promise<CustomField>;
  /** Read a custom field definition. */
  get(id: number, options?: Options): Promise<CustomField>;
  /** Change a custom field definition. */
  update(id: number, body: CustomFieldsUpdateBody, options?: Options): Promise<CustomField>;
  /** Delete a custom field with all its values. */
  delete(id: number, query?: CustomFieldsDeleteQuery, options?: Options): Promise<void>;
}

export interface MessagesMethods {
  /** List the messages of a conversation, newest first. */
  list(receiverId: string, query?: MessagesListQuery, options?: Options): Pages<Message>;
  /** List the messages of a conversation that are sent later. */
  scheduled(receiverId: string, options?: Options): Promise<Message[]>;
  /** Search in the words of messages. */
  search(query: MessagesSearchQuery, options?: Options): Pages<FoundMessage>;
  /** Read a message. */
  get(id: number, options?: Options): Promise<Message>;
  /** Change a message that is sent later. */
  update(id: number, body: MessagesUpdateBody, options?: Options): Promise<Message>;
  /** Discard a message that is sent later. */
  delete(id: number, options?: Options): Promise<void>;
  /** Download the attachment of a message. */
  media(id: number, options?: Options): Promise<Download>;
  /** Send a message. */
  create(body: MessagesCreateBody, options?: KeyedOptions): Promise<Message>;
  /** Send a message that is sent later at once. */
  sendNow(id: number, options?: Options): Promise<Message>;
}

export interface MediaMethods {
  /** Upload a file. */
  create(upload: Upload, options?: Options): Promise<UploadedFile>;
}

export interface PhoneNumbersMethods {
  /** List phone numbers. */
  list(options?: Options): Promise<PhoneNumber[]>;
}

export interface TemplatesMethods {
  /** List message templates. */
  list(query?: TemplatesListQuery, options?: Options): Pages<Template>;
}

export interface FlowsMethods {
  /** List flows. */
  list(query?: FlowsListQuery, options?: Options): Pages<Flow>;
  /** Read a flow as the platform has it now. */
  get(flowId: string, options?: Options): Promise<Flow>;
  /** List what customers submitted in a flow. */
  submissions(flowId: string, query?: FlowsSubmissionsQuery, options?: Options): Pages<FlowSubmission>;
  /** Read the figures of a flow's endpoint. */
  metrics(flowId: string, query?: FlowsMetricsQuery, options?: Options): Promise<FlowMetrics>;
}

export interface CatalogueMethods {
  /** List catalogue products. */
  products(query?: CatalogueProductsQuery, options?: Options): Pages<Product>;
}

export interface BroadcastsMethods {
  /** List broadcasts, newest first. */
  list(query?: BroadcastsListQuery, options?: Options): Pages<Broadcast>;
  /** Create a draft of a broadcast. */
  create(body: BroadcastsCreateBody, options?: KeyedOptions): Promise<Broadcast>;
  /** Read a broadcast with its live numbers. */
  get(id: number, options?: Options): Promise<Broadcast>;
  /** Change a draft. */
  update(id: number, body: BroadcastsUpdateBody, options?: ConditionalOptions): Promise<Broadcast>;
  /** Discard a draft. */
  delete(id: number, options?: ConditionalOptions): Promise<void>;
  /** Send a draft now or later. */
  confirm(id: number, body?: BroadcastsConfirmBody, options?: KeyedOptions): Promise<Broadcast>;
  /** Take a scheduled broadcast back to draft. */
  unschedule(id: number, options?: Options): Promise<Broadcast>;
  /** Make a draft for those who were not reached. */
  resend(id: number, options?: KeyedOptions): Promise<Broadcast>;
  /** List the recipients with the result for each. */
  recipients(id: number, query?: BroadcastsRecipientsQuery, options?: Options): Pages<BroadcastRecipient>;
  /** Preview a broadcast without sending it. */
  preview(id: number, options?: Options): Promise<BroadcastPreview>;
}

export interface TeamMembersMethods {
  /** List team members. */
  list(query?: TeamMembersListQuery, options?: Options): Pages<TeamMember>;
}

export interface TeamInboxesMethods {
  /** List team inboxes. */
  list(options?: Options): Promise<TeamInbox[]>;
}

export interface TicketsMethods {
  /** List tickets. */
  list(query?: TicketsListQuery, options?: Options): Pages<Ticket>;
  /** Create a ticket. */
  create(body: TicketsCreateBody, options?: KeyedOptions): Promise<Ticket>;
  /** Read a ticket. */
  get(id: number, options?: Options): Promise<Ticket>;
  /** Update or move a ticket. */
  update(id: number, body: TicketsUpdateBody, options?: ConditionalOptions): Promise<Ticket>;
  /** Delete a ticket. */
  delete(id: number, options?: ConditionalOptions): Promise<void>;
  /** Escalate a ticket to a member. */
  escalate(ticketId: number, body: TicketsEscalateBody, options?: Options): Promise<Ticket>;
  /** List the activity of a ticket, newest first. */
  activity(ticketId: number, query?: TicketsActivityQuery, options?: Options): Pages<ActivityEntry>;
}

export interface TicketCommentsMethods {
  /** List the comments of a ticket, oldest first. */
  list(ticketId: number, query?: TicketCommentsListQuery, options?: Options): Pages<Comment>;
  /** Comment on a ticket. */
  create(ticketId: number, body: TicketCommentsCreateBody, options?: KeyedOptions): Promise<Comment>;
}

export interface TicketPipelinesMethods {
  /** List pipelines with their stages. */
  list(options?: Options): Promise<Pipeline[]>;
  /** Create a pipeline. */
  create(body: TicketPipelinesCreateBody, options?: Options): Promise<Pipeline>;
  /** Read a pipeline. */
  get(id: number, options?: Options): Promise<Pipeline>;
  /** Update a pipeline. */
  update(id: number, body: TicketPipelinesUpdateBody, options?: ConditionalOptions): Promise<Pipeline>;
  /** Delete a pipeline. */
  delete(id: number, query?: TicketPipelinesDeleteQuery, options?: ConditionalOptions): Promise<void>;
}

export interface TicketStagesMethods {
  /** Add a stage. */
  create(pipelineId: number, body: TicketStagesCreateBody, options?: Options): Promise<Stage>;
  /** Read a stage. */
  get(pipelineId: number, stageId: number, options?: Options): Promise<Stage>;
  /** Update a stage. */
  update(pipelineId: number, stageId: number, body: TicketStagesUpdateBody, options?: ConditionalOptions): Promise<Stage>;
  /** Delete a stage. */
  delete(pipelineId: number, stageId: number, query?: TicketStagesDeleteQuery, options?: ConditionalOptions): Promise<void>;
}

export interface MacrosMethods {
  /** List macros. */
  list(options?: Options): Promise<Macro[]>;
  /** Read a macro. */
  get(id: number, options?: Options): Promise<Macro>;
  /** Run a macro on a conversation or a ticket. */
  run(id: number, body?: MacrosRunBody, options?: KeyedOptions): Promise<MacroResult>;
  /** List the runs of a macro, newest first. */
  runs(id: number, query?: MacrosRunsQuery, options?: Options): Pages<MacroRun>;
}

export interface WebhooksMethods {
  /** List webhook subscriptions. */
  list(options?: Options): Promise<Webhook[]>;
  /** Subscribe to events. */
  create(body: WebhooksCreateBody, options?: Options): Promise<WebhookWithSecret>;
  /** Read a webhook subscription. */
  get(id: number, options?: Options): Promise<Webhook>;
  /** Change a webhook subscription. */
  update(id: number, body: WebhooksUpdateBody, options?: Options): Promise<Webhook>;
  /** Remove a webhook subscription with its log. */
  delete(id: number, options?: Options): Promise<void>;
  /** Make a new secret. */
  rotateSecret(id: number, options?: Options): Promise<WebhookWithSecret>;
  /** Send a test event. */
  test(id: number, options?: Options): Promise<WebhookDelivery>;
  /** List the deliveries of a subscription, newest first. */
  deliveries(id: number, query?: WebhooksDeliveriesQuery, options?: Options): Pages<WebhookDelivery>;
  /** Send an event again. */
  redeliver(id: number, deliveryId: number, options?: Options): Promise<WebhookDelivery>;
  /** Send the events of a time range again. */
  replay(id: number, body: WebhooksReplayBody, options?: Options): Promise<WebhookReplay>;
}

export interface NotesMethods {
  /** List the notes of a conversation, newest first. */
  list(receiverId: string, query?: NotesListQuery, options?: Options): Pages<Note>;
  /** Write a note. */
  create(receiverId: string, body: NotesCreateBody, options?: KeyedOptions): Promise<Note>;
}

/** All operations that a key can call, by resource. */
export interface Resources {
  readonly contacts: ContactsMethods;
  readonly conversations: ConversationsMethods;
  readonly customFields: CustomFieldsMethods;
  readonly messages: MessagesMethods;
  readonly media: MediaMethods;
  readonly phoneNumbers: PhoneNumbersMethods;
  readonly templates: TemplatesMethods;
  readonly flows: FlowsMethods;
  readonly catalogue: CatalogueMethods;
  readonly broadcasts: BroadcastsMethods;
  readonly teamMembers: TeamMembersMethods;
  readonly teamInboxes: TeamInboxesMethods;
  readonly tickets: TicketsMethods;
  readonly ticketComments: TicketCommentsMethods;
  readonly ticketPipelines: TicketPipelinesMethods;
  readonly ticketStages: TicketStagesMethods;
  readonly macros: MacrosMethods;
  readonly webhooks: WebhooksMethods;
  readonly notes: NotesMethods;
}

/** Method, path, kind of answer, what is carried, and whether it takes an Idempotency-Key. */
export const routes = {
  'contacts.list': ['GET', '/api/v1/contacts/', 'pages', 'query', false],
  'contacts.create': ['POST', '/api/v1/contacts/', 'json', 'body', true],
  'contacts.get': ['GET', '/api/v1/contacts/{receiver_id}/', 'json', '', false],
  'contacts.delete': ['DELETE', '/api/v1/contacts/{receiver_id}/', 'json', '', false],
  'contacts.update': ['PATCH', '/api/v1/contacts/{receiver_id}/', 'json', 'body', false],
  'contacts.import': ['POST', '/api/v1/contacts/bulk/', 'json', 'body', true],
  'conversations.list': ['GET', '/api/v1/conversations/', 'pages', 'query', false],
  'conversations.get': ['GET', '/api/v1/conversations/{receiver_id}/', 'json', '', false],
  'conversations.update': ['PATCH', '/api/v1/conversations/{receiver_id}/', 'json', 'body', false],
  'conversations.activity': ['GET', '/api/v1/conversations/{receiver_id}/activity/', 'pages', 'query', false],
  'conversations.threadControl': ['POST', '/api/v1/conversations/{receiver_id}/thread-control/', 'json', 'body', false],
  'customFields.list': ['GET', '/api/v1/custom-fields/', 'json', '', false],
  'customFields.create': ['POST', '/api/v1/custom-fields/', 'json', 'body', false],
  'customFields.get': ['GET', '/api/v1/custom-fields/{id}/', 'json', '', false],
  'customFields.update': ['PATCH', '/api/v1/custom-fields/{id}/', 'json', 'body', false],
  'customFields.delete': ['DELETE', '/api/v1/custom-fields/{id}/', 'json', 'query', false],
  'messages.list': ['GET', '/api/v1/conversations/{receiver_id}/messages/', 'pages', 'query', false],
  'messages.scheduled': ['GET', '/api/v1/conversations/{receiver_id}/scheduled/', 'json', '', false],
  'messages.search': ['GET', '/api/v1/messages/search/', 'pages', 'query', false],
  'messages.get': ['GET', '/api/v1/messages/{id}/', 'json', '', false],
  'messages.update': ['PATCH', '/api/v1/messages/{id}/', 'json', 'body', false],
  'messages.delete': ['DELETE', '/api/v1/messages/{id}/', 'json', '', false],
  'messages.media': ['GET', '/api/v1/messages/{id}/media/', 'file', '', false],
  'conversations.read': ['POST', '/api/v1/conversations/{receiver_id}/read/', 'json', '', false],
  'messages.create': ['POST', '/api/v1/messages/', 'json', 'body', true],
  'messages.sendNow': ['POST', '/api/v1/messages/{id}/send-now/', 'json', '', false],
  'media.create': ['POST', '/api/v1/media/', 'json', 'file', false],
  'phoneNumbers.list': ['GET', '/api/v1/phone-numbers/', 'json', '', false],
  'templates.list': ['GET', '/api/v1/templates/', 'pages', 'query', false],
  'flows.list': ['GET', '/api/v1/flows/', 'pages', 'query', false],
  'flows.get': ['GET', '/api/v1/flows/{flow_id}/', 'json', '', false],
  'flows.submissions': ['GET', '/api/v1/flows/{flow_id}/submissions/', 'pages', 'query', false],
  'flows.metrics': ['GET', '/api/v1/flows/{flow_id}/metrics/', 'json', 'query', false],
  'catalogue.products': ['GET', '/api/v1/catalogue/products/', 'pages', 'query', false],
  'broadcasts.list': ['GET', '/api/v1/broadcasts/', 'pages', 'query', false],
  'broadcasts.create': ['POST', '/api/v1/broadcasts/', 'json', 'body', true],
  'broadcasts.get': ['GET', '/api/v1/broadcasts/{id}/', 'json', '', false],
  'broadcasts.update': ['PATCH', '/api/v1/broadcasts/{id}/', 'json', 'body', false],
  'broadcasts.delete': ['DELETE', '/api/v1/broadcasts/{id}/', 'json', '', false],
  'broadcasts.confirm': ['POST', '/api/v1/broadcasts/{id}/confirm/', 'json', 'body', true],
  'broadcasts.unschedule': ['POST', '/api/v1/broadcasts/{id}/unschedule/', 'json', '', false],
  'broadcasts.resend': ['POST', '/api/v1/broadcasts/{id}/resend/', 'json', '', true],
  'broadcasts.recipients': ['GET', '/api/v1/broadcasts/{id}/recipients/', 'pages', 'query', false],
  'broadcasts.preview': ['POST', '/api/v1/broadcasts/{id}/preview/', 'json', '', false],
  'teamMembers.list': ['GET', '/api/v1/team-members/', 'pages', 'query', false],
  'teamInboxes.list': ['GET', '/api/v1/team-inboxes/', 'json', '', false],
  'tickets.list': ['GET', '/api/v1/tickets/', 'pages', 'query', false],
  'tickets.create': ['POST', '/api/v1/tickets/', 'json', 'body', true],
  'tickets.get': ['GET', '/api/v1/tickets/{id}/', 'json', '', false],
  'tickets.update': ['PATCH', '/api/v1/tickets/{id}/', 'json', 'body', false],
  'tickets.delete': ['DELETE', '/api/v1/tickets/{id}/', 'json', '', false],
  'tickets.escalate': ['POST', '/api/v1/tickets/{ticket_id}/escalate/', 'json', 'body', false],
  'ticketComments.list': ['GET', '/api/v1/tickets/{ticket_id}/comments/', 'pages', 'query', false],
  'ticketComments.create': ['POST', '/api/v1/tickets/{ticket_id}/comments/', 'json', 'body', true],
  'tickets.activity': ['GET', '/api/v1/tickets/{ticket_id}/activity/', 'pages', 'query', false],
  'ticketPipelines.list': ['GET', '/api/v1/ticket-pipelines/', 'json', '', false],
  'ticketPipelines.create': ['POST', '/api/v1/ticket-pipelines/', 'json', 'body', false],
  'ticketPipelines.get': ['GET', '/api/v1/ticket-pipelines/{id}/', 'json', '', false],
  'ticketPipelines.update': ['PATCH', '/api/v1/ticket-pipelines/{id}/', 'json', 'body', false],
  'ticketPipelines.delete': ['DELETE', '/api/v1/ticket-pipelines/{id}/', 'json', 'query', false],
  'ticketStages.create': ['POST', '/api/v1/ticket-pipelines/{pipeline_id}/stages/', 'json', 'body', false],
  'ticketStages.get': ['GET', '/api/v1/ticket-pipelines/{pipeline_id}/stages/{stage_id}/', 'json', '', false],
  'ticketStages.update': ['PATCH', '/api/v1/ticket-pipelines/{pipeline_id}/stages/{stage_id}/', 'json', 'body', false],
  'ticketStages.delete': ['DELETE', '/api/v1/ticket-pipelines/{pipeline_id}/stages/{stage_id}/', 'json', 'query', false],
  'macros.list': ['GET', '/api/v1/macros/', 'json', '', false],
  'macros.get': ['GET', '/api/v1/macros/{id}/', 'json', '', false],
  'macros.run': ['POST', '/api/v1/macros/{id}/run/', 'json', 'body', true],
  'macros.runs': ['GET', '/api/v1/macros/{id}/runs/', 'pages', 'query', false],
  'webhooks.list': ['GET', '/api/v1/webhooks/', 'json', '', false],
  'webhooks.create': ['POST', '/api/v1/webhooks/', 'json', 'body', false],
  'webhooks.get': ['GET', '/api/v1/webhooks/{id}/', 'json', '', false],
  'webhooks.update': ['PATCH', '/api/v1/webhooks/{id}/', 'json', 'body', false],
  'webhooks.delete': ['DELETE', '/api/v1/webhooks/{id}/', 'json', '', false],
  'webhooks.rotateSecret': ['POST', '/api/v1/webhooks/{id}/rotate-secret/', 'json', '', false],
  'webhooks.test': ['POST', '/api/v1/webhooks/{id}/test/', 'json', '', false],
  'webhooks.deliveries': ['GET', '/api/v1/webhooks/{id}/deliveries/', 'pages', 'query', false],
  'webhooks.redeliver': ['POST', '/api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver/', 'json', '', false],
  'webhooks.replay': ['POST', '/api/v1/webhooks/{id}/replay/', 'json', 'body', false],
  'notes.list': ['GET', '/api/v1/conversations/{receiver_id}/notes/', 'pages', 'query', false],
  'notes.create': ['POST', '/api/v1/conversations/{receiver_id}/notes/', 'json', 'body', true],
} as const;

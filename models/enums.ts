/** The values of columns that hold one of a few words: written here once, for models, inputs, answers and forms. */

export const priorities = ['low', 'normal', 'high', 'urgent'] as const;
export type Priority = (typeof priorities)[number];

export const convStatuses = ['open', 'resolved', 'pending', 'snoozed', 'spam', 'converted'] as const;
export type ConvStatus = (typeof convStatuses)[number];

export const ticketTypes = [
  'complaint',
  'refund',
  'dispute',
  'bug',
  'feature',
  'review',
  'approval',
  'ops',
  'sales',
  'other',
] as const;
export type TicketType = (typeof ticketTypes)[number];

export const severities = ['sev1', 'sev2', 'sev3', 'sev4'] as const;
export type Severity = (typeof severities)[number];

export const ticketSources = ['msgapp', 'manual', 'api'] as const;
export type TicketSource = (typeof ticketSources)[number];

export const ticketOutcomes = ['resolved', 'refunded', 'rejected', 'escalated_external'] as const;
export type TicketOutcome = (typeof ticketOutcomes)[number];

export const slaSubjects = ['tickets', 'conversations'] as const;
export type SlaSubject = (typeof slaSubjects)[number];

export const broadcastStatuses = ['draft', 'scheduled', 'running', 'completed', 'failed'] as const;
export type BroadcastStatus = (typeof broadcastStatuses)[number];

/** What became of a recipient of a broadcast or of a stage notification; `unknown` is never sent again. */
export const recipientStates = ['pending', 'sent', 'failed', 'skipped', 'unknown'] as const;
export type RecipientState = (typeof recipientStates)[number];

/** The states of a flow at the upstream. */
export const flowStatuses = ['DRAFT', 'PUBLISHED', 'DEPRECATED', 'BLOCKED', 'THROTTLED'] as const;

/** How the conversations of a team inbox find a member; all but `manual` by themselves. */
export const assignmentModes = ['manual', 'round_robin', 'balanced'] as const;
export type AssignmentMode = (typeof assignmentModes)[number];

/** What customers answer to the question how satisfied they are, the best first. */
export const ratings = ['good', 'fair', 'poor'] as const;
export type Rating = (typeof ratings)[number];

/** What a member does in a conversation at the moment. */
export const presenceStates = ['looking', 'writing'] as const;
export type PresenceState = (typeof presenceStates)[number];

/** The days of a week, as calendars name them. */
export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Weekday = (typeof weekdays)[number];

/** What a message that is to be sent later does when its customer writes before. */
export const ifCustomerWrites = ['hold', 'send', 'cancel'] as const;
export type IfCustomerWrites = (typeof ifCustomerWrites)[number];

/** Why a message that was to be sent later waits for a person instead. */
export const heldReasons = [
  'customer_wrote',
  'late',
  'window_closed',
  'opted_out',
  'template',
  'number',
  'member',
  'trial',
  'restored',
  'operator',
  'refused',
] as const;
export type HeldReason = (typeof heldReasons)[number];

/**
 * What a member is told of: what is given to them, what customers write, where a note mentions them, and what of theirs
 * is not sent by itself any more.
 */
export const noticeKinds = ['assigned', 'message', 'unassigned', 'mention', 'held'] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** What concerns a member until they have read it: mentions, what others gave them, and what of theirs was not sent. */
export const concernKinds = ['mention', 'assigned', 'failed', 'held'] as const;
export type ConcernKind = (typeof concernKinds)[number];

/** How: not at all, in the pages that are open, or also by push. */
export const noticeLevels = ['off', 'page', 'push'] as const;
export type NoticeLevel = (typeof noticeLevels)[number];

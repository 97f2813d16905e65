import { input, required, text } from '../../../core/http/fields';
import { operation, type Operation } from '../../../core/http/operations';
import { profile } from '../../resources/contacts/schema';
import { findContact } from '../../resources/contacts/service';
import {
  conversationToolInput,
  updateContactInput,
  updateConversationInput,
} from '../../resources/conversations/schema';
import {
  conversationShape,
  serializeConversation,
  serializeState,
  stateShape,
} from '../../resources/conversations/serializer';
import { findConversation } from '../../resources/conversations/service';
import { changeConversation } from './service';

/** Any status but `snoozed` clears the time, whatever stands beside it (contract 3). */
function passedOverTime(body: Readonly<Record<string, unknown>>): readonly string[] {
  const status = body['conv_status'] ?? body['conversation_status'] ?? body['status'] ?? 'snoozed';
  return status === 'snoozed' || (body['snoozed_until'] ?? '') === '' ? [] : ['snoozed_until'];
}

/**
 * Changes of a conversation (status, snooze, priority, assignment), by its own path and by its contact's. They stand
 * here because a change to "resolved" may ask the customer for a rating; all others go through unchanged.
 */
export const conversationChangeOperations: readonly Operation[] = [
  operation({
    id: 'conversations.update',
    method: 'PATCH',
    path: '/api/v1/conversations/{receiver_id}/',
    tag: 'Conversations',
    summary: 'Change status, snooze, priority, assignment, tags',
    description:
      '`conv_status`, `conversation_status` and `status` are the same field. `snoozed_until` alone gives a snoozed ' +
      'conversation another time. Each request with `note` writes one: it has no idempotency of its own.',
    scope: 'chat.assign',
    body: updateConversationInput,
    passesOver: passedOverTime,
    status: 200,
    output: conversationShape,
    examples: { request: { status: 'snoozed', snoozed_until: '2035-01-04T09:00:00Z' } },
    tools: [
      {
        name: 'update_conversation',
        title: 'Update a conversation',
        description:
          'Changes status, snooze, priority, assignment or tags, and writes notes. conv_status snoozed needs a ' +
          'future snoozed_until.',
        // Each call writes its note.
        annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
        input: conversationToolInput,
      },
    ],
    locate: (ctx, params) => findConversation(ctx, params.receiver_id),
    run: async (ctx, input) =>
      serializeConversation(await changeConversation(ctx, input.receiver_id, input), ctx.runtime.clock.now()),
  }),
  operation({
    id: 'contacts.update',
    method: 'PATCH',
    path: '/api/v1/contacts/{receiver_id}/',
    tag: 'Contacts',
    summary: 'Update a contact and its conversation state',
    description:
      'Fields that are left out stay as they are. `conv_status: snoozed` needs a future `snoozed_until`; any other ' +
      'status clears it. null in `assigned_member` or `assigned_team_inbox` removes the assignment.',
    scope: 'contact.edit',
    body: updateContactInput,
    passesOver: passedOverTime,
    status: 200,
    output: stateShape,
    examples: {
      request: { company: 'Analytical Engines', conv_status: 'snoozed', snoozed_until: '2035-01-04T09:00:00Z' },
    },
    tools: [
      {
        name: 'update_contact',
        title: 'Update a contact',
        description:
          'Changes the profile of one customer. Fields that are left out stay as they are; tags are replaced as a ' +
          'whole, custom_fields are merged. For status, snooze or assignment use update_conversation.',
        annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
        input: input({ receiver_id: required(text({ max: 200, blank: false })), ...profile }),
      },
    ],
    locate: (ctx, params) => findContact(ctx, params.receiver_id),
    run: async (ctx, input) => serializeState(await changeConversation(ctx, input.receiver_id, input, ['contacts'])),
  }),
];

import { choice, described, input, required, text } from '../../../core/http/fields';
import { operation } from '../../../core/http/operations';
import { conversationShape, serializeConversation } from '../../resources/conversations/serializer';
import { findConversation } from '../../resources/conversations/service';
import { controlThread, threadActions } from './service';

/** Who has a thread where another application shares the number (contract 17.2). */
export const threadControlOperations = [
  operation({
    id: 'conversations.threadControl',
    method: 'POST',
    path: '/api/v1/conversations/{receiver_id}/thread-control/',
    tag: 'Conversations',
    summary: 'Take a thread from another application, or give it back',
    description:
      'Where the messaging platform lets another application answer on the same number, one of the two has the ' +
      'thread: `thread_owner` says which. An answer takes it as well.',
    scope: 'chat.assign',
    body: input({
      action: required(described(choice(threadActions), 'What is asked of the platform.', 'take')),
      phone_number_id: described(text({ max: 64 }), 'The number, where the workspace has several that it can be.'),
    }),
    status: 200,
    output: conversationShape,
    examples: { request: { action: 'take' } },
    conflicts: {
      when: 'The messaging platform refuses.',
      example: 'The messaging platform refused: The thread cannot be taken.',
    },
    locate: (ctx, params) => findConversation(ctx, params.receiver_id),
    run: async (ctx, { receiver_id: handle, ...asked }) =>
      serializeConversation(await controlThread(ctx, handle, asked), ctx.runtime.clock.now()),
  }),
];

import { operation, type Operation } from '../../core/operations';
import { wire } from '../../core/shapes';
import { serializeReceiver } from '../conversations/serializer';
import { findConversation } from '../conversations/service';
import { openMedia } from './media';
import { createMessageInput, listMessagesQuery } from './schema';
import { messageShape, serializeMessage } from './serializer';
import { createMessage, listMessages } from './service';

/** Messages (specification 2.3, 4; contract C6). */
export const messageOperations: readonly Operation[] = [
  operation({
    id: 'messages.list',
    method: 'GET',
    path: '/api/v1/conversations/{receiver_id}/messages/',
    tag: 'Messages',
    summary: 'List the messages of a conversation, newest first',
    scope: 'chat.view',
    query: listMessagesQuery,
    status: 200,
    output: wire.page(messageShape),
    run: async (ctx, input) => {
      const conversation = await findConversation(ctx, input.receiver_id);
      const page = await listMessages(ctx, conversation, input);
      const receiver = serializeReceiver(conversation, ctx.runtime.clock.now());
      return { ...page, items: page.items.map((row) => serializeMessage(row, receiver)) };
    },
  }),
  operation({
    id: 'messages.media',
    method: 'GET',
    path: '/api/v1/messages/{id}/media/',
    tag: 'Messages',
    summary: 'Download the attachment of a message',
    description: 'Streams the file through the service, with its media type. The upstream keeps the files of inbound messages for seven days; a 404 afterwards.',
    scope: 'chat.view',
    intParams: ['id'],
    status: 200,
    output: null,
    binary: true,
    run: async (ctx, input) => openMedia(ctx, input.id),
  }),
  operation({
    id: 'messages.create',
    method: 'POST',
    path: '/api/v1/messages/',
    tag: 'Messages',
    summary: 'Send a message',
    description:
      'Answers once the message is accepted (`queued`); delivery follows, in the order of acceptance per conversation. Free-form messages need an open 24-hour window, templates must be APPROVED. An unknown `to` creates the contact.',
    scope: 'chat.send_message',
    body: createMessageInput,
    status: 201,
    output: messageShape,
    idempotent: true,
    examples: { request: { to: '+15551230001', body: 'Hello! How can we help?' } },
    run: async (ctx, input) => createMessage(ctx, input),
  }),
];

import { operation } from '../../../core/http/operations';
import { isoTime, wire } from '../../../core/http/shapes';
import { findConversation } from '../../resources/conversations/service';
import type { Upcoming } from './common';
import { listUpcoming } from './kinds';

const upcomingShape = wire.named('Upcoming', {
  kind: wire.oneOf(['snooze', 'message', 'broadcast', 'rule', 'service_level', 'approval', 'retry']),
  at: { ...wire.datetime(), description: 'When it happens.' },
  text: wire.said('What happens then, in words.'),
  link: wire.text('The page that shows it.'),
  actions: {
    ...wire.list(
      wire.named('UpcomingAction', {
        name: wire.oneOf(['now', 'later', 'not']),
        method: { ...wire.oneOf(['POST', 'PATCH', 'DELETE']), description: 'Of the request.' },
        path: wire.text('Of the request.'),
        body: wire.map('What is sent.'),
        takes: {
          ...wire.nullable(wire.text()),
          description: 'The field of `body` in which the other moment is given.',
        },
      }),
    ),
    description: 'What you may do about it: at once, at another moment, or not at all.',
  },
});

/** Returns the wire form of something that will happen. */
function serialize({ at, ...one }: Upcoming): Record<string, unknown> {
  return { ...one, at: isoTime(at) };
}

/** What will happen by itself (contract 24). */
export const upcomingOperations = [
  operation({
    id: 'conversations.upcoming',
    method: 'GET',
    path: '/api/v1/conversations/{receiver_id}/upcoming/',
    tag: 'Conversations',
    summary: 'List what will happen to a conversation by itself',
    description:
      'The end of its snooze, messages that are sent later, broadcasts that will reach it, waits of rules, service ' +
      'levels, calls of agents that expire, and messages that are tried again: the next one first, as a plain array. ' +
      'It says what is known now, also what will be stopped by a hold, an opt-out, a window or a template: what ' +
      'people do meanwhile changes it.',
    scope: 'chat.view',
    audience: 'session',
    status: 200,
    output: wire.list(upcomingShape),
    locate: (ctx, params) => findConversation(ctx, params.receiver_id),
    run: async (ctx, input) => {
      const conversation = await findConversation(ctx, input.receiver_id);
      return (await listUpcoming(ctx, conversation)).map(serialize);
    },
  }),
];

import { presenceStates } from '../../../../models/enums';
import { choice, described, input, required } from '../../../core/http/fields';
import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { findContact } from '../contacts/service';
import { presenceShape, serializePresence } from './serializer';
import { listPresence, setPresence } from './service';

const common = { tag: 'Teamwork', scope: 'chat.view', audience: 'session' } as const;

const presenceInput = input({
  state: described(required(choice([...presenceStates, 'left'])), 'What the member does in the conversation now.'),
});

/** Who is where (contract 18.1). */
export const presenceOperations = [
  operation({
    ...common,
    id: 'presence.list',
    method: 'GET',
    path: '/api/v1/presence/',
    summary: 'List who is in which conversation',
    description: 'Members who gave a sign within 30 seconds, as a plain array.',
    status: 200,
    output: wire.list(presenceShape),
    run: async (ctx) => (await listPresence(ctx)).map(serializePresence),
  }),
  operation({
    ...common,
    id: 'presence.set',
    method: 'POST',
    path: '/api/v1/conversations/{receiver_id}/presence/',
    summary: 'Tell the team that you look at a conversation, write in it or leave it',
    description:
      'It counts for 30 seconds: give the sign again before. `writing` is of a message: where the workspace wants ' +
      'that, the customer sees it. Answers who is in which conversation.',
    body: presenceInput,
    status: 200,
    output: wire.list(presenceShape),
    examples: { request: { state: 'writing' } },
    locate: (ctx, params) => findContact(ctx, params.receiver_id),
    run: async (ctx, input) => {
      await setPresence(ctx, input.receiver_id, input.state);
      return (await listPresence(ctx)).map(serializePresence);
    },
  }),
];

import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { ceilingConflict } from '../../identity/workspaces/objectLimits';
import { createReplyInput, listRepliesQuery, updateReplyInput } from './schema';
import { replyShape, serializeReply } from './serializer';
import { createReply, deleteReply, findReply, listReplies, updateReply } from './service';

const path = '/api/v1/canned-replies/';
const common = { tag: 'Teamwork', scope: 'chat.view', audience: 'session' } as const;
const one = { ...common, path: `${path}{id}/`, intParams: ['id'] } as const;

/** Texts that are sent again and again (contract 18.2). */
export const cannedReplyOperations = [
  operation({
    ...common,
    id: 'cannedReplies.list',
    method: 'GET',
    path,
    summary: 'List canned replies',
    description: 'The team’s and your own, each with its files, as a plain array.',
    query: listRepliesQuery,
    status: 200,
    output: wire.list(replyShape),
    run: async (ctx, input) => (await listReplies(ctx, input.receiver_id)).map(serializeReply),
  }),
  operation({
    ...common,
    id: 'cannedReplies.create',
    method: 'POST',
    path,
    summary: 'Save a canned reply',
    description: 'Your own, or the team’s with `is_shared` and the permission `workspace.manage`.',
    body: createReplyInput,
    status: 201,
    output: replyShape,
    conflicts: ceilingConflict('canned replies'),
    examples: { request: { shortcut: 'thanks', body: 'Thank you, {{name}}!' } },
    run: async (ctx, input) => serializeReply(await createReply(ctx, input)),
  }),
  operation({
    ...one,
    id: 'cannedReplies.get',
    method: 'GET',
    summary: 'Read a canned reply',
    description: 'One of the team’s or of your own.',
    status: 200,
    tagged: true,
    output: replyShape,
    run: async (ctx, input) => serializeReply(await findReply(ctx, input.id)),
  }),
  operation({
    ...one,
    id: 'cannedReplies.update',
    method: 'PATCH',
    summary: 'Change a canned reply',
    description: 'Fields that are left out stay as they are.',
    body: updateReplyInput,
    status: 200,
    output: replyShape,
    examples: { request: { body: 'Many thanks, {{name}}!' } },
    locate: (ctx, params) => findReply(ctx, params.id),
    run: async (ctx, input) => serializeReply(await updateReply(ctx, input.id, input)),
  }),
  operation({
    ...one,
    id: 'cannedReplies.delete',
    method: 'DELETE',
    summary: 'Delete a canned reply',
    description: 'What was sent with it stays.',
    status: 204,
    output: null,
    run: async (ctx, input) => deleteReply(ctx, input.id),
  }),
];

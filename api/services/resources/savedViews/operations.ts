import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { ceilingConflict } from '../../identity/workspaces/objectLimits';
import { createViewInput } from './schema';
import { serializeView, viewShape } from './serializer';
import { createView, deleteView, listViews } from './service';

const path = '/api/v1/views/';
const common = { tag: 'Teamwork', scope: 'chat.view', audience: 'session' } as const;

/** A member's own lists of conversations (contract 18.3). */
export const savedViewOperations = [
  operation({
    ...common,
    id: 'views.list',
    method: 'GET',
    path,
    summary: 'List your saved views',
    description: 'Filters of the inbox that you have given a name, as a plain array.',
    status: 200,
    output: wire.list(viewShape),
    run: async (ctx) => (await listViews(ctx)).map(serializeView),
  }),
  operation({
    ...common,
    id: 'views.create',
    method: 'POST',
    path,
    summary: 'Save a view',
    description: 'For yourself alone.',
    body: createViewInput,
    status: 201,
    output: viewShape,
    conflicts: ceilingConflict('views'),
    examples: { request: { name: 'Angry and mine', filters: { view: 'mine', tag: 'angry' } } },
    run: async (ctx, input) => serializeView(await createView(ctx, input)),
  }),
  operation({
    ...common,
    id: 'views.delete',
    method: 'DELETE',
    path: `${path}{id}/`,
    intParams: ['id'],
    summary: 'Delete a saved view',
    description: 'The conversations in it stay as they are.',
    status: 204,
    output: null,
    run: async (ctx, input) => deleteView(ctx, input.id),
  }),
];

import { input } from '../../../core/http/fields';
import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { ceilingConflict } from '../../identity/workspaces/objectLimits';
import { namedByRules, pauseRulesField } from '../rules/naming';
import { createMacroInput, updateMacroInput } from './schema';
import { macroShape, serializeMacro } from './serializer';
import { createMacro, deleteMacro, findMacro, listMacros, updateMacro } from './service';

const tag = 'Macros';
const one = { path: '/api/v1/macros/{id}/', intParams: ['id'], tag } as const;

/** Macros (contract 10.1, 3.1; contract 10); written in the dashboard only. */
export const macroOperations = [
  operation({
    id: 'macros.list',
    method: 'GET',
    path: '/api/v1/macros/',
    tag,
    summary: 'List macros',
    description: 'All macros of the workspace, as a plain array.',
    scope: 'macro.view',
    status: 200,
    output: wire.list(macroShape),
    run: async (ctx) => (await listMacros(ctx)).map(serializeMacro),
  }),
  operation({
    id: 'macros.create',
    method: 'POST',
    path: '/api/v1/macros/',
    tag,
    summary: 'Save a macro',
    description: 'The actions run in the order of the list. Who runs the macro needs the permission for each of them.',
    scope: 'macro.manage',
    audience: 'session',
    body: createMacroInput,
    status: 201,
    output: macroShape,
    conflicts: ceilingConflict('macros'),
    examples: {
      request: {
        name: 'Resolve with thanks',
        actions: [
          { type: 'add_tags', params: { tags: ['solved'] } },
          {
            type: 'send_message',
            params: {
              body: 'Thank you, {{1}}!',
              template_variables: { body: { 1: { source: 'field', field: 'name' } } },
            },
          },
          { type: 'set_status', params: { status: 'resolved' } },
        ],
      },
    },
    run: async (ctx, given) => serializeMacro(await createMacro(ctx, given)),
  }),
  operation({
    ...one,
    id: 'macros.get',
    method: 'GET',
    summary: 'Read a macro',
    description: 'One macro with its actions in the order in which they run.',
    scope: 'macro.view',
    status: 200,
    tagged: true,
    output: macroShape,
    run: async (ctx, given) => serializeMacro(await findMacro(ctx, given.id)),
  }),
  operation({
    ...one,
    id: 'macros.update',
    method: 'PATCH',
    summary: 'Change a macro',
    description:
      'Fields that are left out stay as they are. `actions` replaces the whole list. Rules that run it and whose ' +
      'member may not do all of it are paused; where it makes one that is on send, it asks you again who you are.',
    scope: 'macro.manage',
    audience: 'session',
    body: updateMacroInput,
    status: 200,
    examples: { request: { name: 'Say thanks and resolve' } },
    output: macroShape,
    locate: (ctx, params) => findMacro(ctx, params.id),
    run: async (ctx, given) => serializeMacro(await updateMacro(ctx, given.id, given)),
  }),
  operation({
    ...one,
    id: 'macros.delete',
    method: 'DELETE',
    summary: 'Delete a macro',
    description: 'The records of its runs are kept.',
    scope: 'macro.manage',
    audience: 'session',
    query: input(pauseRulesField),
    conflicts: namedByRules,
    locate: (ctx, { id }) => findMacro(ctx, id),
    status: 204,
    output: null,
    run: async (ctx, given) => deleteMacro(ctx, given.id, given.pause_rules ?? false),
  }),
];

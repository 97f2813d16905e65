import { input, pk, required } from '../../../core/http/fields';
import { operation, reply } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { listRuns } from '../../resources/macros/runs';
import { findMacro } from '../../resources/macros/service';
import { listRunsQuery, runMacroInput } from './schema';
import { failedShape, ranShape, runShape, serializeRun } from './serializer';
import { runMacro } from './service';

/** Runs of macros (contract 3.1, 10.2; contract 10). */
export const macroRunOperations = [
  operation({
    id: 'macros.run',
    method: 'POST',
    path: '/api/v1/macros/{id}/run/',
    tag: 'Macros',
    summary: 'Run a macro on a conversation or a ticket',
    description:
      'All actions are applied, or none; then messages are sent. The credential needs the scope of every action. If ' +
      'an action is refused, the answer is 400 with `failed_step`. 503 means that nothing was applied, and nothing ' +
      'will be. With an `Idempotency-Key`, a repeated request is the same run once that was applied; after a ' +
      'refusal or a 503 it is a new one.',
    scope: 'macro.view',
    intParams: ['id'],
    body: runMacroInput,
    status: 200,
    output: ranShape,
    refusal: failedShape,
    idempotent: 'stepwise',
    examples: { request: { receiver_id: '4915112345678' } },
    tools: [
      {
        name: 'run_macro',
        title: 'Run a macro',
        description:
          'Runs a macro, a saved series of actions, on the conversation of a customer (receiver_id) or on a ticket ' +
          '(ticket_id): all of it or nothing. dry_run: true only checks every step.',
        annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
        sends: 'macro',
        input: input({ macro_id: required(pk()), ...runMacroInput.fields }),
        adapt: ({ macro_id: id, ...rest }) => ({ id, ...rest }),
      },
    ],
    locate: (ctx, params) => findMacro(ctx, params.id),
    run: async (ctx, given) => {
      const { ran, isEarlier } = await runMacro(ctx, given.id, given);
      return isEarlier ? reply({ ran }, { 'Idempotent-Replayed': 'true' }) : { ran };
    },
  }),
  operation({
    id: 'macros.runs',
    method: 'GET',
    path: '/api/v1/macros/{id}/runs/',
    tag: 'Macros',
    summary: 'List the runs of a macro, newest first',
    description: 'Each with what it did, or with the action that was refused and why.',
    scope: 'macro.view',
    intParams: ['id'],
    query: listRunsQuery,
    status: 200,
    output: wire.page(runShape),
    locate: (ctx, params) => findMacro(ctx, params.id),
    run: async (ctx, given) => {
      const page = await listRuns(ctx, given.id, given);
      return { ...page, items: page.items.map(serializeRun) };
    },
  }),
];

import { described, field, input, required, text } from '../../../core/http/fields';
import { actionTypes, maxActions, parseActions, type Action } from './actions';

const actionList = field<readonly Action[]>(
  {
    type: 'array',
    minItems: 1,
    maxItems: maxActions,
    items: {
      title: 'MacroActionInput',
      type: 'object',
      properties: {
        type: { type: 'string', enum: [...actionTypes] },
        params: { type: 'object', additionalProperties: true },
      },
      required: ['type'],
    },
  },
  parseActions,
);

const actions = described(actionList, 'Steps in the order in which they are applied.');

/** `POST /macros/` (contract 10). */
export const createMacroInput = input({
  name: required(text({ max: 255, blank: false })),
  description: text(),
  actions: required(actions),
});

/** `PATCH /macros/{id}/`; `actions` replaces the whole list. */
export const updateMacroInput = input({ name: text({ max: 255, blank: false }), description: text(), actions });

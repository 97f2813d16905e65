import { input } from '../../../core/http/fields';
import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { ceilingConflict } from '../../identity/workspaces/objectLimits';
import { namedByRules, pauseRulesField } from '../rules/naming';
import { createFieldInput, updateFieldInput } from './schema';
import { fieldShape, serializeField } from './serializer';
import { createField, deleteField, findField, listFields, updateField } from './service';

const tag = 'Custom fields';

/** Definitions of custom fields (contract 5.4, 3.1; contract 5). */
export const customFieldOperations = [
  operation({
    id: 'customFields.list',
    method: 'GET',
    path: '/api/v1/custom-fields/',
    tag,
    summary: 'List custom field definitions',
    description: 'All definitions of the workspace, as a plain array.',
    scope: 'contact.view',
    status: 200,
    output: wire.list(fieldShape),
    run: async (ctx) => (await listFields(ctx)).map(serializeField),
  }),
  operation({
    id: 'customFields.create',
    method: 'POST',
    path: '/api/v1/custom-fields/',
    tag,
    summary: 'Define a custom field',
    description: 'The types `select` and `multi_select` need `options`; other types take none.',
    scope: 'contact.edit',
    body: createFieldInput,
    status: 201,
    output: fieldShape,
    conflicts: ceilingConflict('custom fields', 'The values of a deleted field of this name are still being removed.'),
    examples: {
      request: {
        name: 'plan',
        label: 'Plan',
        field_type: 'select',
        applies_to: ['contacts'],
        options: ['free', 'pro'],
      },
    },
    run: async (ctx, given) => serializeField(await createField(ctx, given)),
  }),
  operation({
    id: 'customFields.get',
    method: 'GET',
    path: '/api/v1/custom-fields/{id}/',
    tag,
    summary: 'Read a custom field definition',
    description: 'One definition, with its options and the objects that it applies to.',
    scope: 'contact.view',
    intParams: ['id'],
    status: 200,
    output: fieldShape,
    run: async (ctx, given) => serializeField(await findField(ctx, given.id)),
  }),
  operation({
    id: 'customFields.update',
    method: 'PATCH',
    path: '/api/v1/custom-fields/{id}/',
    tag,
    summary: 'Change a custom field definition',
    description: 'The name cannot change. If you remove an option, values that were set to it stay.',
    scope: 'contact.edit',
    intParams: ['id'],
    body: updateFieldInput,
    status: 200,
    examples: { request: { label: 'Date of birth' } },
    output: fieldShape,
    conflicts: {
      when: 'The type cannot change while values exist.',
      example: 'The type of a custom field cannot be changed once a value exists.',
    },
    locate: (ctx, params) => findField(ctx, params.id),
    run: async (ctx, given) => serializeField(await updateField(ctx, given.id, given)),
  }),
  operation({
    id: 'customFields.delete',
    method: 'DELETE',
    path: '/api/v1/custom-fields/{id}/',
    tag,
    summary: 'Delete a custom field with all its values',
    description:
      'Removes the field from every contact, conversation and ticket that has a value. This cannot be undone.',
    scope: 'contact.edit',
    intParams: ['id'],
    query: input(pauseRulesField),
    conflicts: namedByRules,
    locate: (ctx, { id }) => findField(ctx, id),
    status: 204,
    output: null,
    run: async (ctx, given) => deleteField(ctx, given.id, given.pause_rules ?? false),
  }),
];

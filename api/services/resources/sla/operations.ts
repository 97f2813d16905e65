import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { createPolicyInput, updatePolicyInput } from './schema';
import { policyShape, serializePolicy } from './serializer';
import { createPolicy, deletePolicy, findPolicy, listPolicies, updatePolicy } from './service';

const path = '/api/v1/sla-policies/';
// Service level policies are the dashboard's: no key reads or writes them (contract 12.1).
const common = { tag: 'SLA policies', scope: 'workspace.manage', audience: 'session' } as const;

/** Service level policies (contract 12.1, 8). */
export const slaOperations = [
  operation({
    ...common,
    id: 'slaPolicies.list',
    method: 'GET',
    path,
    summary: 'List service level policies',
    description: 'All policies of the workspace, as a plain array.',
    status: 200,
    output: wire.list(policyShape),
    run: async (ctx) => (await listPolicies(ctx)).map(serializePolicy),
  }),
  operation({
    ...common,
    id: 'slaPolicies.create',
    method: 'POST',
    path,
    summary: 'Create a service level policy',
    description: 'It needs `first_response_minutes`, `resolution_minutes` or both.',
    body: createPolicyInput,
    status: 201,
    output: policyShape,
    examples: { request: { name: 'Premium', first_response_minutes: 60, resolution_minutes: 1_440 } },
    run: async (ctx, input) => serializePolicy(await createPolicy(ctx, input)),
  }),
  operation({
    ...common,
    id: 'slaPolicies.get',
    method: 'GET',
    path: `${path}{id}/`,
    intParams: ['id'],
    summary: 'Read a service level policy',
    description: 'One policy with its deadlines in minutes.',
    status: 200,
    output: policyShape,
    run: async (ctx, input) => serializePolicy(await findPolicy(ctx, input.id)),
  }),
  operation({
    ...common,
    id: 'slaPolicies.update',
    method: 'PATCH',
    path: `${path}{id}/`,
    intParams: ['id'],
    summary: 'Update a service level policy',
    description: 'Fields that are left out stay as they are. Running deadlines are not changed.',
    body: updatePolicyInput,
    status: 200,
    output: policyShape,
    examples: { request: { first_response_minutes: 30 } },
    locate: (ctx, params) => findPolicy(ctx, params.id),
    run: async (ctx, input) => serializePolicy(await updatePolicy(ctx, input.id, input)),
  }),
  operation({
    ...common,
    id: 'slaPolicies.delete',
    method: 'DELETE',
    path: `${path}{id}/`,
    intParams: ['id'],
    summary: 'Delete a service level policy',
    description: 'New tickets and conversations do not get it any more. Running deadlines are not changed.',
    status: 204,
    output: null,
    run: async (ctx, input) => deletePolicy(ctx, input.id),
  }),
];

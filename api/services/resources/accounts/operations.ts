import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { accountStanding, accountStandingShape, listAccountStandings } from './accountStatus';

/** The accounts at the platform, as the dashboard shows them (contract 15). */
export const accountOperations = [
  operation({
    id: 'accounts.list',
    method: 'GET',
    path: '/api/v1/accounts/',
    tag: 'Phone numbers',
    summary: 'List the accounts at the platform',
    description: 'Each with its numbers, what stops or holds them, and when they were read. A plain array.',
    scope: 'workspace.manage',
    audience: 'session',
    status: 200,
    output: wire.list(accountStandingShape),
    run: async (ctx) => (await listAccountStandings(ctx)).map(accountStanding),
  }),
];

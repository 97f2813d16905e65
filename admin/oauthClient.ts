import type { Command } from 'commander';
import { systemCtx } from '../api/core/context';
import { clientAnywhere, createClient, disableClient, type ClientRecord } from '../api/services/identity/oauth/clients';
import { cliRequestId, ctxOf, group, id, recorded, repeated, type Deps, type Result } from './deps';

interface CreateOptions {
  readonly workspace: number;
  readonly name: string;
  readonly redirectUri: string[];
  readonly public?: boolean;
  readonly confidential?: boolean;
}

/** `oauth-client create` and `oauth-client disable`. */
export function registerOauthClient(program: Command, deps: Deps): void {
  const client = group(
    program,
    'oauth-client',
    'Register, list and disable the OAuth clients that agents connect with.',
  );

  client
    .command('create')
    .description('Register a client. The secret of a confidential one is printed once and stored nowhere.')
    .requiredOption('--workspace <id>', 'id of the workspace', id)
    .requiredOption('--name <name>', 'what members see when they are asked for consent')
    .requiredOption('--redirect-uri <uri>', 'repeatable; compared as it is, port included', repeated)
    .option('--public', 'an application that cannot keep a secret')
    .option('--confidential', 'a server that proves itself with a secret')
    .action(async (options: CreateOptions) => {
      if ((options.public === true) === (options.confidential === true))
        throw new Error('Give exactly one of --public and --confidential.');
      await deps.run(async (runtime) => {
        const ctx = await ctxOf(runtime, options.workspace);
        return recorded(ctx, 'oauthClients.create', options, async () => {
          const { client: row, clientSecret } = await createClient(ctx, {
            name: options.name,
            redirectUris: options.redirectUri,
            type: options.confidential === true ? 'confidential' : 'public',
          });
          return { ...shown(row), ...(clientSecret === null ? {} : { client_secret: clientSecret }) };
        });
      });
    });

  client
    .command('disable')
    .description('Disable a client; every agent that is connected with it is refused from its next request on.')
    .argument('<client-id>', 'the client_id that create printed')
    .action(async (clientId: string) => {
      await deps.run(async (runtime) => {
        const found = await clientAnywhere(runtime, clientId);
        const ctx = systemCtx(runtime, found.workspace_id, cliRequestId);
        const row = await recorded(ctx, 'oauthClients.disable', {}, () => disableClient(ctx, found.id));
        return { ...shown(row), disabled_at: row.disabled_at };
      });
    });
}

function shown(row: ClientRecord): Result & { readonly id: number } {
  return {
    id: row.id,
    client_id: row.client_id,
    name: row.name,
    client_type: row.client_type,
    redirect_uris: row.redirect_uris,
    workspace_id: row.workspace_id,
  };
}

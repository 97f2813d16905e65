import type { Command } from 'commander';
import { systemCtx } from '../api/core/context';
import {
  clientAnywhere,
  createClient,
  createClientByMetadata,
  disableClient,
  publicId,
  type ClientRecord,
} from '../api/services/identity/oauth/clients';
import { cliRequestId, ctxOf, group, id, recorded, repeated, type Deps, type Result } from './deps';

interface CreateOptions {
  readonly workspace: number;
  readonly name?: string;
  readonly redirectUri?: string[];
  readonly metadataUrl?: string;
  readonly callbackPort?: number;
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
    .option('--name <name>', 'what members see when they are asked for consent')
    .option('--redirect-uri <uri>', 'repeatable; compared as it is, port included', repeated)
    .option('--public', 'an application that cannot keep a secret')
    .option('--confidential', 'a server that proves itself with a secret')
    .option('--metadata-url <url>', 'in place of the rest: the address of the document that describes the application')
    .option('--callback-port <port>', 'with --metadata-url: the port of loopback addresses without one', id)
    .action(async (options: CreateOptions) => {
      const { name, redirectUri, metadataUrl: url, callbackPort = null } = options;
      if (url !== undefined) {
        await deps.run(async (runtime) => {
          const ctx = await ctxOf(runtime, options.workspace);
          return recorded(ctx, 'oauthClients.create', options, async () =>
            shown(await createClientByMetadata(ctx, { url, callbackPort })),
          );
        });
        return;
      }
      if (name === undefined || redirectUri === undefined)
        throw new Error('Give --name and --redirect-uri, or --metadata-url.');
      if ((options.public === true) === (options.confidential === true))
        throw new Error('Give exactly one of --public and --confidential.');
      await deps.run(async (runtime) => {
        const ctx = await ctxOf(runtime, options.workspace);
        return recorded(ctx, 'oauthClients.create', options, async () => {
          const { client: row, clientSecret } = await createClient(ctx, {
            name,
            redirectUris: redirectUri,
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
    .option('--workspace <id>', 'id of the workspace, where several have registered the address of a document', id)
    .action(async (clientId: string, options: { readonly workspace?: number }) => {
      await deps.run(async (runtime) => {
        const found = await clientAnywhere(runtime, clientId, options.workspace);
        const ctx = systemCtx(runtime, found.workspace_id, cliRequestId);
        const row = await recorded(ctx, 'oauthClients.disable', {}, () => disableClient(ctx, found.id));
        return { ...shown(row), disabled_at: row.disabled_at };
      });
    });
}

function shown(row: ClientRecord): Result & { readonly id: number } {
  return {
    id: row.id,
    client_id: publicId(row),
    name: row.name,
    client_type: row.client_type,
    redirect_uris: row.redirect_uris,
    workspace_id: row.workspace_id,
  };
}

import { InvalidArgumentError, Option, type Command } from 'commander';
import { allScopes, autonomyLevels, type Autonomy } from '../api/core/http/access';
import { systemCtx } from '../api/core/context';
import { parseWith } from '../api/core/http/fields';
import { addressRange } from '../api/services/identity/apiKeys/addresses';
import { createKey, ineffectiveScopes, workspaceOfKeyAnywhere } from '../api/services/identity/apiKeys/service';
import { leftView } from '../api/services/processes/credentials/ownedByMember';
import { revokeKey } from '../api/services/processes/credentials/service';
import {
  cliRequestId,
  ctxOf,
  group,
  id,
  instant,
  keepBroadcasts,
  keepWebhooks,
  keptOf,
  recorded,
  repeated,
  type Deps,
  type KeptOptions,
} from './deps';

interface KeyOptions {
  readonly workspace: number;
  readonly member: number;
  readonly name: string;
  readonly scope: string[];
  readonly autonomy: Autonomy;
  readonly expires?: Date;
  readonly allowAddress?: string[];
  readonly notes?: boolean;
}

/** Gathers the addresses and networks of a repeated option. */
function range(value: string, previous: readonly string[] | undefined): string[] {
  const parsed = parseWith(addressRange(), value);
  if (typeof parsed !== 'string') throw new InvalidArgumentError('Give an address or network like 203.0.113.0/24.');
  return repeated(parsed, previous);
}

const scopeHelp = `repeatable; "all" is every scope that the member holds, else: ${allScopes.join(', ')}`;

/** `key create` and `key revoke`. */
export function registerKey(program: Command, deps: Deps): void {
  const key = group(program, 'key', 'Create, list and revoke API keys.');

  key
    .command('create')
    .description('Create an API key. It is printed once and stored nowhere.')
    .requiredOption('--workspace <id>', 'id of the workspace', id)
    .requiredOption('--member <id>', 'id of the member; the key never may do more than they may', id)
    .requiredOption('--name <name>', 'what the key is for')
    .requiredOption('--scope <scope>', scopeHelp, repeated)
    .addOption(
      new Option('--autonomy <level>', 'whether messages sent with this key need approval')
        .choices([...autonomyLevels])
        .default('autonomous'),
    )
    .option('--expires <datetime>', 'when the key stops working, ISO 8601', instant)
    .option('--allow-address <address>', 'repeatable: address or network (CIDR) that may use it; default: all', range)
    .option('--notes', 'the key reads the notes that members write for each other')
    .action(async (options: KeyOptions) => {
      await deps.run(async (runtime) => {
        const ctx = await ctxOf(runtime, options.workspace);
        return recorded(ctx, 'apiKeys.create', options, async () => {
          const { key: row, apiKey } = await createKey(ctx, {
            memberId: options.member,
            name: options.name,
            scopes: options.scope,
            autonomy: options.autonomy,
            expiresAt: options.expires,
            allowedAddresses: options.allowAddress,
            notes: options.notes,
          });
          const ineffective = ineffectiveScopes(options.scope, row.scopes);
          if (ineffective.length > 0) deps.note(`note: ${ineffective.join(', ')} has no effect on a key`);
          return {
            id: row.id,
            api_key: apiKey,
            prefix: row.prefix,
            name: row.name,
            scopes: row.scopes,
            member_id: row.member_id,
            workspace_id: row.workspace_id,
            autonomy: row.autonomy,
            expires_at: row.expires_at,
            allowed_addresses: row.allowed_addresses,
            notes: row.notes,
          };
        });
      });
    });

  key
    .command('revoke')
    .description('Revoke an API key; it is refused from its next request on, and what was made with it is stopped.')
    .argument('<id>', 'id of the key', id)
    .option(...keepWebhooks)
    .option(...keepBroadcasts)
    .action(async (keyId: number, options: KeptOptions) => {
      await deps.run(async (runtime) => {
        const ctx = systemCtx(runtime, await workspaceOfKeyAnywhere(runtime, keyId), cliRequestId);
        return recorded(ctx, 'apiKeys.revoke', options, async () => {
          const { key: row, left } = await revokeKey(ctx, keyId, keptOf(options));
          return {
            id: row.id,
            prefix: row.prefix,
            name: row.name,
            member_id: row.member_id,
            workspace_id: row.workspace_id,
            revoked_at: row.revoked_at,
            ...leftView(left),
          };
        });
      });
    });
}

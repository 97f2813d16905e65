import { autonomyLevels } from '../../../core/http/access';
import { boolean, choice, datetime, described, input, list, nullable, required, text } from '../../../core/http/fields';
import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { ceilingConflict } from '../workspaces/objectLimits';
import { addressRange, maxRanges } from './addresses';
import { apiKeyShape, apiKeyView, createdKeyShape } from './serializer';
import { createKey, ineffectiveScopes, listKeys } from './service';

/** API keys, for the dashboard's settings; what revokes them is in `processes/credentials`. */
export const apiKeyOperations = [
  operation({
    id: 'apiKeys.list',
    method: 'GET',
    path: '/api/v1/api-keys/',
    tag: 'Workspace',
    summary: 'List API keys',
    description:
      'All keys of the workspace, newest first, with the revoked ones. The text of a key is not shown again.',
    scope: 'workspace.manage',
    audience: 'session',
    status: 200,
    output: wire.list(apiKeyShape),
    run: async (ctx) => (await listKeys(ctx)).map(apiKeyView),
  }),
  operation({
    id: 'apiKeys.create',
    asksAgain: true,
    method: 'POST',
    path: '/api/v1/api-keys/',
    tag: 'Workspace',
    summary: 'Create an API key',
    description:
      'The key can never do more than you may do yourself: if you lose a permission, the key loses it, too. Its ' +
      'text is ' +
      'in this answer only.',
    scope: 'workspace.manage',
    audience: 'session',
    body: input({
      name: required(text({ max: 255, blank: false })),
      scopes: required(
        described(list(text({ max: 64, blank: false }), { min: 1, max: 100 }), '`all` is every scope that you hold.'),
      ),
      autonomy: described(
        choice(autonomyLevels),
        'Whether messages sent with this key need approval. Default: autonomous, which means no.',
      ),
      expires_at: described(nullable(datetime()), 'From then on the key is answered with 401.'),
      allowed_addresses: described(
        list(addressRange(), { max: maxRanges }),
        'IPv4 and IPv6 addresses or networks (CIDR) that may use the key; from elsewhere it is answered with 403 ' +
          '(`address_not_allowed`). Empty: from everywhere.',
        ['203.0.113.0/24', '2001:db8::/32'],
      ),
      notes: described(
        boolean(),
        'Whether the key reads the notes that members write for each other. Default: no. To write one, it needs ' +
          '`chat.assign` only.',
      ),
    }),
    status: 201,
    output: createdKeyShape,
    conflicts: ceilingConflict('API keys'),
    examples: { request: { name: 'Shop', scopes: ['contact.view', 'chat.view', 'chat.send_message'] } },
    run: async (ctx, { name, scopes, autonomy, expires_at, allowed_addresses, notes }) => {
      const { key, apiKey } = await createKey(ctx, {
        memberId: ctx.actor.memberId ?? 0,
        name,
        scopes,
        autonomy,
        expiresAt: expires_at ?? undefined,
        allowedAddresses: allowed_addresses,
        notes,
      });
      return { ...apiKeyView(key), api_key: apiKey, ignored_scopes: ineffectiveScopes(scopes, key.scopes) };
    },
  }),
];

import type { Ctx } from '../../core/context';
import { consentableScopes } from '../../core/http/access';
import { interfaceVersion } from '../../core/http/openapi';
import type { Credential } from '../../services/identity/apiKeys/authenticate';
import type { Envelope } from './envelope';
import type { ListedTool, Tool } from './tools';

/** One authenticated request of an agent, in the same form for each revision of the protocol. */
export interface Exchange {
  readonly ctx: Ctx;
  readonly credential: Credential;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly envelope: Envelope;
}

/** How the server calls itself. */
export const serverInfo = { name: 'msgdesk', title: 'Msgdesk', version: interfaceVersion };

/**
 * Returns the tools as `tools/list` gives them to a connection: all of them, so that nobody looks for one in vain; in
 * one sentence those that it can never call.
 */
export function listedTools({ tools, credential }: Pick<Exchange, 'tools' | 'credential'>): ListedTool[] {
  return [...tools.values()].map(({ listed, operation: { scope } }) => {
    if (credential.kind !== 'oauth' || !scope || consentableScopes.includes(scope)) return listed;
    const { name, title, annotations } = listed;
    const nothing = { type: 'object', properties: {}, additionalProperties: false } as const;
    return { name, title, description: needsKey, inputSchema: nothing, annotations };
  });
}

const needsKey = 'Not for this connection: no consent can grant it to OAuth; it needs an API key.';

import type { Ctx } from '../../core/context';
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

/** Returns the tools as `tools/list` gives them. */
export function listedTools(tools: ReadonlyMap<string, Tool>): ListedTool[] {
  return [...tools.values()].map(({ listed }) => listed);
}

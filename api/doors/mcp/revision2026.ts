import {
  createMcpHandler,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';
import type { Request as HttpRequest } from 'express';
import { cut } from '../../core/text/cut';
import { isPlainObject } from '../../core/http/fields';
import type { Runtime } from '../../core/runtime';
import { callTool, faultAnswer } from './call';
import { rpcFault, type Envelope } from './envelope';
import { instructionsFor } from './instructions';
import { listedTools, serverInfo, type Exchange } from './exchange';

const revision = '2026-07-28';

/** What the SDK reads of a request's head; the credential is none of its business. */
const readHeaders = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

/**
 * How long clients may cache the list of tools, which is the same for all keys and for all OAuth connections, and
 * changes only with the version of the service. One hour after an upgrade all clients have the new list; until then
 * calls that follow the old one still fit the schemas, which are open.
 */
const listHint = { ttlMs: 3_600_000, cacheScope: 'private' as const };

/** Returns whether a request is of the revision without `initialize`: it names it, or asks for what only it has. */
export function isOf2026(req: HttpRequest, { method, params }: Envelope): boolean {
  const meta = params['_meta'];
  return (
    req.get('mcp-protocol-version') === revision ||
    (isPlainObject(meta) && meta[PROTOCOL_VERSION_META_KEY] === revision) ||
    method === 'server/discover'
  );
}

/**
 * Answers one request of 2026-07-28 by the second SDK, with its half of 2025 off: it handles headers, envelope and
 * errors, and we handle the tools. Each request gets a new handler, like the server of 2025.
 */
export async function answer2026(
  runtime: Runtime,
  exchange: Exchange,
  req: HttpRequest,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const { ctx, envelope } = exchange;
  // Nothing here changes while a client listens: a stream would stay open and say nothing.
  if (envelope.method === 'subscriptions/listen')
    return rpcFault(404, ProtocolErrorCode.MethodNotFound, 'Method not found', envelope.id);
  const instructions = envelope.method === 'server/discover' ? await instructionsFor(ctx) : '';
  const handler = createMcpHandler(() => makeServer(exchange, instructions), { legacy: 'reject' });
  const headers = readHeaders.flatMap((name): [string, string][] => {
    const value = req.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  const request = new Request(`${runtime.config.baseUrl}/mcp`, { method: 'POST', headers });
  const response = await handler.fetch(request, { parsedBody: envelope.message });
  return { status: response.status, body: await response.json() };
}

function makeServer(exchange: Exchange, instructions: string): Server {
  const { ctx, credential, tools, envelope } = exchange;
  const server = new Server(serverInfo, {
    capabilities: { tools: {} },
    instructions,
    cacheHints: { 'tools/list': listHint },
  });
  server.setRequestHandler('tools/list', () => ({ tools: listedTools(exchange) }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }) => {
    const tool = tools.get(name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${cut(name, 100)}`);
    const meta = (envelope.params['_meta'] ?? {}) as Record<string, unknown>;
    return callTool(ctx, credential, tool, args, meta).catch((error: unknown) => {
      // Only the audit row of a call that changed nothing can fail here.
      throw new ProtocolError(ProtocolErrorCode.InternalError, faultAnswer(ctx, error));
    });
  });
  return server;
}

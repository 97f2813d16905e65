import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, ListToolsRequestSchema, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { jsonSchemaValidator as JsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import { callTool, faultAnswer } from './call';
import { negotiated, rpcFault } from './envelope';
import { instructionsFor } from './instructions';
import { listedTools, serverInfo, type Exchange } from './exchange';

/**
 * Checks what users answer to a server's questions. This server asks none, and the SDK would build its own for each
 * request.
 */
const jsonSchemaValidator: JsonSchemaValidator = {
  getValidator: () => {
    throw new Error('this server asks its clients nothing');
  },
};

/** Answers one request of the revisions with `initialize`: 2025-11-25, 2025-06-18 and 2025-03-26. */
export function answer2025(exchange: Exchange): Promise<object> {
  return exchange.envelope.method === 'tools/call' ? serveCall(exchange) : serveMessage(exchange);
}

/** Answers a tool call. It has been checked already: an SDK server would read it once more for its one answer. */
async function serveCall({ ctx, credential, tools, envelope }: Exchange): Promise<object> {
  const { id, params } = envelope;
  const tool = tools.get(String(params['name']));
  if (!tool) throw new Error('the tool vanished');
  const args = (params['arguments'] ?? {}) as Record<string, unknown>;
  try {
    const result = await callTool(ctx, credential, tool, args, (params['_meta'] ?? {}) as Record<string, unknown>);
    return { result, jsonrpc: '2.0', id };
  } catch (error) {
    // Only the audit row of a call that changed nothing can fail here.
    return rpcFault(200, ErrorCode.InternalError, faultAnswer(ctx, error), id).body;
  }
}

/**
 * Returns one message through an SDK server of its own: a shared one would let one client see another's answer
 * (GHSA-345p-7cg4-v4c7).
 */
async function serveMessage(exchange: Exchange): Promise<JSONRPCMessage> {
  const { ctx, envelope } = exchange;
  // Only `initialize` returns the instructions, so no other method has to read the workspace.
  const instructions = envelope.method === 'initialize' ? await instructionsFor(ctx) : '';
  const server = new Server(serverInfo, { capabilities: { tools: {} }, instructions, jsonSchemaValidator });
  if (envelope.method === 'tools/list')
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listedTools(exchange) }));
  const transport = new SingleMessage();
  await server.connect(transport);
  // Nothing to close: no request is under way after its one answer, and server and transport go with it.
  return transport.exchange(negotiated(envelope));
}

/** A transport that hands over one message and takes its one answer. */
class SingleMessage implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  private settle: (answer: JSONRPCMessage) => void = () => undefined;

  start(): Promise<void> {
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    // Only the answer to the request ends the exchange: nothing else has a way to the client.
    if ('id' in message && !('method' in message)) this.settle(message);
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.onclose?.();
    return Promise.resolve();
  }

  exchange(message: JSONRPCMessage): Promise<JSONRPCMessage> {
    return new Promise((resolve, reject) => {
      this.settle = resolve;
      this.onerror = reject;
      this.onmessage?.(message);
    });
  }
}

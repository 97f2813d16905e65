import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, ListToolsRequestSchema, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { jsonSchemaValidator as JsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import { Router, type Request, type Response } from 'express';
import type { Ctx } from '../../core/context';
import { AppError, missingScope } from '../../core/errors';
import { interfaceVersion } from '../../core/openapi';
import type { Operation } from '../../core/operations';
import type { Runtime } from '../../core/runtime';
import { credentialCtx, type Credential } from '../../services/identity/apiKeys/authenticate';
import { refuseExpiredTrial } from '../http/authenticate';
import { readRaw } from '../http/bodies';
import { sendJson } from '../http/errorHandler';
import { passLimiter, type Limiters } from '../http/rateLimit';
import { stateOf } from '../http/request';
import { authenticateAgent, challenge } from './authenticate';
import { callTool, faultAnswer, recordChallenge, scopeToChallenge } from './call';
import { instructionsFor } from './instructions';
import {
  isFault,
  negotiated,
  readEnvelope,
  refuseParams,
  refuseVersion,
  rpcFault,
  type Envelope,
  type RpcFault,
} from './envelope';
import { buildTools, type Tool } from './tools';

const path = '/mcp';
const bodyLimit = 1024 * 1024;

/**
 * The agents' door: JSON-RPC over one POST, no session, nothing shared between requests (contract 11, MCP 2025-11-25).
 */
export function mcpRouter(runtime: Runtime, operations: readonly Operation[], limiters: Limiters): Router {
  const router = Router();
  const tools = buildTools(operations);
  const origins = allowedOrigins(runtime);
  router.all(path, (req, res, next) => {
    stateOf(res).route = path;
    answer(runtime, tools, origins, limiters, req, res).catch(next);
  });
  return router;
}

/**
 * Checks what users answer to a server's questions. This server asks none, and the SDK would build its own for each
 * request.
 */
const jsonSchemaValidator: JsonSchemaValidator = {
  getValidator: () => {
    throw new Error('this server asks its clients nothing');
  },
};

/**
 * Our own origin, and the loopback while we run there; never compared with `Host`, which a rebinding attack controls.
 */
function allowedOrigins(runtime: Runtime): (origin: string) => boolean {
  const own = new URL(runtime.config.baseUrl);
  const loopback = ['localhost', '127.0.0.1', '[::1]'];
  return (origin) => {
    if (origin === own.origin) return true;
    const parsed = URL.canParse(origin) ? new URL(origin) : null;
    return parsed !== null && loopback.includes(own.hostname) && loopback.includes(parsed.hostname);
  };
}

async function answer(
  runtime: Runtime,
  tools: ReadonlyMap<string, Tool>,
  isAllowed: (origin: string) => boolean,
  limiters: Limiters,
  req: Request,
  res: Response,
): Promise<void> {
  const origin = req.headers.origin;
  if (origin !== undefined && !isAllowed(origin))
    throw new AppError('forbidden', 'Requests from this origin are not allowed.');
  if (origin !== undefined)
    res
      .setHeader('Access-Control-Allow-Origin', origin)
      .setHeader('Access-Control-Expose-Headers', 'WWW-Authenticate')
      .vary('Origin');
  if (req.method === 'OPTIONS') {
    res
      .status(204)
      .setHeader('Allow', 'POST')
      .setHeader('Access-Control-Allow-Methods', 'POST')
      .setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type, MCP-Protocol-Version')
      .end();
    return;
  }
  // Clients probe with GET for a stream: told before anything is spent on it.
  if (req.method !== 'POST')
    throw new AppError('method_not_allowed', `Method "${req.method}" not allowed.`, { headers: { Allow: 'POST' } });

  const state = stateOf(res);
  try {
    state.credential = await authenticateAgent(runtime, req);
  } catch (error) {
    await passLimiter(limiters.anonymous, req, res);
    throw error;
  }
  await passLimiter(limiters.credential, req, res);
  const { credential } = state;
  refuseExpiredTrial(credential, req.method);
  const type = (req.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const raw = await readRaw(req, res, bodyLimit);
  if (type !== 'application/json')
    throw new AppError('unsupported_media_type', `Unsupported media type "${type.slice(0, 100)}" in request.`);

  const envelope = readEnvelope(raw);
  if (isFault(envelope)) return sendFault(res, envelope);
  const refused = refuseVersion(req.get('mcp-protocol-version'), envelope);
  if (refused) return sendFault(res, refused);
  if (envelope.id === undefined) {
    res.status(202).end();
    return;
  }
  const fault = refuseParams(envelope) ?? refuseUnknownTool(envelope, tools);
  if (fault) return sendFault(res, fault);
  const base = credentialCtx(runtime, credential, state.requestId);
  const agentCtx: Ctx = {
    ...base,
    actor: { ...base.actor, type: 'agent' },
  };
  const missing =
    envelope.method === 'tools/call' ? scopeToChallenge(credential, tools.get(String(envelope.params['name']))) : null;
  if (missing) {
    await recordChallenge(
      agentCtx,
      credential,
      String(envelope.params['name']),
      envelope.params['arguments'] ?? {},
      missing,
    );
    const scope = [...credential.scopes, missing].join(' ');
    throw missingScope(missing, undefined, {
      'WWW-Authenticate': challenge(runtime, { error: 'insufficient_scope', scope }),
    });
  }
  sendJson(
    res,
    200,
    envelope.method === 'tools/call'
      ? await serveCall(agentCtx, credential, tools, envelope)
      : await serveMessage(agentCtx, tools, envelope),
  );
}

function refuseUnknownTool(envelope: Envelope, tools: ReadonlyMap<string, Tool>): RpcFault | null {
  if (envelope.method !== 'tools/call' || tools.has(String(envelope.params['name']))) return null;
  return rpcFault(
    200,
    ErrorCode.InvalidParams,
    `Unknown tool: ${String(envelope.params['name']).slice(0, 100)}`,
    envelope.id ?? null,
  );
}

function sendFault(res: Response, fault: RpcFault): void {
  sendJson(res, fault.status, fault.body);
}

/**
 * Answers a tool call. The door has checked it already: an SDK server would read it once more for its one answer.
 */
async function serveCall(
  ctx: Ctx,
  credential: Credential,
  tools: ReadonlyMap<string, Tool>,
  { id, params }: Envelope,
): Promise<object> {
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
async function serveMessage(ctx: Ctx, tools: ReadonlyMap<string, Tool>, envelope: Envelope): Promise<JSONRPCMessage> {
  // Nobody else is shown them: the other methods are answered without a look at the workspace.
  const instructions = envelope.method === 'initialize' ? await instructionsFor(ctx) : '';
  const server = new Server(
    { name: 'msgdesk', title: 'Msgdesk', version: interfaceVersion },
    { capabilities: { tools: {} }, instructions, jsonSchemaValidator },
  );
  if (envelope.method === 'tools/list')
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [...tools.values()].map(({ listed }) => listed),
    }));
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

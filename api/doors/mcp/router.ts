import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { Router, type Request, type Response } from 'express';
import { cut } from '../../core/text/cut';
import type { Ctx } from '../../core/context';
import { AppError, missingScope } from '../../core/http/errors';
import type { Operation } from '../../core/http/operations';
import type { Runtime } from '../../core/runtime';
import { credentialCtx } from '../../services/identity/apiKeys/authenticate';
import { refuseExpiredTrial } from '../http/authenticate';
import { readRaw } from '../http/bodies';
import { sendJson } from '../http/errorHandler';
import { addressOf } from '../http/network';
import { passLimiter, type Limiters } from '../http/rateLimit';
import { refuseMethod, stateOf } from '../http/request';
import { authenticateAgent, challenge } from './authenticate';
import { recordChallenge, scopeToChallenge } from './call';
import { isFault, readEnvelope, refuseParams, refuseVersion, rpcFault, type Envelope, type RpcFault } from './envelope';
import type { Exchange } from './exchange';
import { answer2025 } from './revision2025';
import { answer2026, isOf2026 } from './revision2026';
import { buildTools, type Tool } from './tools';

const path = '/mcp';
const bodyLimit = 1024 * 1024;

/**
 * The endpoint of agents: JSON-RPC over one POST, without sessions and with nothing shared between requests. Two
 * generations of the protocol have the same tools, rights, rate limit and audit log; each request names its revision
 * (contract 11.1).
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
      .setHeader(
        'Access-Control-Allow-Headers',
        'Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name',
      )
      .end();
    return;
  }
  // Clients probe with GET for a stream: told before anything is spent on it.
  refuseMethod(req, ['POST']);

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
    throw new AppError('unsupported_media_type', `Unsupported media type "${cut(type, 100)}" in request.`);

  const envelope = readEnvelope(raw);
  if (isFault(envelope)) return sendFault(res, envelope);
  const modern = isOf2026(req, envelope);
  const refused = modern ? null : refuseVersion(req.get('mcp-protocol-version'), envelope);
  if (refused) return sendFault(res, refused);
  if (envelope.id === undefined) {
    res.status(202).end();
    return;
  }
  const fault = modern ? null : (refuseParams(envelope) ?? refuseUnknownTool(envelope, tools));
  if (fault) return sendFault(res, fault);
  const base = credentialCtx(runtime, credential, state.requestId, addressOf(req));
  const agentCtx: Ctx = {
    ...base,
    program: cut(req.get('user-agent') ?? '', 255).replaceAll(/[^\x20-\x7e]/g, ''),
    actor: { ...base.actor, type: 'agent' },
  };
  const { name } = envelope.params;
  const called = envelope.method === 'tools/call' && typeof name === 'string' ? tools.get(name) : undefined;
  const missing = scopeToChallenge(credential, called);
  if (called && missing) {
    const args = envelope.params['arguments'] ?? {};
    await recordChallenge(agentCtx, credential, called.definition.name, args, missing);
    const scope = [...credential.scopes, missing].join(' ');
    throw missingScope(missing, undefined, {
      'WWW-Authenticate': challenge(runtime, { error: 'insufficient_scope', scope }),
    });
  }
  const exchange: Exchange = { ctx: agentCtx, credential, tools, envelope };
  if (!modern) return sendJson(res, 200, await answer2025(exchange));
  const { status, body } = await answer2026(runtime, exchange, req);
  sendJson(res, status, body);
}

function refuseUnknownTool(envelope: Envelope, tools: ReadonlyMap<string, Tool>): RpcFault | null {
  if (envelope.method !== 'tools/call' || tools.has(String(envelope.params['name']))) return null;
  return rpcFault(
    200,
    ErrorCode.InvalidParams,
    `Unknown tool: ${cut(String(envelope.params['name']), 100)}`,
    envelope.id ?? null,
  );
}

function sendFault(res: Response, fault: RpcFault): void {
  sendJson(res, fault.status, fault.body);
}

import { ErrorCode, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { isPlainObject } from '../../core/http/fields';
import { AppError } from '../../core/http/errors';
import { parseJson } from '../../core/http/numbers';
import { maxDepth } from '../../core/http/numbers';

/**
 * Protocol revisions that are answered as asked (contract 11); a client that asks for another one is offered the first.
 */
const protocolVersions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;

/**
 * The revision of the header is not served. Not one of the 2026 codes, so that newer clients fall back to `initialize`.
 */
const unsupportedVersionCode = -32000;

const utf8 = new TextDecoder('utf-8', { fatal: true });

type Id = string | number | null;

/** A refusal in JSON-RPC's form. */
export interface RpcFault {
  readonly status: number;
  readonly body: {
    readonly jsonrpc: '2.0';
    readonly id: Id;
    readonly error: { readonly code: number; readonly message: string };
  };
}

/** One JSON-RPC message, checked so far that the SDK's server cannot trip over it. */
export interface Envelope {
  readonly message: JSONRPCMessage;
  readonly method: string;
  readonly params: Record<string, unknown>;
  /** Undefined for a notification or a response: accepted, never answered. */
  readonly id: string | number | undefined;
}

/** Builds a refusal. */
export function rpcFault(status: number, code: number, message: string, id: Id = null): RpcFault {
  return { status, body: { jsonrpc: '2.0', id, error: { code, message } } };
}

/** Returns whether reading ended in a refusal. */
export function isFault(value: Envelope | RpcFault): value is RpcFault {
  return 'status' in value;
}

/** Reads a body as one JSON-RPC 2.0 message (MCP 2025-11-25 basic/transports; batches went with 2025-06-18). */
export function readEnvelope(raw: Buffer): Envelope | RpcFault {
  let value: unknown;
  try {
    value = parseJson(utf8.decode(raw));
  } catch (error) {
    if (error instanceof AppError) return rpcFault(400, ErrorCode.InvalidRequest, `Invalid request: ${error.message}`);
    return rpcFault(400, ErrorCode.ParseError, 'Parse error: the body is not JSON.');
  }
  if (Array.isArray(value))
    return rpcFault(
      400,
      ErrorCode.InvalidRequest,
      'Invalid request: batches are not supported, send one message per request.',
    );
  if (!isPlainObject(value))
    return rpcFault(400, ErrorCode.InvalidRequest, 'Invalid request: the body must be one JSON-RPC message.');
  const id = value['id'];
  const readable = typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id)) ? id : null;
  if (depthOf(value) > maxDepth)
    return rpcFault(
      400,
      ErrorCode.InvalidRequest,
      `Invalid request: at most ${maxDepth} levels of nesting are allowed.`,
      readable,
    );
  if (value['jsonrpc'] !== '2.0')
    return rpcFault(400, ErrorCode.InvalidRequest, 'Invalid request: "jsonrpc" must be "2.0".', readable);
  if (Object.hasOwn(value, 'id') && readable === null)
    return rpcFault(400, ErrorCode.InvalidRequest, 'Invalid request: "id" must be a string or an integer.');
  const method = value['method'];
  if (method === undefined && (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error'))) {
    return { message: value as unknown as JSONRPCMessage, method: '', params: {}, id: undefined };
  }
  if (typeof method !== 'string' || method === '')
    return rpcFault(400, ErrorCode.InvalidRequest, 'Invalid request: "method" must be a string.', readable);
  const params = value['params'];
  if (params !== undefined && !isPlainObject(params))
    return rpcFault(400, ErrorCode.InvalidRequest, 'Invalid request: "params" must be an object.', readable);
  if (params === undefined)
    return { message: value as unknown as JSONRPCMessage, method, params: {}, id: readable ?? undefined };
  // Some clients send null for what they leave out: arguments, a cursor.
  const given = Object.fromEntries(Object.entries(params).filter(([, one]) => one !== null));
  const message = { ...value, params: given } as unknown as JSONRPCMessage;
  return { message, method, params: given, id: readable ?? undefined };
}

/** Returns the refusal of an unserved `MCP-Protocol-Version`; `initialize` negotiates in its body instead. */
export function refuseVersion(header: string | undefined, envelope: Envelope): RpcFault | null {
  if (
    header === undefined ||
    envelope.method === 'initialize' ||
    (protocolVersions as readonly string[]).includes(header)
  )
    return null;
  return rpcFault(
    400,
    unsupportedVersionCode,
    `Bad request: unsupported MCP-Protocol-Version. Supported: ${protocolVersions.join(', ')}.`,
    envelope.id ?? null,
  );
}

/** Malformed calls, told before the SDK answers them with its parser's own words. */
export function refuseParams(envelope: Envelope): RpcFault | null {
  const bad = (message: string): RpcFault => rpcFault(200, ErrorCode.InvalidParams, message, envelope.id ?? null);
  const { method, params } = envelope;
  if (params['_meta'] !== undefined && !isPlainObject(params['_meta']))
    return bad('Invalid params: "_meta" must be an object.');
  const token = isPlainObject(params['_meta']) ? params['_meta']['progressToken'] : undefined;
  if (token !== undefined && typeof token !== 'string' && !Number.isInteger(token))
    return bad('Invalid params: "progressToken" must be a string or an integer.');
  if (method === 'initialize') {
    if (typeof params['protocolVersion'] !== 'string')
      return bad('Invalid params: "protocolVersion" must be a string.');
    if (!isPlainObject(params['capabilities']) || !isPlainObject(params['clientInfo']))
      return bad('Invalid params: "capabilities" and "clientInfo" must be objects.');
    const info = params['clientInfo'];
    if (typeof info['name'] !== 'string' || typeof info['version'] !== 'string')
      return bad('Invalid params: "clientInfo" needs a name and a version.');
  }
  if (method === 'tools/list' && params['cursor'] !== undefined)
    return bad('Invalid params: unknown cursor; all tools are on one page.');
  if (method === 'tools/call') {
    if (typeof params['name'] !== 'string') return bad('Invalid params: "name" must be a string.');
    if (params['arguments'] !== undefined && !isPlainObject(params['arguments']))
      return bad('Invalid params: "arguments" must be an object.');
  }
  return null;
}

/** An `initialize` that asks for a revision that is not served gets the newest one. */
export function negotiated(envelope: Envelope): JSONRPCMessage {
  if (
    envelope.method !== 'initialize' ||
    (protocolVersions as readonly string[]).includes(String(envelope.params['protocolVersion']))
  )
    return envelope.message;
  return {
    ...envelope.message,
    params: { ...envelope.params, protocolVersion: protocolVersions[0] },
  } as JSONRPCMessage;
}

function depthOf(value: unknown, depth = 1): number {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return depth;
  let deepest = depth;
  for (const inner of Object.values(value)) deepest = Math.max(deepest, depthOf(inner, depth + 1));
  return deepest;
}

import type { ApiAnswer, ApiClient } from './client';
import { checkMarks } from './toolMarks';
import { checkStructured } from './toolSchemas';

/** The result of a tool, as agents get it. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
  /** The structured result, checked against the tool's schema; empty where there is none. */
  readonly json: Record<string, unknown>;
  /** The pictures beside it. */
  readonly images: readonly Buffer[];
  /** Whether it is the answer to an earlier call with the same key. */
  readonly isRepeat: boolean;
}

/** Speaks JSON-RPC to `/mcp` as one credential, without the SDK's client: what goes over the wire is the test's own. */
export interface Agent {
  rpc(message: unknown, headers?: Record<string, string>): Promise<ApiAnswer<Rpc>>;
  /** `key`: the call's idempotency key. */
  call(tool: string, args?: Record<string, unknown>, key?: string): Promise<ToolAnswer>;
  tools(): Promise<Record<string, unknown>[]>;
}

interface Rpc {
  readonly jsonrpc: string;
  readonly id: string | number | null;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string } | string;
}

/** Returns an agent over an API client's credential. */
export function createAgent(api: ApiClient): Agent {
  let id = 0;
  const rpc: Agent['rpc'] = (message, headers) =>
    api.post('/mcp', message, { accept: 'application/json, text/event-stream', ...headers });
  return {
    rpc,
    async call(tool, args = {}, key) {
      id += 1;
      const { status, body } = await rpc({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: {
          name: tool,
          arguments: args,
          ...(key === undefined ? {} : { _meta: { 'msgdesk/idempotencyKey': key } }),
        },
      });
      if (status !== 200 || !body.result)
        throw new Error(`tools/call ${tool} answered ${status} ${JSON.stringify(body)}`);
      const { content, structuredContent, isError, _meta } = body.result as {
        content: { type: string; text: string; data?: string; mimeType?: string }[];
        structuredContent?: Record<string, unknown>;
        isError?: boolean;
        _meta?: Record<string, unknown>;
      };
      const text = content[0]?.text ?? '';
      if (isError !== true) {
        checkStructured(tool, structuredContent);
        // Clients read one or the other: both must say the same, and mark the same words.
        checkMarks(text, structuredContent, (_meta?.['msgdesk/untrusted'] ?? []) as string[]);
      } else if (structuredContent) throw new Error(`${tool} has a result beside its error: ${text}`);
      return {
        text,
        isError: isError === true,
        isRepeat: _meta?.['msgdesk/idempotentReplayed'] === true,
        json: structuredContent ?? {},
        images: content.slice(1).map(({ type, data = '', mimeType }) => {
          if (type !== 'image' || mimeType !== 'image/jpeg') throw new Error(`${tool} shows ${type} ${mimeType}`);
          return Buffer.from(data, 'base64');
        }),
      };
    },
    async tools() {
      id += 1;
      const { body } = await rpc({ jsonrpc: '2.0', id, method: 'tools/list' });
      return (body.result?.['tools'] ?? []) as Record<string, unknown>[];
    },
  };
}

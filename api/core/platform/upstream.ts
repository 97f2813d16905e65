import { Agent, DecoratorHandler, request, type Dispatcher } from 'undici';
import type { Config } from '../config';
import { noTracing, type SpanOptions, type Tracing } from '../http/tracing';
import { isAssetUrl, isMediaUrl } from './upstreamHosts';

/** Below the activity's own limit of 20 s, so that an answer is always recorded by whoever asked. */
const answerTimeoutMs = 10_000;
const connectTimeoutMs = 3_000;
/** How long a send may wait for its connection; nothing has been sent until then. */
const startTimeoutMs = 4_000;
const maxAnswerBytes = 8 * 1024 * 1024;

/** Connections for everything that is no send. */
const readConnections = 32;

/** Sizes and times that tests change. */
interface UpstreamLimits {
  readonly startTimeoutMs: number;
  readonly answerTimeoutMs: number;
  readonly tracing: Tracing;
}

/** What became of one attempt to send (upstream 1.5, 1.6, 1.6). */
export type SendOutcome =
  | {
      readonly kind: 'accepted';
      readonly wamid: string;
      readonly waId?: string;
      readonly userId?: string;
      /** The platform took it and holds it back, to look at the template's quality first. */
      readonly held?: true;
    }
  /** `retry`: nothing was sent and a later try may succeed. `stop`: the whole number or account is refused. */
  | {
      readonly kind: 'rejected';
      readonly class: 'retry' | 'permanent' | 'stop';
      /** The HTTP status; none where the upstream could not be reached. */
      readonly status?: number;
      readonly code: number;
      readonly title: string;
      readonly message: string;
      readonly retryAfterMs?: number;
    }
  /** The request may have been processed and nobody can tell: never sent again. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** An error that the upstream's management side answered. */
export class UpstreamError extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    readonly subcode: number | null = null,
  ) {
    super(message);
    this.name = 'UpstreamError';
  }
}

const retryCodes = new Set([1, 2, 4, 17, 613, 80007, 80008, 130429, 131056, 131000, 131016, 131057, 133004, 132069]);
const stopCodes = new Set([0, 190, 10, 368, 131031, 131042, 131045, 133010, 104, 3, 131005]);

const permanentCodes = new Set([
  33, 100, 130472, 131008, 131009, 131021, 131026, 131037, 131047, 131048, 131049, 131050, 131051, 131052, 131053,
  132000, 132001, 132005, 132007, 132012, 132015, 132016, 132018, 132068, 135000,
]);

/** Returns whether the platform is known to answer a code. */
export function isKnownCode(code: number): boolean {
  return classify(code) !== 'permanent' || permanentCodes.has(code);
}

/** Returns the class of an upstream error code (upstream 1.6). */
export function classify(code: number): 'retry' | 'permanent' | 'stop' {
  if (retryCodes.has(code)) return 'retry';
  if (stopCodes.has(code) || (code >= 200 && code <= 299)) return 'stop';
  return 'permanent';
}

/** Returns whether a refusal says that the object is not there, or not there for this token. */
export function isUnknownObject(error: unknown): boolean {
  return (
    error instanceof UpstreamError &&
    (error.status === 404 || error.code === 803 || (error.code === 100 && error.subcode === 33))
  );
}

type Json = Record<string, unknown>;

/** The upstream platform's HTTP interface. It never retries: the workflows own that decision. */
export interface Upstream {
  /** `POST /{phone number}/messages`. Never throws for what the platform or the network does. */
  sendMessage(accessToken: string, phoneNumberId: string, payload: Json): Promise<SendOutcome>;
  /**
   * Returns a management read; throws UpstreamError or the network's own error. `signal` ends it earlier than the usual
   * limit.
   */
  get(accessToken: string, path: string, query?: Record<string, string>, signal?: AbortSignal): Promise<Json>;
  /** Changes something that is no message; throws as `get` does. */
  post(accessToken: string, path: string, body: Json): Promise<Json>;
  /** Returns all items of a paged list. */
  list(accessToken: string, path: string, query?: Record<string, string>): Promise<Json[]>;
  /** Returns the JSON behind a short-lived link that the upstream gave; the link is the key, so no token goes along. */
  asset(url: string, signal?: AbortSignal): Promise<unknown>;
  /** Returns a media file's bytes as a stream, with its type and length. */
  download(
    accessToken: string,
    url: string,
  ): Promise<{ status: number; headers: Record<string, string>; body: Dispatcher.ResponseData['body'] }>;
  close(): Promise<void>;
}

/** Notes when a request is about to be written to its connection. */
class StartObserver extends DecoratorHandler {
  constructor(
    handler: Dispatcher.DispatchHandler,
    private readonly onStart: () => void,
  ) {
    super(handler);
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.onStart();
    (DecoratorHandler.prototype as Dispatcher.DispatchHandler).onRequestStart?.call(this, controller, context);
  }
}

/** Opens connections on first use. */
export function createUpstream(
  config: Pick<Config, 'upstream' | 'platformCalls'>,
  limits: Partial<UpstreamLimits> = {},
): Upstream {
  const { tracing, ...times } = {
    tracing: noTracing,
    startTimeoutMs,
    answerTimeoutMs,
    ...limits,
  };
  const agentOf = (count: number): Agent =>
    new Agent({
      connections: count,
      pipelining: 1,
      connect: { timeout: connectTimeoutMs },
      headersTimeout: times.answerTimeoutMs,
      bodyTimeout: times.answerTimeoutMs,
    });
  const sends = agentOf(config.platformCalls);
  const reads = agentOf(readConnections);
  const base = `${config.upstream.url}/${config.upstream.version}`;

  /** Makes a call inside a span; the platform gets the trace's id. */
  function traced<T>(
    method: 'GET' | 'POST',
    what: string,
    call: (headers: Record<string, string>, answered: (status: number) => void) => Promise<T>,
  ): Promise<T> {
    const options: SpanOptions = {
      kind: 'client',
      attributes: { 'http.request.method': method, 'server.address': new URL(base).hostname },
    };
    return tracing.span(`upstream ${method} ${what}`, options, (span) => {
      const trace = tracing.current();
      return call(trace === null ? {} : { traceparent: trace }, (status) =>
        span.set({ 'http.response.status_code': status }),
      );
    });
  }

  async function readBody(body: Dispatcher.ResponseData['body']): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxAnswerBytes) throw new Error('The upstream answered with more than 8 MiB.');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  async function manage(
    method: 'GET' | 'POST',
    accessToken: string,
    path: string,
    { query = {}, body, signal }: { query?: Record<string, string>; body?: Json; signal?: AbortSignal | undefined },
  ): Promise<Json> {
    return traced(method, method === 'GET' ? 'read' : 'change', async (headers, answered) => {
      const answer = await request(`${base}/${path}`, {
        method,
        query,
        headers: {
          authorization: `Bearer ${accessToken}`,
          accept: 'application/json',
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...headers,
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
        dispatcher: reads,
        signal: withinLimit(signal),
      });
      answered(answer.statusCode);
      const parsed = parseJson(await readBody(answer.body));
      if (answer.statusCode >= 200 && answer.statusCode < 300 && parsed) return parsed;
      const fault = errorOf(parsed);
      throw new UpstreamError(
        answer.statusCode,
        fault?.code ?? -1,
        fault?.message ?? `The upstream answered with status ${answer.statusCode}.`,
        fault?.subcode ?? null,
      );
    });
  }

  const get: Upstream['get'] = (accessToken, path, query = {}, signal) =>
    manage('GET', accessToken, path, { query, signal });

  async function asset(url: string, signal?: AbortSignal): Promise<unknown> {
    if (!isAssetUrl(url, config)) throw new Error('the upstream named an address that is not its own');
    const answer = await request(url, {
      method: 'GET',
      headers: { accept: 'application/json' },
      dispatcher: reads,
      signal: withinLimit(signal),
    });
    const body = await readBody(answer.body);
    if (answer.statusCode !== 200) throw new Error(`the link answered with status ${answer.statusCode}`);
    return JSON.parse(body) as unknown;
  }

  return {
    get,
    post: (accessToken, path, body) => manage('POST', accessToken, path, { body }),
    asset,
    async sendMessage(accessToken, phoneNumberId, payload) {
      const abort = new AbortController();
      // A request that waits for a connection hears of its abort only when it gets one: it is not waited for then.
      let giveUp: (reason: Error) => void = () => undefined;
      const givenUp = new Promise<never>((_resolve, reject) => (giveUp = reject));
      const after = (ms: number, reason: string): NodeJS.Timeout =>
        setTimeout(() => {
          const error = new Error(reason);
          abort.abort(error);
          giveUp(error);
        }, ms);

      let started = false;
      let timer = after(times.startTimeoutMs, 'No connection to the upstream came free in time.');
      const onStart = (): void => {
        // An aborted request is not written any more.
        if (abort.signal.aborted) return;
        started = true;
        clearTimeout(timer);
        timer = after(times.answerTimeoutMs, 'The upstream did not answer in time.');
      };

      async function call(headers: Record<string, string>, answered: (status: number) => void): Promise<SendOutcome> {
        const answer = await request(`${base}/${encodeURIComponent(phoneNumberId)}/messages`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${accessToken}`,
            'content-type': 'application/json',
            accept: 'application/json',
            ...headers,
          },
          body: JSON.stringify(payload),
          dispatcher: sends.compose(
            (dispatch) => (options, handler) => dispatch(options, new StartObserver(handler, onStart)),
          ),
          signal: abort.signal,
        });
        answered(answer.statusCode);
        const retryAfter = answer.headers['retry-after'];
        const body = await readBody(answer.body);
        return readSendAnswer(answer.statusCode, body, Array.isArray(retryAfter) ? retryAfter[0] : retryAfter);
      }

      try {
        return await traced('POST', 'messages', (headers, answered) =>
          Promise.race([call(headers, answered), givenUp]),
        );
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (started) return { kind: 'unknown', reason };
        return { kind: 'rejected', class: 'retry', code: -1, title: 'Upstream not reachable', message: reason };
      } finally {
        clearTimeout(timer);
      }
    },
    async list(accessToken, path, query = {}) {
      const items: Json[] = [];
      let after: string | undefined;
      // A cursor that leads in circles must not hold a worker for ever.
      for (let page = 0; page < 1_000; page += 1) {
        const answer = await get(accessToken, path, { limit: '100', ...query, ...(after ? { after } : {}) });
        if (Array.isArray(answer['data'])) items.push(...(answer['data'] as Json[]));
        const paging = answer['paging'] as { next?: unknown; cursors?: { after?: unknown } } | undefined;
        const next = paging?.cursors?.after;
        if (!paging?.next || typeof next !== 'string' || next === after) return items;
        after = next;
      }
      return items;
    },
    async download(accessToken, url) {
      if (!isMediaUrl(url, config)) throw new Error('the upstream named a media address that is not its own');
      const answer = await request(url, {
        method: 'GET',
        headers: { authorization: `Bearer ${accessToken}` },
        dispatcher: reads,
        signal: AbortSignal.timeout(60_000),
      });
      const headers = Object.fromEntries(
        Object.entries(answer.headers).map(([key, value]) => [
          key,
          Array.isArray(value) ? value.join(', ') : (value ?? ''),
        ]),
      );
      return { status: answer.statusCode, headers, body: answer.body };
    },
    close: async () => void (await Promise.all([sends, reads].map((agent) => agent.close()))),
  };
}

function withinLimit(signal: AbortSignal | undefined): AbortSignal {
  const limit = AbortSignal.timeout(answerTimeoutMs);
  return signal ? AbortSignal.any([signal, limit]) : limit;
}

/** What `message_status` of an accepted message says where it is not on its way yet (upstream 1.5). */
const heldWords: readonly unknown[] = ['held_for_quality_assessment', 'paused'];

/** Reads the answer to a send: the platform's code decides, not the HTTP status (upstream 1.6). */
function readSendAnswer(status: number, body: string, retryAfter?: string): SendOutcome {
  const parsed = parseJson(body);
  if (status >= 200 && status < 300) {
    const message = (parsed?.['messages'] as Json[] | undefined)?.[0];
    const contact = (parsed?.['contacts'] as Json[] | undefined)?.[0];
    const wamid = message?.['id'];
    if (typeof wamid !== 'string' || wamid === '')
      return { kind: 'unknown', reason: 'The upstream accepted the request without giving a message id.' };
    return {
      kind: 'accepted',
      wamid,
      ...(heldWords.includes(message?.['message_status']) ? { held: true as const } : {}),
      ...(typeof contact?.['wa_id'] === 'string' ? { waId: contact['wa_id'] } : {}),
      ...(typeof contact?.['user_id'] === 'string' ? { userId: contact['user_id'] } : {}),
    };
  }
  const fault = errorOf(parsed);
  const seconds = retryAfter && /^\d{1,6}$/.test(retryAfter.trim()) ? Number(retryAfter) : undefined;
  if (!fault) {
    // A 4xx was refused before it was processed; a 5xx without a readable error may have been sent.
    if (status >= 500)
      return { kind: 'unknown', reason: `The upstream answered with status ${status} and no readable error.` };
    return {
      kind: 'rejected',
      class: status === 429 ? 'retry' : 'permanent',
      status,
      code: status,
      title: `HTTP ${status}`,
      message: 'The upstream refused the request without a readable error.',
      ...(seconds ? { retryAfterMs: seconds * 1000 } : {}),
    };
  }
  return {
    kind: 'rejected',
    class: classify(fault.code),
    status,
    code: fault.code,
    title: fault.title,
    message: fault.message,
    ...(seconds ? { retryAfterMs: seconds * 1000 } : {}),
  };
}

function parseJson(body: string): Json | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}

function errorOf(parsed: Json | null): { code: number; title: string; message: string; subcode: number | null } | null {
  const fault = parsed?.['error'] as Json | undefined;
  if (typeof fault !== 'object' || fault === null || typeof fault['code'] !== 'number') return null;
  const title = typeof fault['message'] === 'string' ? fault['message'] : 'Error';
  const data = fault['error_data'];
  const details =
    typeof data === 'string' ? data : typeof data === 'object' && data !== null ? (data as Json)['details'] : undefined;
  return {
    code: fault['code'],
    subcode: typeof fault['error_subcode'] === 'number' ? fault['error_subcode'] : null,
    title: title.slice(0, 255),
    message: typeof details === 'string' && details !== '' ? details : title,
  };
}

import type { Readable } from 'node:stream';
import { Agent, DecoratorHandler, request, type Dispatcher } from 'undici';
import type { Config } from '../config';
import { noTracing, type SpanOptions, type Tracing } from '../http/tracing';
import { codes, errorOf, parseJson, readSendAnswer, type Refused, type SendOutcome } from './answers';
import { formOf, readUploadAnswer, type Sent } from './uploads';
import { isAssetUrl, isMediaUrl } from './upstreamHosts';

/** Below the activity's own limit of 20 s, so that the caller is always there to record the answer. */
const answerTimeoutMs = 10_000;
const connectTimeoutMs = 3_000;
/** How long a send may wait for its connection; nothing has been sent until then. */
const startTimeoutMs = 4_000;
/** For a whole file; one that stands still ends much sooner. */
const transferTimeoutMs = 300_000;
const maxAnswerBytes = 8 * 1024 * 1024;

/** Connections for everything that is no send. */
const readConnections = 32;

/** Sizes and times that tests change. */
interface UpstreamLimits {
  readonly startTimeoutMs: number;
  readonly answerTimeoutMs: number;
  readonly tracing: Tracing;
}

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

/** Returns the outcome where the platform was not reached: nothing was sent. */
function notReached(message: string): Refused {
  return { kind: 'rejected', class: 'retry', code: codes.notReached, title: 'Upstream not reachable', message };
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
  /** Changes something that is no message; throws as `get` does, and `signal` ends it as there. */
  post(accessToken: string, path: string, body: Json, signal?: AbortSignal): Promise<Json>;
  /** Returns all items of a paged list; throws as `get` does, also where the answer is only a part of one. */
  list(accessToken: string, path: string, query?: Record<string, string>): Promise<Json[]>;
  /** Returns the JSON behind a short-lived link that the upstream gave; the link is the key, so no token goes along. */
  asset(url: string, signal?: AbortSignal): Promise<unknown>;
  /** Returns a media file's bytes as a stream, with its type and length. */
  download(
    accessToken: string,
    url: string,
  ): Promise<{ status: number; headers: Record<string, string>; body: Dispatcher.ResponseData['body'] }>;
  /**
   * `POST /{phone number}/media`: returns what the platform calls the file from then on. Never throws for what the
   * platform or the network does; an error of the stream itself is the caller's.
   */
  uploadMedia(accessToken: string, phoneNumberId: string, file: Sent, bytes: Readable): Promise<string | Refused>;
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
    post: (accessToken, path, body, signal) => manage('POST', accessToken, path, { body, signal }),
    asset,
    async sendMessage(accessToken, phoneNumberId, payload) {
      const abort = new AbortController();
      // A request that waits for a connection notices its abort only once it has one, so the caller does not wait for
      // it.
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
        return notReached(reason);
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
        if (!Array.isArray(answer['data'])) throw partOfList('answered without a list');
        items.push(...(answer['data'] as Json[]));
        const paging = answer['paging'] as { next?: unknown; cursors?: { after?: unknown } } | undefined;
        const next = paging?.cursors?.after;
        if (!paging?.next) return items;
        if (typeof next !== 'string' || next === after) throw partOfList('does not say where its list goes on');
        after = next;
      }
      throw partOfList('gives a list that does not end');
    },
    async download(accessToken, url) {
      if (!isMediaUrl(url, config)) throw new Error('the upstream named a media address that is not its own');
      const answer = await request(url, {
        method: 'GET',
        headers: { authorization: `Bearer ${accessToken}` },
        dispatcher: reads,
        signal: AbortSignal.timeout(transferTimeoutMs),
      });
      const headers = Object.fromEntries(
        Object.entries(answer.headers).map(([key, value]) => [
          key,
          Array.isArray(value) ? value.join(', ') : (value ?? ''),
        ]),
      );
      return { status: answer.statusCode, headers, body: answer.body };
    },
    async uploadMedia(accessToken, phoneNumberId, file, bytes) {
      let broken: unknown = null;
      bytes.once('error', (error) => (broken = error));
      const form = formOf(file, bytes);
      try {
        return await traced('POST', 'media', async (headers, answered) => {
          const answer = await request(`${base}/${encodeURIComponent(phoneNumberId)}/media`, {
            method: 'POST',
            headers: { authorization: `Bearer ${accessToken}`, ...form.headers, ...headers },
            body: form.body,
            dispatcher: reads,
            signal: AbortSignal.timeout(transferTimeoutMs),
          });
          answered(answer.statusCode);
          return readUploadAnswer(answer.statusCode, await readBody(answer.body));
        });
      } catch (error) {
        if (broken !== null) throw broken;
        const message = error instanceof Error ? error.message : String(error);
        return notReached(message);
      } finally {
        bytes.destroy();
      }
    },
    close: async () => void (await Promise.all([sends, reads].map((agent) => agent.close()))),
  };
}

/** Returns the fault of an answer that is only a part of a list: what is not in one would count as deleted. */
function partOfList(what: string): UpstreamError {
  return new UpstreamError(200, -1, `The upstream ${what}.`);
}

function withinLimit(signal: AbortSignal | undefined): AbortSignal {
  const limit = AbortSignal.timeout(answerTimeoutMs);
  return signal ? AbortSignal.any([signal, limit]) : limit;
}

import { MsgdeskError } from './errors.js';
import type { ErrorCode } from './generated.js';

/** Where the service is, who asks, and how long it is tried. */
export interface ClientSettings {
  /** Address of the installation, without a path. */
  readonly baseUrl: string;
  /** An API key of the workspace. */
  readonly apiKey: string;
  /** How often a request is sent again after the first time. Default: 3. */
  readonly retries?: number;
  /** How long one try may take, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
  /** The longest pause that `Retry-After` may ask for, in milliseconds; a longer one is an error. Default: 60,000. */
  readonly maxPauseMs?: number;
  /** What requests are sent with. Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** What every method takes last. */
export interface Options {
  readonly signal?: AbortSignal;
  readonly retries?: number;
  readonly timeoutMs?: number;
}

/** What methods that make something take last. */
export interface KeyedOptions extends Options {
  /** Your own key, such as the number of an order; without it one is made, the same for all tries of the call. */
  readonly idempotencyKey?: string;
}

/** What methods that change something with a tag take last. */
export interface ConditionalOptions extends Options {
  /** An object as a `get` gave it, or its tag: if anything in it has changed since, nothing is written (412). */
  readonly ifMatch?: object | string;
}

/** One request, as the methods describe it. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** The operation takes an Idempotency-Key. */
  readonly isKeyed: boolean;
  readonly options: KeyedOptions & ConditionalOptions;
}

const tags = new WeakMap<object, string>();
const passing = new Set([429, 502, 503, 504]);

/** Sends requests again where that does nothing twice. */
export class Http {
  private readonly base: string;

  constructor(private readonly settings: ClientSettings) {
    this.base = settings.baseUrl.endsWith('/') ? settings.baseUrl.slice(0, -1) : settings.baseUrl;
  }

  /** Sends a request and returns the answer. Throws a `MsgdeskError` for a refusal. */
  async send(request: Request): Promise<Response> {
    const { options } = request;
    const key = request.isKeyed ? (options.idempotencyKey ?? crypto.randomUUID()) : undefined;
    // Whatever is asked, changed or erased twice is as after once; what is made is found again by its key.
    const isSafe = request.method !== 'POST' || key !== undefined;
    const tries = 1 + (options.retries ?? this.settings.retries ?? 3);
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.once(request, key).catch((error: unknown) => {
        if (!isSafe || attempt >= tries || options.signal?.aborted) throw error;
        return null;
      });
      if (answer?.ok) return answer;
      // The first try had erased it, and its answer was lost.
      if (answer?.status === 404 && request.method === 'DELETE' && attempt > 1) return new Response(null);
      const refusal = answer && (await refusalOf(answer));
      if (refusal && (attempt >= tries || !mayPass(refusal, isSafe))) throw refusal;
      const asked = refusal?.retryAfter ?? null;
      const pauseMs = asked === null ? 250 * 2 ** attempt * (1 + Math.random()) : asked * 1000;
      if (refusal && pauseMs > (this.settings.maxPauseMs ?? 60_000)) throw refusal;
      await pause(pauseMs, options.signal);
    }
  }

  /** Sends a request and returns the object of its answer. */
  async object<T>(request: Request): Promise<T> {
    const answer = await this.send(request);
    const value: unknown = answer.status === 204 || answer.body === null ? undefined : await answer.json();
    const tag = answer.headers.get('etag');
    if (tag !== null && typeof value === 'object' && value !== null) tags.set(value, tag);
    return value as T;
  }

  private async once({ method, path, query = {}, body, options }: Request, key?: string): Promise<Response> {
    const url = new URL(this.base + path);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined && value !== null)
        url.searchParams.set(name, value instanceof Date ? value.toISOString() : String(value));
    const headers: Record<string, string> = { authorization: `Bearer ${this.settings.apiKey}` };
    if (key !== undefined) headers['idempotency-key'] = key;
    const { ifMatch } = options;
    if (ifMatch !== undefined) headers['if-match'] = tagOf(ifMatch);
    const isForm = body instanceof FormData;
    if (body !== undefined && !isForm) headers['content-type'] = 'application/json';
    const timeout = AbortSignal.timeout(options.timeoutMs ?? this.settings.timeoutMs ?? 30_000);
    return await (this.settings.fetch ?? fetch)(url, {
      method,
      headers,
      // A redirect could lead the key to another house.
      redirect: 'error',
      signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
  }
}

/** What was refused for the moment; of 5xx only what says so, or what may safely be sent twice. */
function mayPass({ status, code }: MsgdeskError, isSafe: boolean): boolean {
  if (status === 429 || code === 'idempotency_in_flight') return true;
  return isSafe && (passing.has(status) || status === 500);
}

function tagOf(given: object | string): string {
  const tag = typeof given === 'string' ? given : tags.get(given);
  if (tag === undefined) throw new TypeError('ifMatch takes an object as `get` returned it, or its tag.');
  return tag;
}

async function refusalOf(answer: Response): Promise<MsgdeskError> {
  const text = await answer.text().catch(() => '');
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // What stands before the service answers in its own words.
  }
  const { headers, status } = answer;
  const code = headers.get('x-error-code') ?? (status >= 500 ? 'unavailable' : 'invalid');
  const seconds = Number(headers.get('retry-after') ?? NaN);
  const wait = Number.isFinite(seconds) ? seconds : null;
  return new MsgdeskError(status, code as ErrorCode, body, headers.get('x-request-id') ?? '', wait);
}

/** Waits; ends early, by throwing, when the caller gives up. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

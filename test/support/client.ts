import type { IncomingHttpHeaders } from 'node:http';
import { type Agent, FormData, request } from 'undici';
import type { AnswerCheck } from './answers';
import type { AnswerAt } from './typedAnswers';

/** What came back. `body` is the parsed JSON, the text where it is no JSON, undefined where there is none. */
export interface ApiAnswer<T = Record<string, unknown>> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: T;
}

type Headers = Readonly<Record<string, string>>;

/** Stands for a type that was not named: the answer is then typed by its address. */
declare const unnamed: unique symbol;
/** An address whose answer is of the type that the caller names, who has to name one. */
type Named<T> = [T] extends [typeof unnamed] ? never : string;

/** Speaks to the API over real HTTP as one credential. Answers are typed by their addresses (typedAnswers.ts). */
export interface ApiClient {
  get<T = typeof unnamed>(path: Named<T>, headers?: Headers): Promise<ApiAnswer<T>>;
  get<P extends string>(path: P, headers?: Headers): Promise<ApiAnswer<AnswerAt<'GET', P>>>;
  post<T = typeof unnamed>(path: Named<T>, body?: unknown, headers?: Headers): Promise<ApiAnswer<T>>;
  post<P extends string>(path: P, body?: unknown, headers?: Headers): Promise<ApiAnswer<AnswerAt<'POST', P>>>;
  patch<T = typeof unnamed>(path: Named<T>, body?: unknown, headers?: Headers): Promise<ApiAnswer<T>>;
  patch<P extends string>(path: P, body?: unknown, headers?: Headers): Promise<ApiAnswer<AnswerAt<'PATCH', P>>>;
  delete<T = typeof unnamed>(path: Named<T>, headers?: Headers): Promise<ApiAnswer<T>>;
  delete<P extends string>(path: P, headers?: Headers): Promise<ApiAnswer<AnswerAt<'DELETE', P>>>;
  /** Any method; a string or Buffer body goes out as it is, with the content type of `headers`. */
  request<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Headers,
  ): Promise<ApiAnswer<T>>;
  /** Returns the same server with other headers, `authorization` for example; an empty text takes a header away. */
  with(headers: Headers): ApiClient;
}

/** Returns a client of the server at `origin`. Every answer is checked against the OpenAPI document. */
export function createClient(origin: string, agent: Agent, check: AnswerCheck, own: Headers = {}): ApiClient {
  async function send<T>(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<ApiAnswer<T>> {
    // Links in answers are absolute, from BASE_URL; here they lead to the server under test.
    const target = /^https?:\/\//.test(path) ? `${new URL(path).pathname}${new URL(path).search}` : path;
    const raw = typeof body === 'string' || Buffer.isBuffer(body);
    const form = body instanceof FormData || body instanceof URLSearchParams;
    const type =
      body === undefined || raw
        ? {}
        : body instanceof URLSearchParams
          ? { 'content-type': 'application/x-www-form-urlencoded' }
          : form
            ? {}
            : { 'content-type': 'application/json' };
    const all = Object.fromEntries(Object.entries({ ...type, ...own, ...headers }).filter(([, value]) => value !== ''));
    const payload =
      body === undefined
        ? null
        : body instanceof URLSearchParams
          ? body.toString()
          : raw || form
            ? (body as string | Buffer | FormData)
            : JSON.stringify(body);
    const answer = await request(origin + target, {
      method: method as 'GET',
      headers: all,
      body: payload,
      dispatcher: agent,
      headersTimeout: 100_000,
      bodyTimeout: 100_000,
    });
    const text = await answer.body.text();
    const json = String(answer.headers['content-type'] ?? '').includes('application/json');
    const parsed: unknown = text === '' ? undefined : json ? JSON.parse(text) : text;
    check.check(
      method,
      target.split('?')[0] ?? target,
      answer.statusCode,
      answer.headers as IncomingHttpHeaders,
      parsed,
    );
    return { status: answer.statusCode, headers: answer.headers as IncomingHttpHeaders, body: parsed as T };
  }

  // Of which type an answer is, the address says: this function does not know it.
  return {
    get: (path: string, headers?: Headers) => send('GET', path, undefined, headers),
    post: (path: string, body?: unknown, headers?: Headers) => send('POST', path, body, headers),
    patch: (path: string, body?: unknown, headers?: Headers) => send('PATCH', path, body, headers),
    delete: (path: string, headers?: Headers) => send('DELETE', path, undefined, headers),
    request: send,
    with: (headers: Headers) => createClient(origin, agent, check, { ...own, ...headers }),
  } as ApiClient;
}

import { setTimeout as sleep } from 'node:timers/promises';

const patienceMs = 60_000;
const callLimitMs = 20_000;

/** A parsed answer of the API, by the names that are used here. */
export interface Answer {
  readonly id: number;
  readonly client_id: string;
  readonly access_token: string;
  readonly api_key: string;
  readonly message_id: string;
  readonly direction: string;
  readonly results: readonly Answer[];
  readonly name: string;
  readonly status: string;
  readonly stages: readonly Answer[];
  readonly last_message: Answer & { readonly body: Question };
}

/** A message with buttons, or another one. */
interface Question {
  readonly interactive?: { readonly action?: { readonly buttons: readonly { readonly reply: Body }[] } };
}

export type Body = Readonly<Record<string, unknown>>;
export type Api = <T = Answer>(method: string, route: string, body?: Body) => Promise<T>;

/**
 * Calls an address and returns headers, text and parsed JSON; throws where the answer is not a success. Told that these
 * were too many calls, it waits as long as the answer says and calls again.
 */
export async function call<T = Answer>(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: Body | URLSearchParams,
): Promise<{ headers: Headers; text: string; json: T }> {
  const isForm = body instanceof URLSearchParams;
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(callLimitMs),
    headers: { ...(body && !isForm ? { 'content-type': 'application/json' } : {}), ...headers },
    body: body && !isForm ? JSON.stringify(body) : body,
  });
  const text = await response.text();
  if (response.status === 429) {
    await sleep(Number(response.headers.get('retry-after') ?? 1) * 1_000);
    return call(method, url, headers, body);
  }
  if (response.status >= 400) throw new Error(`${method} ${url} answered ${response.status}: ${text}`);
  const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json');
  return { headers: response.headers, text, json: (isJson && text ? JSON.parse(text) : null) as T };
}

/**
 * Returns what `look` finds, asking again until it finds something: less and less often, since a key may send 60
 * requests a minute.
 */
export async function until<T>(what: string, look: () => Promise<T | null>): Promise<T> {
  const end = Date.now() + patienceMs;
  for (let waitMs = 250; ; waitMs = Math.min(2 * waitMs, 2_000)) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await sleep(waitMs);
  }
}

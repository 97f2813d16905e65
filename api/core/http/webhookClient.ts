import { cut } from '../text/cut';
import { lookup as resolveName, type LookupAddress, type LookupOptions } from 'node:dns';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { Agent, buildConnector, errors, request, type Dispatcher } from 'undici';
import type { Config } from '../config';
import { reason, type Message } from './reasons';

/** All the time that a receiver has, from the first look at its name to the end of its answer. */
const webhookTimeoutMs = 15_000;
const connectTimeoutMs = 10_000;
/** Read of an answer; the rest of a longer one is not waited for. */
const maxWebhookAnswerBytes = 64 * 1024;

/** What a receiver answered, or why it could not be asked. */
export interface WebhookAnswer {
  /** Null: there was no answer. */
  readonly status: number | null;
  /** Why it does not count as delivered; empty where it does. */
  readonly error: string;
  readonly retryAfterMs: number | null;
  /** The body of a 2xx answer; null where it was longer than is read, or broke off. */
  readonly body: string | null;
}

/** Sends events to addresses that customers chose: nothing that they name may lead into our own network. */
export interface WebhookClient {
  /** Sends one POST; never throws for what the receiver or the network does. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string | Buffer): Promise<WebhookAnswer>;
  /** Reads a small document; gives why there is none to be had. */
  read(
    url: string,
    limits: { readonly maxBytes: number; readonly maxMs: number },
  ): Promise<{ readonly body: string } | { readonly problem: string }>;
  /** Makes one call, for a protocol that needs more than that; its answer is bounded. Throws where there is none. */
  fetch(
    url: string,
    call: {
      readonly method: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body?: unknown;
      readonly signal?: AbortSignal | undefined;
    },
  ): Promise<Response>;
  close(): Promise<void>;
}

// The special-purpose registries of IANA (RFC 6890 and its successors), and multicast.
const privateRanges: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  // Public by its range, but the platform of Azure answers there to machines inside.
  ['168.63.129.16', 32],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];
/** Within 2000::/3, which is all that is global unicast: protocol assignments, documentation, 6to4. */
const privateRanges6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];
/** Forms that carry an IPv4 address in their last 32 bits: mapped ones and NAT64. */
const carriesIpv4 = listOf6([
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
]);
const global6 = listOf6([['2000::', 3]]);
const special6 = listOf6(privateRanges6);
const special4 = new BlockList();
for (const [network, prefix] of privateRanges) special4.addSubnet(network, prefix, 'ipv4');

function listOf6(ranges: readonly (readonly [network: string, prefix: number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, 'ipv6');
  return list;
}

/** Returns whether an IP address is of the public Internet: neither private, link-local nor of any special purpose. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !special4.check(address, 'ipv4');
  // A zone id names an interface of this machine.
  if (!isIPv6(address) || address.includes('%')) return false;
  if (carriesIpv4.check(address, 'ipv6')) return !special4.check(lastFourBytes(address), 'ipv4');
  return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
}

/** Reads the IPv4 address at the end of an IPv6 one, whichever way it is written. */
function lastFourBytes(address: string): string {
  // The URL parser brings every spelling to groups of hexadecimal digits.
  const groups = new URL(`http://[${address}]/`).hostname.slice(1, -1).split(':');
  const [high = 0, low = 0] = groups.slice(-2).map((group) => (group === '' ? 0 : parseInt(group, 16)));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Returns why an address cannot be a receiver's, or null. A name is judged when it is connected to. */
export function webhookUrlProblem(text: string, allowPrivate: boolean): Message | null {
  // A URL passes over line breaks and tabs; what is shown and kept has to be what is called.
  if (/[\s\p{Cc}\p{Cf}]/u.test(text)) return reason('noUrl');
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return reason('noUrl');
  }
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return reason('urlHttps');
  if (url.username !== '' || url.password !== '') return reason('urlNobody');
  if (allowPrivate) return null;
  // Low ports belong to other protocols, which must not be spoken to with words of a customer's choice.
  if (url.port !== '' && Number(url.port) < 1024) return reason('urlPort');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) !== 0 && !isPublicAddress(host) ? reason('urlPrivate', { host }) : null;
}

type LookupDone = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/** Resolves a name to all of its addresses, as `dns.lookup` does. */
export type ResolveName = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Makes the lookup of connections, which gives public addresses only. The connection is made to what is judged here, so
 * that a name cannot lead elsewhere between the look and the connection.
 */
function publicLookup(resolve: ResolveName) {
  return (hostname: string, options: LookupOptions, done: LookupDone): void =>
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = error ? [] : addresses;
      // One private address among public ones would be as good as only private ones: which is taken is chance. A name
      // that does not exist is refused in the same words: else they would tell which names our own network has.
      if (!first || !addresses.every(({ address }) => isPublicAddress(address)))
        return done(
          Object.assign(new Error(`${hostname} does not resolve to public addresses only.`), {
            code: 'EREFUSEDADDRESS',
          }),
          '',
        );
      return options.all ? done(null, addresses) : done(null, first.address, first.family);
    });
}

/** Opens connections on first use. `options` replaces what only tests replace. */
export function createWebhookClient(
  config: Pick<Config, 'webhookAllowPrivate'>,
  options: { readonly timeoutMs?: number; readonly resolve?: ResolveName } = {},
): WebhookClient {
  const allowPrivate = config.webhookAllowPrivate;
  const { timeoutMs = webhookTimeoutMs, resolve = resolveName } = options;
  const connect = buildConnector({
    timeout: Math.min(connectTimeoutMs, timeoutMs),
    ...(allowPrivate ? {} : { lookup: publicLookup(resolve) }),
  });
  /** How much had come over the connection that an error broke. */
  const readBefore = new WeakMap<object, number>();
  // As many connections as there are calls: workspaces send to the same hosts, and none waits for another's answers.
  const makeAgent = (): Agent =>
    new Agent({
      pipelining: 1,
      connect: (target, done) =>
        connect(target, (...[error, socket]) => {
          if (error) return done(error, null);
          socket.on('error', (broken: Error) => readBefore.set(broken, socket.bytesRead));
          done(null, socket);
        }),
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
  const agent = makeAgent();

  async function exchange(dispatcher: Dispatcher, call: Call): Promise<WebhookAnswer> {
    // Redirects are not followed: `request` answers them as they are.
    const { url, ...rest } = call;
    const answer = await request(url, { method: 'POST', ...rest, dispatcher });
    const { statusCode: status } = answer;
    const delivered = status >= 200 && status < 300;
    return {
      status,
      error: delivered ? '' : `The receiver answered with status ${status}.`,
      retryAfterMs: retryAfterOf(answer.headers['retry-after']),
      body: delivered ? await readBody(answer.body) : await dropBody(answer.body),
    };
  }

  /**
   * Returns whether a call failed because the receiver closed a kept-alive connection just as it was used again. Bytes
   * that were read belong to earlier answers: once the head of the present answer has arrived, no error is thrown.
   */
  function wasLeftOver(error: unknown): boolean {
    if (error instanceof errors.SocketError) return (error.socket?.bytesRead ?? 0) > 0;
    return typeof error === 'object' && error !== null && (readBefore.get(error) ?? 0) > 0;
  }

  return {
    async post(url, headers, body) {
      // Stored addresses are judged again: the setting may have changed, and a literal address is never looked up.
      const problem = webhookUrlProblem(url, allowPrivate);
      if (problem !== null) return { status: null, error: String(problem), retryAfterMs: null, body: null };
      // One limit for both connections.
      const call: Call = { url, headers, body, signal: AbortSignal.timeout(timeoutMs) };
      try {
        return await exchange(agent, call).catch(async (error: unknown) => {
          if (!wasLeftOver(error)) throw error;
          // The receiver knows it by its webhook-id, should it have read it before it closed.
          const fresh = makeAgent();
          try {
            return await exchange(fresh, call);
          } finally {
            await fresh.destroy();
          }
        });
      } catch (error) {
        return { status: null, error: reasonOf(error, timeoutMs), retryAfterMs: null, body: null };
      }
    },
    async read(url, { maxBytes, maxMs }) {
      const problem = webhookUrlProblem(url, allowPrivate);
      if (problem !== null) return { problem: String(problem) };
      try {
        const signal = AbortSignal.timeout(maxMs);
        const { statusCode: status, body } = await request(url, { headers: jsonOnly, signal, dispatcher: agent });
        const text = status === 200 ? await readBody(body, maxBytes) : await dropBody(body);
        if (status >= 300 && status < 400) return { problem: 'The address leads to another one: give that one.' };
        if (status !== 200) return { problem: `The address answered with status ${status}.` };
        // What came too slowly breaks off as well.
        signal.throwIfAborted();
        return text === null ? { problem: `The document is longer than ${maxBytes} bytes.` } : { body: text };
      } catch (error) {
        return { problem: reasonOf(error, maxMs) };
      }
    },
    async fetch(url, { method, headers, body, signal = AbortSignal.timeout(timeoutMs) }) {
      const problem = webhookUrlProblem(url, allowPrivate);
      if (problem !== null) throw new Error(String(problem));
      const given = body === undefined || body === null ? null : String(body);
      const call = { method: method as Dispatcher.HttpMethod, headers, body: given, signal, dispatcher: agent };
      const { statusCode: status, headers: answered, body: stream } = await request(url, call);
      const text = await readBody(stream);
      signal.throwIfAborted();
      if (text === null) throw new Error('The answer is too long, or broke off.');
      const type = answered['content-type'];
      return new Response(text, { status, headers: typeof type === 'string' ? { 'content-type': type } : {} });
    },
    close: () => agent.destroy(),
  };
}

const jsonOnly = { accept: 'application/json' };

interface Call {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  readonly signal: AbortSignal;
}

/** The status has decided already: an answer that breaks off, or is too long, only loses its body. */
async function readBody(
  body: Dispatcher.ResponseData['body'],
  maxBytes = maxWebhookAnswerBytes,
): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) return null;
      chunks.push(chunk);
    }
  } catch {
    return null;
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function dropBody(body: Dispatcher.ResponseData['body']): Promise<null> {
  await body.dump({ limit: maxWebhookAnswerBytes }).catch(() => undefined);
  return null;
}

/** Reads `Retry-After`, which is seconds or a date (RFC 9110); null where there is none that can be read. */
function retryAfterOf(header: string | string[] | undefined): number | null {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const at = text === '' ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}

function reasonOf(error: unknown, timeoutMs: number): string {
  const { name } = (error ?? {}) as { name?: unknown };
  if (name === 'TimeoutError') return `The receiver did not answer within ${timeoutMs / 1_000} s.`;
  if (!(error instanceof Error)) return String(error);
  const causes = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  const first = causes.find((cause) => cause instanceof Error);
  return cut(error.message || first?.message || error.name, 400);
}

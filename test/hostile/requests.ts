import { METHODS } from 'node:http';
import { connect, type Socket } from 'node:net';

/** Lines of a head, behind the request's own and the host, which cost nothing to send. */
interface HostileHead {
  readonly name: string;
  readonly lines: readonly string[];
}

const times = (count: number, line: (index: number) => string): string[] =>
  Array.from({ length: count }, (_unused, index) => line(index));
const long = (bytes: number): string => 'x'.repeat(bytes);

/** Heads as no client sends them: a server refuses them, or passes over them. */
export const hostileHeads: readonly HostileHead[] = [
  { name: 'ninety headers', lines: times(90, (index) => `x-${index}: ${index}`) },
  { name: 'two thousand headers', lines: times(2_000, () => 'x: y') },
  { name: 'a long header', lines: [`x: ${long(14_000)}`] },
  { name: 'a header that is too long', lines: [`x: ${long(100_000)}`] },
  { name: 'one header many times', lines: times(90, () => 'accept: */*') },
  { name: 'many cookies', lines: [`cookie: ${times(1_500, (index) => `c${index}=1`).join('; ')}`] },
  { name: 'tokens in cookies', lines: [`cookie: ${times(1_500, () => 'token=%').join('; ')}`] },
  { name: 'two lengths', lines: ['content-length: 1', 'content-length: 2'] },
  { name: 'a length and pieces', lines: ['content-length: 4', 'transfer-encoding: chunked'] },
  { name: 'a length below zero', lines: ['content-length: -1'] },
  { name: 'a length of words', lines: ['content-length: many'] },
  { name: 'pieces in pieces', lines: ['transfer-encoding: chunked, chunked'] },
  { name: 'a second host', lines: ['host: elsewhere.example'] },
  { name: 'a folded line', lines: ['x: a', ' b'] },
  { name: 'a line without a name', lines: [': nobody'] },
  { name: 'a name with a blank', lines: ['x y: z'] },
  { name: 'a name of an object', lines: ['__proto__: x', 'constructor: x', 'toString: x'] },
  { name: 'bytes that are no text', lines: ['x: \u0001\u0002'] },
  { name: 'letters of others', lines: ['x-request-id: \u00e9\u00ff', 'user-agent: \u00ff'] },
  { name: 'a credential of blanks', lines: [`authorization: ${' '.repeat(12_000)}Bearer`] },
  { name: 'a credential of commas', lines: [`authorization: Bearer ${','.repeat(12_000)}`] },
  { name: 'an expectation', lines: ['expect: miracles'] },
  { name: 'another protocol', lines: ['connection: upgrade', 'upgrade: websocket'] },
  { name: 'ranges', lines: [`range: bytes=${times(1_500, (index) => `${index}-`).join(',')}`] },
  { name: 'tags', lines: [`if-none-match: ${times(3_000, () => '""').join(',')}`] },
  { name: 'languages', lines: [`accept-language: ${times(1_500, () => 'a;q=0').join(',')}`] },
  { name: 'types', lines: [`accept: ${times(1_500, () => '*/*;q=0').join(',')}`] },
  { name: 'forwarders', lines: [`x-forwarded-for: ${times(3_000, () => '::1').join(',')}`] },
  { name: 'traces', lines: [`traceparent: ${long(8_000)}`, `tracestate: ${times(2_000, () => 'a=b').join(',')}`] },
  { name: 'an origin without a place', lines: ['origin: null', 'referer: ://'] },
  { name: 'a page that asks', lines: ['hx-request: true', `hx-current-url: ${long(8_000)}`] },
];

/** Every method that Node reads, but the one that makes it a tunnel. */
export const hostileMethods = METHODS.filter((method) => method !== 'CONNECT');

/** What came of bytes that were sent as they are. */
interface RawAnswer {
  /** 0: the connection ended without an answer. */
  readonly status: number;
  readonly bytes: number;
  /** How long the connection was open. */
  readonly ms: number;
}

/** How long somebody hostile goes on at most, where the server ends nothing. */
const patienceMs = 20_000;

/** Sends a request with a head of one's own and what `body` sends, and asks for the connection's end. */
export function sendHead(
  url: string,
  line: string,
  lines: readonly string[],
  body?: (socket: Socket) => void,
): Promise<RawAnswer> {
  const { hostname, port, host } = new URL(url);
  const begun = performance.now();
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    let bytes = 0;
    socket.setTimeout(patienceMs, () => socket.destroy());
    socket.on('data', (data) => {
      bytes += data.length;
      if (text.length < 64) text += data.toString('latin1');
    });
    // A server that refuses may close on what still comes.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
      resolve({ status, bytes, ms: performance.now() - begun });
    });
    socket.write(
      Buffer.from(`${[line, `host: ${host}`, 'connection: close', ...lines].join('\r\n')}\r\n\r\n`, 'latin1'),
    );
    body?.(socket);
  });
}

/** Sends one byte after the other, until the connection ends. */
export function dripping(everyMs: number): (socket: Socket) => void {
  return (socket) => {
    const timer = setInterval(() => socket.write(' '), everyMs);
    socket.once('close', () => clearInterval(timer));
  };
}

/** Goes on sending several megabytes a second, whatever it is answered, until the connection ends. */
export function pouring(socket: Socket): void {
  const piece = Buffer.alloc(64 * 1024);
  const timer = setInterval(() => socket.writableNeedDrain || socket.write(piece), 5);
  socket.once('close', () => clearInterval(timer));
}

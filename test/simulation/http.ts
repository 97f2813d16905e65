import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/** An answer as a client reads it. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Lets a process answer a JSON request as if it came over a connection. */
export function post(
  handler: Handler,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: object,
): Promise<HttpAnswer> {
  const wire = new Duplex({
    read: () => undefined,
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  Object.assign(wire, { remoteAddress: '127.0.0.1', setTimeout: () => wire });
  const text = Buffer.from(JSON.stringify(body));
  const req = new IncomingMessage(wire as Socket);
  Object.assign(req, { method: 'POST', url: path, httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1 });
  Object.assign(req.headers, {
    host: 'desk.test',
    'content-type': 'application/json',
    'content-length': String(text.length),
    ...headers,
  });
  req.push(text);
  req.push(null);
  const res = new ServerResponse(req);
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown): void => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const answered = new Promise<HttpAnswer>((resolve) => {
    const end = res.end.bind(res) as (...args: unknown[]) => ServerResponse;
    res.end = (...args: unknown[]) => {
      keep(args[0]);
      const said = Buffer.concat(chunks).toString('utf8');
      resolve({ status: res.statusCode, body: said.startsWith('{') ? (JSON.parse(said) as unknown) : said });
      return end(...args);
    };
  });
  const write = res.write.bind(res) as (...args: unknown[]) => boolean;
  res.write = (...args: unknown[]) => {
    keep(args[0]);
    return write(...args);
  };
  res.assignSocket(wire as Socket);
  handler(req, res);
  return answered;
}

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An upstream that answers sends when the test says so. */
export interface HeldUpstream {
  readonly url: string;
  /** Our own ids of the sends that arrived, in their order. */
  readonly arrived: readonly string[];
  /** What came with each of them. */
  readonly headers: readonly IncomingHttpHeaders[];
  /** Returns how many wait for their answer. */
  waiting(): number;
  /** Answers some of the sends that wait. */
  answer(count: number): void;
  /** Answers the sends that wait, and from now on each at once. */
  release(): void;
  /** Refuses the next send for now, by the platform's code; it is not held. */
  refuseNext(code: number): void;
  close(): Promise<void>;
}

/** Starts the upstream on a free port; it holds every answer until `release`. */
export async function startHeldUpstream(): Promise<HeldUpstream> {
  const arrived: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const held: (() => void)[] = [];
  const refusals: number[] = [];
  let released = false;

  function accept(response: ServerResponse, opaque: string): void {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({ messaging_product: 'whatsapp', contacts: [], messages: [{ id: `wamid.${opaque}` }] }),
    );
  }
  function refuse(response: ServerResponse, code: number): void {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { code, message: `(#${code}) Not now` } }));
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { biz_opaque_callback_data?: string };
      const opaque = body.biz_opaque_callback_data ?? '';
      arrived.push(opaque);
      headers.push(request.headers);
      const refusal = refusals.shift();
      if (refusal !== undefined) refuse(response, refusal);
      else if (released) accept(response, opaque);
      else held.push(() => accept(response, opaque));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    headers,
    refuseNext: (code) => void refusals.push(code),
    waiting: () => (released ? 0 : held.length),
    answer: (count) => held.splice(0, count).forEach((answer) => answer()),
    release() {
      released = true;
      for (const answer of held.splice(0)) answer();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

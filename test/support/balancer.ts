import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A small load balancer, as one stands in front of an installation: in turn to all replicas that are ready. */
export interface Balancer {
  readonly url: string;
  /** How many requests each replica was given. */
  readonly given: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

const lookEveryMs = 500;

/** Starts it on a port; replicas that do not answer 200 to `/readyz` are left out. */
export async function startBalancer(port: number, replicas: readonly string[]): Promise<Balancer> {
  const agent = new http.Agent({ keepAlive: true });
  const ready = new Set<string>();
  const given = new Map<string, number>();
  let turn = 0;

  async function look(): Promise<void> {
    await Promise.all(
      replicas.map(async (origin) => {
        const answer = await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
        if (answer?.ok) ready.add(origin);
        else ready.delete(origin);
      }),
    );
  }
  let looking = look();
  const timer = setInterval(() => (looking = look()), lookEveryMs);

  const server = http.createServer((request, response) => {
    const choice = replicas.filter((origin) => ready.has(origin));
    const origin = choice[turn++ % Math.max(choice.length, 1)];
    if (!origin) {
      response.writeHead(502).end('no replica is ready');
      return;
    }
    given.set(origin, (given.get(origin) ?? 0) + 1);
    const headers = { ...request.headers, 'x-forwarded-for': request.socket.remoteAddress ?? '' };
    const onward = http.request(`${origin}${request.url ?? '/'}`, { method: request.method, headers, agent });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', (error) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end(error.message);
    });
    request.pipe(onward);
  });
  // Longer than any test: who closes first must not be the one who is about to be asked.
  server.keepAliveTimeout = 3_600_000;
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    given,
    async close() {
      clearInterval(timer);
      await looking;
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

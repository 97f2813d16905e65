import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/**
 * Where ports are looked for: below those that an operating system gives to outgoing connections, of which tests make
 * thousands. Such a connection would take a port between the look at it and its use.
 */
const [firstPort, lastPort] = [15_000, 32_000];

/** Returns ports that were free a moment ago, each another. Throws where a hundred are in use. */
export async function freePorts(count: number): Promise<number[]> {
  const held = new Map<number, Server>();
  for (let tries = 0; held.size < count; tries += 1) {
    const port = randomInt(firstPort, lastPort);
    const server = await listen(port);
    if (server) held.set(port, server);
    else if (tries > count + 100) throw new Error('no port is free');
  }
  await Promise.all([...held.values()].map((server) => new Promise((resolve) => server.close(resolve))));
  return [...held.keys()];
}

/** Listens on a port; null where that is not possible. */
function listen(port: number): Promise<Server | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

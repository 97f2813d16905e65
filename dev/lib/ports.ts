import { randomInt } from 'node:crypto';
import net from 'node:net';
import { codeOf, UserError } from './launcher';

/** A port that a run will listen on. */
export interface WantedPort {
  readonly port: number;
  readonly variable: string;
  readonly what: string;
}

function tryListen(port: number, host: string): Promise<net.Server> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, () => resolve(server));
  });
}

function close(server: net.Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/**
 * Where ports are looked for: below those that an operating system gives to outgoing connections, of which tests make
 * thousands. Such a connection would take a port between the look at it and its use.
 */
const [firstPort, lastPort] = [15_000, 32_000];

/** Returns different ports that were free a moment ago. Throws where a hundred were in use. */
export async function freePorts(count: number): Promise<number[]> {
  const held = new Map<number, net.Server>();
  for (let tries = 0; held.size < count; tries += 1) {
    const port = randomInt(firstPort, lastPort);
    const server = await tryListen(port, '127.0.0.1').catch(() => null);
    if (server) held.set(port, server);
    else if (tries > count + 100) throw new Error('no port is free');
  }
  await Promise.all([...held.values()].map(close));
  return [...held.keys()];
}

/** Throws one error that names every port that cannot be used. */
export async function checkPorts(wanted: readonly WantedPort[]): Promise<void> {
  const problems: string[] = [];
  const seen = new Map<number, string>();
  for (const item of wanted) {
    const other = seen.get(item.port);
    if (other !== undefined) {
      problems.push(`${item.variable} and ${other} both ask for port ${item.port}.`);
      continue;
    }
    seen.set(item.port, item.variable);
    const fault = await faultOf(item.port);
    if (fault)
      problems.push(
        `Port ${item.port} (${item.what}) ${fault}. Free it, or choose another with ${item.variable}=<port>.`,
      );
  }
  if (problems.length > 0) throw new UserError(problems.join('\n'));
}

async function faultOf(port: number): Promise<string> {
  // The wildcard address too: elsewhere than on Linux a server on it does not stop us from binding 127.0.0.1.
  for (const host of ['127.0.0.1', '::']) {
    try {
      await close(await tryListen(port, host));
    } catch (error) {
      const code = codeOf(error);
      if (host === '::' && code !== 'EADDRINUSE') continue;
      return code === 'EADDRINUSE' ? 'is already in use' : `cannot be used (${code})`;
    }
  }
  return '';
}

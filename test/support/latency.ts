import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** The way between a browser and the server. */
export interface Latency {
  /** Address of the proxy, for `dashboardBrowser`. */
  readonly url: string;
  /** How much longer each request takes, also those on their way. Infinity holds them until it is less. */
  ms: number;
  /** Requests are done, and their answers are lost. */
  losesAnswers: boolean;
  close(): Promise<void>;
}

/** A request that is held back. */
interface Held {
  readonly since: number;
  readonly go: () => void;
  timer?: NodeJS.Timeout;
}

/**
 * Starts a proxy that holds each request back, as the way from an office to a data centre does. It leads to servers of
 * this machine alone. (Playwright's own way to refuse others takes the browser its cache.)
 */
export async function startLatency(ms = 0): Promise<Latency> {
  const held = new Set<Held>();
  let heldMs = ms;
  function plan(one: Held): void {
    clearTimeout(one.timer);
    if (heldMs !== Infinity) one.timer = setTimeout(one.go, Math.max(0, heldMs - (Date.now() - one.since)));
  }
  const server = http.createServer((request, response) => {
    if (!/^http:\/\/(127\.0\.0\.1|localhost):/.test(request.url ?? '')) return void response.destroy();
    const one: Held = {
      since: Date.now(),
      go: () => {
        held.delete(one);
        const options = { method: request.method, headers: request.headers };
        const onward = http.request(request.url ?? '', options, (answer) => {
          if (latency.losesAnswers) return void answer.resume().on('end', () => response.destroy());
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        });
        onward.on('error', () => response.destroy());
        response.on('close', () => onward.destroy());
        request.pipe(onward);
      },
    };
    held.add(one);
    plan(one);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const latency: Latency = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get ms() {
      return heldMs;
    },
    set ms(next) {
      heldMs = next;
      for (const one of held) plan(one);
    },
    losesAnswers: false,
    async close() {
      for (const { timer } of held) clearTimeout(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return latency;
}

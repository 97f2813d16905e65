import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { reasonOf } from './faults';
import type { Runtime } from '../runtime';

/** What a page answers. */
interface OwnPage {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/**
 * Serves what only the operator's programs ask for, on a port of its own and without a credential. Throws an error that
 * names `setting` when the port is taken.
 */
export async function serveOwnPages(
  { config, logger }: Runtime,
  { port, setting }: { readonly port: number; readonly setting: string },
  pages: Readonly<Record<string, () => Promise<OwnPage>>>,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = http.createServer((req, res) => {
    const path = (req.url ?? '').split('?')[0] ?? '';
    if (req.method !== 'GET' || !Object.hasOwn(pages, path)) {
      res.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"Not found."}');
      return;
    }
    pages[path]?.().then(
      ({ status, type, text }) => res.writeHead(status, { 'content-type': type }).end(text),
      (error: unknown) => {
        logger.warn({ event: 'own_page.not_read', page: path, reason: reasonOf(error) }, 'a page could not be read');
        res.writeHead(500).end();
      },
    );
  });
  server.requestTimeout = 10_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new Error(`Port ${port} is taken; set ${setting} to another one.`) : error),
    );
    server.listen(port, config.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

import { createServer, connect, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A way to a server that may be shut: connections are cut, and new ones refused. */
export interface Gate {
  readonly url: string;
  shut(): Promise<void>;
  open(): Promise<void>;
}

/** Opens a way to the server at `origin`. */
export async function startGate(origin: string): Promise<Gate> {
  const { hostname, port } = new URL(origin);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  };
  const server = createServer((socket) => {
    const onward = connect(Number(port), hostname);
    for (const one of [socket, onward]) keep(one);
    socket.pipe(onward).pipe(socket);
    socket.on('close', () => onward.destroy());
    onward.on('close', () => socket.destroy());
  });
  const listen = (at: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(at, '127.0.0.1', resolve);
    });
  await listen(0);
  const own = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${own}`,
    async shut() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    open: () => listen(own),
  };
}

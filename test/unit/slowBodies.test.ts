import type { IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { createHttpServer } from '../../api';
import { uploadBegins } from '../../api/doors/http/uploads';

/* A body that comes byte by byte: half a minute, and the time of a file only once a credential has brought it. */

beforeAll(() => {
  // Sockets and the checks of Node go by the real clock.
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setInterval', 'queueMicrotask', 'performance'] });
});
afterAll(() => void jest.useRealTimers());

it.each([
  ['/api/v1/contacts/', false, true],
  ['/api/v1/media/', false, true],
  ['/api/v1/media/', true, false],
])('%s, credential known: %s, is ended after 31 s: %s', async (path, isKnown, ends) => {
  const server = createHttpServer(() => undefined);
  const arrived = once(server, 'request') as Promise<[IncomingMessage]>;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nx`);
  const [req] = await arrived;
  if (isKnown) req.emit(uploadBegins);
  const answer = once(socket, 'data').then(([text]) => String(text).split('\r\n', 1)[0]);
  jest.advanceTimersByTime(31_000);
  if (ends) expect(await answer).toBe('HTTP/1.1 408 Request Timeout');
  else expect(req.destroyed || req.socket.writableEnded).toBe(false);
  socket.destroy();
  server.closeAllConnections();
  server.close();
});

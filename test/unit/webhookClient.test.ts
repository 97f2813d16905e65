import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { LookupAddress } from 'node:dns';
import { createWebhookClient, type ResolveName, type WebhookClient } from '../../api/core/http/webhookClient';

/*
 * Where a connection goes is decided by what the name resolves to at that moment. The resolver is the boundary: it is
 * replaced, and a server of this machine counts who reaches it.
 */

let server: Server;
let port: number;
let reached: number;
const open = new Set<Socket>();
const clients: WebhookClient[] = [];
beforeAll(async () => {
  server = createServer((socket) => {
    reached += 1;
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  for (const socket of open) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  reached = 0;
});

const four = (address: string): LookupAddress => ({ address, family: 4 });
const six = (address: string): LookupAddress => ({ address, family: 6 });

/** A client whose names resolve to these answers, one after the other; gives the names that it asked for. */
function clientOf(...answers: LookupAddress[][]): { client: WebhookClient; asked: string[] } {
  const asked: string[] = [];
  const resolve: ResolveName = (hostname, _options, done) => {
    asked.push(hostname);
    const answer = answers[asked.length - 1];
    if (answer) done(null, answer);
    else done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' }), []);
  };
  const client = createWebhookClient({ webhookAllowPrivate: false }, { timeoutMs: 400, resolve });
  clients.push(client);
  return { client, asked };
}
const post = (client: WebhookClient, host = 'receiver.test'): ReturnType<WebhookClient['post']> =>
  client.post(`https://${host}:${port}/`, {}, '{}');

it.each<[string, LookupAddress[]]>([
  ['the loopback', [four('127.0.0.1')]],
  ['a private network', [four('10.0.0.5')]],
  ['the metadata of a cloud', [four('169.254.169.254')]],
  ['the metadata of Azure', [four('168.63.129.16')]],
  ['the metadata of Alibaba', [four('100.100.100.200')]],
  ['the metadata of AWS over IPv6', [six('fd00:ec2::254')]],
  ['the loopback over IPv6', [six('::1')]],
  ['a mapped address', [six('::ffff:127.0.0.1')]],
  ['an address of NAT64', [six('64:ff9b::7f00:1')]],
  ['an interface of this machine', [six('fe80::1%lo')]],
  ['a private address behind a public one', [four('93.184.216.34'), four('127.0.0.1')]],
  ['a private address before a public one', [four('127.0.0.1'), four('93.184.216.34')]],
  ['nothing at all', []],
])('a name that leads to %s is refused before anything connects', async (_what, addresses) => {
  const { client, asked } = clientOf(addresses);
  expect(await post(client)).toEqual({
    status: null,
    error: 'receiver.test does not resolve to public addresses only.',
    retryAfterMs: null,
    body: null,
  });
  expect([asked, reached]).toEqual([['receiver.test'], 0]);
});

it('a name that comes to lead elsewhere is looked up once: it connects to what was judged', async () => {
  const { client, asked } = clientOf([four('93.184.216.34')], [four('127.0.0.1')]);
  const first = await post(client);
  expect(first.status).toBeNull();
  expect([asked.length, reached]).toEqual([1, 0]);
  expect((await post(client)).error).toBe('receiver.test does not resolve to public addresses only.');
  expect([asked.length, reached]).toEqual([2, 0]);
});

it('an address that was stored while private ones were allowed is judged again, and never looked up', async () => {
  const { client, asked } = clientOf([four('93.184.216.34')]);
  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '127.0.0.1.'])
    expect((await post(client, host)).error).toBe(
      `The address ${host.startsWith('[') ? '::ffff:7f00:1' : '127.0.0.1'} is not public.`,
    );
  expect((await client.post('https://receiver.test:22/', {}, '')).error).toMatch(/^The port must be 443/);
  expect((await client.post('http://receiver.test/', {}, '')).error).toMatch(/https/);
  expect([asked, reached]).toEqual([[], 0]);
});

it('a provider of single sign-on is judged as a receiver is', async () => {
  const { client } = clientOf([four('10.0.0.5')]);
  const ask = (url: string): Promise<Response> => client.fetch(url, { method: 'GET', headers: {} });
  await expect(ask(`https://provider.test:${port}/`)).rejects.toThrow('does not resolve to public addresses only');
  await expect(ask(`https://127.0.0.1:${port}/`)).rejects.toThrow('is not public');
  await expect(ask('http://provider.test/')).rejects.toThrow('must begin with https');
  expect(reached).toBe(0);
});

it('a name that nobody knows is refused in the same words, so that private names cannot be found', async () => {
  const { client } = clientOf();
  expect(await post(client)).toMatchObject({
    status: null,
    error: 'receiver.test does not resolve to public addresses only.',
  });
});

describe('a connection that is used again', () => {
  /** What a receiver does with a request: `number` counts those of the connection from 1. */
  type Served = (response: ServerResponse, number: number, connection: number) => void;

  /** Posts so often to a receiver, one after the other; gives the answers and how many connections it took. */
  async function postTo(serve: Served, times: number): Promise<{ statuses: (number | null)[]; connections: number }> {
    const served = new Map<Socket, { connection: number; requests: number }>();
    const receiver = createHttpServer((incoming, response) => {
      const known = served.get(incoming.socket) ?? { connection: served.size + 1, requests: 0 };
      served.set(incoming.socket, known);
      known.requests += 1;
      // The whole of it has come: what happens now is about the answer.
      incoming.resume().on('end', () => serve(response, known.requests, known.connection));
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const { port: own } = receiver.address() as AddressInfo;
    const client = createWebhookClient({ webhookAllowPrivate: true });
    try {
      const statuses: (number | null)[] = [];
      for (let index = 0; index < times; index += 1)
        statuses.push((await client.post(`http://127.0.0.1:${own}/`, { 'webhook-id': 'evt_1' }, '{}')).status);
      return { statuses, connections: served.size };
    } finally {
      await client.close();
      receiver.closeAllConnections();
      await new Promise((resolve) => receiver.close(resolve));
    }
  }

  it.each<[string, (socket: Socket) => void]>([
    ['closed', (socket) => void socket.end()],
    ['reset', (socket) => void socket.resetAndDestroy()],
  ])('and was %s as the request came is no failure: a fresh one takes it', async (_what, close) => {
    const serve: Served = (response, number) => (number === 1 ? response.end('{}') : close(response.socket as Socket));
    expect(await postTo(serve, 3)).toEqual({ statuses: [200, 200, 200], connections: 3 });
  });

  it('gets one more connection, not many', async () => {
    const serve: Served = (response, number, connection) =>
      connection === 1 && number === 1 ? response.end('{}') : response.socket?.end();
    expect(await postTo(serve, 2)).toEqual({ statuses: [200, null], connections: 2 });
  });

  it('is another matter than a receiver that never answers on a new one', async () => {
    const serve: Served = (response) => response.socket?.resetAndDestroy();
    expect(await postTo(serve, 1)).toEqual({ statuses: [null], connections: 1 });
  });
});

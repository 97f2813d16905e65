import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { percentile, sleep } from '../support/stats';
import type { Webhook } from '../support/webhooks';

/**
 * What is to be posted: the lines `from` to `to` of the file, as fast as the receiver answers or at a steady rate of
 * events.
 */
export interface Order {
  readonly target: string;
  readonly from: number;
  readonly to: number;
  readonly connections: number;
  readonly eventsPerSecond: number | null;
}

export interface Posted {
  readonly events: number;
  readonly webhooks: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const { PORT, SENDER_WEBHOOKS } = process.env;
const webhooks = readFileSync(SENDER_WEBHOOKS ?? '', 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Webhook);

/**
 * Posts on one connection, one request after the other, with as little work as can be: the receiver shares this
 * machine.
 */
async function openConnection(target: URL): Promise<{ post(request: Buffer): Promise<number>; close(): void }> {
  const socket: Socket = connect(Number(target.port), target.hostname);
  socket.setNoDelay(true);
  let received = '';
  let answered: { resolve(status: number): void; reject(error: Error): void } | null = null;
  const fail = (error: Error): void => answered?.reject(error);
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the receiver closed the connection')));
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
    const head = received.indexOf('\r\n\r\n');
    if (head < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? 0);
    if (received.length < head + 4 + length) return;
    const status = Number(received.slice(9, 12));
    received = '';
    answered?.resolve(status);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return {
    post: (request) =>
      new Promise((resolve, reject) => {
        answered = { resolve, reject };
        socket.write(request);
      }),
    close: () => void socket.destroy(),
  };
}

async function run(order: Order): Promise<Posted> {
  const target = new URL(order.target);
  const wanted = webhooks.slice(order.from, order.to);
  const requests = wanted.map(({ body, signature }) =>
    Buffer.from(
      `POST /webhooks/msgapp/ HTTP/1.1\r\nHost: ${target.host}\r\nContent-Type: application/json\r\n` +
        `X-Hub-Signature-256: ${signature}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    ),
  );
  const due: number[] = [];
  let events = 0;
  for (const webhook of wanted) {
    due.push(order.eventsPerSecond === null ? 0 : (events / order.eventsPerSecond) * 1000);
    events += webhook.events;
  }
  const latencies: number[] = [];
  const connections = await Promise.all(Array.from({ length: order.connections }, () => openConnection(target)));
  let next = 0;
  const begun = performance.now();
  await Promise.all(
    connections.map(async (connection) => {
      while (next < requests.length) {
        const index = next;
        next += 1;
        const wait = begun + (due[index] ?? 0) - performance.now();
        if (wait > 0) await sleep(wait);
        const started = performance.now();
        const status = await connection.post(requests[index] as Buffer);
        if (status !== 200) throw new Error(`the receiver answered ${status}`);
        latencies.push(performance.now() - started);
      }
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  for (const connection of connections) connection.close();
  return {
    events,
    webhooks: wanted.length,
    seconds,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}

createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    run(JSON.parse(Buffer.concat(chunks).toString()) as Order).then(
      (posted) => res.end(JSON.stringify(posted)),
      (error: unknown) => res.writeHead(500).end(String(error)),
    );
  });
}).listen(Number(PORT), '127.0.0.1', () => process.stdout.write('ready\n'));

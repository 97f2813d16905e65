import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { eventually } from './eventually';

/** An event as subscribers get it. */
interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly workspace_id: number;
  readonly sequence: number;
  readonly data: Record<string, unknown>;
  readonly changes?: Record<string, { from: unknown; to: unknown }>;
}

/** One request that came in. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: ReceivedEvent;
  readonly at: number;
}

/** What a receiver answers to a request. */
type Answer =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | ((response: ServerResponse) => void);

/** A receiver of webhooks on a port of its own. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Decides what is answered; 204 unless told. */
  answer: (request: Received) => Answer | Promise<Answer>;
  /** Events of the requests, each id once, in the order of their first arrival. */
  events(): ReceivedEvent[];
  /** Waits for the first event of a type and gives it. */
  awaits(type: string): Promise<ReceivedEvent>;
  /** Throws unless the request was signed with the secret (checked by the published library). */
  verify(request: Received, secret: string): void;
  close(): Promise<void>;
}

/** Starts a receiver on the loopback. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const entry: Received = {
        headers: request.headers,
        body,
        event: JSON.parse(body) as ReceivedEvent,
        at: Date.now(),
      };
      received.push(entry);
      void Promise.resolve(receiver.answer(entry)).then((answer) => {
        if (typeof answer === 'function') return answer(response);
        response.writeHead(answer.status, answer.headers).end(answer.body);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer: () => ({ status: 204 }),
    events() {
      return [...new Map(received.map(({ event }) => [event.id, event])).values()];
    },
    awaits: (type) =>
      eventually(() => {
        const found = received.find(({ event }) => event.type === type);
        if (!found)
          throw new Error(`${type} has not arrived; there are ${received.map(({ event }) => event.type).join(', ')}`);
        return found.event;
      }),
    verify({ headers, body }, secret) {
      new Webhook(secret).verify(body, headers as Record<string, string>);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { demoPhoneNumberId as PN, demoAccount } from '../demo';
import { createSandbox, type Sandbox } from '../server';

/** Parsed JSON, navigated freely by the tests. */
export type Json = Record<string, ReturnType<typeof JSON.parse>>;

export const SECRET = 'app-secret-1';
export const HOUR = 3_600_000;

interface Received {
  body: string;
  json: Json;
  signature: string;
}

/** The sandbox under test, made anew for each test, with its clock and a receiver of its webhooks. */
export const world = {
  sandbox: undefined as unknown as Sandbox,
  url: '',
  now: 0,
  received: [] as Received[],
  answer: (() => 200) as (count: number) => number,
};
let receiver: Server;

/** Starts and stops the world around the tests of a file. */
export function useWorld(): void {
  beforeAll(async () => {
    receiver = createServer((request, response) => {
      const target = new URL(request.url ?? '/', 'http://receiver');
      if (request.method === 'GET') {
        const good = target.searchParams.get('hub.verify_token') === 'verify-1';
        response.writeHead(good ? 200 : 403).end(good ? target.searchParams.get('hub.challenge') : 'no');
        return;
      }
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        world.received.push({
          body,
          json: JSON.parse(body) as Json,
          signature: String(request.headers['x-hub-signature-256']),
        });
        response.writeHead(world.answer(world.received.length)).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  });

  afterAll(() => new Promise((resolve) => receiver.close(resolve)));

  beforeEach(async () => {
    world.now = Date.UTC(2026, 10, 2, 9, 0, 0);
    world.received = [];
    world.answer = () => 200;
    world.sandbox = createSandbox({ clock: () => world.now, seed: 7 });
    ({ url: world.url } = await world.sandbox.listen());
    const webhookUrl = `${webhookReceiver()}/webhooks/msgapp/`;
    world.sandbox.account(
      demoAccount({ accessToken: 'token-1', appSecret: SECRET, verifyToken: 'verify-1', webhookUrl }),
    );
  });

  afterEach(() => world.sandbox.close());
}

/** Origin of the receiver of webhooks. */
export function webhookReceiver(): string {
  return `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
}

export async function call(
  method: string,
  path: string,
  body?: unknown,
  token: string | null = 'token-1',
): Promise<{ status: number; body: Json; headers: Headers }> {
  const response = await fetch(world.url + path, {
    method,
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text.startsWith('{') || text.startsWith('[') ? (JSON.parse(text) as Json) : { text },
  };
}

export const control = (method: string, path: string, body?: unknown): ReturnType<typeof call> =>
  call(method, `/_control${path}`, body, null);
export const send = (body: Json, pn = PN): ReturnType<typeof call> =>
  call('POST', `/v23.0/${pn}/messages`, { messaging_product: 'whatsapp', ...body });
export const text = (to: string, more: Json = {}): Json => ({ to, type: 'text', text: { body: 'Hello' }, ...more });
export const write = (phone: string, more: Json = {}): string =>
  world.sandbox.inbound({ phone_number_id: PN, from: { phone }, text: 'hi', ...more }).wamid;
export const changes = (): Json[] =>
  world.received.flatMap((item) => item.json['entry'].flatMap((entry: Json) => entry['changes']) as Json[]);
export const statuses = (): Json[] => changes().flatMap((change) => (change['value']['statuses'] ?? []) as Json[]);
export const inbound = (): Json[] => changes().flatMap((change) => (change['value']['messages'] ?? []) as Json[]);
export const code = (result: { body: Json }): number => result.body['error']?.['code'] as number;

export function template(name: string, components: Json[], to: Json = { to: '+15551230001' }): Json {
  return { ...to, type: 'template', template: { name, language: { code: 'en_US' }, components } };
}
export const bodyTexts = (...values: string[]): Json => ({
  type: 'body',
  parameters: values.map((value) => ({ type: 'text', text: value })),
});
export const otpButton = {
  type: 'button',
  sub_type: 'url',
  index: '0',
  parameters: [{ type: 'text', text: '123456' }],
};
export const sale = (to: string): Json =>
  template(
    'spring_sale',
    [
      {
        type: 'body',
        parameters: [
          { type: 'text', parameter_name: 'discount', text: '20%' },
          { type: 'text', parameter_name: 'first_name', text: 'Anna' },
        ],
      },
    ],
    { to },
  );

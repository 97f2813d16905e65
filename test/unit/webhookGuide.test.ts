import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../support/eventually';
import { root } from '../support/settings';

/* The receivers that docs/webhooks.md offers to be copied, run as they stand there but for their port. */

const secret = `whsec_${Buffer.alloc(24, 3).toString('base64')}`;
let folder: string;
let child: ChildProcess;
let url: string;
let printed = '';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Sends an event, signed with the secrets, unless the headers say otherwise. */
async function deliver(
  headers: Record<string, string> = {},
  secrets: readonly string[] = [secret],
): Promise<{ status: number; body: string }> {
  const body = JSON.stringify({ type: 'message.received', sequence: 3, data: { body: { text: 'Grüße' } } });
  const now = new Date();
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': secrets.map((one) => new Webhook(one).sign('evt_1', now, body)).join(' '),
      ...headers,
    },
    body,
  });
  return { status: response.status, body: await response.text() };
}

describe.each([
  ['node:http', 'createServer('],
  ['Express', 'express()'],
])('the receiver with %s', (_name, mark) => {
  beforeAll(async () => {
    const text = readFileSync(path.join(root, 'docs', 'webhooks.md'), 'utf8');
    const code = [...text.matchAll(/```js\n([\s\S]*?)```/g)]
      .map(([, block]) => block ?? '')
      .find((block) => block.includes(mark));
    if (!code) throw new Error('the page shows no receiver');
    expect(code.trim().split('\n').length).toBeLessThanOrEqual(25);

    printed = '';
    const port = await freePort();
    url = `http://127.0.0.1:${port}/`;
    // Below the repository, so that it finds the packages of the product.
    folder = mkdtempSync(path.join(root, 'dist', 'receiver-'));
    const file = path.join(folder, 'receiver.mjs');
    expect(code).toContain('.listen(4000,');
    writeFileSync(file, code.replace('.listen(4000,', `.listen(${port},`));
    child = spawn(process.execPath, [file], { env: { ...process.env, SECRET: secret }, stdio: 'pipe' });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (printed += text));
    await eventually(async () => {
      const response = await fetch(url, { method: 'POST', body: '{}' });
      expect(response.status).toBe(401);
    });
  });

  afterAll(() => {
    child.kill();
    rmSync(folder, { recursive: true });
  });

  it('takes what is signed, shows it, and answers with actions', async () => {
    expect(await deliver()).toEqual({ status: 200, body: '{"actions":[]}' });
    await eventually(() => expect(printed).toContain('message.received 3'));
  });

  it('takes an event that is signed with two secrets, while one is replaced by the other', async () => {
    const newer = `whsec_${Buffer.alloc(24, 4).toString('base64')}`;
    expect((await deliver({}, [newer, secret])).status).toBe(200);
  });

  it.each<[string, Record<string, string>]>([
    ['a forged signature', { 'webhook-signature': `v1,${'A'.repeat(43)}=` }],
    ['a signature with letters that are none of base64', { 'webhook-signature': `v1,${'é'.repeat(44)}` }],
    ['no signature', { 'webhook-signature': '' }],
    ['another id', { 'webhook-id': 'evt_2' }],
    ['an old timestamp', { 'webhook-timestamp': '1000000000' }],
    ['a timestamp that is none', { 'webhook-timestamp': 'now' }],
  ])('refuses %s, and goes on', async (_name, headers) => {
    expect((await deliver(headers)).status).toBe(401);
    expect((await deliver()).status).toBe(200);
  });
});

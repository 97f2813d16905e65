import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, request as send, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import ts from 'typescript';
import { generateClient } from '../../clients/typescript/generate';
import { templateId } from '../factories/broadcasts';
import { ticketsPath } from '../factories/tickets';
import type { TestApi } from '../support/api';
import { npxEnvironment } from '../support/npx';
import { sharedDesk } from '../support/sharedDesk';
import { root } from '../support/settings';

const run = promisify(execFile);
const own = path.join(root, 'clients', 'typescript');

let desk: TestApi;
let folder: string;
let packed: string;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  folder = await mkdtemp(path.join(tmpdir(), 'own-client-'));
  // As whoever installs it gets it, and from nowhere but this file: it may need nothing else.
  const env = npxEnvironment();
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: own, env });
  packed = path.join(folder, 'msgdesk-client-0.1.0.tgz');
  await writeFile(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', packed], { cwd: folder, env });
}, 120_000);
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await desk.close();
});

/** Compiles a program against the installed package, runs it, and returns what it printed. */
async function runProgram(file: string, given: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const source = path.join(folder, file);
  const program = ts.createProgram([source], {
    strict: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: ['node'],
    typeRoots: [path.join(root, 'node_modules', '@types')],
  });
  const faults = ts.getPreEmitDiagnostics(program).filter((fault) => !fault.file?.fileName.includes('@types'));
  expect(faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).toEqual([]);
  program.emit(program.getSourceFile(source));
  const compiled = source.replace(/\.mts$/, '.mjs');
  return (await run(process.execPath, [compiled, ...given], { env: { ...process.env, ...env } })).stdout;
}

it('fits the document as it is', async () => {
  const file = path.join(own, 'src', 'generated.ts');
  const { body } = await desk.anonymous.get('/api/v1/openapi.json?for=keys');
  const made = generateClient(body as unknown as Parameters<typeof generateClient>[0]);
  if (process.env['UPDATE_CLIENT']) await writeFile(file, made);
  expect(await readFile(file, 'utf8')).toBe(made);
});

it('is small, and needs nothing else', async () => {
  expect((await stat(packed)).size).toBeLessThanOrEqual(60_000);
  const installed = path.join(folder, 'node_modules', '@msgdesk', 'client');
  const { dependencies, peerDependencies } = JSON.parse(
    await readFile(path.join(installed, 'package.json'), 'utf8'),
  ) as { dependencies?: unknown; peerDependencies?: unknown };
  expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
  const names = "Object.keys(require('@msgdesk/client')).sort().join()";
  const { stdout } = await run(process.execPath, ['-p', names], { cwd: folder });
  expect(stdout.trim()).toBe('MsgdeskError,Pages,SignatureError,createClient,isRefusal,shownBy,verifyWebhook');
});

it('does what its README says, block by block', async () => {
  const text = await readFile(path.join(own, 'README.md'), 'utf8');
  const blocks = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = '']) => block);
  expect(blocks.length).toBeGreaterThan(6);
  const secret = `whsec_${Buffer.from('a secret of the readme').toString('base64')}`;
  const event = JSON.stringify({ type: 'message.received', data: { id: 1, receiver: { name: 'Nora' } } });
  const at = new Date();
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', at, event),
  };
  const asked = (body: string): string =>
    `new Request('http://me/', { method: 'POST', headers: ${JSON.stringify(headers)}, body: ${JSON.stringify(body)} })`;
  const driver = [event, `${event} `].map((body) => `console.log((await receive(${asked(body)})).status);`);
  await writeFile(path.join(folder, 'readme.mts'), [...blocks, ...driver].join('\n'));
  const { token } = desk.workspace;
  const env = { MSGDESK_URL: desk.url, MSGDESK_KEY: token, MSGDESK_SECRET: secret };
  expect((await runProgram('readme.mts', [], env)).trim().split('\n')).toEqual([
    '4915199990001',
    '1 1',
    'Nora New',
    'true',
    'Nora has not written for 24 hours: send a template.',
    'Somebody was faster: read it again.',
    'true',
    'Nora wrote',
    '200',
    '401',
  ]);
});

/** A line to the desk on which answers are lost: it does with each request what the list says. */
async function shakyLine(plan: ('lose' | 'busy' | 'pass')[], keys: unknown[]): Promise<Server> {
  const line = createServer((request, response) => {
    const act = plan.shift() ?? 'pass';
    keys.push(request.headers['idempotency-key']);
    if (act === 'busy') {
      const headers = { 'retry-after': '0', 'x-error-code': 'unavailable' };
      response.writeHead(503, headers).end('{"error": "busy"}');
      return;
    }
    const { method, headers, url = '' } = request;
    const onward = send(`${desk.url}${url}`, { method, headers }, (answer) => {
      if (act === 'lose') {
        answer.resume().on('end', () => response.destroy());
      } else {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      }
    });
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve));
  return line;
}

it("does a shop's work, and makes nothing twice where answers are lost", async () => {
  const keys: unknown[] = [];
  // A ticket, a contact, the ticket's end, a webhook, and the contact again.
  const line = await shakyLine(['lose', 'busy', 'pass', 'busy', 'pass', 'lose', 'pass', 'lose', 'busy'], keys);
  try {
    await copyFile(path.join(__dirname, 'clients', 'own.mts'), path.join(folder, 'own.mts'));
    const { account, owner, token } = desk.workspace;
    const template = templateId(desk.workspace, 'ticket_update');
    const shaky = `http://127.0.0.1:${(line.address() as AddressInfo).port}`;
    const given = [desk.url, token, template, account.phoneNumberId, String(owner.id), shaky];
    expect(JSON.parse(await runProgram('own.mts', given))).toEqual({
      imported: [3, 0],
      unassigned: null,
      found: ['Anna', 'Ben', 'Cleo'],
      page: [1, 2],
      same: true,
      broadcast: [1, 1, true],
      tickets: [['Broken bug', 'Broken other'], 3],
      refused: [400, 'invalid', ['phone']],
      stranger: true,
      busy: 'Ben',
      unsure: false,
      tired: true,
    });
  } finally {
    line.closeAllConnections();
    line.close();
  }
  expect(new Set(keys.slice(0, 3)).size).toBe(1);
  expect(keys[0]).toMatch(/^[\w-]{36}$/);
  expect(keys.slice(3)).toEqual(Array(6).fill(undefined));
  const { body } = await desk.api.get(`${ticketsPath}?search=Made%20once`);
  expect(body).toEqual([]);
  expect((await desk.api.get('/api/v1/webhooks/')).body).toHaveLength(1);
});

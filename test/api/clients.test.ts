import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import ts from 'typescript';
import { templateId } from '../factories/broadcasts';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { describePython } from '../support/python';
import { root } from '../support/settings';

interface Shown {
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}
interface Document {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, Shown> } }>>;
}

let desk: TestApi;
let folder: string;
let document: Document;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  document = (await desk.anonymous.get<Document>('/api/v1/openapi.json')).body;
  // Below our packages, where a client written in JavaScript finds them.
  folder = await mkdtemp(path.join(root, 'dist', 'clients-'));
  const source = path.join(folder, 'openapi.json');
  await writeFile(source, JSON.stringify(document));
  // Its own program: it is made of ES modules, which the tests' module system does not load.
  const generator = path.join(path.dirname(require.resolve('openapi-typescript/package.json')), 'bin', 'cli.js');
  const target = ['--output', path.join(folder, 'api.ts')];
  await promisify(execFile)(process.execPath, [generator, source, ...target], { timeout: 60_000 });
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await desk.close();
});

test('a client generator makes one type of each resource, and every documented example fits them', async () => {
  const uses = path.join(folder, 'uses.ts');
  const types = await readFile(path.join(folder, 'api.ts'), 'utf8');
  for (const name of ['Contact', 'Conversation', 'Message', 'Ticket'])
    expect(types).toMatch(new RegExp(`^ {8}${name}: \\{$`, 'm'));
  // A ticket's own property is written once for answers and once for events: no use of it repeats its type.
  expect(types.match(/^ +resolution_sla: /gm)).toHaveLength(2);

  const examples = Object.entries(document.paths).flatMap(([route, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) => {
      const { example, examples } = requestBody?.content['application/json'] ?? {};
      const bodies = examples ? Object.values(examples).map(({ value }) => value) : [example];
      const type = `NonNullable<paths['${route}']['${method}']['requestBody']>['content']['application/json']`;
      return bodies.flatMap((body) =>
        body === undefined ? [] : [`{ const body: ${type} = ${JSON.stringify(body)}; }`],
      );
    }),
  );
  expect(examples.length).toBeGreaterThan(30);
  await writeFile(uses, ["import type { paths } from './api';", ...examples].join('\n'));
  const program = ts.createProgram([uses], { strict: true, noEmit: true, lib: ['lib.es2022.d.ts'], types: [] });
  expect(ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText)).toEqual([]);
});

test('a client of openapi-fetch does what a shop does, by the types of openapi-typescript', async () => {
  const shop = path.join(folder, 'shop.mts');
  await copyFile(path.join(__dirname, 'clients', 'shop.mts'), shop);
  const program = ts.createProgram([shop], {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
    types: ['node'],
    skipLibCheck: true,
  });
  expect(ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText)).toEqual([]);
  const compilerOptions = { module: ts.ModuleKind.ES2022, target: ts.ScriptTarget.ES2022 };
  const { outputText } = ts.transpileModule(await readFile(shop, 'utf8'), { compilerOptions });
  const compiled = path.join(folder, 'shop.mjs');
  await writeFile(compiled, outputText);
  const { stdout } = await promisify(execFile)(process.execPath, [compiled, ...shopArguments()]);
  expect(JSON.parse(stdout)).toEqual({
    imported: [2, 0],
    unassigned: null,
    found: ['Anna', 'Ben'],
    tags: ['ts', 'x'],
    same: true,
    body: ['template'],
    broadcast: [1, 1, ['ts']],
    tickets: ['Broken bug by TypeScript', 'Broken other by TypeScript'],
  });
});

/** What a shop's program is given: address, key, template, number, member. */
function shopArguments(): string[] {
  const { account, owner, token } = desk.workspace;
  const template = templateId(desk.workspace, 'ticket_update');
  return [desk.url, token, template, account.phoneNumberId, String(owner.id)];
}

describePython(['openapi-python-client==0.29.1'], 'a client of openapi-python-client', ({ program, env }) => {
  test('does what a shop does: import, lists, template, broadcast, tickets, unassign', async () => {
    const [source, config] = [path.join(folder, 'python.json'), path.join(folder, 'config.yml')];
    await writeFile(source, JSON.stringify(document));
    await writeFile(config, 'post_hooks: []\n');
    const run = promisify(execFile);
    const target = ['--output-path', path.join(folder, 'shop_client'), '--meta', 'none', '--config', config];
    const made = await run(program, ['-m', 'openapi_python_client', 'generate', '--path', source, ...target], { env });
    // It warns of what it leaves out.
    expect(`${made.stdout}${made.stderr}`).not.toContain('Warning');
    const { stdout } = await run(program, [path.join(__dirname, 'clients', 'shop.py'), ...shopArguments()], {
      env: { ...env, PYTHONPATH: `${env['PYTHONPATH']}:${folder}`, PYTHONDONTWRITEBYTECODE: '1' },
    });
    expect(JSON.parse(stdout)).toEqual({
      imported: [2, 1, 0],
      unassigned: null,
      found: ['Anna', 'Ben', 'Cleo'],
      tags: ['py', 'x'],
      same: true,
      body: ['template'],
      broadcast: [1, 1, ['py']],
      tickets: ['Broken bug', 'Broken other'],
    });
  });
});

test("the reference passes Redocly's recommended rules, but for the slash that all paths end with", async () => {
  // Our paths end with a slash, and the authorization endpoint of OAuth and its discovery have answers of their own.
  // `WebhookEvent` is for receivers: nothing else refers to it.
  const rules = {
    'no-path-trailing-slash': 'off',
    'operation-2xx-response': 'off',
    'operation-4xx-response': 'off',
    'no-unused-components': 'off',
  } as const;
  const problems = await lintFromString({
    source: JSON.stringify(document),
    config: await createConfig({ extends: ['recommended'], rules }),
  });
  expect(problems.map(({ ruleId, message, location: [at] }) => `${ruleId}: ${message} ${at?.pointer ?? ''}`)).toEqual(
    [],
  );
});

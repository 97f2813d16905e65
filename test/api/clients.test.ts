import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import ts from 'typescript';
import { startApi, type TestApi } from '../support/api';

interface Document {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { example?: unknown }> } }>>;
}

let desk: TestApi;
let folder: string;
let document: Document;
beforeAll(async () => {
  desk = await startApi({ sandbox: false });
  document = (await desk.anonymous.get<Document>('/api/v1/openapi.json')).body;
  folder = await mkdtemp(path.join(tmpdir(), 'clients-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await desk.close();
});

test('a client generator makes one type of each resource, and every documented example fits them', async () => {
  const [source, target, uses] = ['openapi.json', 'api.ts', 'uses.ts'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(source, JSON.stringify(document));
  // Its own program: it is made of ES modules, which the tests' module system does not load.
  const generator = path.join(path.dirname(require.resolve('openapi-typescript/package.json')), 'bin', 'cli.js');
  await promisify(execFile)(process.execPath, [generator, source, '--output', target], { timeout: 60_000 });
  const types = await readFile(target, 'utf8');
  for (const name of ['Contact', 'Conversation', 'Message', 'Ticket'])
    expect(types).toMatch(new RegExp(`^ {8}${name}: \\{$`, 'm'));
  // A ticket's own property is written once for answers and once for events: no use of it repeats its type.
  expect(types.match(/^ +resolution_sla: /gm)).toHaveLength(2);

  const examples = Object.entries(document.paths).flatMap(([route, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) => {
      const { example } = requestBody?.content['application/json'] ?? {};
      const type = `NonNullable<paths['${route}']['${method}']['requestBody']>['content']['application/json']`;
      return example === undefined ? [] : [`{ const body: ${type} = ${JSON.stringify(example)}; }`];
    }),
  );
  expect(examples.length).toBeGreaterThan(30);
  await writeFile(uses, ["import type { paths } from './api';", ...examples].join('\n'));
  const program = ts.createProgram([uses], { strict: true, noEmit: true, lib: ['lib.es2022.d.ts'], types: [] });
  expect(ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText)).toEqual([]);
});

test("the reference passes Redocly's recommended rules, but for the slash that all paths end with", async () => {
  // Our paths end with a slash, and the authorization endpoint of OAuth and its discovery have answers of their own.
  const rules = {
    'no-path-trailing-slash': 'off',
    'operation-2xx-response': 'off',
    'operation-4xx-response': 'off',
  } as const;
  const problems = await lintFromString({
    source: JSON.stringify(document),
    config: await createConfig({ extends: ['recommended'], rules }),
  });
  expect(problems.map(({ ruleId, message, location: [at] }) => `${ruleId}: ${message} ${at?.pointer ?? ''}`)).toEqual(
    [],
  );
});

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { startApi, type TestApi } from '../support/api';

let desk: TestApi;
let folder: string;
beforeAll(async () => {
  desk = await startApi({ sandbox: false });
  folder = await mkdtemp(path.join(tmpdir(), 'clients-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await desk.close();
});

test('a client generator makes one type of each resource, in valid TypeScript', async () => {
  const [source, target] = ['openapi.json', 'api.ts'].map((name) => path.join(folder, name)) as [string, string];
  await writeFile(source, JSON.stringify((await desk.anonymous.get('/api/v1/openapi.json')).body));
  // Its own program: it is made of ES modules, which the tests' module system does not load.
  const generator = path.join(path.dirname(require.resolve('openapi-typescript/package.json')), 'bin', 'cli.js');
  await promisify(execFile)(process.execPath, [generator, source, '--output', target], { timeout: 60_000 });
  const types = await readFile(target, 'utf8');
  for (const name of ['Contact', 'Conversation', 'Message', 'Ticket'])
    expect(types).toMatch(new RegExp(`^ {8}${name}: \\{$`, 'm'));
  expect(ts.transpileModule(types, { reportDiagnostics: true }).diagnostics).toEqual([]);
  // A ticket's own property is written once for answers: no use of it repeats its type.
  expect(types.match(/^ +resolution_sla: /gm)).toHaveLength(1);
});

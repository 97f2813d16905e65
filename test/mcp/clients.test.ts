import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { createAgent } from '../support/agent';
import { npxEnvironment } from '../support/npx';

const run = promisify(execFile);
const options = { timeout: 240_000, maxBuffer: 16 * 1024 * 1024, env: npxEnvironment() };

let desk: TestApi;
let names: unknown[];
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
  names = (await createAgent(desk.api).tools()).map((tool) => tool['name']);
});
afterAll(() => desk.close());

test.each([
  ['auto', '2026-07-28'],
  ['legacy', '2025-11-25'],
])('the 2.x client in mode %s speaks %s, lists and calls', async (mode, version) => {
  const { stdout } = await run(
    process.execPath,
    [join(__dirname, 'clients', 'modes.mjs'), `${desk.url}/mcp`, desk.workspace.token, mode],
    options,
  );
  expect(JSON.parse(stdout)).toEqual({
    server: expect.objectContaining({ name: 'msgdesk' }) as unknown,
    tools: names,
    version,
    result: { results: [], total: 0 },
  });
});

test.each(['legacy', 'modern'])('the Inspector CLI (%s) lists the tools and finds no odd schema', async (era) => {
  const inspector = ['-y', '-p', 'node@22', '-p', '@modelcontextprotocol/inspector@2.12.0', 'mcp-inspector', '--cli'];
  const { stdout } = await run(
    'npx',
    [
      ...inspector,
      `${desk.url}/mcp`,
      '--transport',
      'http',
      '--header',
      `Authorization: Bearer ${desk.workspace.token}`,
      '--protocol-era',
      era,
      '--method',
      'tools/list',
      '--format',
      'json',
      '--strict',
      '-q',
    ],
    options,
  );
  for (const name of names) expect(stdout).toContain(`"${String(name)}"`);
});

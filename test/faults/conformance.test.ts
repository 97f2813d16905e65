import { execFile } from 'node:child_process';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startApi, type TestApi } from '../support/api';
import { npxEnvironment } from '../support/npx';

/**
 * The official suite, its last release and what is to become the next, and a Node that it runs on; all come from the
 * npm registry.
 */
const suites: readonly (readonly [revision: string, version: string, options: readonly string[]])[] = [
  ['2025-11-25', '0.1.16', []],
  // These check every message against the revision's schema as well.
  ['2025-11-25', '0.2.0-alpha.12', ['--requirements', '2025-11-25']],
  ['2026-07-28', '0.2.0-alpha.12', ['--requirements', '2026-07-28']],
];
/** What each revision asks of every server, whatever it offers. */
const expected: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'],
  '2026-07-28': ['tools-list', 'http-header-validation', 'dns-rebinding-protection'],
};

let desk: TestApi;
let proxy: http.Server;
beforeAll(async () => {
  desk = await startApi({ sandbox: false });
  proxy = await injectCredential(desk.url, desk.workspace.token);
});
afterAll(async () => {
  await new Promise((resolve) => proxy.close(resolve));
  await desk.close();
});

/** The suite has no option for headers: this passes everything on untouched but for the credential. */
async function injectCredential(target: string, token: string): Promise<http.Server> {
  const { port } = new URL(target);
  const server = http.createServer((request, response) => {
    const upstream = http.request(
      {
        port,
        host: '127.0.0.1',
        path: request.url,
        method: request.method,
        headers: { ...request.headers, authorization: `Bearer ${token}` },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    upstream.on('error', () => response.destroy());
    request.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

// The suite exits 0 only when what fails is exactly the baseline: what we do not offer, and nothing else.
test.each(suites)(
  '%s: the official conformance suite %s passes but for what is not offered',
  async (revision, version, options) => {
    const baseline = join(__dirname, `conformance-baseline-${revision.slice(0, 4)}.yml`);
    const command = ['-y', '-p', 'node@22', '-p', `@modelcontextprotocol/conformance@${version}`, 'conformance'];
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
    const { stdout } = await promisify(execFile)(
      'npx',
      [...command, 'server', '--url', url, '--expected-failures', baseline, ...options],
      { timeout: 240_000, maxBuffer: 16 * 1024 * 1024, env: npxEnvironment() },
    ).catch((error: unknown) => {
      throw new Error(`conformance failed:\n${(error as { stdout?: string }).stdout?.slice(-6_000) ?? String(error)}`);
    });
    for (const scenario of expected[revision] ?? [])
      expect(stdout).toMatch(new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`));
  },
);

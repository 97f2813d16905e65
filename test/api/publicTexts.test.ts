import { readFileSync } from 'node:fs';
import { request as send, type IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { operations } from '../../api/operations';
import { ownerSession } from '../factories/macros';
import type { TestApi } from '../support/api';
import { root } from '../support/settings';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

interface Raw {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Asks for compressed answers and leaves them as they are. */
function raw(place: string, headers: Readonly<Record<string, string>> = {}): Promise<Raw> {
  return new Promise((resolve, reject) => {
    send(`${desk.url}${place}`, { headers: { 'accept-encoding': 'gzip', ...headers } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
      );
    })
      .on('error', reject)
      .end();
  });
}

describe('large answers', () => {
  it('are compressed for programs, and for everybody where they are the same for all', async () => {
    const own = { authorization: `Bearer ${desk.workspace.token}` };
    const { headers, body } = await raw('/api/v1/openapi.json');
    expect([headers['content-encoding'], headers.vary]).toEqual(['gzip', expect.stringContaining('Accept-Encoding')]);
    expect(JSON.parse(gunzipSync(body).toString('utf8'))).toMatchObject({ openapi: '3.1.0' });
    expect(body.length).toBeLessThan(200_000);
    for (const place of ['/docs/swagger-ui-bundle.js', '/docs/api', '/docs/postman.json'])
      expect([place, (await raw(place, { cookie: 'token=x' })).headers['content-encoding']]).toEqual([place, 'gzip']);
    expect((await raw('/api/v1/templates/', own)).headers['content-encoding']).toBe('gzip');
    expect((await raw('/api/v1/openapi.json', { 'accept-encoding': 'identity' })).headers['content-encoding']).toBe(
      undefined,
    );
  });

  it('go out as they are to a session: a page with a secret would tell it by its size', async () => {
    const session = await ownerSession(desk.workspace);
    const { headers, status } = await raw('/api/v1/templates/', { cookie: `token=${session.token}` });
    expect([status, headers['content-encoding']]).toEqual([200, undefined]);
    expect((await raw('/dashboard/sign-in', { cookie: 'a=b' })).headers['content-encoding']).toBe(undefined);
  });
});

describe('what is there for programs', () => {
  it.each(['/api/v1/openapi.json', '/api/v1/openapi.json?for=keys', '/docs/postman.json'])(
    '%s has a tag, by which it is not read twice',
    async (place) => {
      const { headers } = await raw(place);
      const again = await raw(place, { 'if-none-match': String(headers.etag) });
      expect([again.status, again.body.length]).toEqual([304, 0]);
      expect((await raw(place, { 'if-none-match': '"another"' })).status).toBe(200);
    },
  );

  it('the collection has each request that a key can make, and those that only read work as they stand', async () => {
    interface Item {
      readonly name: string;
      readonly request: {
        readonly method: string;
        readonly url: { readonly raw: string; readonly variable: unknown[] };
      };
    }
    const { body } = await desk.anonymous.get<{ item: { item: Item[] }[]; variable: { key: string }[] }>(
      '/docs/postman.json',
    );
    const items = body.item.flatMap(({ item }) => item);
    const wanted = operations.filter(({ audience }) => audience !== 'session');
    expect(items.map(({ request }) => `${request.method} ${request.url.raw}`).sort()).toEqual(
      wanted.map((one) => `${one.method} {{baseUrl}}${one.path.replace(/\{(\w+)\}/g, ':$1')}`).sort(),
    );
    expect(body.variable.map(({ key }) => key)).toEqual(['baseUrl', 'apiKey']);
    for (const { request } of items)
      if (request.method === 'GET' && request.url.variable.length === 0 && !request.url.raw.includes('search'))
        expect([request.url.raw, (await desk.api.get(request.url.raw.replace('{{baseUrl}}', ''))).status]).toEqual([
          request.url.raw,
          200,
        ]);
  });

  it('llms.txt shows the client by lines of its README, which tests run', () => {
    const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');
    const blocks = [...read('docs/llms.txt').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = '']) => block);
    expect(blocks.length).toBeGreaterThan(2);
    for (const block of blocks) expect(read('clients/typescript/README.md')).toContain(block);
  });
});

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { call, control, send, text, useWorld, world, write, type Json } from './world';

useWorld();

interface Route {
  method: string;
  path: string;
  about: string;
  example: { path: string; body?: Json };
}

const routes = async (): Promise<Route[]> => (await control('GET', '/')).body['routes'] as Route[];

describe('the control API', () => {
  it('lists every call with an example that works', async () => {
    write('+4915112345678', { message: { type: 'image' } });
    const media = [...world.sandbox.state.media.keys()][0] ?? '';
    const refused: unknown[] = [];
    for (const { method, path: route, about, example } of await routes()) {
      expect(about).toMatch(/^[A-Z].+\.$/);
      if (route === '/_control/stream') continue;
      const address = example.path.replace(/(?<=\/media\/).*/, media);
      const answer = await call(method, address, example.body, null);
      if (answer.status !== 200) refused.push([method, address, answer.status, answer.body]);
    }
    expect(refused).toEqual([]);
  });

  it('streams changes', async () => {
    const leave = new AbortController();
    const response = await fetch(`${world.url}/_control/stream`, { signal: leave.signal });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    write('+4915112345678');
    let seen = '';
    while (!seen.includes('data: changed')) seen += decoder.decode((await reader.read()).value);
    leave.abort();
  });

  it('names the list where a call is unknown', async () => {
    const { status, body } = await control('GET', '/nothing');
    expect(status).toBe(404);
    expect(body['error']).toContain('GET /_control/');
  });

  it('says which faults are armed, until they have fired or are disarmed', async () => {
    const armed = async (): Promise<boolean[]> =>
      ((await control('GET', '/faults')).body['faults'] as Json[]).map((fault) => fault['armed'] as boolean);
    const fault = await control('POST', '/faults', { kind: 'error', code: 131000, times: 1 });
    await control('POST', '/faults', { kind: 'hang', to: '+15551230009' });
    expect(await armed()).toEqual([true, true]);
    expect((await send(text('+15551230001'))).status).toBe(500);
    expect(await armed()).toEqual([false, true]);
    await control('DELETE', `/faults/${String(fault.body['id'])}`);
    expect(await armed()).toEqual([true]);
    await control('DELETE', '/faults');
    expect(await armed()).toEqual([]);
  });
});

describe('the pages', () => {
  const get = (address: string, accept = 'text/html'): Promise<Response> =>
    fetch(world.url + address, { headers: { accept } });

  it('are served with every file that they name, and with nothing else of the folder', async () => {
    const folder = path.join(__dirname, '..', 'page');
    const types: Record<string, string> = { css: 'text/css', js: 'text/javascript' };
    for (const name of readdirSync(folder)) {
      const response = await get(`/_page/${name}`);
      const type = types[name.split('.').pop() ?? ''];
      expect([name, response.status]).toEqual([name, type ? 200 : 404]);
      if (type) expect(response.headers.get('content-type')).toContain(type);
      await response.arrayBuffer();
    }
    for (const address of ['/', '/_control/']) {
      const html = await (await get(address)).text();
      for (const [, file] of html.matchAll(/(?:src|href)="(\/_page\/[^"]+)"/g))
        expect([file, (await get(file ?? '')).status]).toEqual([file, 200]);
    }
  });

  it.each(['/_page/..%2fassets.ts', '/_page/x/..%2f..%2fserver.ts', '/_page/build.js', '/_page/', '/_page/x.js'])(
    'do not give %s',
    async (address) => {
      expect((await get(address)).status).toBe(404);
    },
  );

  it('show the control API to people and give it to programs as JSON', async () => {
    expect((await get('/_control/')).headers.get('content-type')).toContain('text/html');
    expect((await get('/_control/', '*/*')).headers.get('content-type')).toContain('application/json');
  });
});

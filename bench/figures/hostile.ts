import type { Socket } from 'node:net';
import { createWorkspaceWithKey } from '../support/context';
import { openSession } from '../support/session';
import { atMost, type Figure, type Line } from '../support/figure';
import { processorMs } from '../support/processes';
import { seedContacts } from '../support/seed';
import { percentile, sleep } from '../support/stats';
import { hostileBodies, hostileFiles } from '../../test/hostile/bodies';
import { dripping, hostileHeads, hostileMethods, pouring, sendHead } from '../../test/hostile/requests';

/** What a request of somebody hostile is. */
interface Shot {
  readonly name: string;
  /** Makes it ready, without a request that others would wait for; what it returns sends it. */
  aim(): Promise<() => Promise<number>>;
}

const megabyte = 1024 * 1024;
const quietMs = 5_000;
const slowBodiesMs = 2_000;

/**
 * What a quiet workspace waits for while another one sends the hostile corpus to the same process, one request after
 * the other: the bound of contract 16. Each request is also judged alone: how long the quiet one waited for it at most.
 */
export const figure: Figure = {
  name: 'hostile',
  async run(context) {
    const installation = await context.install();
    const [handle = ''] = await seedContacts(installation, 200);
    const api = await installation.startApi({}, 'api/index.js');
    const quiet = { authorization: `Bearer ${installation.apiKey}` };
    const hostile = await hostileTenant(installation);

    const waited: number[] = [];
    let longest = 0;
    const ask = async (): Promise<void> => {
      const begun = performance.now();
      const answer = await fetch(`${api.url}/api/v1/contacts/${handle}/`, { headers: quiet });
      await answer.text();
      if (answer.status !== 200) throw new Error(`the quiet workspace was answered ${answer.status}`);
      const ms = performance.now() - begun;
      waited.push(ms);
      longest = Math.max(longest, ms);
    };
    let going = true;
    const asking = (async () => {
      while (going) {
        await ask();
        await sleep(5);
      }
    })();
    await sleep(2_000);
    waited.length = 0;
    await sleep(quietMs);
    const alone = percentile(waited, 0.99);
    waited.length = 0;
    const slow: Line[] = [];
    for (const { name, aim } of shots(api.url, hostile, context.quick)) {
      const send = await aim();
      await sleep(20);
      longest = 0;
      const before = processorMs(api.pid);
      const status = await send();
      await sleep(20);
      const spent = processorMs(api.pid) - before;
      context.log(`${name}: ${status}, ${spent.toFixed(0)} ms of processor, waited ${longest.toFixed(0)} ms`);
      slow.push({ what: `longest wait beside: ${name}, ms`, value: longest });
    }
    going = false;
    await asking;
    const beside = percentile(waited, 0.99);
    return [
      { what: 'the quiet workspace alone, p99 in ms', value: alone },
      { ...atMost('the quiet workspace beside the corpus, p99 in ms', beside, 250), baseline: alone },
      ...slow.sort((left, right) => right.value - left.value).slice(0, 5),
    ];
  },
};

const shotOf = (name: string, send: () => Promise<number>): Shot => ({ name, aim: () => Promise.resolve(send) });

/** Returns the highest status of what is asked at once. */
async function together(asked: readonly Promise<number>[]): Promise<number> {
  return Math.max(...(await Promise.all(asked)));
}

/** Makes the workspace that is hostile: a key, and a session of its member. */
async function hostileTenant(
  installation: Parameters<typeof openSession>[0],
): Promise<{ readonly key: string; readonly token: string }> {
  const { ctx, apiKey } = await createWorkspaceWithKey(installation.runtime, 'Hostile');
  const { token } = await openSession({ ...installation, ctx });
  return { key: apiKey, token };
}

/**
 * The corpus: every body at places that take little and much, files for the import's page, reads of all at once, heads
 * and methods that no client sends, slow bodies, and refused ones that go on.
 */
function shots(url: string, { key, token }: { key: string; token: string }, quick: boolean): Shot[] {
  const authorization = `Bearer ${key}`;
  const post = async (path: string, body: Buffer, type: string): Promise<number> => {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': type },
      body: new Uint8Array(body),
    });
    await answer.arrayBuffer();
    return answer.status;
  };
  const places = [
    { path: '/api/v1/contacts/bulk/', field: 'contacts', bytes: 10 * megabyte },
    { path: '/api/v1/contacts/', field: 'tags', bytes: megabyte },
    ...(quick ? [] : [{ path: '/api/v1/tickets/', field: 'title', bytes: megabyte }]),
    { path: '/mcp', field: 'params', bytes: megabyte },
  ];
  const bodies = places.flatMap(({ path, field, bytes }) =>
    hostileBodies(field).map(({ name, type, build }) => ({
      name: `${name} to ${path}`,
      aim: async () => {
        const body = build(bytes);
        return () => post(path, body, type);
      },
    })),
  );
  const previews = hostileFiles.map(({ name, build }) => ({
    name: `the preview of ${name}`,
    aim: async () => {
      const headers = { cookie: `token=${token}`, origin: url };
      const page = await fetch(`${url}/dashboard/contacts/import/`, { headers });
      const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
      const form = new FormData();
      form.set('csrf', csrf);
      form.set('file', new Blob([new Uint8Array(build(9 * megabyte))]), 'people.csv');
      return async () => {
        const path = `${url}/dashboard/contacts/import/preview/`;
        const answer = await fetch(path, { method: 'POST', headers, body: form });
        await answer.arrayBuffer();
        return answer.status;
      };
    },
  }));
  const scrapes = shotOf('eight scrapes', () =>
    together(
      Array.from({ length: 8 }, async () => {
        const answer = await fetch(`${url}/metrics`);
        await answer.arrayBuffer();
        return answer.status;
      }),
    ),
  );
  const heads = hostileHeads.map(({ name, lines }) => shotOf(name, () => head('GET', lines)));
  const methods = shotOf('every method', () =>
    together(hostileMethods.map((method) => head(method, [`authorization: ${authorization}`]))),
  );
  const announced = [`authorization: ${authorization}`, 'content-type: application/json', 'content-length: 90000000'];
  const slow = shotOf('a hundred slow bodies', () =>
    together(
      Array.from({ length: 100 }, () =>
        head('POST', ['content-length: 1000', ...announced.slice(0, 2)], (socket) => {
          dripping(10)(socket);
          setTimeout(() => socket.destroy(), slowBodiesMs);
        }),
      ),
    ),
  );
  const refused = shotOf('twenty refused bodies that go on', () =>
    together(Array.from({ length: 20 }, () => head('POST', announced, pouring))),
  );
  return [...bodies, ...previews, scrapes, ...heads, methods, slow, refused];

  async function head(method: string, lines: readonly string[], body?: (socket: Socket) => void): Promise<number> {
    return (await sendHead(url, `${method} /api/v1/contacts/ HTTP/1.1`, lines, body)).status;
  }
}

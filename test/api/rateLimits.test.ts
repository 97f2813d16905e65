import { Agent, request } from 'undici';
import { createSession } from '../factories/members';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { startReplicas } from '../support/replicas';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox', {
    env: {
      RATE_LIMIT_PER_MINUTE: '60',
      RATE_LIMIT_ANONYMOUS_PER_MINUTE: '20',
      LOOP_SHARE_PERCENT: '1',
      TRUST_PROXY: '0',
    },
  });
});
afterAll(() => desk.close());
// Every test begins with fresh windows.
beforeEach(() => desk.runtime.db.rows('DELETE FROM rate_limits'));

const list = '/api/v1/contacts/';

it('lets exactly 60 of 1000 parallel requests through, over four replicas (contract 3.1)', async () => {
  const origins = await startReplicas(desk, 4);
  const agent = new Agent({ connections: 25 });
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, async (_unused, index) => {
      const answer = await request(`${origins[index % 4]}${list}`, {
        headers: { authorization: `Bearer ${desk.workspace.token}` },
        dispatcher: agent,
      });
      await answer.body.dump();
      return answer.statusCode;
    }),
  );
  await agent.close();
  const counts = Object.fromEntries(
    [200, 429].map((status) => [status, answers.filter((answer) => answer === status).length]),
  );
  expect(counts).toEqual({ 200: 60, 429: 940 });
});

it('counts down, then says when to come back', async () => {
  const seen: [string, string][] = [];
  for (let index = 0; index < 60; index += 1) {
    const { status, headers } = await desk.api.get(list);
    expect(status).toBe(200);
    seen.push([String(headers['ratelimit-limit']), String(headers['ratelimit-remaining'])]);
    expect(Number(headers['ratelimit-reset'])).toBeGreaterThan(0);
    expect(Number(headers['ratelimit-reset'])).toBeLessThanOrEqual(60);
  }
  expect(seen).toEqual(Array.from({ length: 60 }, (_unused, index) => ['60', String(59 - index)]));
  const { status, headers, body } = await desk.api.get(list);
  expect([status, headers['ratelimit-remaining']]).toEqual([429, '0']);
  const seconds = Number(headers['retry-after']);
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(60);
  expect(body).toEqual({
    error: `Request was throttled. Expected available in ${seconds} second${seconds === 1 ? '' : 's'}.`,
  });
});

it('the window opens with the first request and lasts 60 s, then a new one begins', async () => {
  await desk.api.get(list);
  await desk.runtime.db.rows(`UPDATE rate_limits SET hits = 60`);
  expect((await desk.api.get(list)).status).toBe(429);
  await desk.runtime.db.rows(`UPDATE rate_limits SET resets_at = clock_timestamp() - interval '1 second'`);
  const { status, headers } = await desk.api.get(list);
  expect([status, headers['ratelimit-remaining'], headers['ratelimit-reset']]).toEqual([200, '59', '60']);
});

it('each key, each session and each workspace has a bucket of its own', async () => {
  const second = await desk.workspace.key(['all']);
  const session = await createSession(desk.workspace.owner);
  const other = await createWorkspace(desk);
  await desk.api.get(list);
  await desk.runtime.db.rows(`UPDATE rate_limits SET hits = 60`);
  expect((await desk.api.get(list)).status).toBe(429);
  for (const api of [second.api, session.api, other.api]) expect((await api.get(list)).status).toBe(200);
  expect((await session.api.get(list)).headers['ratelimit-limit']).toBe('60');
});

it('refusals count too: 403, 404, 400 and 405', async () => {
  const narrow = await desk.workspace.key(['chat.view']);
  await narrow.api.get(list);
  await narrow.api.get('/api/v1/conversations/1/');
  await narrow.api.get('/api/v1/conversations/?updated_after=x');
  await narrow.api.request('PUT', '/api/v1/conversations/', {});
  expect((await narrow.api.get('/api/v1/conversations/')).headers['ratelimit-remaining']).toBe('55');
});

it('requests without a valid credential are counted per address, and cost no key anything', async () => {
  for (let index = 0; index < 20; index += 1)
    expect((await desk.anonymous.get(list, { authorization: `Bearer hd_live_${index}_x` })).status).toBe(401);
  const refused = await desk.anonymous.get(list);
  expect(refused).toMatchObject({
    status: 429,
    body: { error: expect.stringMatching(/^Request was throttled/) as unknown },
  });
  expect((await desk.anonymous.get('/api/v1/nothing/')).status).toBe(429);
  expect((await desk.anonymous.get('/nothing/%ff')).status).toBe(429);
  expect((await desk.api.get(list)).status).toBe(200);
});

it('who has had more than its share of a busy process is refused while another one waits, and only then', async () => {
  const { db, loopTime } = desk.runtime;
  const noisy = await createSession(desk.workspace.owner);
  const quiet = await createWorkspace(desk);
  const page = async (): Promise<number> => (await noisy.api.get('/dashboard/account/')).status;
  const busy = (): void => {
    loopTime.begin(desk.workspace.id);
    for (const end = performance.now() + 1_200; performance.now() < end;);
    loopTime.begin(null);
  };
  const requests = (hits: number): Promise<unknown> => db.rows('UPDATE rate_limits SET hits = $hits', { hits });
  expect(await page()).toBe(200);
  await requests(100);

  busy();
  expect(await page()).toBe(200);
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let isLocked = (): void => undefined;
  const locked = new Promise<void>((resolve) => (isLocked = resolve));
  const holder = db.transaction(async () => {
    await db.rows('LOCK TABLE macros IN ACCESS EXCLUSIVE MODE');
    isLocked();
    await held;
  });
  await locked;
  const waiting = quiet.api.get('/api/v1/macros/');
  const waits = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'macros'::regclass`;
  while ((await db.rows(waits)).length === 0);
  busy();
  const refused = await noisy.api.get('/dashboard/account/');
  await requests(30);
  busy();
  const early = await page();
  release();
  await holder;
  expect(refused.status).toBe(429);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(early).toBe(200);
  expect((await waiting).status).toBe(200);
});

it('a forwarded address is not believed without a trusted proxy', async () => {
  for (let index = 0; index < 20; index += 1) await desk.anonymous.get(list, { 'x-forwarded-for': `10.0.0.${index}` });
  expect((await desk.anonymous.get(list, { 'x-forwarded-for': '10.9.9.9' })).status).toBe(429);
});

it('health and metrics are never limited', async () => {
  await desk.runtime.db.rows(
    `INSERT INTO rate_limits (key, hits, resets_at) VALUES ('a:127.0.0.1', 1000, now() + interval '1 minute')`,
  );
  for (const path of ['/healthz', '/readyz', '/metrics']) expect((await desk.anonymous.get(path)).status).toBe(200);
});

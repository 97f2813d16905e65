import { EventEmitter } from 'node:events';
import { LiveHub } from '../../api/doors/dashboard/live';
import { createCustomer } from '../factories/customers';
import { createMember, createSession } from '../factories/members';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser } from '../support/dashboard';
import { eventually } from '../support/eventually';
import { startReplicas } from '../support/replicas';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

/** What a stream said so far; ended by `close`. */
interface Stream {
  readonly status: number;
  readonly events: { id: string; event: string; data: { type?: string; id?: number } }[];
  /** Resolves as soon as it has said what passes. */
  until(passes: () => boolean): Promise<void>;
  close(): Promise<void>;
}

async function listen(path: string, headers: Record<string, string>, origin = desk.url): Promise<Stream> {
  const abort = new AbortController();
  const answer = await fetch(origin + path, { headers, signal: abort.signal, redirect: 'manual' });
  const events: Stream['events'] = [];
  const waiting = new Set<() => void>();
  const reading = (async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
        if (field('event') !== '')
          events.push({ id: field('id'), event: field('event'), data: JSON.parse(field('data')) as { type?: string } });
        for (const look of waiting) look();
      }
    }
  })().catch(() => undefined);
  return {
    status: answer.status,
    events,
    until: (passes) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!passes()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    async close() {
      abort.abort();
      await reading;
    },
  };
}

const news = (stream: Stream): string[] =>
  stream.events.filter(({ event }) => event === 'change').map(({ data }) => `${data.type} ${data.id}`);

async function cookieFor(permissions?: Parameters<typeof createMember>[1]): Promise<Record<string, string>> {
  const member = await createMember(desk.workspace, permissions ?? { role: 'admin' });
  return { cookie: `token=${(await createSession(member)).token}` };
}

async function conversationId(handle: string): Promise<number> {
  return (await desk.api.get(`/api/v1/conversations/${handle}/`)).body.id;
}

test('two members on one conversation see what the other and the customer do, without reloading', async () => {
  const anna = createCustomer(desk.workspace, { name: 'Live Anna' });
  await anna.writes('First');
  const [sam, kim] = [await dashboardBrowser(desk, { name: 'Sam' }), await dashboardBrowser(desk, { name: 'Kim' })];
  await sam.open(`/dashboard/inbox/${anna.handle}/?view=all`);
  await kim.open(`/dashboard/inbox/${anna.handle}/?view=all`);
  await kim.page.keyboard.press('r');
  await kim.page.getByLabel('Reply', { exact: true }).fill('Half written');

  await sam.page.getByLabel('Reply', { exact: true }).fill('Hello from Sam');
  await sam.page.getByRole('button', { name: 'Send', exact: true }).click();
  await kim.page.getByRole('log').getByText('Hello from Sam').waitFor();
  await desk.work();
  // The platform's word comes by itself, too.
  await kim.page.locator('.tick-delivered, .tick-read').first().waitFor();
  await sam.page.keyboard.press('Escape');
  await sam.page.keyboard.press('p');
  await sam.page.getByRole('button', { name: 'Urgent' }).click();
  await kim.page.locator('.thread-state').getByText('urgent').waitFor();
  await kim.page.locator('.conversation').getByRole('img', { name: 'Priority: urgent' }).waitFor();
  await anna.writes('Second');
  for (const each of [sam, kim]) await each.page.getByRole('log').getByText('Second').waitFor();
  expect(await kim.page.getByLabel('Reply', { exact: true }).inputValue()).toBe('Half written');
  expect([...sam.problems, ...kim.problems]).toEqual([]);
});

test('a lost connection says so, and catches up when it is back', async () => {
  const ben = createCustomer(desk.workspace, { name: 'Lost Ben' });
  await ben.writes('Before');
  const sam = await dashboardBrowser(desk);
  await sam.open(`/dashboard/inbox/${ben.handle}/`);
  await sam.page.getByRole('log').getByText('Before').waitFor();
  await sam.page.route('**/dashboard/live/**', (route) => route.abort());
  // The stream that is open ends only with its connection.
  await sam.page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
  await sam.context.setOffline(true);
  await sam.page.evaluate(
    `window.dispatchEvent(new Event('pagehide')); window.dispatchEvent(new PageTransitionEvent('pageshow', { ` +
      `persisted: true }))`,
  );
  await sam.page.getByText('The connection is lost').waitFor();
  await ben.writes('Meanwhile');
  await sam.context.setOffline(false);
  await sam.page.unroute('**/dashboard/live/**');
  await sam.page.getByRole('log').getByText('Meanwhile').waitFor();
  await sam.page.getByText('The connection is lost').waitFor({ state: 'hidden' });
});

test('where the session is over, the page says so and asks for no more streams', async () => {
  const { page, member, open } = await dashboardBrowser(desk);
  let tries = 0;
  page.on('request', (request) => (tries += /\/(live|sign-in)\//.test(request.url()) ? 1 : 0));
  const stream = page.waitForRequest(/\/live\//);
  await open('/dashboard/contacts/?search=x');
  await stream;
  expect(tries).toBe(1);
  await desk.runtime.db.rows('DELETE FROM sessions WHERE member_id = $id', { id: member.id });
  // As when the page is come back to.
  const comeBack = `window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`;
  await page.evaluate(comeBack);
  const link = page.getByText('You are signed out').getByRole('link', { name: 'Sign in' });
  expect(await link.getAttribute('href')).toBe('/dashboard/sign-in/?next=%2Fdashboard%2Fcontacts%2F%3Fsearch%3Dx');
  await page.evaluate(comeBack);
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 3_500))');
  expect(tries).toBe(2);
});

test('a stream follows what its member may see, at the latest after a minute', async () => {
  const member = await createMember(desk.workspace, { permissions: ['chat.view'] });
  const [all, lost] = [
    await listen('/dashboard/live/', await cookieFor()),
    await listen('/dashboard/live/', { cookie: `token=${(await createSession(member)).token}` }),
  ];
  const carl = createCustomer(desk.workspace, { name: 'Seen Carl' });
  await carl.writes('Here');
  await lost.until(() => news(lost).length > 0);
  await member.update({ permissions: ['ticket.view'] });
  const beats = (): number => lost.events.filter(({ event }) => event === 'beat').length;
  const before = beats();
  const clock = Date.now.bind(Date);
  const later = jest.spyOn(Date, 'now').mockImplementation(() => clock() + 61_000);
  try {
    await lost.until(() => beats() > before);
  } finally {
    later.mockRestore();
  }
  const dora = createCustomer(desk.workspace, { name: 'Unseen Dora' });
  await dora.writes('Here');
  const id = await conversationId(dora.handle);
  await all.until(() => news(all).includes(`conversation ${id}`));
  expect(news(lost)).not.toContain(`conversation ${id}`);
  await all.close();
  await lost.close();
});

test('a stream tells changes of its workspace only, to those who may see them', async () => {
  const other = await createWorkspace(desk);
  const [all, none] = [
    await listen('/dashboard/live/', await cookieFor()),
    await listen('/dashboard/live/', await cookieFor({ permissions: ['ticket.view'] })),
  ];
  const stranger = createCustomer(other, { name: 'Stranger' });
  await stranger.writes('Elsewhere');
  const carl = createCustomer(desk.workspace, { name: 'Told Carl' });
  await carl.writes('Here');
  const id = await conversationId(carl.handle);
  await all.until(() => news(all).includes(`conversation ${id}`));
  const strangerId = (await other.api.get(`/api/v1/conversations/${stranger.handle}/`)).body.id;
  expect(news(all)).not.toContain(`conversation ${strangerId}`);
  expect(news(none)).toEqual([]);
  await Promise.all([all.close(), none.close()]);
});

test('a message that changes while its page is on the way, or the moment after, is told', async () => {
  const emil = createCustomer(desk.workspace, { name: 'Open Emil' });
  await emil.writes('Here');
  await desk.settled();
  const id = await conversationId(emil.handle);
  const headers = await cookieFor();
  const page = await (await fetch(`${desk.url}/dashboard/inbox/${emil.handle}/`, { headers })).text();
  const shown = /data-live-from="([^"]+)"/.exec(page)?.[1];
  const stream = await listen(`/dashboard/live/?watch=${id}&after=${shown}`, headers);
  const told = (): number => news(stream).filter((change) => change === `messages ${id}`).length;
  await stream.until(() => told() === 1);
  await desk.runtime.db.rows('UPDATE messages SET updated_at = clock_timestamp() WHERE conversation_id = $id', { id });
  await stream.until(() => told() === 2);
  await stream.close();
});

test('a stream goes on where the last one ended, on another replica too', async () => {
  const [origin = ''] = await startReplicas(desk, 1);
  const headers = await cookieFor();
  const first = await listen('/dashboard/live/', headers);
  await first.until(() => first.events.length > 0);
  await first.close();
  const last = first.events.at(-1)?.id ?? '';
  const dora = createCustomer(desk.workspace, { name: 'Missed Dora' });
  await dora.writes('While nobody listened');
  const id = await conversationId(dora.handle);
  const second = await listen('/dashboard/live/', { ...headers, 'last-event-id': last }, origin);
  await second.until(() => news(second).includes(`conversation ${id}`));
  await second.close();
  const hourAgo = `${Date.now() - 3_600_000}.0`;
  const third = await listen(`/dashboard/live/?after=${hourAgo}`, headers);
  await third.until(() => news(third).includes('all 0'));
  await third.close();
});

test('streams are for sessions, and a member has 20, whatever the number of sessions', async () => {
  expect((await listen('/dashboard/live/', {})).status).toBe(303);
  expect((await listen('/dashboard/live/', { accept: 'text/event-stream' })).status).toBe(401);
  const member = await createMember(desk.workspace);
  const sessions = [await createSession(member), await createSession(member)];
  const [headers = {}, more = {}] = sessions.map(({ token }) => ({ cookie: `token=${token}` }));
  const streams = await Promise.all(
    Array.from({ length: 20 }, (_unused, index) => listen('/dashboard/live/', index % 2 === 0 ? headers : more)),
  );
  expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
  const refused = await fetch(`${desk.url}/dashboard/live/`, { headers });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
  await refused.text();
  await Promise.all(streams.map((stream) => stream.close()));
  await eventually(async () => {
    const again = await listen('/dashboard/live/', headers);
    await again.close();
    expect(again.status).toBe(200);
  });
});

test('where a process has no stream left, the workspace with the most gives one up', async () => {
  const hub = new LiveHub(desk.runtime, () => false, 4);
  const ended: string[] = [];
  const other = await createWorkspace(desk, { connected: false });
  const begin = async (name: string, workspaceId: number, memberId: number): Promise<boolean> => {
    if (!hub.makeRoom({ memberId, workspaceId })) return false;
    const res = Object.assign(new EventEmitter(), {
      write: () => true,
      end: () => ended.push(name) && res.emit('close'),
    });
    const scopes = new Set<never>();
    const look = (): Promise<typeof scopes> => Promise.resolve(scopes);
    await hub.add({ res: res as never, workspaceId, memberId, scopes, watches: null, after: null, look });
    return true;
  };
  for (const name of ['a', 'b', 'c', 'd']) expect(await begin(name, desk.workspace.id, 1)).toBe(true);
  expect(await begin('e', desk.workspace.id, 2)).toBe(false);
  expect(await begin('f', other.id, 3)).toBe(true);
  expect(await begin('g', other.id, 3)).toBe(true);
  expect(await begin('h', other.id, 3)).toBe(false);
  expect(ended).toEqual(['d', 'c']);
});

import { createContact } from '../factories/contacts';
import { eventually } from '../support/eventually';
import type { TestApi } from '../support/api';
import { testSetting } from '../support/handed';
import { sharedDesk } from '../support/sharedDesk';
import { startReplicas } from '../support/replicas';
import { Agent, request } from 'undici';
import { randomBytes } from 'node:crypto';
import { METHODS } from 'node:http';
import { pageRoutes } from '../../api/doors/dashboard/routes/router';
import { operations } from '../../api/operations';
import { migrateDatabase } from '../../models/migrate';
import { databaseUrl, runSql } from '../support/database';

let desk: TestApi;
beforeAll(async () => {
  // Nothing listens there: Temporal is away for the whole of this file.
  desk = await sharedDesk('no sandbox', { env: { TEMPORAL_ADDRESS: '127.0.0.1:1', SECURITY_CONTACT: '' } });
});
afterAll(() => desk.close());

const inAnHour = new Date(Date.now() + 3_600_000).toISOString();

describe('health (C1)', () => {
  it("tells alive from ready, and Temporal's state without depending on it", async () => {
    expect(await desk.anonymous.get('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await desk.anonymous.get('/readyz')).toMatchObject({
      status: 200,
      body: { status: 'ok', database: 'up', temporal: 'down', temporal_prefix: desk.runtime.config.temporal.prefix },
    });
  });

  it('a flood of probes is one look at the database', async () => {
    const { db } = desk.runtime;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const pings = jest.spyOn(db, 'ping');
    const began = Date.now();
    const answers = await Promise.all(Array.from({ length: 30 }, () => desk.anonymous.get('/readyz')));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    // One for each second that the answers take: for so long a look is shared.
    expect(pings.mock.calls.length).toBeLessThanOrEqual(Math.ceil((Date.now() - began) / 1_000) + 1);
    pings.mockRestore();
  });

  it('names nobody who is told of weaknesses unless a setting does', async () => {
    expect((await desk.anonymous.get('/.well-known/security.txt')).status).toBe(404);
  });

  it('counts requests by route, never by path', async () => {
    await desk.api.get('/api/v1/contacts/4915199999999/');
    const { body } = await desk.anonymous.get<string>('/metrics');
    expect(body).toContain('route="/api/v1/contacts/{receiver_id}/"');
    expect(body).not.toContain('4915199999999');
  });

  it('no method, route or credential makes the metrics grow beyond what works', async () => {
    const paths = [...operations, ...pageRoutes].map(({ path }) => path.replace(/\{\w+\}|:\w+/g, '1'));
    const routes = [...new Set([...paths, '/mcp', '/oauth/token', '/webhooks/msgapp/', '/nowhere', '/'])];
    const series = async (): Promise<string[]> => {
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      const { body } = await desk.anonymous.get<string>('/metrics');
      return body.split('\n').filter((line) => line.startsWith('msgdesk_http_request_duration_seconds_count'));
    };
    const agent = new Agent({ connections: 8 });
    desk.test.onClose(() => agent.destroy());
    const ask = async (method: string, path: string, headers: Record<string, string>): Promise<number> => {
      const answer = await request(`${desk.url}${path}`, { method: method as 'GET', headers, dispatcher: agent });
      await answer.body.dump();
      return answer.statusCode;
    };
    const before = await series();
    const methods = METHODS.filter((method) => method !== 'CONNECT');
    for (const path of routes) {
      await Promise.all(methods.map((method) => ask(method, path, {})));
      const authorization = `Bearer ${desk.workspace.token}`;
      // A key's own calls: what no route takes.
      if (path.startsWith('/api/'))
        await Promise.all(['PUT', 'LOCK', 'QUERY'].map((method) => ask(method, path, { authorization })));
    }
    const after = await series();
    // A series for each status that is refused, and what OPTIONS, HEAD and public pages answer to anybody.
    expect(after.filter((line) => line.includes('route="refused"')).length).toBeLessThan(15);
    expect(after.length - before.length).toBeLessThan(routes.length);
    expect(after.filter((line) => /method="(PROPFIND|LOCK|QUERY)"/.test(line))).toEqual([]);
  });

  it('without a database it is alive, not ready, and refuses with a 503', async () => {
    const [origin] = await startReplicas(desk, 1, { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    const read = async (path: string): Promise<[number, unknown, unknown]> => {
      const answer = await request(`${origin}${path}`, {
        headers: { authorization: `Bearer ${desk.workspace.token}` },
      });
      return [answer.statusCode, answer.headers['retry-after'], await answer.body.json()];
    };
    expect((await read('/healthz'))[0]).toBe(200);
    expect(await read('/readyz')).toEqual([
      503,
      undefined,
      { status: 'unavailable', database: 'down', temporal: 'down', temporal_prefix: null },
    ]);
    expect(await read('/api/v1/contacts/')).toEqual([
      503,
      '2',
      { error: 'The service is not available. Try again shortly.' },
    ]);
  });
});

it('a process that starts before its database was migrated is not ready, and becomes it by itself', async () => {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runSql(testSetting('TEST_DATABASE_URL'), `CREATE DATABASE ${name}`);
  desk.test.onClose(() => runSql(testSetting('TEST_DATABASE_URL'), `DROP DATABASE ${name} WITH (FORCE)`));
  const [origin] = await startReplicas(desk, 1, { DATABASE_URL: databaseUrl(name) });
  const read = async (): Promise<[number, unknown]> => {
    const answer = await request(`${origin}/readyz`);
    return [answer.statusCode, await answer.body.json()];
  };
  const state = { database: 'up', temporal: 'down' };
  expect(await read()).toEqual([503, { ...state, status: 'unavailable', temporal_prefix: null }]);
  await migrateDatabase(databaseUrl(name));
  const ready = { ...state, status: 'ok', temporal_prefix: desk.runtime.config.temporal.prefix };
  await eventually(async () => expect(await read()).toEqual([200, ready]));
});

describe('while Temporal is away', () => {
  it('a snooze is accepted, and its timer waits in the outbox', async () => {
    const { receiver_id: handle } = await createContact(desk.workspace);
    const answer = await desk.api.patch(`/api/v1/conversations/${handle}/`, {
      status: 'snoozed',
      snoozed_until: inAnHour,
    });
    expect(answer).toMatchObject({ status: 200, body: { conv_status: 'snoozed', snoozed_until: inAnHour } });
    const rows = await desk.runtime.db.rows<{ workflow: string; signal: string; version: number }>(
      `SELECT workflow, signal, version FROM outbox WHERE workspace_id = $id AND workflow = 'snoozeTimer'`,
      { id: desk.workspace.id },
    );
    expect(rows).toEqual([{ workflow: 'snoozeTimer', signal: 'deadline', version: 1 }]);
  });

  it('reads and writes go on, and none waits for it', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => createContact(desk.workspace)));
    for (const { receiver_id: handle } of answers)
      expect(
        (await desk.api.patch(`/api/v1/conversations/${handle}/`, { status: 'snoozed', snoozed_until: inAnHour }))
          .status,
      ).toBe(200);
    const row = await desk.runtime.db.row<{ count: number }>(
      `SELECT count(*)::int AS count FROM outbox WHERE workspace_id = $id AND workflow = 'snoozeTimer'`,
      { id: desk.workspace.id },
    );
    expect(row?.count).toBeGreaterThanOrEqual(30);
    expect((await desk.api.get('/api/v1/conversations/?status=snoozed')).status).toBe(200);
    await eventually(async () => expect((await desk.anonymous.get('/readyz')).status).toBe(200));
  });
});

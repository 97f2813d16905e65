import http from 'node:http';
import pg from 'pg';
import { createCustomer } from '../factories/customers';
import { createMember, createSession } from '../factories/members';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { eventually } from '../support/eventually';
import { freePorts } from '../../dev/lib/ports';
import { spawnApi } from '../support/worker';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

/** The answer to one request, on a connection that is kept open by who asks. */
function ask(
  agent: http.Agent,
  port: number,
  path: string,
  patch?: Record<string, unknown>,
): Promise<{ status: number; connection: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${desk.workspace.token}`, 'content-type': 'application/json' };
    const method = patch ? 'PATCH' : 'GET';
    const request = http.request({ host: '127.0.0.1', port, path, method, agent, headers }, (answer) => {
      answer.resume();
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, connection: String(answer.headers.connection ?? '') }),
      );
    });
    request.on('error', reject);
    request.end(patch ? JSON.stringify(patch) : undefined);
  });
}

/** A page's stream of news: told of its first event, and of its end. */
function listen(agent: http.Agent, port: number, token: string): Promise<{ ended: Promise<void> }> {
  return new Promise((resolve, reject) => {
    const headers = { cookie: `token=${token}` };
    const request = http.get({ host: '127.0.0.1', port, path: '/dashboard/live/', agent, headers }, (answer) => {
      const ended = new Promise<void>((done) => answer.on('end', done));
      answer.once('data', () => resolve({ ended }));
    });
    request.on('error', reject);
  });
}

it('an API has a port for its metrics where it is set, and notes for whom it worked when it stops', async () => {
  const [port = 0, metricsPort = 0] = await freePorts(2);
  const api = await spawnApi(desk.test, port, { METRICS_PORT: String(metricsPort) });
  const statusOf = async (at: number, path: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${at}${path}`)).status;
  expect(await statusOf(port, '/healthz')).toBe(200);
  expect(await statusOf(port, '/metrics')).toBe(404);
  expect(await statusOf(metricsPort, '/healthz')).toBe(404);
  const page = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
  expect(await page.text()).toContain('msgdesk_http_request_duration_seconds_count{method="GET",route="/healthz"');

  const agent = new http.Agent();
  for (let count = 0; count < 5; count += 1)
    expect(await ask(agent, port, '/api/v1/contacts/')).toMatchObject({ status: 200 });
  expect(await api.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(
    await desk.runtime.db.rows('SELECT FROM busy_days WHERE workspace_id = $id AND ms > 0', { id: desk.workspace.id }),
  ).toHaveLength(1);
});

describe('an API that is told to stop', () => {
  it('first says that it is not ready, and still answers until the balancer has seen it', async () => {
    const [port = 0] = await freePorts(1);
    const api = await spawnApi(desk.test, port, { DRAIN_SECONDS: '4' });
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    expect(await ask(agent, port, '/api/v1/contacts/')).toMatchObject({ status: 200, connection: 'keep-alive' });
    const ended = api.kill('SIGTERM');
    await eventually(async () => expect((await ask(agent, port, '/readyz')).status).toBe(503), { everyMs: 20 });
    // Answered, on a connection that nobody uses again.
    expect(await ask(agent, port, '/api/v1/contacts/')).toEqual({ status: 200, connection: 'close' });
    expect((await ask(agent, port, '/healthz')).status).toBe(200);
    expect(await ended).toEqual({ code: 0, signal: null });
    await expect(ask(agent, port, '/healthz')).rejects.toThrow('ECONNREFUSED');
    agent.destroy();
  });

  it('answers what is under way, ends the streams of pages, and waits for no connection that is idle', async () => {
    const [port = 0] = await freePorts(1);
    const api = await spawnApi(desk.test, port, { DRAIN_SECONDS: '0' });
    const anna = createCustomer(desk.workspace);
    await anna.writes('Hello');
    const { token } = await createSession(await createMember(desk.workspace, { role: 'admin' }));
    const agents = [0, 1].map(() => new http.Agent({ keepAlive: true, maxSockets: 1 }));
    const [pages, programs] = agents as [http.Agent, http.Agent];
    const stream = await listen(pages, port, token);
    // A change of the conversation waits for its row.
    const holder = new pg.Client({ connectionString: desk.test.env['DATABASE_URL'] });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM contacts FOR UPDATE');
    await holder.query('SELECT 1 FROM conversations FOR UPDATE');
    const underWay = ask(programs, port, `/api/v1/contacts/${anna.handle}/`, { notes: 'Written at the end' });
    await eventually(async () =>
      expect(
        await desk.runtime.db.rows(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'msgdesk-api'
            AND wait_event_type = 'Lock'`,
        ),
      ).toHaveLength(1),
    );
    const ended = api.kill('SIGTERM');
    await stream.ended;
    await holder.query('ROLLBACK');
    await holder.end();
    expect(await underWay).toEqual({ status: 200, connection: 'close' });
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(api.output()).not.toContain('api.stop_forced');
    for (const agent of agents) agent.destroy();
  });
});

import http from 'node:http';
import { startApi, type TestApi } from '../support/api';
import { eventually } from '../support/eventually';
import { freePorts } from '../support/ports';
import { spawnApi } from '../support/worker';

let desk: TestApi;
beforeAll(async () => {
  desk = await startApi({ sandbox: false });
});
afterAll(() => desk.close());

/** The answer to one request, on a connection that is kept open by who asks. */
function ask(agent: http.Agent, port: number, path: string): Promise<{ status: number; connection: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${desk.workspace.token}` };
    const request = http.get({ host: '127.0.0.1', port, path, agent, headers }, (answer) => {
      answer.resume();
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, connection: String(answer.headers.connection ?? '') }),
      );
    });
    request.on('error', reject);
  });
}

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
});

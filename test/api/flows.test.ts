import { syncWorkspace } from '../../api/services/processes/upstreamSync/service';
import type { Flow } from '../../dev/sandbox/types';
import { createCustomer, signedWebhook, webhook } from '../factories/customers';
import { unique } from '../factories/unique';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { startReplicas } from '../support/replicas';

type Json = Record<string, unknown>;

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

/** A workspace of its own, with the upstream's side of it at hand. */
async function tenant(): Promise<{ workspace: TestWorkspace; flow: Flow; path: string }> {
  const workspace = await createWorkspace(desk);
  const flow = accountOf(workspace).flows[0];
  if (!flow) throw new Error('the account has no flow');
  return { workspace, flow, path: `/api/v1/flows/${flow.id}/` };
}

function accountOf(workspace: TestWorkspace): { flows: Flow[] } {
  const account = desk.sandbox.state.accounts.get(workspace.account.businessAccountId);
  if (!account) throw new Error('the sandbox has no such account');
  return account;
}

/** Requests of the service to the upstream about this id. */
async function calls(id: string): Promise<Json[]> {
  const answer = await fetch(`${desk.runtime.config.upstream.url}/_control/calls?limit=500`);
  const all = (await answer.json()) as { path: string }[];
  return all.filter((call) => call.path.includes(`/${id}`)) as unknown as Json[];
}

/** Lets the span pass in which the upstream is not asked again. */
async function later(workspace: TestWorkspace): Promise<void> {
  const bind = { id: workspace.id };
  await desk.runtime.db.rows(
    `UPDATE flows SET synced_at = synced_at - interval '6 seconds' WHERE workspace_id = $id`,
    bind,
  );
  await desk.runtime.db.rows(
    `UPDATE flow_reads SET read_at = read_at - interval '6 seconds' WHERE workspace_id = $id`,
    bind,
  );
}

async function remove(workspace: TestWorkspace, flow: Flow): Promise<void> {
  const account = accountOf(workspace);
  account.flows = account.flows.filter((item) => item !== flow);
  desk.sandbox.account({ business_account_id: workspace.account.businessAccountId });
}

async function play(workspace: TestWorkspace, value: Json, time?: number): Promise<void> {
  const payload = webhook(workspace, value, 'flows');
  (payload['entry'] as Json[]).forEach((entry) => (entry['time'] = time ?? Math.floor(Date.now() / 1000)));
  expect((await signedWebhook(workspace, payload)).status).toBe(200);
  await desk.settled();
}

describe('the list of flows', () => {
  it('shows the stored copies with every field', async () => {
    const { workspace, flow } = await tenant();
    const { body } = await workspace.api.get('/api/v1/flows/');
    expect(body['count']).toBe(2);
    expect(body.results.map((item) => item['name'])).toEqual(['Book an appointment', 'Satisfaction survey']);
    expect(body.results[0]).toEqual({
      id: expect.any(Number),
      flow_id: flow.id,
      name: 'Book an appointment',
      status: 'PUBLISHED',
      validation_errors: [],
      json_version: '7.0',
      data_api_version: '3.0',
      is_data_exchange: 'true',
      preview_url: expect.stringContaining(`/_flow-preview/${flow.id}`),
      preview_expires_at: expect.stringMatching(/Z$/),
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      categories: ['APPOINTMENT_BOOKING'],
      data_channel_uri: 'https://example.com/flows/appointments',
      customer_endpoint_uri: 'https://example.com/flows/appointments',
      flow_json: flow.flow_json,
      alerts: [],
      synced_at: expect.stringMatching(/Z$/),
    });
    expect(body.results[1]).toMatchObject({ is_data_exchange: 'false', data_channel_uri: '', data_api_version: '' });
  });

  it('filters by status and text', async () => {
    const { workspace, flow } = await tenant();
    const names = async (query: string): Promise<unknown[]> =>
      (await workspace.api.get(`/api/v1/flows/?${query}`)).body.results.map((item) => item['name']);
    expect(await names('status=DRAFT')).toEqual(['Satisfaction survey']);
    expect(await names('status=draft')).toEqual(['Satisfaction survey']);
    expect(await names('search=APPOINT')).toEqual(['Book an appointment']);
    expect(await names(`search=${flow.id}`)).toEqual(['Book an appointment']);
    expect(await names('search=%25')).toEqual([]);
  });

  it('hides what a sync no longer finds and takes it back when it is there again', async () => {
    const { workspace, flow, path } = await tenant();
    await remove(workspace, flow);
    expect(await syncWorkspace(workspace.ctx)).toMatchObject({ flows: 1, flows_gone: 1 });
    expect((await workspace.api.get('/api/v1/flows/')).body['count']).toBe(1);
    const gone = await workspace.api.get(path);
    expect([gone.status, gone.body['flow_id']]).toEqual([200, flow.id]);
    expect(gone.headers['warning']).toMatch(/^110 msgdesk "Stale: the platform no longer has this flow/);
    accountOf(workspace).flows.push(flow);
    desk.sandbox.account({ business_account_id: workspace.account.businessAccountId });
    await syncWorkspace(workspace.ctx);
    expect((await workspace.api.get('/api/v1/flows/')).body['count']).toBe(2);
  });
});

describe('reading one flow', () => {
  it('asks the upstream and keeps what it says', async () => {
    const { workspace, flow, path } = await tenant();
    await later(workspace);
    Object.assign(flow, {
      name: 'Renamed',
      status: 'THROTTLED',
      endpoint_uri: 'https://example.com/next',
      flow_json: { version: '7.1', screens: [] },
      updated_at: Date.now() + 60_000,
    });
    const { body, headers } = await workspace.api.get(path);
    expect(body).toMatchObject({
      name: 'Renamed',
      status: 'THROTTLED',
      customer_endpoint_uri: 'https://example.com/next',
      flow_json: { version: '7.1', screens: [] },
    });
    expect(headers['warning']).toBeUndefined();
    expect((await workspace.api.get('/api/v1/flows/?search=Renamed')).body.results).toHaveLength(1);
  });

  it('is one upstream call for many readers over several replicas, and one more after five seconds', async () => {
    const { workspace, flow, path } = await tenant();
    await later(workspace);
    const before = (await calls(flow.id)).length;
    const replicas = await startReplicas(desk, 2);
    const readers = Array.from({ length: 12 }, async (_, index) => {
      const origin = [desk.url, ...replicas][index % 3];
      const answer = await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${workspace.token}` } });
      return [answer.status, answer.headers.get('warning'), ((await answer.json()) as Json)['flow_id']];
    });
    expect(await Promise.all(readers)).toEqual(Array.from({ length: 12 }, () => [200, null, flow.id]));
    expect((await calls(flow.id)).length - before).toBe(1);
    await workspace.api.get(path);
    expect((await calls(flow.id)).length - before).toBe(1);
    await later(workspace);
    await workspace.api.get(path);
    expect((await calls(flow.id)).length - before).toBe(2);
  });

  it('counts a sync as the call', async () => {
    const { workspace, flow, path } = await tenant();
    const before = (await calls(flow.id)).length;
    expect((await workspace.api.get(path)).status).toBe(200);
    expect((await calls(flow.id)).length).toBe(before);
  });

  it.each([
    ['answers with an error', { kind: 'html', status: 502 }],
    ['drops the connection', { kind: 'reset' }],
    ['is too slow', { kind: 'hang' }],
    ['refuses the token', { kind: 'error', code: 190 }],
    ['wants fewer calls', { kind: 'error', code: 80008 }],
  ])('gives the stored copy with a warning when the upstream %s, to all who ask', async (_name, fault) => {
    const { workspace, flow, path } = await tenant();
    await later(workspace);
    const armed = desk.sandbox.faults.add({ ...fault, path: flow.id });
    flow.name = 'Not seen';
    const [first, second] = await Promise.all([workspace.api.get(path), workspace.api.get(path)]);
    const third = await workspace.api.get(path);
    desk.sandbox.faults.clear(armed.id);
    for (const answer of [first, second, third]) {
      expect([answer.status, answer.body['name']]).toEqual([200, 'Book an appointment']);
      expect(answer.headers['warning']).toMatch(
        /^110 msgdesk "Stale: the platform could not be asked; stored copy of /,
      );
    }
    expect(armed.hits).toBe(1);
    await later(workspace);
    expect((await workspace.api.get(path)).headers['warning']).toBeUndefined();
  });

  it('fetches one that was never seen, and answers 404 when it is not there either', async () => {
    const { workspace } = await tenant();
    const id = `57${unique()}9`;
    desk.sandbox.account({
      business_account_id: workspace.account.businessAccountId,
      flows: [{ id, name: 'Fresh', status: 'DRAFT' }],
    });
    expect((await workspace.api.get(`/api/v1/flows/${id}/`)).body).toMatchObject({ flow_id: id, name: 'Fresh' });
    for (const missing of [`4${unique()}`, 'abc', '..%2Fme', '1'.repeat(40)])
      expect(await workspace.api.get(`/api/v1/flows/${missing}/`)).toMatchObject({
        status: 404,
        body: { error: 'Not found.' },
      });
    const asked = `4${unique()}`;
    await workspace.api.get(`/api/v1/flows/${asked}/`);
    await workspace.api.get(`/api/v1/flows/${asked}/`);
    expect(await calls(asked)).toHaveLength(1);
  });

  it('answers 503 for one that was never seen while the upstream is away', async () => {
    const { workspace } = await tenant();
    const id = `4${unique()}`;
    const armed = desk.sandbox.faults.add({ kind: 'html', path: id });
    const answer = await workspace.api.get(`/api/v1/flows/${id}/`);
    desk.sandbox.faults.clear(armed.id);
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toBe('5');
  });

  it('does not take the flow of another account that the same token opens', async () => {
    const { workspace } = await tenant();
    const { workspace: other, flow } = await tenant();
    desk.sandbox.account({
      business_account_id: other.account.businessAccountId,
      access_token: workspace.account.accessToken,
    });
    expect((await workspace.api.get(`/api/v1/flows/${flow.id}/`)).status).toBe(404);
    expect(
      await desk.runtime.db.rows('SELECT 1 FROM flows WHERE workspace_id = $id AND flow_id = $flow', {
        id: workspace.id,
        flow: flow.id,
      }),
    ).toEqual([]);
  });

  it('goes on without the flow part of a sync when the token may not read it', async () => {
    const { workspace } = await tenant();
    const armed = desk.sandbox.faults.add({ kind: 'error', code: 200, path: '/flows' });
    const result = await syncWorkspace(workspace.ctx);
    desk.sandbox.faults.clear(armed.id);
    expect(result).toMatchObject({ phone_numbers: 2, flows: 0, flows_gone: 0 });
    expect(result.skipped).toEqual([expect.stringMatching(/^flows: /)]);
    expect((await workspace.api.get('/api/v1/flows/')).body['count']).toBe(2);
  });
});

describe('webhooks of flows', () => {
  const now = (): number => Math.floor(Date.now() / 1000);
  const change = (flow: Flow, from: string, to: string): Json => ({
    event: 'FLOW_STATUS_CHANGE',
    flow_id: flow.id,
    old_status: from,
    new_status: to,
  });
  const stored = async (workspace: TestWorkspace, path: string): Promise<Json> => (await workspace.api.get(path)).body;

  it('set the status, the newest word counting', async () => {
    const { workspace, flow, path } = await tenant();
    await play(workspace, change(flow, 'PUBLISHED', 'THROTTLED'), now() + 100);
    expect(await stored(workspace, path)).toMatchObject({ status: 'THROTTLED' });
    await play(workspace, change(flow, 'DRAFT', 'PUBLISHED'), now() - 100);
    expect(await stored(workspace, path)).toMatchObject({ status: 'THROTTLED' });
    await play(workspace, change(flow, 'THROTTLED', 'WHATEVER'));
    expect(await stored(workspace, path)).toMatchObject({ status: 'THROTTLED' });
    const events = await desk.runtime.db.rows(
      `SELECT changes FROM events WHERE workspace_id = $id AND kind = 'flow_status_changed'`,
      { id: workspace.id },
    );
    expect(events).toEqual([{ changes: { status: { from: 'PUBLISHED', to: 'THROTTLED' } } }]);
  });

  it('two changes within one second arrive in any order', async () => {
    const { workspace, flow, path } = await tenant();
    const at = now();
    await play(workspace, change(flow, 'THROTTLED', 'BLOCKED'), at);
    await play(workspace, change(flow, 'PUBLISHED', 'THROTTLED'), at);
    expect(await stored(workspace, path)).toMatchObject({ status: 'BLOCKED' });
  });

  it('keep the newest alert of each kind', async () => {
    const { workspace, flow, path } = await tenant();
    const alert = (state: string, more: Json): Json => ({
      event: 'ENDPOINT_ERROR_RATE',
      flow_id: flow.id,
      message: `It is ${state.toLowerCase()}`,
      alert_state: state,
      ...more,
    });
    await play(workspace, alert('ACTIVATED', { threshold: 10, error_rate: 14.2 }), now() - 50);
    await play(workspace, { event: 'ENDPOINT_LATENCY', flow_id: flow.id, p90_latency: 7 }, now() - 40);
    await play(workspace, alert('DEACTIVATED', { threshold: 10 }), now() - 30);
    await play(workspace, alert('ACTIVATED', { threshold: 5 }), now() - 60);
    expect((await stored(workspace, path))['alerts']).toEqual([
      {
        event: 'ENDPOINT_ERROR_RATE',
        alert_state: 'DEACTIVATED',
        message: 'It is deactivated',
        at: expect.stringMatching(/Z$/),
        details: { threshold: 10 },
      },
      {
        event: 'ENDPOINT_LATENCY',
        alert_state: '',
        message: '',
        at: expect.stringMatching(/Z$/),
        details: { p90_latency: 7 },
      },
    ]);
  });

  it('of a flow that is not known yet have the account read again', async () => {
    const { workspace } = await tenant();
    await play(workspace, { event: 'FLOW_STATUS_CHANGE', flow_id: '42', old_status: 'DRAFT', new_status: 'PUBLISHED' });
    expect(
      await desk.runtime.db.row(
        'SELECT resync_at IS NOT NULL AS asked FROM business_accounts WHERE workspace_id = $id',
        {
          id: workspace.id,
        },
      ),
    ).toEqual({ asked: true });
  });
});

describe('messages that carry a flow', () => {
  const message = (parameters: Json): Json => ({
    type: 'interactive',
    interactive: {
      type: 'flow',
      body: { text: 'Book' },
      action: { name: 'flow', parameters: { flow_message_version: '3', flow_cta: 'Book', ...parameters } },
    },
  });
  const flowTemplate = (flowId: string): Json => ({
    id: `56${unique()}8`,
    name: `flow_template_${unique()}`,
    language: 'en_US',
    category: 'UTILITY',
    status: 'APPROVED',
    components: [
      { type: 'BODY', text: 'Book your appointment' },
      { type: 'BUTTONS', buttons: [{ type: 'FLOW', text: 'Book', flow_id: Number(flowId), flow_action: 'navigate' }] },
    ],
  });

  it('must name one of the account, by id or by name', async () => {
    const { workspace, flow } = await tenant();
    const { flow: foreign } = await tenant();
    const anna = createCustomer(workspace);
    await anna.writes('Hi');
    const send = (parameters: Json): ReturnType<typeof workspace.api.post> =>
      workspace.api.post('/api/v1/messages/', {
        to: anna.phone,
        phone_number_id: workspace.account.phoneNumberId,
        ...message(parameters),
      });
    expect((await send({ flow_id: flow.id })).status).toBe(201);
    expect((await send({ flow_name: flow.name })).status).toBe(201);
    for (const [name, value] of [
      ['flow_id', foreign.id],
      ['flow_id', '42'],
      ['flow_name', 'No such flow'],
    ] as const)
      expect(await send({ [name]: value })).toMatchObject({
        status: 400,
        body: { interactive: [`action.parameters.${name}: Invalid pk "${value}" - object does not exist.`] },
      });
  });

  it('templates, broadcasts and stages likewise', async () => {
    const { workspace, flow } = await tenant();
    const [good, bad] = [flowTemplate(flow.id), flowTemplate('4242')];
    desk.sandbox.account({ business_account_id: workspace.account.businessAccountId, templates: [good, bad] });
    await syncWorkspace(workspace.ctx);
    const anna = createCustomer(workspace);
    await anna.writes('Hi');
    const refusal = 'button: Invalid pk "4242" - object does not exist.';
    const send = (template: Json, more: Json): ReturnType<typeof workspace.api.post> =>
      workspace.api.post('/api/v1/messages/', {
        to: anna.phone,
        phone_number_id: workspace.account.phoneNumberId,
        ...more,
        ...(more['template'] ? {} : { template_id: template['id'] }),
      });
    expect((await send(good, {})).status).toBe(201);
    expect(await send(bad, {})).toMatchObject({ status: 400, body: { template_id: [refusal] } });
    expect(await send(bad, { template: { name: bad['name'], language: 'en_US' } })).toMatchObject({
      status: 400,
      body: { template: [refusal] },
    });
    const broadcast = (template: Json): ReturnType<typeof workspace.api.post> =>
      workspace.api.post('/api/v1/broadcasts/', {
        name: 'News',
        template_id: template['id'],
        audience: { all: true },
        phone_number_id: workspace.account.phoneNumberId,
      });
    expect((await broadcast(good)).status).toBe(201);
    expect(await broadcast(bad)).toMatchObject({ status: 400, body: { template_id: [refusal] } });
    const pipelines = await workspace.api.get('/api/v1/ticket-pipelines/');
    const stage = (template: Json): ReturnType<typeof workspace.api.post> =>
      workspace.api.post(`/api/v1/ticket-pipelines/${pipelines.body[0]?.id}/stages/`, {
        name: `Stage ${unique()}`,
        notify_template_id: template['id'],
      });
    expect((await stage(good)).status).toBe(201);
    expect(await stage(bad)).toMatchObject({ status: 400, body: { notify_template_id: [refusal] } });
  });
});

import { randomUUID } from 'node:crypto';
import { demoAccount, demoBusinessAccountId, demoPhoneNumberId } from '../../dev/sandbox/demo';
import { composeText } from '../support/compose';
import { eventually } from '../support/eventually';
import { describeWith } from '../support/programs';
import { startTopology, type Topology } from '../support/topology';

type Json = Record<string, unknown>;

const template = '564750795574598';
/** What an overloaded machine answers before anything is done. */
const busy = 'The service is busy. Try again shortly.';
const patient = { timeoutMs: 120_000, everyMs: 250 };

describeWith(['temporal', 'pooler'], 'docker-compose.yml, run without Docker', () => {
  let topology: Topology;
  let token = '';
  let pipeline: { id: number; stages: readonly { id: number }[] };
  beforeAll(async () => {
    topology = await startTopology({
      RATE_LIMIT_PER_MINUTE: '1000000',
      RATE_LIMIT_ANONYMOUS_PER_MINUTE: '1000000',
      WORKER_ROLES: 'workflows,bulk,inbox,relay',
      // The balancer looks twice a second; a busy machine must not decide about the test.
      DRAIN_SECONDS: '5',
    });
    const secrets = { accessToken: 'access', appSecret: 'secret', verifyToken: 'verify' };
    const { admin, sandbox, balancer } = topology;
    sandbox.account(demoAccount({ ...secrets, webhookUrl: `${balancer.url}/webhooks/msgapp/` }));
    const account = ['--access-token', 'access', '--app-secret', 'secret', '--verify-token', 'verify'];
    const made = ['--name', 'Garden', '--plan', 'standard', '--ticketing', 'true'];
    const { id } = await admin(
      'workspace',
      'create',
      ...made,
      '--business-account-id',
      demoBusinessAccountId,
      ...account,
    );
    const workspace = ['--workspace', String(id)];
    const member = await admin('member', 'create', ...workspace, '--email', 'owner@example.com', '--role', 'owner');
    await admin('sync', ...workspace);
    const scopes = [
      'chat.view',
      'chat.send_message',
      'chat.assign',
      'contact.view',
      'contact.edit',
      'template.view',
      'ticket.view',
    ];
    const granted = [...scopes, 'ticket.manage', 'broadcast.manage'].flatMap((scope) => ['--scope', scope]);
    const key = await admin(
      'key',
      'create',
      ...workspace,
      '--member',
      String(member['id']),
      '--name',
      'load',
      ...granted,
    );
    token = String(key['key'] ?? key['token'] ?? key['api_key']);
    [pipeline] = (await call('GET', '/ticket-pipelines/')) as never as [typeof pipeline];
  }, 600_000);
  afterAll(() => topology?.close());

  /** One request through the balancer; whatever is not answered as it should be is an error. Nothing is tried twice. */
  /** Asks; once more where the machine is too busy for an answer, as clients do: that is no request lost. */
  async function call(method: string, path: string, body?: Json, key?: string): Promise<Json> {
    const answer = await fetch(`${topology.balancer.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(key ? { 'idempotency-key': key } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    if (answer.status === 503 && text.includes(busy) && answer.headers.has('retry-after')) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return call(method, path, body, key);
    }
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text || '{}') as Json;
  }
  /** A customer who wrote just now, through both replicas as it happens. */
  async function customer(phone: string): Promise<void> {
    topology.sandbox.inbound({ phone_number_id: demoPhoneNumberId, from: { phone }, text: 'Hello' });
    await eventually(async () => void (await call('GET', `/conversations/${phone}/`)), patient);
  }
  const sentTo = (phone: string, text?: string): number =>
    topology.sandbox.state.sent.filter(
      ({ to, body }) => to === phone && (text === undefined || JSON.stringify(body).includes(text)),
    ).length;

  it('is made of roles without power, a namespace with search attributes, and 512 history shards', async () => {
    const [, connections] = /max_connections=(\d+)/.exec(composeText) ?? [];
    expect(await topology.sql('SHOW max_connections')).toBe(connections);
    expect(topology.migrated).toContain('made the namespace msgdesk; it keeps what has ended for 7 days');
    expect(topology.migrated).toContain('registered search attributes');
    expect(topology.migrated).not.toContain('warning');
    expect(
      await topology.sql(
        `SELECT rolname, rolsuper, rolcreatedb, rolcreaterole, rolreplication FROM pg_roles
          WHERE rolname IN ('msgdesk', 'temporal') ORDER BY 1`,
      ),
    ).toBe('msgdesk|f|f|f|f\ntemporal|f|f|f|f');
    // The owner of one cannot look into the other.
    expect(
      await topology.sql(
        `SELECT has_database_privilege('msgdesk', 'temporal', 'CONNECT'),
          has_database_privilege('temporal', 'msgdesk', 'CONNECT')`,
      ),
    ).toBe('f|f');
    const shards = await topology.sql('SELECT count(*), max(shard_id) FROM shards', 'temporal');
    expect(shards).toBe('512|512');
    // Everything of the service but its listeners comes through the pooler.
    expect(
      await topology.sql(
        `SELECT count(*) FROM pg_stat_activity WHERE datname = 'msgdesk' AND query LIKE 'LISTEN%'
          AND application_name = 'msgdesk-inbox'`,
      ),
    ).toBe('2');
  });

  it('Temporal tells Prometheus its figures', async () => {
    const answer = await fetch(topology.temporalMetrics);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringMatching(/^service_requests\{/m)]);
  });

  it('answers, snoozes, moves a ticket and sends a broadcast through both replicas', async () => {
    const phone = '4915115550001';
    await customer(phone);
    const { id } = await call('POST', '/messages/', { to: `+${phone}`, body: 'On its way' }, randomUUID());
    await eventually(
      async () => expect(await call('GET', `/messages/${String(id)}/`)).toMatchObject({ message_status: 'read' }),
      patient,
    );
    expect(sentTo(phone)).toBe(1);

    const until = new Date(Date.now() + 10_000).toISOString();
    await call('PATCH', `/conversations/${phone}/`, { conv_status: 'snoozed', snoozed_until: until });
    await eventually(
      async () => expect(await call('GET', `/conversations/${phone}/`)).toMatchObject({ conv_status: 'open' }),
      patient,
    );

    const stage = pipeline.stages.at(-1)?.id;
    const ticket = await call('POST', '/tickets/', { title: 'Late', receiver_id: phone });
    await call('PATCH', `/tickets/${String(ticket['id'])}/`, { stage });
    expect(await call('GET', `/tickets/${String(ticket['id'])}/`)).toMatchObject({ stage });

    const broadcast = await draft(['4915115550001']);
    await call('POST', `/broadcasts/${broadcast}/confirm/`, {});
    await completed(broadcast, 1);
    expect(sentTo(phone)).toBe(2);
    // Both replicas had their share.
    expect(topology.api.every(({ origin }) => (topology.balancer.given.get(origin) ?? 0) > 0)).toBe(true);
  });

  it('a rolling restart of api and workers under load loses no request and no step', async () => {
    const phones = Array.from({ length: 12 }, (_unused, index) => `49151155600${String(index).padStart(2, '0')}`);
    for (const phone of phones) await customer(phone);
    const broadcast = await draft(phones);
    const failures: string[] = [];
    const messages: { phone: string; text: string; id: number }[] = [];
    let requests = 0;
    let rolling = true;
    // Every customer's agent reads, writes, snoozes and moves a ticket, one request after the other, none repeated.
    const agents = phones.map(async (phone) => {
      const { id: ticket } = await call('POST', '/tickets/', { title: phone, receiver_id: phone });
      for (let round = 0; rolling; round += 1) {
        const text = `${phone} round ${round}`;
        const stage = pipeline.stages[round % pipeline.stages.length]?.id;
        try {
          const { id } = await call('POST', '/messages/', { to: `+${phone}`, body: text });
          messages.push({ phone, text, id: Number(id) });
          await call('GET', `/conversations/${phone}/messages/`);
          await call('PATCH', `/tickets/${String(ticket)}/`, { stage });
          const soon = new Date(Date.now() + 30_000).toISOString();
          await call('PATCH', `/conversations/${phone}/`, { conv_status: 'snoozed', snoozed_until: soon });
          requests += 4;
        } catch (error) {
          failures.push(error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : String(error));
        }
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    });
    await call('POST', `/broadcasts/${broadcast}/confirm/`, {});
    const codes: (number | null)[] = [];
    for (const replica of [...topology.api, ...topology.workers]) codes.push(await replica.restart());
    rolling = false;
    await Promise.all(agents);

    expect(codes).toEqual([0, 0, 0, 0]);
    expect(failures).toEqual([]);
    expect(requests).toBeGreaterThan(phones.length);
    // No step is lost: every message goes out, once; every snooze ends; the broadcast is complete.
    await eventually(
      async () => {
        for (const { id } of messages)
          expect(await call('GET', `/messages/${id}/`)).toMatchObject({ message_status: 'read' });
      },
      { ...patient, timeoutMs: 180_000 },
    );
    expect(messages.map(({ phone, text }) => [text, sentTo(phone, `"${text}"`)])).toEqual(
      messages.map(({ text }) => [text, 1]),
    );
    for (const phone of phones)
      await eventually(
        async () => expect(await call('GET', `/conversations/${phone}/`)).toMatchObject({ conv_status: 'open' }),
        patient,
      );
    await completed(broadcast, phones.length);
    const statuses = await topology.sql(`SELECT state, count(*) FROM broadcast_recipients GROUP BY 1 ORDER BY 1`);
    expect(statuses).toBe(`sent|${phones.length + 1}`);
  }, 600_000);

  async function draft(phones: readonly string[]): Promise<number> {
    const { id } = await call('POST', '/broadcasts/', {
      name: 'News',
      template_id: template,
      phone_number_id: demoPhoneNumberId,
      audience: { receiver_ids: phones },
      template_variables: { body: { 1: { source: 'field', field: 'name' }, 2: { source: 'static', value: 'Done' } } },
    });
    return Number(id);
  }
  const completed = (id: number, sent: number): Promise<void> =>
    eventually(
      async () =>
        expect(await call('GET', `/broadcasts/${id}/`)).toMatchObject({
          status: 'completed',
          stats: { sent, pending: 0 },
        }),
      patient,
    );
});

import { createCustomer } from '../factories/customers';
import { createSession, type TestSession } from '../factories/members';
import { connect, postForm, registerClient } from '../oauth/support';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { createAgent, type Agent } from '../support/agent';

let desk: TestApi;
let session: TestSession;
let to = '';
const agents: Record<'draft' | 'approval' | 'autonomous', Agent> = {} as never;

beforeAll(async () => {
  desk = await sharedDesk('plain');
  session = await createSession(desk.workspace.owner);
  for (const autonomy of ['draft', 'approval', 'autonomous'] as const)
    agents[autonomy] = createAgent((await desk.workspace.key(['all'], { autonomy })).api);
});
afterAll(() => desk.close());
beforeEach(async () => {
  const customer = createCustomer(desk.workspace);
  await customer.writes('Hello');
  to = customer.phone;
});

const count = async (table: string): Promise<number> =>
  (
    await desk.runtime.db.row<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE workspace_id = $id`, {
      id: desk.workspace.id,
    })
  )?.n ?? 0;
/** Rows of everything that a send could touch, but not of the audit log. */
const footprint = async (): Promise<string> =>
  JSON.stringify(
    await desk.runtime.db.rows(
      `SELECT (SELECT count(*) FROM messages WHERE workspace_id = $id) AS messages,
        (SELECT count(*) FROM contacts WHERE workspace_id = $id) AS contacts,
        (SELECT count(*) FROM approvals WHERE workspace_id = $id) AS approvals,
        (SELECT count(*) FROM outbox WHERE workspace_id = $id) AS outbox,
        (SELECT count(*) FROM events WHERE workspace_id = $id) AS events,
        (SELECT md5(string_agg(v::text, '|' ORDER BY id))
           FROM conversations v WHERE workspace_id = $id) AS conversations,
        (SELECT md5(string_agg(c::text, '|' ORDER BY id)) FROM contacts c WHERE workspace_id = $id) AS people`,
      { id: desk.workspace.id },
    ),
  );
const upstreamTo = (phone: string): number =>
  desk.sandbox.state.sent.filter(
    (message) => message.to === phone || `+${message.to}` === phone || message.to === phone.replace('+', ''),
  ).length;
const approvals = async (): Promise<
  { id: number; status: string; arguments: Record<string, unknown>; tool: string; expires_at: string | null }[]
> => (await session.api.get<{ results: never[] }>('/api/v1/approvals/')).body.results;

describe('dry_run (contract 11.1)', () => {
  test.each([
    ['autonomous', 'would_send'],
    ['approval', 'would_queue'],
    ['draft', 'would_queue'],
  ] as const)('a connection at %s reports %s and changes nothing but the audit log', async (level, status) => {
    const before = await footprint();
    const audited = await count('audit_log');
    const answer = await agents[level].call('send_message', { to, text: 'Hi', dry_run: true });
    expect([answer.isError, answer.json]).toEqual([
      false,
      {
        status,
        autonomy_level: level,
        recipient: expect.objectContaining({ phone: to }) as unknown,
        from: expect.any(String) as string,
        text: 'Hi',
        window_open_until: expect.stringMatching(/^20\d\d-/) as string,
        window_open_until_local: expect.stringMatching(/ UTC$/) as string,
        now: expect.stringMatching(/ UTC$/) as string,
      },
    ]);
    expect(await footprint()).toBe(before);
    expect(await count('audit_log')).toBe(audited + 1);
  });

  test('it refuses what the send would refuse', async () => {
    const closed = await agents.autonomous.call('send_message', {
      to: '+15550009999',
      text: 'Hi',
      phone_number_id: desk.workspace.account.phoneNumberId,
      dry_run: true,
    });
    expect([closed.isError, closed.text]).toEqual([
      true,
      'The 24-hour messaging window is closed. Send an approved template instead.',
    ]);
    const template = await agents.approval.call('send_template', {
      to,
      template: { name: 'nope', language: 'en' },
      dry_run: true,
    });
    expect([template.isError, template.text]).toEqual([true, expect.stringMatching(/^template: /) as string]);
  });

  test('the text "true" is an error, never a send', async () => {
    const before = await footprint();
    const answer = await agents.autonomous.call('send_message', { to, text: 'Hi', dry_run: 'true' });
    expect([answer.isError, answer.text]).toEqual([true, 'dry_run: Must be a boolean: true or false.']);
    expect(await footprint()).toBe(before);
  });
});

describe('autonomy (contract 11)', () => {
  test('autonomous: the message is accepted and reaches the upstream', async () => {
    const answer = await agents.autonomous.call('send_message', { to, text: 'On our way' });
    expect(answer.json).toMatchObject({
      status: 'queued',
      autonomy_level: 'autonomous',
      message_id: expect.any(Number) as number,
    });
    await desk.work();
    expect(upstreamTo(to)).toBe(1);
  });

  test('approval: the exact call is parked, a member approves it once, one upstream call follows', async () => {
    const answer = await agents.approval.call('send_message', { to, text: 'May I?' });
    expect(answer.json).toMatchObject({ status: 'queued_for_approval', approval_id: expect.any(Number) as number });
    const id = answer.json['approval_id'] as number;
    const parked = (await approvals()).find((approval) => approval.id === id);
    expect(parked).toMatchObject({
      status: 'pending',
      tool: 'send_message',
      arguments: { to, type: 'text', text: { body: 'May I?' } },
    });
    expect(parked?.expires_at).not.toBeNull();
    expect(upstreamTo(to)).toBe(0);

    const decisions = await Promise.all([1, 2, 3].map(() => session.api.post(`/api/v1/approvals/${id}/approve/`)));
    expect(decisions.map((decision) => decision.status).sort()).toEqual([200, 409, 409]);
    await desk.work();
    expect(upstreamTo(to)).toBe(1);
    expect((await session.api.post(`/api/v1/approvals/${id}/reject/`)).status).toBe(409);
    const sent = await desk.runtime.db.row<{ origin: string; sent_by_member_id: number }>(
      `SELECT origin, sent_by_member_id FROM messages WHERE dedupe_key = $key`,
      { key: `approval:${id}` },
    );
    expect(sent).toEqual({ origin: 'agent', sent_by_member_id: desk.workspace.owner.id });
  });

  test('a draft waits without expiry and without notice; an approval asks the members', async () => {
    const draft = await agents.draft.call('send_message', { to, text: 'Later' });
    const asked = await agents.approval.call('send_message', { to, text: 'Now?' });
    const rows = await approvals();
    expect(rows.find((row) => row.id === draft.json['approval_id'])?.expires_at).toBeNull();
    const events = await desk.runtime.db.rows<{ id: number }>(
      `SELECT (data->>'approval_id')::int AS id FROM events WHERE kind = 'approval_requested' AND workspace_id = $id`,
      { id: desk.workspace.id },
    );
    const ids = events.map((event) => event.id);
    expect([
      ids.includes(asked.json['approval_id'] as number),
      ids.includes(draft.json['approval_id'] as number),
    ]).toEqual([true, false]);
  });

  test('approving looks again: a closed window is refused and leaves the call undecided', async () => {
    const { json } = await agents.approval.call('send_message', { to, text: 'Late' });
    await desk.runtime.db.rows(
      `UPDATE conversation_windows SET open_until = now() - interval '1 minute'
       WHERE conversation_id IN (SELECT id FROM conversations WHERE workspace_id = $id)`,
      { id: desk.workspace.id },
    );
    const { status, body } = await session.api.post(`/api/v1/approvals/${String(json['approval_id'])}/approve/`);
    expect([status, body]).toEqual([
      400,
      { non_field_errors: ['The 24-hour messaging window is closed. Send an approved template instead.'] },
    ]);
    expect((await approvals()).find((row) => row.id === json['approval_id'])?.status).toBe('pending');
  });

  test('approving looks again: a revoked key is refused', async () => {
    const key = await desk.workspace.key(['chat.send_message'], { autonomy: 'approval' });
    const { json } = await createAgent(key.api).call('send_message', { to, text: 'Gone' });
    await desk.runtime.db.rows('UPDATE api_keys SET revoked_at = now() WHERE id = $id', { id: key.id });
    expect((await session.api.post(`/api/v1/approvals/${String(json['approval_id'])}/approve/`)).status).toBe(409);
    expect(upstreamTo(to)).toBe(0);
  });

  test('approving looks again: a connection whose last token was revoked is refused', async () => {
    const app = await registerClient(desk.workspace);
    const scope = 'chat.send_message';
    const tokens = await connect(desk, app, session, { changes: { scope }, grant: [scope] });
    const agent = createAgent(desk.anonymous.with({ authorization: `Bearer ${tokens.access}` }));
    const { json } = await agent.call('send_message', { to, text: 'Gone' });
    expect(json['status']).toBe('queued_for_approval');
    await postForm(desk, 'revoke', { client_id: app.clientId, token: tokens.refresh });
    expect((await session.api.post(`/api/v1/approvals/${String(json['approval_id'])}/approve/`)).status).toBe(409);
  });
});

describe('audit (contract 11.1)', () => {
  test('one row per call, refusals and dry runs included, arguments as a digest only', async () => {
    const narrow = await desk.workspace.key(['contact.view']);
    const agent = createAgent(narrow.api);
    await agent.call('search_contacts', { search: 'secret words' });
    const refused = await agent.call('send_message', { to, text: 'secret words' });
    expect([refused.isError, refused.text]).toEqual([
      true,
      expect.stringContaining('Missing scope: chat.send_message') as string,
    ]);
    const { body } = await session.api.get<{ results: Record<string, unknown>[] }>('/api/v1/audit-log/');
    const mine = body.results.filter((row) => (row['connection'] as { id: number }).id === narrow.id);
    expect(mine.map((row) => [row['tool'], row['outcome']])).toEqual([
      ['send_message', 'refused'],
      ['search_contacts', 'ok'],
    ]);
    expect(
      JSON.stringify(
        await desk.runtime.db.rows('SELECT * FROM audit_log WHERE workspace_id = $id', { id: desk.workspace.id }),
      ),
    ).not.toContain('secret words');
  });
});

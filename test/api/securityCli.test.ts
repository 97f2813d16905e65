import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { registrations } from '../../admin/cli';
import { createBroadcast } from '../factories/broadcasts';
import { createCustomer } from '../factories/customers';
import { ownerSession } from '../factories/macros';
import { unique, uniquePhone } from '../factories/unique';
import { saveRule } from '../factories/rules';
import { connect, registerClient } from '../oauth/support';
import { createAgent } from '../support/agent';
import { startApi, type TestApi } from '../support/api';
import { runAdmin } from '../support/cli';
import { snapshotRows } from '../support/snapshot';

type Json = Record<string, unknown>;

let desk: TestApi;
let answers: Map<string, Json>;
beforeAll(async () => {
  desk = await startApi();
  answers = new Map();
});
afterAll(() => desk.close());

/** Commands that change nothing. */
const reads = [/ (list|show)$/, /^broadcast watch$/, /^webhook deliveries$/, /^rule runs$/];

/** These decide outside of one transaction, as their operations do; an import records itself before its first rows. */
const apart = ['approval approve', 'approval reject'];

const at = (): string[] => ['--workspace', String(desk.workspace.id)];
const made = (command: string, key = 'id'): string => String(answers.get(command)?.[key]);
const inserted = async (sql: string): Promise<string> =>
  String((await desk.runtime.db.row<{ id: number }>(sql, { id: desk.workspace.id }))?.id);
const setAside = (): Promise<string> =>
  inserted(`INSERT INTO outbox (workspace_id, workflow, workflow_id, refusals, error, set_aside_at)
    VALUES ($id, 'slaTimer', 'sla-timer/x', 20, 'no such queue', now()) RETURNING id`);
const parked = (): Promise<string> =>
  inserted(`INSERT INTO inbox_events (workspace_id, business_account_id, kind, order_key, payload, state, error)
    SELECT $id, id, 'message', '', '{}', 'parked', 'unknown number' FROM business_accounts
    WHERE workspace_id = $id LIMIT 1 RETURNING id`);
const confirmed = async (when: Json): Promise<string> => {
  const id = await createBroadcast(desk.workspace, { audience: { tags_any: ['none'] } });
  expect((await desk.api.post(`/api/v1/broadcasts/${id}/confirm/`, when)).status).toBe(200);
  await desk.runtime.outbox.drain();
  return String(id);
};
const parkedCall = async (): Promise<string[]> => {
  const customer = createCustomer(desk.workspace);
  await customer.writes('Hi');
  const agent = createAgent((await desk.workspace.key(['all'], { autonomy: 'approval' })).api);
  const { json } = await agent.call('send_message', { to: customer.phone, text: 'Hello' });
  return [String(json['approval_id']), '--member', String(desk.workspace.owner.id)];
};
const file = async (name: string, words: string): Promise<string> => {
  const place = path.join(tmpdir(), `${unique()}-${name}`);
  await writeFile(place, words);
  return place;
};
const words = 'a long pass phrase';
const client = ['--client-id', 'desk'];

/** What each command that changes something is given, and what the log calls it; `null` of the installation. */
const changes: Readonly<Record<string, readonly [string, () => Promise<readonly string[]> | readonly string[]]>> = {
  'workspace create': ['workspace.create', () => ['--name', 'Other']],
  'workspace update': ['workspace.update', () => [String(desk.workspace.id), '--timezone', 'Europe/Berlin']],
  'member create': [
    'teamMembers.create',
    () => [...at(), '--email', `c${unique()}@desk.test`, '--password', words, '--permission', 'chat.view'],
  ],
  'member update': ['teamMembers.update', () => [made('member create'), '--name', 'Kim', '--password', words]],
  'member link': ['teamMembers.makeLink', () => [made('member create')]],
  'member forget-factors': ['teamMembers.forgetFactors', () => [made('member create')]],
  'key create': [
    'apiKeys.create',
    () => [...at(), '--member', made('member create'), '--name', 'Shop', '--scope', 'chat.view'],
  ],
  'key revoke': ['apiKeys.revoke', () => [made('key create')]],
  'inbox create': ['teamInboxes.create', () => [...at(), '--name', 'Returns']],
  'inbox replay': ['inbox.replay', async () => (await parked(), at())],
  'inbox drop': ['inbox.drop', async () => [await parked(), ...at()]],
  'oauth-client create': [
    'oauthClients.create',
    () => [...at(), '--name', 'App', '--redirect-uri', 'https://app.test/callback', '--confidential'],
  ],
  'oauth-client disable': ['oauthClients.disable', () => [made('oauth-client create', 'client_id')]],
  sync: ['accounts.sync', () => at()],
  'broadcast end': [
    'broadcasts.end',
    async () => {
      const id = await confirmed({});
      await desk.runtime.db.rows("UPDATE broadcasts SET status = 'running', started_at = now() WHERE id = $id", { id });
      return [id, '--reason', 'wrong text'];
    },
  ],
  'broadcast unschedule': [
    'broadcasts.unschedule',
    async () => [await confirmed({ scheduled_at: '2031-05-04T10:00:00Z' })],
  ],
  'delivery hold': ['delivery.hold', () => ['--reason', 'An outage']],
  'delivery resume': ['delivery.resume', () => []],
  'outbox retry': ['outbox.retry', async () => [await setAside()]],
  'outbox drop': ['outbox.drop', async () => [await setAside()]],
  'sla create': ['slaPolicies.create', () => [...at(), '--name', 'Fast', '--first-response', '5']],
  'sla update': ['slaPolicies.update', () => [made('sla create'), ...at(), '--name', 'Faster']],
  'sla delete': ['slaPolicies.delete', () => [made('sla create'), ...at()]],
  'macro create': [
    'macros.create',
    async () => [
      ...at(),
      '--json-file',
      await file(
        'macro.json',
        '{"name": "Urgent", "actions": [{"type": "set_priority", "params": {"priority": "high"}}]}',
      ),
    ],
  ],
  'rule pause': ['rules.update', async () => [String((await saveRule(desk.workspace, { state: 'on' })).id), ...at()]],
  'rule resume': ['rules.update', () => [made('rule pause'), ...at()]],
  import: ['contacts.import', async () => [await file('people.csv', `phone\n${uniquePhone()}\n`), ...at()]],
  'webhook retry-events': ['webhooks.retryEvents', () => at()],
  'agent autonomy': [
    'connectedAgents.update',
    async () => {
      await connect(desk, await registerClient(desk.workspace), await ownerSession(desk.workspace));
      return [await inserted('SELECT max(id) AS id FROM oauth_grants WHERE workspace_id = $id'), 'draft', ...at()];
    },
  ],
  'agent disconnect': ['connectedAgents.disconnect', () => [made('agent autonomy'), ...at()]],
  'approval approve': ['approvals.approve', parkedCall],
  'approval reject': ['approvals.reject', parkedCall],
  'rates import': [
    'usage.importRates',
    async () => [
      await file('rates.csv', 'country,category,rate,currency\n*,marketing,0.1,EUR\n'),
      ...at(),
      '--from',
      '2026-10-01',
    ],
  ],
  'sso set': [
    'sso.update',
    () => [
      ...at(),
      '--domain',
      'green.example',
      '--issuer',
      'https://login.example/',
      ...client,
      '--client-secret',
      words,
    ],
  ],
  'sso remove': ['sso.remove', () => at()],
  'secrets rotate': ['secrets.rotate', () => []],
};
const ofInstallation = ['delivery hold', 'delivery resume', 'outbox retry', 'outbox drop', 'secrets rotate'];

/** The commands of a program, `group command`. */
function leaves(command: Command, above: readonly string[] = []): string[] {
  return command.commands.flatMap((one) => {
    const name = [...above, one.name()];
    return one.commands.length > 0 ? leaves(one, name) : [name.join(' ')];
  });
}

const rows = (): Promise<Json[]> =>
  desk.runtime.db.rows<Json>('SELECT workspace_id, action, actor_type, given FROM security_log ORDER BY id');

async function admin(argv: readonly string[]): Promise<{ code: number; answer: Json; problems: string }> {
  const { code, out, problems } = await runAdmin(desk.test, argv);
  return { code, answer: code === 0 ? (JSON.parse(out) as Json) : {}, problems };
}

it('every command is known to read, or is tried below', () => {
  const program = new Command();
  const never = (): never => {
    throw new Error('no command is run here');
  };
  const deps = { run: never, note: never, draw: never, secret: never, json: never };
  for (const register of registrations) register(program, deps);
  const writing = leaves(program).filter((name) => !reads.some((pattern) => pattern.test(name)));
  expect(writing.sort()).toEqual(Object.keys(changes).sort());
});

it.each(Object.entries(changes))('%s is in the security log, with its effect or not at all', async (name, entry) => {
  const [action, argvOf] = entry;
  const argv = [...name.split(' '), ...(await argvOf())];
  const before = await rows();
  if (!apart.includes(name)) {
    await desk.runtime.db.rows('ALTER TABLE security_log ADD CONSTRAINT is_full CHECK (false) NOT VALID');
    const untouched = await snapshotRows(desk.runtime);
    const refused = await admin(argv);
    await desk.runtime.db.rows('ALTER TABLE security_log DROP CONSTRAINT is_full');
    expect([refused.code, refused.problems]).toEqual([1, expect.stringContaining('is_full')]);
    expect(await snapshotRows(desk.runtime)).toEqual(untouched);
  }

  const done = await admin(argv);
  expect(done).toMatchObject({ code: 0 });
  answers.set(name, done.answer);
  const workspace = name === 'workspace create' ? done.answer['id'] : desk.workspace.id;
  const actor = apart.includes(name) ? 'member' : 'system';
  const added = (await rows()).slice(before.length);
  expect(added).toEqual([
    {
      workspace_id: ofInstallation.includes(name) ? null : workspace,
      action,
      actor_type: actor,
      given: expect.any(Object),
    },
  ]);
  expect(JSON.stringify(added)).not.toContain(words);
});

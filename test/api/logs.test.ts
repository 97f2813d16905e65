import { createLogger } from '../../api/core/logger';
import { createCustomer, signedWebhook, webhook } from '../factories/customers';
import { createMember, createSession } from '../factories/members';
import { startApi, type TestApi } from '../support/api';

const lines: string[] = [];
let desk: TestApi;
beforeAll(async () => {
  desk = await startApi({
    worker: true,
    logger: createLogger('trace', 'test', { write: (line) => void lines.push(line) }),
  });
});
afterAll(() => desk.close());

it('the log holds no credential, no message text and nothing of a person, in success and in failure', async () => {
  const text = 'very private words';
  const anna = createCustomer(desk.workspace, { name: 'Anna Secretname' });
  await anna.writes(text);
  await desk.api.post('/api/v1/messages/', {
    to: anna.phone,
    body: `${text} too`,
    phone_number_id: desk.workspace.account.phoneNumberId,
  });
  await desk.api.patch(`/api/v1/contacts/${anna.handle}/`, {
    email: 'secret@person.test',
    notes: text,
    company: 'x'.repeat(300),
  });
  await desk.api.get(`/api/v1/contacts/?search=${encodeURIComponent('secret@person.test')}`);
  const session = await createSession(await createMember(desk.workspace, { role: 'admin' }));
  await session.api.get('/api/v1/contacts/');
  await desk.anonymous.get('/api/v1/contacts/', { authorization: 'Bearer hd_live_1_wrongsecret' });
  await desk.anonymous.post('/dashboard/session/', { email: 'secret@person.test', password: 'hunter2hunter2' });
  await signedWebhook(
    desk.workspace,
    webhook(desk.workspace, { messages: [{ id: 'wamid.bad', type: 'text', text: { body: text } }] }),
  );
  // A fault of ours, with a customer's data in the statement.
  await desk.runtime.db.rows(`ALTER TABLE contacts ADD CONSTRAINT outage CHECK (name <> 'Boom Secretname') NOT VALID`);
  const fault = await desk.api.post('/api/v1/contacts/', {
    phone: '+4915199001122',
    name: 'Boom Secretname',
    email: 'secret@person.test',
  });
  expect(fault.status).toBe(500);
  await desk.settled().catch(() => undefined);

  const log = lines.join('');
  expect(log).toContain('unexpected failure');
  expect(log).toContain(String(fault.headers['x-request-id']));
  for (const secret of [
    text,
    'Secretname',
    'secret@person.test',
    anna.handle,
    '4915199001122',
    'hunter2hunter2',
    desk.workspace.token,
    session.token,
    'wrongsecret',
    desk.workspace.account.accessToken,
    desk.workspace.account.appSecret,
    desk.workspace.account.verifyToken,
  ]) {
    expect([secret, lines.filter((line) => line.includes(secret))]).toEqual([secret, []]);
  }
});

it('each request leaves one line with route, status, workspace and credential', async () => {
  lines.length = 0;
  const { headers } = await desk.api.get('/api/v1/contacts/4999999999/');
  const mine = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line['requestId'] === headers['x-request-id'] && line['route'] !== undefined);
  expect(mine).toEqual([
    expect.objectContaining({
      level: 'info',
      method: 'GET',
      route: '/api/v1/contacts/{receiver_id}/',
      status: 404,
      workspaceId: desk.workspace.id,
      ms: expect.any(Number) as unknown,
    }),
  ]);
});

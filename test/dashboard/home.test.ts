import { createMember, createSession } from '../factories/members';
import { startApi, type TestApi } from '../support/api';
import { createAgent } from '../support/agent';
import { createCustomer } from '../factories/customers';

let desk: TestApi;
beforeAll(async () => {
  desk = await startApi();
});
afterAll(() => desk.close());

const page = (cookie: string): ReturnType<typeof desk.anonymous.get<string>> =>
  desk.anonymous.get<string>('/dashboard/', { cookie });

test('without a session the browser is sent to sign in', async () => {
  for (const cookie of ['', 'token=nonsense']) {
    const { status, headers } = await page(cookie);
    expect([status, headers.location]).toEqual([303, '/dashboard/sign-in/']);
  }
  expect((await desk.api.get('/dashboard/')).headers.location).toBe('/dashboard/sign-in/');
});

test('a member sees the workspace, escaped, and how many calls wait for approval', async () => {
  const member = await createMember(desk.workspace, { role: 'admin', name: '<b>Eve</b>' });
  const { token } = await createSession(member);
  const customer = createCustomer(desk.workspace);
  await customer.writes('Hi');
  await createAgent((await desk.workspace.key(['chat.send_message'], { autonomy: 'approval' })).api).call(
    'send_message',
    { to: customer.phone, text: 'x' },
  );
  const { status, body, headers } = await page(`token=${token}`);
  expect(status).toBe(200);
  expect(body).toContain('&lt;b&gt;Eve&lt;/b&gt;');
  expect(body).toContain('1 call of an agent waits');
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  expect(headers['cache-control']).toBe('no-store');
});

test('signing out needs the page of the session and ends it', async () => {
  const { token } = await createSession(desk.workspace.owner);
  const cookie = `token=${token}`;
  const csrf = /name="csrf" value="([^"]+)"/.exec((await page(cookie)).body)?.[1] ?? '';
  expect(
    (await desk.anonymous.post('/dashboard/sign-out/', new URLSearchParams({ csrf: 'forged' }), { cookie })).status,
  ).toBe(403);
  expect((await page(cookie)).status).toBe(200);
  const { status, headers } = await desk.anonymous.post('/dashboard/sign-out/', new URLSearchParams({ csrf }), {
    cookie,
  });
  expect([status, headers.location]).toEqual([303, '/dashboard/sign-in/']);
  expect((await page(cookie)).status).toBe(303);
});

import { sendMail } from '../../api/services/identity/members/mailing';
import { updateMember } from '../../api/services/identity/members/service';
import { signIn } from '../../api/services/identity/members/sessions';
import { recordSecurity } from '../../api/services/identity/securityLog/service';
import { createMember, createSession, type TestMember } from '../factories/members';
import type { TestApi } from '../support/api';
import { leaveNothingTo } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiClient } from '../support/client';
import { startMail, type MailServer } from '../support/mail';

let desk: TestApi;
let mail: MailServer;
let admin: TestMember;
let api: ApiClient;
beforeAll(async () => {
  mail = await startMail();
  desk = await sharedDesk('no sandbox', { env: { SMTP_URL: mail.url } });
  admin = await createMember(desk.workspace, { role: 'admin', name: 'Lena' });
  ({ api } = await createSession(admin));
});
afterAll(async () => {
  await desk.close();
  await mail.close();
});

const noticesOf = async (member: TestMember): Promise<string[]> => {
  const session = await createSession(member);
  const { body } = await session.api.get('/api/v1/notices/');
  return body.map(({ title, body: text, href }) => `${String(title)} ${String(text)} ${String(href)}`);
};
const mailsTo = ({ email }: { readonly email: string }): string[] =>
  mail.mails.filter(({ to }) => to === email).map(({ text }) => text);
const sendAll = async (): Promise<void> => {
  while (await sendMail(desk.runtime));
};
const hook = { url: 'https://example.com/out', events: ['message.received'] };

it('a new way out is told to its member and the owners, by one mail an hour that lists all', async () => {
  const outsider = await createMember(desk.workspace, { role: 'admin' });
  const { body: webhook } = await api.post('/api/v1/webhooks/', hook);
  await api.post('/api/v1/api-keys/', { name: 'Out', scopes: ['chat.view'] });
  await api.patch(`/api/v1/webhooks/${String(webhook['id'])}/`, { description: 'Only words' });
  for (const who of [admin, desk.workspace.owner])
    expect(await noticesOf(who)).toEqual([
      expect.stringMatching(/^Was this you\? An API key was made: Lena, from .+ \/dashboard\/rescue\/$/),
      expect.stringMatching(/^Was this you\? A webhook was made: Lena, from .+ \/dashboard\/rescue\/$/),
    ]);
  expect(await noticesOf(outsider)).toEqual([]);
  await sendAll();
  const owner = { email: desk.workspace.owner.email };
  for (const who of [admin, owner]) {
    expect(mailsTo(who)).toEqual([
      expect.stringMatching(/An API key was made \(Lena[^]*A webhook was made[^]*\/dashboard\/rescue\//),
    ]);
  }
  await api.patch(`/api/v1/webhooks/${String(webhook['id'])}/`, { url: 'https://example.com/elsewhere' });
  await sendAll();
  expect([mailsTo(admin), mailsTo(owner)].map(({ length }) => length)).toEqual([1, 1]);
  await desk.runtime.db.rows(`UPDATE members SET told_at = told_at - interval '61 minutes'`);
  await sendAll();
  expect(mailsTo(owner).at(-1)).toMatch(/A webhook was moved/);
  const left = 'SELECT 1 FROM mails WHERE member_id IN (SELECT id FROM members WHERE workspace_id = $id)';
  expect(await desk.runtime.db.rows(left, { id: desk.workspace.id })).toEqual([]);
  expect(mailsTo(outsider)).toEqual([]);
});

it('what happens while a mail is on its way is told by the next one', async () => {
  await leaveNothingTo(desk, 'sendMail');
  const member = await createMember(desk.workspace, { role: 'admin' });
  const ring = (action: string) =>
    recordSecurity({ ...member.ctx, actor: { type: 'member', memberId: member.id, apiKeyId: null } }, { action });
  await ring('factors.renewCodes');
  const { runtime } = desk;
  const slow = {
    ...runtime,
    mail: {
      send: async (content: Parameters<NonNullable<typeof runtime.mail>['send']>[0]) => {
        await ring('password.change');
        return runtime.mail?.send(content) ?? false;
      },
    },
  };
  await sendMail(slow);
  expect(mailsTo(member)).toHaveLength(1);
  await desk.runtime.db.rows(`UPDATE members SET told_at = told_at - interval '61 minutes'`);
  await sendAll();
  expect(mailsTo(member).at(-1)).toMatch(/The password was changed/);
});

it('a sign-in is told where both the network and the browser are new', async () => {
  const member = await createMember(desk.workspace, { role: 'admin' });
  const password = 'nine lives of a cat';
  await updateMember(member.ctx, member.id, { password });
  let device: string | null = null;
  const enter = async (network: string): Promise<number> => {
    const from = { address: `${network}.7`, network: `${network}.0/24`, device, userAgent: 'Browser' };
    device = (await signIn(desk.runtime, { email: member.email, password, ...from })).device ?? null;
    const found = await noticesOf(member);
    return found.filter((text) => text.includes('A sign-in from a new network and browser')).length;
  };
  expect(await enter('203.0.113')).toBe(1);
  expect(await enter('198.51.100')).toBe(1);
  device = null;
  expect(await enter('198.51.100')).toBe(1);
  device = null;
  expect(await enter('192.0.2')).toBe(2);
});

it('what the operator does is told to nobody', async () => {
  const count = async (): Promise<number> => (await desk.runtime.db.rows('SELECT * FROM notices')).length;
  const before = await count();
  await recordSecurity(desk.workspace.ctx, { action: 'apiKeys.create' });
  expect(await count()).toBe(before);
});

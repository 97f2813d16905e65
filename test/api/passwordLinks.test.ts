import { loadConfig } from '../../api/core/config';
import { systemCtx } from '../../api/core/context';
import { usualTiming } from '../../api/core/process';
import { createRuntime } from '../../api/core/runtime';
import { makeLink } from '../../api/services/identity/members/links';
import { sendMail } from '../../api/services/identity/members/mailing';
import { updateMember } from '../../api/services/identity/members/service';
import { createMember, createSession } from '../factories/members';
import { createWorkspace } from '../factories/workspaces';
import { unique } from '../factories/unique';
import type { TestApi } from '../support/api';
import { leaveNothingTo } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';
import { eventually } from '../support/eventually';
import { addApp } from '../support/factors';
import { startMail, type MailServer } from '../support/mail';
import type { Loop } from '../../worker/loop';
import { startMails } from '../../worker/loops';

type Json = Record<string, unknown>;
const members = '/api/v1/team-members/';
const password = 'nine lives of a cat';
const isForm = { 'content-type': 'application/x-www-form-urlencoded' };
const addressOf = (): string => `new${unique()}@desk.test`;

async function choose(desk: TestApi, link: string, chosen = password, again = chosen): Promise<number> {
  const body = new URLSearchParams({ password: chosen, again }).toString();
  return (await desk.anonymous.post(new URL(link).pathname, body, isForm)).status;
}
const enter = async (desk: TestApi, email: string): Promise<number> =>
  (await desk.anonymous.post('/dashboard/session/', { email, password })).status;

describe('without mail', () => {
  let desk: TestApi;
  beforeAll(async () => {
    desk = await sharedDesk('no sandbox');
  });
  afterAll(() => desk.close());

  const linkOf = async (id: number, member = desk.workspace.owner): Promise<string> => {
    const { status, body } = await (await createSession(member)).api.post(`${members}${id}/link/`, {});
    expect(status).toBe(201);
    return String(body['url']);
  };

  it('a new member gets a link that works once, takes good passwords only, and ends sessions', async () => {
    const email = addressOf();
    const { body } = await (await createSession(desk.workspace.owner)).api.post(members, { email });
    const link = String((body['link'] as Json)['url']);
    expect((await desk.anonymous.get(new URL(link).pathname)).status).toBe(200);
    expect(await choose(desk, link, password, 'nine lives of a dog')).toBe(422);
    expect(await choose(desk, link, 'password1')).toBe(400);
    expect(await choose(desk, link)).toBe(200);
    expect(await enter(desk, email)).toBe(200);
    expect(await choose(desk, link)).toBe(404);
    const id = body.id;
    const session = await createSession({ ...desk.workspace.owner, id });
    expect(await choose(desk, await linkOf(id), `${password}!`)).toBe(200);
    expect((await session.api.get('/api/v1/sessions/')).status).toBe(401);
    const rows = await desk.runtime.db.rows<Json>(
      `SELECT action FROM security_log WHERE subject_id = $id AND workspace_id = $w ORDER BY id`,
      { id, w: desk.workspace.id },
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'teamMembers.create',
      'password.chosenByLink',
      'teamMembers.makeLink',
      'password.chosenByLink',
    ]);
  });

  it('one that is over, or that a newer one replaced, opens nothing; only a hash is stored', async () => {
    const { id } = await createMember(desk.workspace);
    const [first, second] = [await linkOf(id), await linkOf(id)];
    expect(await choose(desk, first)).toBe(404);
    const [row] = await desk.runtime.db.rows<{ all: string }>(
      'SELECT to_jsonb(l)::text AS all FROM member_links l WHERE member_id = $id',
      { id },
    );
    expect(row?.all).not.toContain(second.split('/').at(-2));
    await desk.runtime.db.rows(
      `UPDATE member_links SET expires_at = now() - interval '1 second' WHERE member_id = $id`,
      { id },
    );
    expect(await choose(desk, second)).toBe(404);
  });

  it('one that was made before the password changed opens nothing', async () => {
    const member = await createMember(desk.workspace);
    const link = await linkOf(member.id);
    await updateMember(desk.workspace.ctx, member.id, { password });
    expect(await choose(desk, link)).toBe(404);
  });

  it('nobody makes one for a member who may do more', async () => {
    const manager = await createMember(desk.workspace, { permissions: ['workspace.manage', 'chat.view'] });
    const stronger = await createMember(desk.workspace, { permissions: ['contact.delete'] });
    const { api } = await createSession(manager);
    for (const { id } of [stronger, desk.workspace.owner])
      expect((await api.post(`${members}${id}/link/`, {})).status).toBe(403);
    expect(await linkOf((await createMember(desk.workspace, { permissions: ['chat.view'] })).id, manager)).toMatch(
      /link/,
    );
  });

  it('nobody can ask for one', async () => {
    expect((await desk.anonymous.post('/dashboard/forgot/', 'email=x', isForm)).status).toBe(303);
  });
});

describe('with mail', () => {
  let desk: TestApi;
  let mail: MailServer;
  let mails: Loop;
  beforeAll(async () => {
    mail = await startMail();
    const timing = { looks: { ...usualTiming.looks, mailsMs: 200 } };
    desk = await sharedDesk('no sandbox', { env: { SMTP_URL: mail.url }, timing });
    mails = startMails(desk.runtime);
  });
  afterAll(async () => {
    await mails.stop();
    await desk.close();
    await mail.close();
  });

  it('an email counts once its link was used: first come, first served, over all workspaces', async () => {
    const email = addressOf();
    const others = await createWorkspace(desk);
    const links: string[] = [];
    for (const workspace of [desk.workspace, others]) {
      const { api } = await createSession(workspace.owner);
      const added = await api.post(members, { email, password });
      expect(added).toMatchObject({ status: 201, body: { link: { url: null } } });
      links.push(await mail.linkTo(email));
      mail.mails.splice(0);
      expect((await api.post(members, { email })).status).toBe(400);
    }
    expect(await enter(desk, email)).toBe(401);
    expect(await choose(desk, links[1] ?? '')).toBe(200);
    expect(await enter(desk, email)).toBe(200);
    expect(await choose(desk, links[0] ?? '')).toBe(409);
  });

  it('a forgotten password is asked for without telling who is a member, three times an hour', async () => {
    const member = await createMember(desk.workspace);
    await updateMember(member.ctx, member.id, { password: 'an older pass phrase' });
    const ask = (email: string): ReturnType<typeof desk.anonymous.post> =>
      desk.anonymous.post('/dashboard/forgot/', new URLSearchParams({ email }).toString(), isForm);
    const [known, unknown] = [await ask(member.email.toUpperCase()), await ask('nobody@desk.test')];
    expect([known.status, known.body]).toEqual([200, unknown.body]);
    expect(await choose(desk, await mail.linkTo(member.email))).toBe(200);
    expect(await enter(desk, member.email)).toBe(200);
    // Whoever asks takes nothing from the member: the link that they have works still.
    mail.mails.splice(0);
    const given = (await makeLink(systemCtx(desk.runtime, desk.workspace.id, 'test'), member.id)).url ?? '';
    await ask(member.email);
    const asked = await mail.linkTo(member.email);
    expect((await desk.anonymous.get(new URL(asked).pathname)).status).toBe(200);
    expect(await choose(desk, given)).toBe(200);
    // All end with the first that is used.
    expect(await choose(desk, asked)).toBe(404);
    for (let more = 0; more < 4; more += 1) await ask(member.email);
    const last = await createMember(desk.workspace);
    await ask(last.email);
    await mail.linkTo(last.email);
    expect(mail.mails.map(({ to }) => to)).not.toContain('nobody@desk.test');
    const links = mail.mails.filter(({ to, text }) => to === member.email && text.includes('/link/'));
    expect(links.length).toBeLessThanOrEqual(3);
  });

  it('a member is told of a first factor, and of its loss', async () => {
    const member = await createMember(desk.workspace);
    const told = (words: RegExp): Promise<void> =>
      eventually(() =>
        expect(mail.mails.filter(({ to, text }) => to === member.email && words.test(text))).not.toEqual([]),
      );
    await addApp((await createSession(member)).api);
    await told(/A second factor for Msgdesk was set up/);
    const { api } = await createSession(desk.workspace.owner);
    expect((await api.delete(`${members}${member.id}/factors/`)).status).toBe(204);
    await told(/were removed/);
  });
});

it('no request waits for the server of mail: what it does not take is tried again', async () => {
  const mail = await startMail();
  const away = await sharedDesk('no sandbox', { env: { SMTP_URL: 'smtp://127.0.0.1:1' } });
  await leaveNothingTo(away, 'sendMail');
  const back = createRuntime(loadConfig({ ...away.test.env, SMTP_URL: mail.url }), 'test', {
    logger: away.runtime.logger,
  });
  const { api } = await createSession(away.workspace.owner);
  const email = addressOf();
  expect((await api.post(members, { email })).status).toBe(201);
  await away.runtime.db.rows(`DELETE FROM mails WHERE kind = 'bell'`);
  const stored = await away.runtime.db.rows('SELECT * FROM mails');
  expect(stored).toMatchObject([{ kind: 'link', claimed_until: null }]);
  expect(await sendMail(away.runtime)).toBe(true);
  expect(await sendMail(away.runtime)).toBe(false);
  await away.runtime.db.rows(`UPDATE mails SET claimed_until = now() - interval '1 second'`);
  expect(await sendMail(back)).toBe(true);
  expect(await choose(away, await mail.linkTo(email))).toBe(200);
  expect(await away.runtime.db.rows(`SELECT * FROM mails WHERE kind = 'link'`)).toEqual([]);
  await back.close();
  await away.close();
  await mail.close();
});

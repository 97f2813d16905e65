import { noticeKinds } from '../../models/enums';
import { attentionReasons } from '../../models/ruleParts';
import type { MailRow } from '../../models';
import { languages, type Language } from '../../api/core/text/language';
import { sendMail } from '../../api/services/identity/members/mailing';
import { mailLater } from '../../api/services/identity/mails/queue';
import { recordSecurity } from '../../api/services/identity/securityLog/service';
import { en } from '../../api/services/identity/words/en';
import { sendPushes } from '../../api/services/resources/notices/push';
import { createConversation } from '../factories/contacts';
import { createMember, createSession, type TestMember } from '../factories/members';
import { saveRule } from '../factories/rules';
import { createTicket } from '../factories/tickets';
import type { TestApi } from '../support/api';
import { startMail, type MailServer } from '../support/mail';
import { startPushService, type PushService } from '../support/pushService';
import { sharedDesk } from '../support/sharedDesk';
import { englishWords, textsOf, wordsIn } from '../support/spokenWords';

/** Whatever tells a member something outside of pages, and what pages are told while they are open, speaks to them. */

let desk: TestApi;
let mail: MailServer;
let pushing: PushService;
beforeAll(async () => {
  mail = await startMail();
  pushing = await startPushService();
  desk = await sharedDesk('no sandbox', { env: { SMTP_URL: mail.url } });
});
afterAll(async () => {
  await desk.close();
  await pushing.close();
  await mail.close();
});

const others = languages.filter((language) => language !== 'en');
const rows = (sql: string, bind: Record<string, unknown>) => desk.runtime.db.rows<{ id: number }>(sql, bind);

/** A member who has chosen a language; nothing that people wrote has a word of ours. */
async function speaker(locale: Language): Promise<TestMember> {
  const member = await createMember(desk.workspace, { role: 'admin', name: 'Qxa' });
  await desk.runtime.db.models.Member.update({ locale }, { where: { id: member.id } });
  return member;
}

/** Returns the texts that have English words, with these. */
function leftIn(language: Language, texts: readonly string[]): readonly string[] {
  const isLeft = englishWords(language);
  return texts.flatMap((text) => {
    // Addresses, and the moments of the log as the log has them.
    const plain = text.replace(/https?:\/\/\S+|\S+@\S+|\d{4}-\d\d-\d\dT\S+|Msgdesk/g, ' ');
    const left = wordsIn(plain).filter(isLeft);
    return left.length > 0 ? [`${left.join(' ')}: ${text}`] : [];
  });
}

const record = (member: TestMember, action: string): Promise<void> =>
  recordSecurity(
    { ...member.ctx, address: '203.0.113.9', actor: { type: 'member', memberId: member.id, apiKeyId: null } },
    { action },
  );

/** A kind of mail that is added has to stand here. */
const mailKinds = { bell: true, link: true, factorAdded: true, factorsLost: true } satisfies Record<
  MailRow['kind'],
  true
>;

test.each(others)('each mail is in the language of its member: %s', async (language) => {
  const member = await speaker(language);
  for (const kind of Object.keys(mailKinds) as (keyof typeof mailKinds)[])
    if (kind !== 'bell') await mailLater(member.ctx, member.id, kind);
  for (const action of Object.keys(en.actions)) await record(member, action);
  while (await sendMail(desk.runtime));
  const mails = mail.mails.filter(({ to }) => to === member.email).map(({ text }) => readable(text));
  expect(mails).toHaveLength(Object.keys(mailKinds).length);
  // All that happened is in the one that lists it.
  expect(Math.max(...mails.map((text) => text.match(/^- /gm)?.length ?? 0))).toBe(Object.keys(en.actions).length);
  expect(
    leftIn(
      language,
      mails.flatMap((text) => text.split('\n')),
    ),
  ).toEqual([]);
});

/** Returns the subject and the text of a mail as they are read. */
function readable(mailed: string): string {
  const [head = '', ...parts] = mailed.replaceAll('\r\n', '\n').split('\n\n');
  const bytes = (text: string) =>
    Buffer.from(
      text.replace(/=([\dA-F]{2})/gi, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16))),
      'latin1',
    );
  const body = /transfer-encoding: base64/i.test(head)
    ? Buffer.from(parts.join(''), 'base64').toString('utf8')
    : /transfer-encoding: quoted/i.test(head)
      ? bytes(parts.join('\n\n')).toString('utf8')
      : parts.join('\n\n');
  const subject = (/^Subject: ([^]*?)\n(?=\S)/im.exec(`${head}\nX`)?.[1] ?? '').replace(/\n /g, '');
  const said = subject.replace(/=\?utf-8\?([qb])\?(.*?)\?= ?/gi, (_all, how: string, text: string) =>
    how.toLowerCase() === 'b'
      ? Buffer.from(text, 'base64').toString('utf8')
      : bytes(text.replaceAll('_', ' ')).toString('utf8'),
  );
  return `${said}\n${body}`;
}

type Json = Record<string, unknown>;

/** Stores a notice of every kind for a member, and of each thing that a kind can tell; gives how each is prepared. */
async function noticesFor(member: TestMember): Promise<readonly { readonly id: number; readonly reason?: string }[]> {
  const { workspace } = desk;
  const store = async (kind: string, about: Json): Promise<number> => {
    const { conversation = null, ticket = null, security = null, rule = null } = about;
    const [row] = await rows(
      `INSERT INTO notices (workspace_id, member_id, kind, conversation_id, ticket_id, security_id, rule_id)
       VALUES ($workspaceId, $memberId, $kind, $conversation::bigint, $ticket::bigint, $security::bigint,
         $rule::bigint) RETURNING id`,
      { workspaceId: workspace.id, memberId: member.id, kind, conversation, ticket, security, rule },
    );
    return row?.id ?? 0;
  };
  const contact = await createConversation(workspace, {}, { name: 'Qxb' });
  const ticket = await createTicket(workspace, { title: 'Qxc' });
  const rule = Number((await saveRule(workspace, { name: `Qxd${member.id}` })).id);
  const stored: { id: number; reason?: string }[] = [];
  for (const kind of noticeKinds) stored.push({ id: await store(kind, { conversation: contact.id }) });
  stored.push({ id: await store('mention', { ticket: ticket['id'] }) });
  for (const reason of attentionReasons) stored.push({ id: await store('rule', { rule }), reason });
  for (const action of [...Object.keys(en.actions), 'unheard.of']) {
    const [entry] = await rows(
      `INSERT INTO security_log (workspace_id, action, actor_type, member_id, address, request_id, given)
       VALUES ($workspaceId, $action, 'member', $memberId, '203.0.113.9', '', '{}') RETURNING id`,
      { workspaceId: workspace.id, action, memberId: member.id },
    );
    stored.push({ id: await store('security', { security: entry?.id }) });
  }
  return stored;
}

test.each(others)('each push and each notice of a page is in the language of its member: %s', async (language) => {
  const member = await speaker(language);
  const { api, token } = await createSession(member);
  await api.post('/api/v1/push-subscriptions/', pushing.subscribe(language));
  const stored = await noticesFor(member);
  const said: string[] = [];
  const ofPages: string[] = [];
  for (const [at, { id, reason }] of stored.entries()) {
    if (reason !== undefined)
      await rows(
        `UPDATE rules SET attention = jsonb_build_object('reason', $reason::text)
         WHERE workspace_id = $workspaceId AND id = (SELECT rule_id FROM notices WHERE id = $id::bigint)
         RETURNING id`,
        { workspaceId: desk.workspace.id, id, reason },
      );
    // Alone, and with another one that waits as well.
    for (const beside of [null, stored[at - 1]?.id ?? null]) {
      await rows(
        `UPDATE notices SET push_until = now() + interval '1 hour', claimed_until = NULL, pushed_to = '{}'
         WHERE workspace_id = $workspaceId AND id IN ($id::bigint, $beside::bigint) RETURNING id`,
        { workspaceId: desk.workspace.id, id, beside },
      );
      while (await sendPushes(desk.runtime));
    }
    if (reason !== undefined) ofPages.push(...(await shownNotices(token)));
  }
  for (const { browser, shown } of pushing.pushes) if (browser === language) said.push(`${shown.title}: ${shown.body}`);
  expect([pushing.faults, said.length]).toEqual([[], 2 * stored.length]);
  expect(leftIn(language, said)).toEqual([]);
  ofPages.push(...(await shownNotices(token)));
  expect(ofPages.length).toBeGreaterThan(stored.length);
  expect(leftIn(language, ofPages)).toEqual([]);
});

/** Returns a part of a page as a browser asks for it. */
async function part(token: string, path: string): Promise<string> {
  const headers = { cookie: `token=${token}`, 'hx-request': 'true', 'accept-language': 'en' };
  const answer = await fetch(`${desk.url}/dashboard/${path}`, { headers });
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}

/** Returns what open pages say of notices. */
async function shownNotices(token: string): Promise<readonly string[]> {
  const found = (await part(token, 'notices/')).matchAll(/data-title="([^"]*)"[^>]*>([^<]*)</g);
  return [...found].map(([, title, body]) => `${title}: ${body}`);
}

test.each(others)('what follows live is in the language of who looks: %s', async (language) => {
  const { token } = await createSession(await speaker(language));
  const colleagues = [
    await createMember(desk.workspace, { role: 'admin', name: 'Qxe' }),
    await createMember(desk.workspace, { role: 'admin', name: 'Qxf' }),
  ];
  const { receiver_id: receiver } = await createConversation(desk.workspace, {}, { name: 'Qxg' });
  for (const [at, colleague] of colleagues.entries())
    await (
      await createSession(colleague)
    ).api.post(`/api/v1/conversations/${receiver}/presence/`, { state: at ? 'writing' : 'looking' });
  const presence = await part(token, 'inbox/presence/');
  expect(presence).toContain('Qxe');
  const parts = [presence, await part(token, 'concerns/?part=badge'), await part(token, 'inbox/?part=counts')];
  expect(leftIn(language, parts.flatMap(textsOf))).toEqual([]);
});

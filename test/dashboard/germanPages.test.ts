import { createContact } from '../factories/contacts';
import { createMacro, macrosPath, ownerSession, step } from '../factories/macros';
import { createMember, createSession } from '../factories/members';
import { createShowcase, type Showcase } from '../factories/showcase';
import type { TestApi } from '../support/api';
import { addressesOf, shownRoutes } from '../support/pages';
import { sharedDesk } from '../support/sharedDesk';
import { englishWords, textsOf, wordsIn } from '../support/spokenWords';

/** What people write is of no language: no word of it is one of ours. */
const write = (text: string, max = 255): string =>
  text.replace(/\{\{\w+\}\}|[A-Za-z]+/g, (word) => (word.startsWith('{') ? word : `Qx${word}`)).slice(0, max);

let desk: TestApi;
let show: Showcase;
let token: string;
beforeAll(async () => {
  desk = await sharedDesk('worker');
  show = await createShowcase(desk, write);
  const kim = await createMember(show.workspace, { role: 'owner', name: 'Kim' });
  await desk.runtime.db.models.Member.update({ locale: 'de' }, { where: { id: kim.id } });
  ({ token } = await createSession(kim));
}, 180_000);
afterAll(() => desk.close());

/** What stands on German pages in English, each for a reason. */
const english: readonly (readonly [reason: string, texts: readonly RegExp[]])[] = [
  [
    'content: of the factories, of the platform, and what new workspaces begin with',
    [
      /Sam Member|member\d+@desk\.test|sample\.pdf/g,
      /order[ _]update|\bmoved\b|\bOrder\b(?= (?:4711|\{\{1\}\}))|^order$/gi,
      /(?:Hello|…lo)[\s\S]*?,? your( order is( {{2}}| on its way)?)?|Your ticket 1042 is|Please deliver after 5 pm/g,
      /Message type is currently not supported\.|Requests from customers\.|In progress|Waiting on customer/g,
      /\b(?:New|Resolved|Satisfied|Okay|Dissatisfied|START|STOP|RESUBSCRIBE)\b/g,
      /^(?:Kinds|Level|Note|Member|day)\b/g,
    ],
  ],
  ['what programs sent, as they sent it', [/^[a-z_]+: [\s\S]*/g]],
  ['names of permissions', [/^billing$/g]],
  ['ids', [/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, /\b\w*\d\w*\b/g]],
];
const spoken = (text: string): string =>
  english.flatMap(([, texts]) => texts).reduce((left, known) => left.replace(known, ' '), text);

test('no page speaks English to a German member', async () => {
  const isLeft = englishWords('de');
  const found = new Map<string, string>();
  for (const route of shownRoutes)
    for (const address of addressesOf(route, show)) {
      const answer = await fetch(`${desk.url}${address}`, { headers: { cookie: `token=${token}` } });
      const html = await answer.text();
      expect([address, answer.status, html.includes('<html lang="de"')]).toEqual([address, 200, true]);
      for (const text of textsOf(html)) {
        const left = wordsIn(spoken(text)).filter(isLeft);
        if (left.length > 0) found.set(`${left.join(' ')}: ${text.slice(0, 200)}`, address);
      }
    }
  expect(Object.fromEntries(found)).toEqual({});
}, 120_000);

/** The token that forms carry. */
async function csrf(): Promise<string> {
  const page = await fetch(`${desk.url}/dashboard/contacts/import/`, { headers: { cookie: `token=${token}` } });
  return /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
}

test('an import says in German what is wrong with its rows, and over REST in English', async () => {
  const file = 'phone,email,bsuid\n+4915112345670,nobody,\n12,,\n,,x\n+49151,a@b.example,\n"broken,,\n';
  const send = async (part: string): Promise<string> => {
    const body = new FormData();
    for (const [name, value] of Object.entries({
      csrf: await csrf(),
      country: '',
      columns: '["phone","email","bsuid"]',
    }))
      body.set(name, value);
    body.set('file', new Blob([file], { type: 'text/csv' }), 'people.csv');
    const headers = { cookie: `token=${token}`, 'hx-request': 'true' };
    return (await fetch(`${desk.url}/dashboard/contacts/import/${part}`, { method: 'POST', headers, body })).text();
  };
  for (const part of ['preview/', '']) {
    const html = await send(part);
    expect(html).toContain('Geben Sie eine gültige E-Mail-Adresse ein.');
    expect(html).toContain('Ein Anführungszeichen wird nicht geschlossen.');
    expect(html).toContain('Gelesen wurde +12');
    expect(html).not.toMatch(/Enter a valid|not closed|Read \+/);
  }
  const body = new FormData();
  body.set('file', new Blob([file], { type: 'text/csv' }), 'people.csv');
  const headers = { cookie: `token=${token}`, 'accept-language': 'de', origin: desk.url };
  const rest = await (await fetch(`${desk.url}/api/v1/contacts/bulk/`, { method: 'POST', headers, body })).text();
  expect(rest).toContain('Enter a valid email address.');
  expect(rest).toContain('A quote is not closed.');
});

/** Does something by a form of a page; returns what the toast says then. */
async function toastOf(address: string, form: Readonly<Record<string, string>>): Promise<string> {
  const headers = { cookie: `token=${token}`, 'hx-request': 'true' };
  const body = new URLSearchParams({ csrf: await csrf(), ...form });
  const answer = await fetch(`${desk.url}${address}`, { method: 'POST', headers, body });
  const told = JSON.parse(answer.headers.get('hx-trigger') ?? '{}') as { toast?: { text: string } };
  return told.toast?.text ?? '';
}

test('a macro says in German what it did, or why it could not; over REST in English', async () => {
  const { workspace } = show;
  const { api } = await ownerSession(workspace);
  const inbox = (await api.post('/api/v1/team-inboxes/', { name: 'Reklamation' })).body['id'];
  const good = [step('assign_inbox', { assigned_team_inbox: inbox }), step('add_tags', { tags: ['vip'] })];
  const late = [step('set_status', { status: 'snoozed', snoozed_until: '2031-03-02T12:00:00Z' })];
  const bad = [step('add_tags', { tags: ['x'] }), step('send_message', { body: 'Qx' })];
  const [works, sleeps, fails] = [
    await createMacro(workspace, good),
    await createMacro(workspace, late),
    await createMacro(workspace, bad),
  ];
  // Nobody has written yet, so that the window is closed.
  const contact = await createContact(workspace);
  const run = (macro: number): Promise<string> =>
    toastOf(`/dashboard/inbox/${contact.receiver_id}/macro/`, { macro: String(macro), confirmed: 'yes' });
  expect(await run(works)).toBe('Das Makro wurde ausgeführt: Reklamation zuweisen und Schlagwörter hinzufügen: vip');
  // By the clocks of the workspace, as everything on pages.
  expect(await run(sleeps)).toMatch(/2\. März 2031/);
  const closed = 'Das 24-Stunden-Fenster ist geschlossen.';
  expect(await run(fails)).toContain(`Schritt 2: ${closed}`);
  const page = await fetch(`${desk.url}/dashboard/macros/${fails}/`, { headers: { cookie: `token=${token}` } });
  expect(await page.text()).toContain(closed);
  const { body } = await api.get<{ results: unknown[] }>(`${macrosPath}${fails}/runs/`);
  expect(body.results[0]).toMatchObject({
    failed_step: { index: 2, type: 'send_message', message: expect.stringMatching(/^The 24-hour messaging window/) },
  });
});

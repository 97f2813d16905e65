import { createMember, createSession } from '../factories/members';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

interface Asked {
  readonly path?: string;
  readonly token?: string;
  readonly accepted?: string;
}

/** Asks for a page as a browser does; returns its language and its heading. */
async function ask({ path = '/dashboard/account/', token, accepted }: Asked): Promise<readonly (string | undefined)[]> {
  const headers = {
    ...(token === undefined ? {} : { cookie: `token=${token}` }),
    ...(accepted === undefined ? {} : { 'accept-language': accepted }),
  };
  const html = await (await fetch(`${desk.url}${path}`, { headers })).text();
  return [/<html lang="([^"]*)"/.exec(html)?.[1], /<h1>([^<]*)<\/h1>/.exec(html)?.[1]];
}

test('who is not signed in is spoken to as their browser asks', async () => {
  const path = '/dashboard/sign-in/';
  expect(await ask({ path })).toEqual(['en', 'Sign in']);
  expect(await ask({ path, accepted: 'de-AT,de;q=0.9,en;q=0.5' })).toEqual(['de', 'Anmelden']);
  expect(await ask({ path, accepted: 'pt-PT' })).toEqual(['pt-BR', 'Entrar']);
});

test('a member is spoken to as they chose, else as their browser asks, else as their workspace speaks', async () => {
  const workspace = await createWorkspace(desk);
  const member = await createMember(workspace, { role: 'admin' });
  const { api, token } = await createSession(member);
  expect(await ask({ token })).toEqual(['en', 'Your account']);

  expect((await api.patch('/api/v1/workspace/', { language: 'es' })).body).toMatchObject({ language: 'es' });
  expect(await ask({ token })).toEqual(['es', 'Tu cuenta']);
  expect(await ask({ token, accepted: 'fr' })).toEqual(['es', 'Tu cuenta']);
  expect(await ask({ token, accepted: 'pt-BR' })).toEqual(['pt-BR', 'Sua conta']);

  expect((await api.patch('/api/v1/own-settings/', { language: 'de' })).body).toMatchObject({ language: 'de' });
  expect(await ask({ token, accepted: 'pt-BR' })).toEqual(['de', 'Ihr Konto']);
  expect((await api.patch('/api/v1/own-settings/', { language: null })).body).toMatchObject({ language: null });
  expect(await ask({ token })).toEqual(['es', 'Tu cuenta']);
});

test('many at once are each spoken to in their own language', async () => {
  const tags = ['de', 'es', 'pt-BR', 'en'] as const;
  const { token } = await createSession(await createMember(desk.workspace, { role: 'admin' }));
  const asked = Array.from({ length: 24 }, (_, index) => tags[index % tags.length] ?? 'en');
  const answers = await Promise.all(asked.map((accepted) => ask({ token, accepted })));
  expect(answers.map(([language]) => language)).toEqual(asked);
});

test.each(['xx', 'DE', ''])('no language is %j', async (language) => {
  const { api } = await createSession(await createMember(desk.workspace, { role: 'admin' }));
  for (const path of ['/api/v1/own-settings/', '/api/v1/workspace/'])
    expect(await api.patch(path, { language })).toMatchObject({
      status: 400,
      body: { language: [`"${language}" is not a valid choice.`] },
    });
});

import express from 'express';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { allScopes, type Scope } from '../../api/core/access';
import { conflict } from '../../api/core/errors';
import type { Operation } from '../../api/core/operations';
import { dashboardRouter, pageRoutes } from '../../api/doors/dashboard/routes/router';
import { createLimiters } from '../../api/doors/http/rateLimit';
import { requestContext } from '../../api/doors/http/request';
import { operations } from '../../api/operations';
import { updateWorkspace } from '../../api/services/identity/workspaces/service';
import { createMember, createSession } from '../factories/members';
import { createShowcase, type Showcase } from '../factories/showcase';
import { startApi, type TestApi } from '../support/api';
import { addressesOf, fillPath, formsOf, shownRoutes } from '../support/pages';

/*
 * Who may do what: every action of every page, for members who hold everything but one permission. What an action needs
 * is taken from the operations that it calls for an admin, so that a new one is covered by being in the router's table.
 * Writes end where their service would begin: nothing is changed, and each member is asked for the same.
 */

interface Role {
  readonly scopes: ReadonlySet<Scope>;
  readonly headers: { cookie: string };
  readonly csrf: string;
}

let desk: TestApi;
let show: Showcase;
let server: Server;
let origin = '';
let admin: Role;
/** Operations that were reached since they were last asked for. */
let reached: Operation[] = [];

const actions = pageRoutes.filter(({ method }) => method === 'POST');
/** What the actions do for an admin: the operations of each of their forms. */
const effects = new Map<string, readonly (readonly Operation[])[]>();

beforeAll(async () => {
  desk = await startApi({ worker: true });
  show = await createShowcase(desk, (text) => text);
  const app = express();
  app.use(requestContext(desk.runtime));
  app.use(dashboardRouter(desk.runtime, operations.map(harmless), createLimiters(desk.runtime), () => false));
  await new Promise<void>((resolve) => (server = app.listen(0, '127.0.0.1', () => resolve())));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  admin = await roleOf(allScopes);
  for (const { path } of actions) {
    const forms = [];
    for (const form of formsOf(path, show)) forms.push(await act(admin, path, form));
    effects.set(path, forms);
  }
}, 180_000);
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await desk.close();
});

function harmless(operation: Operation): Operation {
  return {
    ...operation,
    async run(ctx, input) {
      reached.push(operation);
      if (operation.method !== 'GET') throw conflict('This is as far as the test goes.');
      return operation.run(ctx, input);
    },
  };
}

async function roleOf(scopes: readonly Scope[]): Promise<Role> {
  const member = await createMember(show.workspace, { permissions: scopes });
  const headers = { cookie: `token=${(await createSession(member)).token}` };
  const html = await (await fetch(`${origin}/dashboard/nowhere/`, { headers })).text();
  return { scopes: new Set(scopes), headers, csrf: /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '' };
}

/** Sends a form; gives the operations that it reached. */
async function act(role: Role, path: string, form: Readonly<Record<string, string>>): Promise<readonly Operation[]> {
  reached = [];
  const answer = await fetch(origin + fillPath(path, show), {
    method: 'POST',
    redirect: 'manual',
    headers: role.headers,
    body: new URLSearchParams({ csrf: role.csrf, confirmed: 'yes', ...form }),
  });
  await answer.text();
  expect([path, answer.status < 500]).toEqual([path, true]);
  return reached;
}

const isWrite = ({ method }: Operation): boolean => method !== 'GET';
const scopesOf = (path: string, called: readonly Operation[]): Scope[] => [
  ...actions.flatMap((route) => (route.path === path && route.scope !== null ? [route.scope] : [])),
  ...called.flatMap(({ scope }) => scope ?? []),
];

/** Actions that call no operation: they show what a form would do, or end the session. */
const withoutEffect = ['/dashboard/sign-out/', '/dashboard/pipelines/:id/stages/:stage_id/preview/'];

test('every action of every page reaches what it is for, when an admin asks', () => {
  const idle = [...effects].flatMap(([path, forms]) =>
    forms.every((called) => called.some(isWrite)) && forms.length > 0 ? [] : [path],
  );
  expect(idle.sort()).toEqual([...withoutEffect].sort());
});

const roles: readonly (readonly [string, readonly Scope[]])[] = [
  ['no permission at all', []],
  ...allScopes.map((scope) => [`all but ${scope}`, allScopes.filter((each) => each !== scope)] as const),
];

test.each(roles)(
  'members with %s reach what they may and nothing else, and are shown no other button',
  async (_name, scopes) => {
    const role = await roleOf(scopes);
    const holds = (needed: readonly Scope[]): boolean => needed.every((scope) => role.scopes.has(scope));
    const wrong: string[] = [];
    for (const [path, forms] of effects) {
      for (const [index, form] of formsOf(path, show).entries()) {
        const called = forms[index] ?? [];
        const did = (await act(role, path, form)).some(isWrite);
        // What a page only reads beside it may be missing: then it goes on without.
        if (did && !holds(scopesOf(path, called.filter(isWrite)))) wrong.push(`${path} was done`);
        if (!did && called.some(isWrite) && holds(scopesOf(path, called))) wrong.push(`${path} was refused`);
      }
    }
    for (const route of shownRoutes) {
      for (const address of addressesOf(route, show).slice(0, 1)) {
        const answer = await fetch(origin + address, { headers: role.headers, redirect: 'manual' });
        const html = await answer.text();
        const scope = pageRoutes.find(({ method, path }) => method === 'GET' && path === route)?.scope ?? null;
        if (scope !== null && !role.scopes.has(scope)) {
          if (answer.status !== 403) wrong.push(`${route} was shown (${answer.status})`);
          continue;
        }
        for (const target of new Set(
          [...html.matchAll(/(?:action|hx-post)="([^"?]+)/g)].map(([, found]) => found ?? ''),
        )) {
          const path = actions.find((each) => pattern(each.path).test(target))?.path;
          const forms = path === undefined ? [] : (effects.get(path) ?? []);
          if (path === undefined || withoutEffect.includes(path) || !/method="post"/.test(html)) continue;
          const allowed = forms.some((called) => holds(scopesOf(path, called.filter(isWrite))));
          if (!allowed && isPosted(html, target)) wrong.push(`${route} shows ${path}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  },
  240_000,
);

test('after the end of a trial pages are read, and choosing a plan is the only action', async () => {
  await updateWorkspace(show.workspace.ctx, { plan: null, trialEndsAt: new Date(Date.now() - 1_000) });
  const owner = await roleOf(allScopes);
  const did: string[] = [];
  for (const [path] of effects)
    for (const form of formsOf(path, show)) if ((await act(owner, path, form)).some(isWrite)) did.push(path);
  expect(did).toEqual(['/dashboard/plan/']);
  for (const route of shownRoutes) {
    const [address = ''] = addressesOf(route, show);
    const answer = await fetch(origin + address, { headers: owner.headers });
    expect([route, answer.status]).toEqual([route, 200]);
    expect(await answer.text()).toContain('The trial of this workspace has expired');
  }
}, 240_000);

function pattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`);
}

/** Whether the page has a form that posts there (a search has the same address, but asks). */
function isPosted(html: string, target: string): boolean {
  const forms = [...html.matchAll(/<(?:form|button|select)\b[^>]*>/g)].map(([tag]) => tag);
  return forms.some(
    (tag) => (tag.includes(`action="${target}`) && tag.includes('method="post"')) || tag.includes(`hx-post="${target}`),
  );
}

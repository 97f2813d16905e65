import express from 'express';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { allScopes, type Scope } from '../../api/core/http/access';
import { conflict } from '../../api/core/http/errors';
import type { Operation } from '../../api/core/http/operations';
import { dashboardRouter, pageRoutes } from '../../api/doors/dashboard/routes/router';
import { createLimiters } from '../../api/doors/http/rateLimit';
import { requestContext } from '../../api/doors/http/request';
import { operations } from '../../api/operations';
import { updateWorkspace } from '../../api/services/identity/workspaces/service';
import { createMember, createSession } from '../factories/members';
import { createShowcase, type Showcase } from '../factories/showcase';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
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
/** Operations that each request reached, by its id: what one leaves behind is not taken for the next one's. */
const reached = new Map<string, Operation[]>();

const actions = pageRoutes.filter(({ method }) => method === 'POST');
/** What the actions do for an admin: the operations of each of their forms. */
const effects = new Map<string, readonly (readonly Operation[])[]>();
/** The actions that each page shows to an admin. */
const offers = new Map<string, readonly string[]>();

beforeAll(async () => {
  desk = await sharedDesk('worker');
  show = await createShowcase(desk, (text) => text);
  const app = express();
  app.use(requestContext(desk.runtime, () => Promise.resolve(true)));
  app.use(dashboardRouter(desk.runtime, operations.map(harmless), createLimiters(desk.runtime), () => false));
  await new Promise<void>((resolve) => (server = app.listen(0, '127.0.0.1', () => resolve())));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  admin = await roleOf(allScopes);
  for (const { path } of actions) {
    const forms = [];
    for (const form of formsOf(path, show)) forms.push(await act(admin, path, form));
    effects.set(path, forms);
  }
  for (const route of shownRoutes) offers.set(route, actionsOn((await load(admin, route)).html));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await desk.close();
});

function harmless(operation: Operation): Operation {
  return {
    ...operation,
    async run(ctx, input) {
      reached.get(ctx.requestId)?.push(operation);
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
  const id = `action-${reached.size}`;
  const found: Operation[] = [];
  reached.set(id, found);
  const upload = new FormData();
  upload.set('file', new Blob(['Dear all']), 'a.txt');
  const takesUpload = actions.some((route) => route.path === path && route.uploads);
  const answer = await fetch(origin + fillPath(path, show), {
    method: 'POST',
    redirect: 'manual',
    headers: { ...role.headers, 'x-request-id': id, 'x-csrf-token': role.csrf },
    body: takesUpload ? upload : new URLSearchParams({ csrf: role.csrf, confirmed: 'yes', ...form }),
  });
  await answer.text();
  expect([path, answer.status < 500]).toEqual([path, true]);
  return [...found];
}

const isWrite = ({ method }: Operation): boolean => method !== 'GET';
const scopesOf = (path: string, called: readonly Operation[]): Scope[] => [
  ...actions.flatMap((route) => (route.path === path && route.scope !== null ? [route.scope] : [])),
  ...called.flatMap(({ scope }) => scope ?? []),
];

/** Actions that call no operation: they show what a form would do, or end the session. */
const withoutEffect = [
  '/dashboard/sign-out/',
  '/dashboard/contacts/import/preview/',
  '/dashboard/contacts/bulk/export/',
  '/dashboard/pipelines/:id/stages/:stage_id/preview/',
];

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
  'members with %s reach nothing that needs more, and are shown no button of it',
  async (_name, scopes) => {
    const role = await roleOf(scopes);
    const holds = (needed: readonly Scope[]): boolean => needed.every((scope) => role.scopes.has(scope));
    const allowed = (path: string): boolean =>
      (effects.get(path) ?? []).some((called) => holds(scopesOf(path, called.filter(isWrite))));
    const wrong: string[] = [];
    for (const [path, forms] of effects) {
      for (const [index, form] of formsOf(path, show).entries()) {
        const called = forms[index] ?? [];
        // What a page only reads beside it may be missing: then it goes on without.
        if (holds(scopesOf(path, called.filter(isWrite)))) continue;
        if ((await act(role, path, form)).some(isWrite)) wrong.push(`${path} was done`);
      }
    }
    for (const [route, offered] of offers) {
      const scope = pageRoutes.find(({ method, path }) => method === 'GET' && path === route)?.scope ?? null;
      const isOpen = scope === null || role.scopes.has(scope);
      // A page that this member may open, and all of whose actions are theirs, is that of the admin.
      if (isOpen && scopes.length > 0 && offered.every(allowed)) continue;
      const { status, html } = await load(role, route);
      if (!isOpen && status !== 403) wrong.push(`${route} was shown (${status})`);
      if (isOpen) wrong.push(...actionsOn(html).flatMap((path) => (allowed(path) ? [] : [`${route} shows ${path}`])));
    }
    expect(wrong).toEqual([]);
  },
);

test('members who hold nothing but what an action needs reach it', async () => {
  const members = new Map<string, Role>();
  const wrong: string[] = [];
  for (const [path, forms] of effects) {
    for (const [index, form] of formsOf(path, show).entries()) {
      const called = forms[index] ?? [];
      if (!called.some(isWrite)) continue;
      const needed = [...new Set(scopesOf(path, called))].sort();
      const role = members.get(needed.join()) ?? (await roleOf(needed));
      members.set(needed.join(), role);
      if (!(await act(role, path, form)).some(isWrite)) wrong.push(`${path} was refused`);
    }
  }
  expect(wrong).toEqual([]);
});

/** Pages by the one permission that opens them: written down, not taken from the router's table. */
const opens: readonly (readonly [Scope, string])[] = [
  ['workspace.manage', 'workspace sla-policies sla-policies/new hours hours/new api-keys api-keys/new agents'],
  ['workspace.manage', 'agents/clients/new audit-log audit-log/members members/new team-inboxes/new'],
  ['billing', 'plan'],
  ['chat.view', 'approvals'],
  ['broadcast.manage', 'broadcasts broadcasts/new'],
  ['macro.view', 'macros rules'],
  ['macro.manage', 'macros/new rules/new'],
  ['flow.view', 'flows'],
  ['team.view', 'members'],
  ['inbox.view', 'team-inboxes'],
  ['contact.view', 'custom-fields'],
  ['contact.edit', 'custom-fields/new'],
];

test.each(opens)('%s alone opens its pages, and all others together do not: %s', async (scope, pages) => {
  const own = await roleOf([scope]);
  const others = await roleOf(allScopes.filter((each) => each !== scope));
  const open = async (page: string, { headers }: Role): Promise<number> =>
    (await fetch(`${origin}/dashboard/${page}/`, { headers, redirect: 'manual' })).status;
  for (const page of pages.split(' '))
    expect([page, await open(page, own), await open(page, others)]).toEqual([page, 200, 403]);
});

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
});

/** Opens the first address of a page. */
async function load(role: Role, route: string): Promise<{ status: number; html: string }> {
  const [address = ''] = addressesOf(route, show);
  const answer = await fetch(origin + address, { headers: role.headers, redirect: 'manual' });
  return { status: answer.status, html: await answer.text() };
}

/** Returns the actions that a page has forms and buttons for, but those without an effect. */
function actionsOn(html: string): string[] {
  if (!/method="post"/.test(html)) return [];
  const targets = new Set([...html.matchAll(/(?:action|hx-post)="([^"?]+)/g)].map(([, found]) => found ?? ''));
  return [...targets].flatMap((target) => {
    const path = actions.find((each) => pattern(each.path).test(target))?.path;
    return path === undefined || withoutEffect.includes(path) || !isPosted(html, target) ? [] : [path];
  });
}

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

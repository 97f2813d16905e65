import { memberScopes, scopeDescriptions, allScopes, type Scope } from '../../../core/access';
import { getMember, memberRoles } from '../../../services/identity/members/service';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { loadInboxes, loadMembers } from '../lookups';
import { settingsPage } from './settings';

const path = '/dashboard/members/';
const scope = 'workspace.manage';
const section = 'members';

const roleWords: Readonly<Record<string, string>> = {
  owner: 'Owner: everything',
  admin: 'Admin: everything but billing, unless ticked below',
  agent: 'Agent: the permissions below',
};

/** Members and what they may do. */
export const memberPages = definePages([
  {
    method: 'GET',
    path,
    scope: 'team.view',
    run: async (page) => {
      const [members, inboxes] = await Promise.all([loadMembers(page), loadInboxes(page)]);
      const inboxNames = Object.fromEntries(inboxes.map(({ id, name }) => [id, name]));
      return settingsPage(page, '/settings/members', { members, inboxNames, path }, { section, title: 'Members' });
    },
  },
  {
    method: 'GET',
    path: `${path}new/`,
    scope,
    run: (page) => Promise.resolve(form(page, null, { role: 'agent', permissions: [] })),
  },
  {
    method: 'POST',
    path: `${path}new/`,
    scope,
    run: async (page) => {
      const { email, name, role } = page.form;
      const permissions = page.all('permissions');
      const made = await page.attempt(() =>
        page.call('teamMembers.create', { email, name: name || undefined, role, permissions }),
      );
      if ('errors' in made) return form(page, null, { email, name, role, permissions }, made.errors);
      const data = { member: made.value, path, signIn: `${page.ctx.runtime.config.baseUrl}/dashboard/sign-in/` };
      return settingsPage(page, '/settings/memberMade', data, { section, title: 'The member is added' });
    },
  },
  {
    method: 'GET',
    path: `${path}:id/`,
    scope,
    run: async (page) => {
      const member = await getMember(page.ctx, idOf(page));
      const { name, role, permissions, is_active } = member;
      return form(page, member, { name, role, permissions: memberScopes(role, permissions), is_active });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/`,
    scope,
    run: async (page) => {
      const { name, role, is_active = 'false', revoke_api_keys: revoke, disconnect_agents: part } = page.form;
      const permissions = page.all('permissions');
      const changed = await page.attempt(() =>
        page.call('teamMembers.update', {
          id: page.params['id'],
          name,
          role,
          is_active,
          ...(role === 'owner' ? {} : { permissions }),
          revoke_api_keys: revoke ?? 'false',
          disconnect_agents: part ?? 'false',
        }),
      );
      if ('errors' in changed)
        return form(
          page,
          await getMember(page.ctx, idOf(page)),
          { name, role, permissions, is_active },
          changed.errors,
        );
      return page.redirect(path, { text: 'The member is saved.' });
    },
  },
]);

/** Returns the id of the path; what cannot be one names nobody. */
function idOf(page: PageRequest): number {
  const text = page.params['id'] ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

function form(page: PageRequest, member: object | null, values: object, errors?: object): PageAnswer {
  const scopes = allScopes
    .filter((name: Scope) => page.can(name))
    .map((name) => ({ value: name, label: name, detail: scopeDescriptions[name] }));
  const roles = memberRoles.map((value) => ({ value, label: roleWords[value] }));
  const title = member ? 'Member' : 'New member';
  return settingsPage(
    page,
    '/settings/memberForm',
    { member, values, errors, scopes, roles, title, path },
    { section, title, ...(errors ? { status: 422 } : {}) },
  );
}

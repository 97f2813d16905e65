import { memberScopes, scopeDescriptions, allScopes, type Scope } from '../../../core/http/access';
import { getMember, memberRoles } from '../../../services/identity/members/service';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { loadInboxes, loadMembers } from '../lookups';
import { idOfPath, keptOf, loadMade, type Made } from './made';
import { sentBefore, settingsPage } from './settings';

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
    run: (page) => Promise.resolve(form(page, null, { values: { role: 'agent', permissions: [] } })),
  },
  {
    method: 'POST',
    path: `${path}new/`,
    scope,
    run: async (page) => {
      const { email, name, role } = page.form;
      const permissions = page.all('permissions');
      const made = await page.attempt(() =>
        page.makeOnce('teamMembers.create', { email, name: name || undefined, role, permissions }),
      );
      if ('errors' in made)
        return form(page, null, { values: { email, name, role, permissions }, errors: made.errors });
      if (!made.value) return page.redirect(path, sentBefore);
      const data = { member: made.value, path, signIn: `${page.ctx.runtime.config.baseUrl}/dashboard/sign-in/` };
      return settingsPage(page, '/settings/memberMade', data, { section, title: 'The member is added' });
    },
  },
  {
    method: 'GET',
    path: `${path}:id/`,
    scope,
    run: async (page) => {
      const member = await getMember(page.ctx, idOfPath(page));
      const { name, role, permissions, is_active } = member;
      const values = { name, role, permissions: memberScopes(role, permissions), is_active };
      return form(page, member, { values, made: await loadMade(page, 'teamMembers.made', member.id) });
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
          ...keptOf(page),
        }),
      );
      if ('errors' in changed) {
        const member = await getMember(page.ctx, idOfPath(page));
        const made = await loadMade(page, 'teamMembers.made', member.id);
        return form(page, member, { values: { name, role, permissions, is_active }, errors: changed.errors, made });
      }
      return page.redirect(path, { text: 'The member is saved.' });
    },
  },
]);

interface FormState {
  readonly values: object;
  readonly errors?: object;
  /** What the member made that goes on by itself. */
  readonly made?: Made;
}

function form(page: PageRequest, member: object | null, { values, errors, made }: FormState): PageAnswer {
  const scopes = allScopes
    .filter((name: Scope) => page.can(name))
    .map((name) => ({ value: name, label: name, detail: scopeDescriptions[name] }));
  const roles = memberRoles.map((value) => ({ value, label: roleWords[value] }));
  const title = member ? 'Member' : 'New member';
  return settingsPage(
    page,
    '/settings/memberForm',
    { member, values, errors, made, scopes, roles, title, path },
    { section, title, ...(errors ? { status: 422 } : {}) },
  );
}

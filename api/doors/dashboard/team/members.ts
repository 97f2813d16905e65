import { memberScopes, allScopes, type Scope } from '../../../core/http/access';
import type { FieldErrors } from '../../../core/http/errors';
import { hasFactor } from '../../../services/identity/factors/service';
import { getMember, listMembers, memberRoles, type MemberRecord } from '../../../services/identity/members/service';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import type { FieldGiven } from '../fieldViews';
import { loadInboxes, loadMembers, type Member } from '../lookups';
import { idOfPath, keptOf, loadMade } from './made';
import { scopeBoxes, usualScopes } from './scopeBoxes';
import { sentBefore, settingsPage } from './settings';

const path = '/dashboard/members/';
const scope = 'workspace.manage';
const section = 'members';

const roleWords: Readonly<Record<string, string>> = {
  owner: 'Owner: everything',
  admin: 'Admin: everything but billing, unless ticked below',
  agent: 'Agent: the permissions below',
};

/** A member as a row of the list. */
interface MemberRow extends Pick<Member, 'email' | 'role' | 'is_active' | 'created_at'> {
  readonly name: string;
  readonly isMe: boolean;
  readonly inboxes: string;
  readonly path: string;
}

function memberRow(page: PageRequest, member: Member, inboxNames: ReadonlyMap<number, string>): MemberRow {
  const { id, name, email, role, is_active, created_at, team_inboxes: inboxes } = member;
  return {
    email,
    role,
    is_active,
    created_at,
    name: name || email,
    isMe: id === page.member.id,
    inboxes: inboxes.map((inbox) => inboxNames.get(inbox) ?? inbox).join(', ') || '–',
    path: `${path}${id}/`,
  };
}

/** Members and what they may do. */
export const memberPages = definePages([
  {
    method: 'GET',
    path,
    scope: 'team.view',
    run: async (page) => {
      const [found, inboxes] = await Promise.all([loadMembers(page), loadInboxes(page)]);
      const inboxNames = new Map(inboxes.map(({ id, name }) => [id, name]));
      const members = found.map((member) => memberRow(page, member, inboxNames));
      return settingsPage(page, '/settings/members', { members, path }, { section, title: 'Members' });
    },
  },
  {
    method: 'GET',
    path: `${path}new/`,
    scope,
    run: (page) => form(page, null, { values: { role: 'agent', permissions: [] } }),
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
      return showLink(page, 'The member is added', made.value['link'] as Link);
    },
  },
  {
    method: 'POST',
    path: `${path}:id/link/`,
    scope,
    run: async (page) => {
      const made = await page.makeOnce<Link>('teamMembers.makeLink', { id: page.params['id'] });
      return made ? showLink(page, 'A link for a password', made) : page.redirect(path, sentBefore);
    },
  },
  {
    method: 'POST',
    path: `${path}:id/forget-factors/`,
    scope,
    confirm: { title: 'Remove their second factors?', text: 'They are signed out.', button: 'Remove' },
    run: async (page) => {
      await page.call('teamMembers.forgetFactors', { id: page.params['id'] });
      return page.redirect(path, { text: 'Their second factors are removed.' });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/end-sessions/`,
    scope,
    confirm: { title: 'End their sessions?', text: 'They are signed out everywhere.', button: 'End them' },
    run: async (page) => {
      await page.call('teamMembers.endSessions', { id: page.params['id'] });
      return page.redirect(path, { text: 'Their sessions have ended.' });
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

/** A link by which a member chooses a password, as its operation gives it. */
interface Link {
  readonly url: string | null;
  readonly expires_at: string;
}

/** Shows the link of a member, this once. */
function showLink(page: PageRequest, title: string, link: Link): PageAnswer {
  return settingsPage(page, '/settings/memberLink', { title, link, path }, { section, title });
}

interface FormState {
  readonly values: object;
  readonly errors?: FieldErrors;
  /** The boxes that stop what the member made. */
  readonly made?: readonly FieldGiven[];
}

/** A member whose permissions another one can get. */
interface Colleague {
  readonly id: number;
  readonly name: string;
  /** What they may do, of what the member who looks may give. */
  readonly scopes: string;
  readonly isCopied: boolean;
}

async function colleaguesOf(
  page: PageRequest,
  member: MemberRecord | null,
  grantable: readonly Scope[],
): Promise<readonly Colleague[]> {
  const { items } = await listMembers(page.ctx, { page_size: 200 });
  return items
    .filter(({ id, is_active }) => is_active && id !== member?.id)
    .map(({ id, name, email, role, permissions }) => {
      const held = memberScopes(role, permissions).filter((name) => grantable.includes(name));
      return { id, name: name || email, scopes: held.join(' '), isCopied: String(id) === page.query['copy'] };
    });
}

async function form(
  page: PageRequest,
  member: MemberRecord | null,
  { values, errors, made = [] }: FormState,
): Promise<PageAnswer> {
  const grantable = allScopes.filter((name: Scope) => page.can(name));
  const colleagues = await colleaguesOf(page, member, grantable);
  // Without scripts the page is asked for again, with the boxes of the one who was chosen.
  const copied = colleagues.find(({ isCopied }) => isCopied);
  const roles = memberRoles.map((value) => ({ value, label: roleWords[value] }));
  const title = member ? 'Member' : 'New member';
  const mayForget = member && page.member.role === 'owner' && (await hasFactor(page.ctx.runtime, member.id));
  return settingsPage(
    page,
    '/settings/memberForm',
    {
      member,
      heading: member ? member.name || member.email : title,
      values: copied ? { ...values, permissions: copied.scopes.split(' ') } : values,
      errors,
      made,
      scopes: scopeBoxes(grantable),
      colleagues,
      isCopied: copied !== undefined,
      usual: usualScopes,
      roles,
      path,
      action: `${path}${member?.id ?? 'new'}/`,
      isNew: member === null,
      mayLink: member?.is_active === true && page.may('teamMembers.makeLink'),
      mayForget: mayForget && page.may('teamMembers.forgetFactors'),
      button: member ? 'Save' : 'Add the member',
    },
    { section, title, ...(errors ? { status: 422 } : {}) },
  );
}

import type { Page } from '../../../core/http/operations';
import { requireRecent } from '../../../services/identity/apiKeys/authenticate';
import { recordedActions, recordSecurity } from '../../../services/identity/securityLog/service';
import { sendCsv } from '../csvFile';
import { pagerView, peopleOptions, type TabView } from '../fieldViews';
import { momentOfLocal } from '../../../core/zones';
import { textOf } from '../forms';
import { loadMembers } from '../lookups';
import { definePages, type PageRequest } from '../page';
import { settingsPage } from './settings';

const path = '/dashboard/audit-log/members/';
const scope = 'workspace.manage';
const pageSize = 200;

/** What has no operation of its own. */
const words: Readonly<Record<string, string>> = {
  signIn: 'Sign in',
  'signIn.refused': 'Wrong password at sign-in',
  'signIn.awaitsFactor': 'Right password at sign-in, second factor awaited',
  'signIn.ssoRequired': 'Right password at sign-in, where a company signs in otherwise',
  'signIn.ssoRefused': 'Sign-in by single sign-on refused',
  'sso.emailTaken': 'Email given to the company of its domain',
  'sso.memberMade': 'First sign-in by single sign-on',
  'sso.remove': 'Remove single sign-on',
  'signIn.factorRefused': 'Wrong second factor at sign-in',
  'signIn.newPlace': 'Sign-in from a new network and browser',
  'signIn.codesGuessed': 'Five wrong codes behind the right password',
  'signIn.passwordVoid': 'Password void after fifty wrong codes in a day',
  'webhooks.opened': 'Move, activate or widen a webhook',
  'sessions.refused': 'Wrong proof of who it is in a session',
  'connectedAgents.connect': 'Connect an agent',
  'webhooks.stopped': 'Stop a webhook with its maker',
  'broadcasts.unscheduled': 'Unschedule a broadcast with its maker',
  'broadcasts.end': 'End a broadcast',
  'password.askForLink': 'Ask for a link to choose a password',
  'password.chosenByLink': 'Choose a password by a link',
  'contacts.export': 'Export contacts',
  'reports.export': 'Export conversations',
  'auditLog.export': 'Export this log',
  'inbox.drop': 'Drop parked events',
};

interface Entry {
  readonly action: string;
  readonly actor_type: string;
  readonly member: { readonly name: string; readonly email: string } | null;
  readonly api_key_id: number | null;
  readonly subject_id: number | null;
  readonly given: Readonly<Record<string, unknown>>;
  readonly address: string;
  readonly request_id: string;
  readonly created_at: string;
}

/** The log of actions of members, keys and the operator that concern security. */
export const securityLogPages = definePages([
  {
    method: 'GET',
    path,
    scope,
    run: async (page) => {
      const { from, until, action, member_id } = page.query;
      const read = await page.attempt(() =>
        page.call<Page<Entry>>('auditLog.list', { page_size: 50, ...page.query, ...filtersOf(page) }),
      );
      const list = 'value' in read ? read.value : { items: [], count: 0, next: null, previous: null };
      const members = await loadMembers(page);
      const data = {
        entries: list.items.map((entry) => entryView(page, entry)),
        pager: pagerView(list, path, { from, until, action, member_id }),
        file: page.link(`${path}export/`, { from, until, action, member_id }),
        tabs: auditTabs('members'),
        errors: 'errors' in read ? read.errors : undefined,
        actions: [{ value: '', label: 'Anything' }, ...actionOptions(page)],
        members: [{ value: '', label: 'Everybody' }, ...peopleOptions(members)],
        query: { from, until, action, member_id },
        path,
      };
      return settingsPage(page, '/settings/securityLog', data, { section: 'audit', title: 'Audit log' });
    },
  },
  {
    method: 'GET',
    path: `${path}export/`,
    scope,
    run: async (page) => {
      requireRecent(page.credential);
      const filters = filtersOf(page);
      await recordSecurity(page.ctx, { action: 'auditLog.export', given: filters });
      const columns = ['created_at', 'action', 'actor', 'member', 'key', 'subject', 'given', 'address', 'request'];
      return sendCsv<Entry>(page, { name: 'audit-log', columns, cellsOf }, (more) =>
        page.call('auditLog.list', { ...filters, ...more, page_size: pageSize }, { countsUpTo: 1 }),
      );
    },
  },
]);

/** An entry as a row of the log. */
interface EntryView extends Pick<Entry, 'action' | 'address' | 'request_id' | 'created_at'> {
  readonly who: string;
  readonly key: string;
  readonly words: string;
  readonly subject: string;
  /** What was asked for, a line each. */
  readonly lines: readonly string[];
}

function entryView(page: PageRequest, entry: Entry): EntryView {
  const { action, address, request_id, created_at, member, api_key_id: key, subject_id: subject } = entry;
  const nobody = entry.actor_type === 'system' ? 'The operator' : 'A former member';
  return {
    ...{ action, address, request_id, created_at },
    who: member ? member.name || member.email : nobody,
    key: key === null ? '' : `key ${key}`,
    words: wordsOf(page, action),
    subject: subject === null ? '' : `№ ${subject}`,
    lines: Object.entries(entry.given).map(([name, value]) => `${name}: ${textOf(value)}`),
  };
}

/** Returns the two halves of the audit log. */
export function auditTabs(current: 'agents' | 'members'): readonly TabView[] {
  return [
    { label: 'Agents', href: '/dashboard/audit-log/', isCurrent: current === 'agents' },
    { label: 'Members and keys', href: path, isCurrent: current === 'members' },
  ];
}

function cellsOf(entry: Entry): unknown[] {
  return [
    entry.created_at,
    entry.action,
    entry.actor_type,
    entry.member?.email ?? '',
    entry.api_key_id,
    entry.subject_id,
    entry.given,
    entry.address,
    entry.request_id,
  ];
}

/** Returns the filters of the page as the operation takes them. */
function filtersOf(page: PageRequest): Readonly<Record<string, string | undefined>> {
  const { from, until, action, member_id } = page.query;
  const zone = page.workspace.timezone;
  const instant = (local?: string): string | undefined =>
    local === undefined ? undefined : (momentOfLocal(local, zone)?.toISOString() ?? local);
  return { actor: 'member', action, member_id, created_after: instant(from), created_before: instant(until) };
}

/** Returns what an action is called where people read it. */
export function wordsOf(page: PageRequest, action: string): string {
  return words[action] ?? page.operations.get(action)?.summary ?? action;
}

function actionOptions(page: PageRequest): { value: string; label: string }[] {
  return [...recordedActions, ...Object.keys(words)]
    .map((value) => ({ value, label: wordsOf(page, value) }))
    .sort((one, other) => one.label.localeCompare(other.label));
}

import type { Scope } from '../../../core/http/access';
import type { AssetName } from '../assets';
import type { TabView } from '../fieldViews';
import { Raw, type Html } from '../html';
import { definePages, type PageAnswer, type PageRequest, type Toast } from '../page';
import { words } from '../words';

interface Section {
  readonly id: string;
  readonly label: string;
  readonly path: string;
  /** The heading that it stands below where there is room. */
  readonly group: string;
  readonly scope: Scope | null;
}

/** The pages under Settings in their order, those of a group together. */
const sections: readonly Section[] = [
  { id: 'workspace', label: 'Workspace', path: '/dashboard/workspace/', group: 'Workspace', scope: 'workspace.manage' },
  { id: 'sso', label: 'Single sign-on', path: '/dashboard/sso/', group: 'Workspace', scope: 'workspace.manage' },
  { id: 'numbers', label: 'Numbers', path: '/dashboard/numbers/', group: 'Workspace', scope: 'workspace.manage' },
  { id: 'plan', label: 'Plan', path: '/dashboard/plan/', group: 'Workspace', scope: 'billing' },
  { id: 'usage', label: 'Costs', path: '/dashboard/usage/', group: 'Workspace', scope: 'workspace.manage' },
  { id: 'audit', label: 'Audit log', path: '/dashboard/audit-log/', group: 'Workspace', scope: 'workspace.manage' },
  { id: 'members', label: 'Members', path: '/dashboard/members/', group: 'People', scope: 'team.view' },
  { id: 'inboxes', label: 'Team inboxes', path: '/dashboard/team-inboxes/', group: 'People', scope: 'inbox.view' },
  { id: 'hours', label: 'Hours', path: '/dashboard/hours/', group: 'People', scope: 'workspace.manage' },
  { id: 'fields', label: 'Custom fields', path: '/dashboard/custom-fields/', group: 'Work', scope: 'contact.view' },
  { id: 'templates', label: 'Templates', path: '/dashboard/templates/', group: 'Work', scope: 'template.view' },
  { id: 'sla', label: 'SLA policies', path: '/dashboard/sla-policies/', group: 'Work', scope: 'workspace.manage' },
  { id: 'keys', label: 'API keys', path: '/dashboard/api-keys/', group: 'Developers', scope: 'workspace.manage' },
  { id: 'webhooks', label: 'Webhooks', path: '/dashboard/webhooks/', group: 'Developers', scope: 'webhook.manage' },
  { id: 'agents', label: 'Agents', path: '/dashboard/agents/', group: 'Developers', scope: 'workspace.manage' },
  { id: 'account', label: 'Your account', path: '/dashboard/account/', group: 'You', scope: null },
];

interface SettingsOptions {
  readonly section: string;
  readonly title: string;
  readonly status?: number;
  readonly scripts?: readonly AssetName[];
}

/** Answers with a page under Settings, a typed one or a template, below the list of those that the member may visit. */
export function settingsPage(page: PageRequest, typed: Html, options: SettingsOptions): PageAnswer;
export function settingsPage(page: PageRequest, view: string, data: object, options: SettingsOptions): PageAnswer;
export function settingsPage(page: PageRequest, shown: Html | string, given: object, of?: SettingsOptions): PageAnswer {
  const { section, ...rest } = of ?? (given as SettingsOptions);
  const body = typeof shown === 'string' ? <Raw html={page.html(shown, given)} /> : shown;
  const frame = (
    <div class="settings">
      <nav class="tabs tabs-page settings-places" aria-label={words.common.settings}>
        {groupsOf(page, section).map(({ name, places }) => (
          <>
            <p class="settings-group">{name}</p>
            {places.map(({ href, label, isCurrent }) => (
              <a href={href} aria-current={isCurrent ? 'page' : undefined}>
                {label}
              </a>
            ))}
          </>
        ))}
      </nav>
      <div class="column column-wide">{body}</div>
    </div>
  );
  return page.page(frame, { ...rest, place: 'settings' });
}

/** Pages under Settings that belong together. */
interface PlaceGroup {
  readonly name: string;
  readonly places: readonly TabView[];
}

function groupsOf(page: PageRequest, current: string): readonly PlaceGroup[] {
  const visible = sections.filter(({ scope }) => scope === null || page.can(scope));
  return [...new Set(visible.map(({ group }) => group))].map((name) => ({
    name,
    places: visible
      .filter(({ group }) => group === name)
      .map(({ id, label, path: href }) => ({ label, href, isCurrent: id === current })),
  }));
}

/** What the list says when a form that makes something with a secret is sent a second time, as by a reload. */
export const sentBefore: Toast = {
  text: 'This form was sent before. What it made is in the list; its secret was shown then, once.',
  kind: 'bad',
};

/** The way to the first of them. */
export const settingsPages = definePages([
  {
    method: 'GET',
    path: '/dashboard/settings/',
    scope: null,
    run: (page) => {
      const first = sections.find(({ scope }) => scope === null || page.can(scope));
      return Promise.resolve(page.redirect(first?.path ?? '/dashboard/account/'));
    },
  },
]);

import type { Scope } from '../../../core/http/access';
import type { AssetName } from '../assets';
import type { TabView } from '../fieldViews';
import type { Html } from '../html';
import { definePages, type PageAnswer, type PageRequest, type Toast } from '../page';
import { words } from '../words';

const { settings } = words;

/** A page under Settings. */
export interface Section {
  readonly id: keyof typeof settings.sections;
  readonly path: string;
  /** The heading that it stands below where there is room. */
  readonly group: keyof typeof settings.groups;
  readonly scope: Scope | null;
}

/** The pages under Settings in their order, those of a group together. */
const sections: readonly Section[] = [
  { id: 'workspace', path: '/dashboard/workspace/', group: 'workspace', scope: 'workspace.manage' },
  { id: 'sso', path: '/dashboard/sso/', group: 'workspace', scope: 'workspace.manage' },
  { id: 'numbers', path: '/dashboard/numbers/', group: 'workspace', scope: 'workspace.manage' },
  { id: 'plan', path: '/dashboard/plan/', group: 'workspace', scope: 'billing' },
  { id: 'usage', path: '/dashboard/usage/', group: 'workspace', scope: 'workspace.manage' },
  { id: 'audit', path: '/dashboard/audit-log/', group: 'workspace', scope: 'workspace.manage' },
  { id: 'members', path: '/dashboard/members/', group: 'people', scope: 'team.view' },
  { id: 'inboxes', path: '/dashboard/team-inboxes/', group: 'people', scope: 'inbox.view' },
  { id: 'hours', path: '/dashboard/hours/', group: 'people', scope: 'workspace.manage' },
  { id: 'fields', path: '/dashboard/custom-fields/', group: 'work', scope: 'contact.view' },
  { id: 'templates', path: '/dashboard/templates/', group: 'work', scope: 'template.view' },
  { id: 'sla', path: '/dashboard/sla-policies/', group: 'work', scope: 'workspace.manage' },
  { id: 'keys', path: '/dashboard/api-keys/', group: 'developers', scope: 'workspace.manage' },
  { id: 'webhooks', path: '/dashboard/webhooks/', group: 'developers', scope: 'webhook.manage' },
  { id: 'agents', path: '/dashboard/agents/', group: 'developers', scope: 'workspace.manage' },
  { id: 'account', path: '/dashboard/account/', group: 'you', scope: null },
];

interface SettingsOptions {
  readonly section: Section['id'];
  readonly title: string;
  readonly status?: number;
  readonly scripts?: readonly AssetName[];
}

/** Answers with a page under Settings, below the list of those that the member may visit. */
export function settingsPage(page: PageRequest, body: Html, options: SettingsOptions): PageAnswer {
  const { section, ...rest } = options;
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

/** Returns the pages under Settings that the member may visit. */
export function sectionsFor(page: PageRequest): readonly Section[] {
  return sections.filter(({ scope }) => scope === null || page.can(scope));
}

function groupsOf(page: PageRequest, current: Section['id']): readonly PlaceGroup[] {
  const visible = sectionsFor(page);
  return [...new Set(visible.map(({ group }) => group))].map((name) => ({
    name: settings.groups[name],
    places: visible
      .filter(({ group }) => group === name)
      .map(({ id, path: href }) => ({ label: settings.sections[id], href, isCurrent: id === current })),
  }));
}

/** What the list says when a form that makes something with a secret is sent a second time, as by a reload. */
export const sentBefore = (): Toast => ({ text: settings.sentBefore, kind: 'bad' });

/** The way to the first of them. */
export const settingsPages = definePages([
  {
    method: 'GET',
    path: '/dashboard/settings/',
    scope: null,
    run: (page) => {
      const [first] = sectionsFor(page);
      return Promise.resolve(page.redirect(first?.path ?? '/dashboard/account/'));
    },
  },
]);

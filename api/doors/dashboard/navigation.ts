import type { Scope } from '../../core/http/access';
import type { IconName } from './icons';

/** A place in the navigation. Pages name their place by `id`. */
interface Place {
  readonly id: string;
  readonly label: string;
  readonly path: string;
  readonly icon: IconName;
  /** Shown to members who hold it; null: to all. */
  readonly scope: Scope | null;
  /** Groups are divided by a line. */
  readonly group: 'work' | 'team' | 'settings';
  /** The name of the number that is shown beside it. */
  readonly badge?: BadgeName;
}

/** What the navigation counts. */
type BadgeName = 'approvals' | 'waiting';

/** Numbers beside places of the navigation. */
export type Badges = Readonly<Partial<Record<BadgeName, number>>>;

/** The navigation in its order. A member's first place is their home. */
const places: readonly Place[] = [
  {
    id: 'inbox',
    label: 'Inbox',
    path: '/dashboard/inbox/',
    icon: 'inbox',
    scope: 'chat.view',
    group: 'work',
    badge: 'waiting',
  },
  { id: 'tickets', label: 'Tickets', path: '/dashboard/tickets/', icon: 'ticket', scope: 'ticket.view', group: 'work' },
  {
    id: 'contacts',
    label: 'Contacts',
    path: '/dashboard/contacts/',
    icon: 'contact',
    scope: 'contact.view',
    group: 'work',
  },
  {
    id: 'broadcasts',
    label: 'Broadcasts',
    path: '/dashboard/broadcasts/',
    icon: 'megaphone',
    scope: 'broadcast.manage',
    group: 'work',
  },
  {
    id: 'approvals',
    label: 'Approvals',
    path: '/dashboard/approvals/',
    icon: 'shield-check',
    scope: 'chat.view',
    group: 'work',
    badge: 'approvals',
  },
  {
    id: 'pipelines',
    label: 'Pipelines',
    path: '/dashboard/pipelines/',
    icon: 'columns-3',
    scope: 'ticket.view',
    group: 'team',
  },
  { id: 'macros', label: 'Macros', path: '/dashboard/macros/', icon: 'zap', scope: 'macro.view', group: 'team' },
  { id: 'rules', label: 'Rules', path: '/dashboard/rules/', icon: 'timer', scope: 'macro.view', group: 'team' },
  {
    id: 'replies',
    label: 'Canned replies',
    path: '/dashboard/replies/',
    icon: 'text-quote',
    scope: 'chat.view',
    group: 'team',
  },
  {
    id: 'reports',
    label: 'Reports',
    path: '/dashboard/reports/',
    icon: 'chart-column',
    scope: 'report.view',
    group: 'team',
  },
  { id: 'flows', label: 'Flows', path: '/dashboard/flows/', icon: 'workflow', scope: 'flow.view', group: 'team' },
  {
    id: 'settings',
    label: 'Settings',
    path: '/dashboard/settings/',
    icon: 'settings',
    scope: null,
    group: 'settings',
  },
];

/** Returns the places that a member may visit. */
export function placesFor(scopes: ReadonlySet<Scope>): Place[] {
  return places.filter(({ scope }) => scope === null || scopes.has(scope));
}

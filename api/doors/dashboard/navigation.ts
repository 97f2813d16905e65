import type { Scope } from '../../core/http/access';
import type { BadgeName, Unread } from './fieldViews';
import type { IconName } from './icons';
import type { words } from './words';

/** A place in the navigation. Pages name their place by `id`. */
export interface Place {
  readonly id: keyof typeof words.frame.places;
  readonly path: string;
  readonly icon: IconName;
  /** Shown to members who hold one of them; none: to all. */
  readonly scopes: readonly Scope[];
  /** Groups are divided by a line. */
  readonly group: 'work' | 'team' | 'settings';
  /** The name of the number that is shown beside it. */
  readonly badge?: BadgeName;
}

/** Numbers beside places of the navigation, and what of it is unread. */
export type Badges = Readonly<Partial<Record<BadgeName, number>> & { unread?: Unread }>;

/** The navigation in its order. A member's first place is their home. */
const places: readonly Place[] = [
  { id: 'inbox', path: '/dashboard/inbox/', icon: 'inbox', scopes: ['chat.view'], group: 'work', badge: 'waiting' },
  { id: 'tickets', path: '/dashboard/tickets/', icon: 'ticket', scopes: ['ticket.view'], group: 'work' },
  {
    id: 'concerns',
    path: '/dashboard/concerns/',
    icon: 'bell',
    scopes: ['chat.view', 'ticket.view'],
    group: 'work',
    badge: 'concerns',
  },
  { id: 'contacts', path: '/dashboard/contacts/', icon: 'contact', scopes: ['contact.view'], group: 'work' },
  { id: 'broadcasts', path: '/dashboard/broadcasts/', icon: 'megaphone', scopes: ['broadcast.manage'], group: 'work' },
  {
    id: 'approvals',
    path: '/dashboard/approvals/',
    icon: 'shield-check',
    scopes: ['chat.view'],
    group: 'work',
    badge: 'approvals',
  },
  { id: 'pipelines', path: '/dashboard/pipelines/', icon: 'columns-3', scopes: ['ticket.view'], group: 'team' },
  { id: 'macros', path: '/dashboard/macros/', icon: 'zap', scopes: ['macro.view'], group: 'team' },
  { id: 'rules', path: '/dashboard/rules/', icon: 'timer', scopes: ['macro.view'], group: 'team' },
  { id: 'replies', path: '/dashboard/replies/', icon: 'text-quote', scopes: ['chat.view'], group: 'team' },
  { id: 'reports', path: '/dashboard/reports/', icon: 'chart-column', scopes: ['report.view'], group: 'team' },
  { id: 'flows', path: '/dashboard/flows/', icon: 'workflow', scopes: ['flow.view'], group: 'team' },
  { id: 'settings', path: '/dashboard/settings/', icon: 'settings', scopes: [], group: 'settings' },
];

/** Returns the places that a member may visit. */
export function placesFor(scopes: ReadonlySet<Scope>): readonly Place[] {
  return places.filter(({ scopes: any }) => any.length === 0 || any.some((scope) => scopes.has(scope)));
}

/** Returns the places of a phone's bar, beside search and what is behind "More". */
export function barPlaces(scopes: ReadonlySet<Scope>): readonly Place[] {
  return placesFor(scopes).filter(({ id }) => ['inbox', 'tickets', 'concerns'].includes(id));
}

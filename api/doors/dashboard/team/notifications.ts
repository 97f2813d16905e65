import { cut } from '../../../core/text/cut';
import type { FieldErrors } from '../../../core/http/errors';
import { vapidPublicKey } from '../../../core/http/webPush';
import type { OptionView } from '../fieldViews';
import { definePages, type PageRequest } from '../page';

const accountPath = '/dashboard/account/';

/** A notice as its operation gives it. */
interface Notice {
  readonly id: number;
  readonly kind: string;
  readonly title: string;
  readonly body: string;
  readonly href: string;
  readonly is_quiet: boolean;
  readonly sounds: boolean;
  readonly created_at: string;
}

/** What members are told of: the part that pages ask for, and the browsers that take web push. */
export const notificationPages = definePages([
  {
    method: 'GET',
    path: '/dashboard/notices/',
    scope: 'chat.view',
    run: async (page) =>
      page.part('/settings/notices', { notices: await page.call<readonly Notice[]>('notices.list') }),
  },
  {
    method: 'POST',
    path: `${accountPath}browsers/`,
    scope: null,
    run: async (page) => {
      const { endpoint, p256dh, auth } = page.form;
      await page.call('pushSubscriptions.create', { endpoint, keys: { p256dh, auth } });
      return page.redirect(accountPath);
    },
  },
  {
    method: 'POST',
    path: `${accountPath}browsers/:id/remove/`,
    scope: null,
    run: async (page) => {
      await page.call('pushSubscriptions.delete', { id: page.params['id'] });
      return page.redirect(accountPath, { text: 'That browser is told nothing any more.' });
    },
  },
]);

interface Browser {
  readonly id: number;
  readonly user_agent: string;
  readonly is_current: boolean;
  readonly created_at: string;
}

/** How the member is told, as the page of their account shows it. */
interface NotificationsView {
  readonly path: string;
  readonly kinds: readonly { readonly name: string; readonly label: string; readonly value: unknown }[];
  readonly levels: readonly Pick<OptionView, 'value' | 'label'>[];
  readonly values: Readonly<Record<string, unknown>>;
  readonly errors: FieldErrors | undefined;
  readonly zone: string;
  /** By which browsers subscribe; null: the installation has no web push. */
  readonly key: string | null;
  readonly browsers: readonly (Omit<Browser, 'id' | 'user_agent'> & { readonly name: string; readonly path: string })[];
}

const kinds = [
  ['notify_assigned', 'A conversation is assigned to me'],
  ['notify_message', 'A customer writes in a conversation of mine'],
  ['notify_unassigned', 'A customer begins to wait in a conversation that nobody has'],
  ['notify_mention', 'I am mentioned in a note'],
  ['notify_held', 'A message for later of mine is held'],
] as const;

const levels = [
  { value: 'off', label: 'Off' },
  { value: 'page', label: 'In open pages' },
  { value: 'push', label: 'In open pages, and by push' },
];

const maxBrowserLetters = 120;

/** Reads how the member is told; `typed` is what was refused. */
export async function notificationsView(
  page: PageRequest,
  typed: Readonly<Record<string, unknown>> | undefined,
  errors: FieldErrors | undefined,
): Promise<NotificationsView> {
  const values = { ...(await page.call('notificationSettings.get')), ...typed };
  const browsers = await page.call<readonly Browser[]>('pushSubscriptions.list');
  const { vapid } = page.ctx.runtime.config;
  return {
    path: accountPath,
    kinds: kinds.map(([name, label]) => ({ name, label, value: values[name] })),
    levels,
    values,
    errors,
    zone: page.workspace.timezone,
    key: vapid && vapidPublicKey(vapid),
    browsers: browsers.map(({ id, user_agent: name, ...browser }) => ({
      ...browser,
      name: cut(name, maxBrowserLetters) || 'Unknown browser',
      path: `${accountPath}browsers/${id}/`,
    })),
  };
}

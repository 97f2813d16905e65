import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { changeNotificationSettings, notificationSettingsOf } from '../../identity/members/notifications';
import { ceilingConflict } from '../../identity/workspaces/objectLimits';
import {
  concernShape,
  listConcerns,
  listConcernsQuery,
  readConcerns,
  readConcernsInput,
  serializeConcern,
} from './concerns';
import { notificationSettingsInput, pushSubscriptionInput } from './schema';
import {
  browserShape,
  noticeShape,
  serializeBrowser,
  serializeNotice,
  serializeSettings,
  settingsShape,
} from './serializer';
import { addBrowser, listBrowsers, listNotices, removeBrowser } from './service';

const own = { tag: 'Account', scope: null, audience: 'session' } as const;
const settings = { ...own, path: '/api/v1/notification-settings/' } as const;
const browsers = { ...own, path: '/api/v1/push-subscriptions/' } as const;

/** What a member is told of, and how (contract 18.9). */
export const noticeOperations = [
  operation({
    ...settings,
    id: 'notificationSettings.get',
    method: 'GET',
    summary: 'Read how you are notified',
    description: 'By kind: `off`, `page` (in your open pages) or `push` (also by web push).',
    status: 200,
    output: settingsShape,
    run: async (ctx) => serializeSettings(await notificationSettingsOf(ctx, ctx.actor.memberId ?? 0)),
  }),
  operation({
    ...settings,
    id: 'notificationSettings.update',
    method: 'PATCH',
    summary: 'Change how you are notified',
    description: 'Fields that are left out stay as they are.',
    body: notificationSettingsInput,
    status: 200,
    output: settingsShape,
    examples: { request: { notify_unassigned: 'push', quiet_from: '22:00', quiet_until: '07:00' } },
    run: async (ctx, values) => serializeSettings(await changeNotificationSettings(ctx, values)),
  }),
  operation({
    ...own,
    id: 'notices.list',
    method: 'GET',
    path: '/api/v1/notices/',
    scope: 'chat.view',
    summary: 'List what you were notified of',
    description:
      'In the last ten minutes, newest first, at most 50, as a plain array. They are kept no longer than an hour.',
    status: 200,
    output: wire.list(noticeShape),
    run: async (ctx) => (await listNotices(ctx)).map(serializeNotice),
  }),
  operation({
    ...own,
    id: 'concerns.list',
    method: 'GET',
    path: '/api/v1/concerns/',
    summary: 'List what concerns you',
    description:
      'Mentions in notes and comments, what others assigned to you, messages of yours that failed and those for ' +
      'later that are held, newest first. Of conversations with `chat.view`, of tickets with `ticket.view`.',
    query: listConcernsQuery,
    status: 200,
    output: wire.page(concernShape),
    run: async (ctx, query) => {
      const page = await listConcerns(ctx, query);
      return { ...page, items: page.items.map(serializeConcern) };
    },
  }),
  operation({
    ...own,
    id: 'concerns.read',
    method: 'POST',
    path: '/api/v1/concerns/read/',
    summary: 'Mark what concerns you as read',
    description: 'Some, or all of it. What is not yours is left alone.',
    body: readConcernsInput,
    status: 204,
    output: null,
    examples: { request: { ids: [17] } },
    run: (ctx, { ids }) => readConcerns(ctx, ids),
  }),
  operation({
    ...browsers,
    id: 'pushSubscriptions.list',
    method: 'GET',
    summary: 'List your browsers that take web push',
    description: 'As a plain array. A browser is in it until its session ends.',
    status: 200,
    output: wire.list(browserShape),
    run: async (ctx) => (await listBrowsers(ctx)).map(serializeBrowser),
  }),
  operation({
    ...browsers,
    id: 'pushSubscriptions.create',
    asksAgain: ['endpoint'],
    method: 'POST',
    summary: 'Let a browser take web push',
    description: 'For as long as your session lasts in it. The same browser takes the place of itself.',
    body: pushSubscriptionInput,
    status: 201,
    output: browserShape,
    conflicts: ceilingConflict('browsers'),
    examples: {
      request: {
        endpoint: 'https://push.example.com/send/c0ffee',
        keys: {
          p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
          auth: 'BTBZMqHH6r4Tts7J_aSIgg',
        },
      },
    },
    run: async (ctx, input) => serializeBrowser(await addBrowser(ctx, input)),
  }),
  operation({
    ...browsers,
    id: 'pushSubscriptions.delete',
    method: 'DELETE',
    path: '/api/v1/push-subscriptions/{id}/',
    intParams: ['id'],
    summary: 'Let a browser take no web push any more',
    description: 'One of your own.',
    status: 204,
    output: null,
    run: (ctx, { id }) => removeBrowser(ctx, id),
  }),
];

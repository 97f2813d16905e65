import { allScopes } from '../../../core/http/access';
import type { FieldErrors } from '../../../core/http/errors';
import { choiceLabel } from '../../../services/resources/tickets/values';
import { allEvents, webhookEventTypes } from '../../../services/resources/webhooks/eventTypes';
import type { TagView } from '../fieldViews';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { scopeBoxes } from './scopeBoxes';
import { sentBefore, settingsPage } from './settings';
import { webhookLogPages } from './webhookLog';
import { eventsText, loadWebhook, stateOf, webhooksPath as path, webhookPage, type Webhook } from './webhookPage';

const scope = 'webhook.manage';
const section = 'webhooks';

/** A subscription as a row of the list. */
interface WebhookRow extends Pick<Webhook, 'url' | 'description' | 'failing_since'> {
  readonly events: string;
  readonly state: TagView;
  readonly path: string;
}

function webhookRow(webhook: Webhook): WebhookRow {
  const { id, url, description, events, failing_since } = webhook;
  return {
    url,
    description,
    failing_since,
    events: events.includes(allEvents)
      ? 'all events'
      : events.length === 1
        ? String(events[0])
        : `${events.length} kinds of events`,
    state: stateOf(webhook),
    path: `${path}${id}/`,
  };
}

/** Subscriptions to events: list, create, change, rotate the secret, switch off and on, delete; with their log. */
export const webhookPages = definePages([
  {
    method: 'GET',
    path,
    scope,
    run: async (page) => {
      const webhooks = (await page.call<readonly Webhook[]>('webhooks.list')).map(webhookRow);
      return settingsPage(page, '/webhooks/list', { webhooks, path }, { section, title: 'Webhooks' });
    },
  },
  {
    method: 'GET',
    path: `${path}new/`,
    scope,
    run: (page) => Promise.resolve(form(page, null, { events: [], scopes: [] })),
  },
  {
    method: 'POST',
    path: `${path}new/`,
    scope,
    run: async (page) => {
      const values = valuesOf(page);
      const made = await page.attempt(() => page.makeOnce<Made>('webhooks.create', values));
      if ('errors' in made) return form(page, null, values, made.errors);
      if (!made.value) return page.redirect(path, sentBefore);
      return secretPage(page, made.value, 'The subscription is made');
    },
  },
  {
    method: 'GET',
    path: `${path}:id/edit/`,
    scope,
    run: async (page) => {
      const webhook = await loadWebhook(page);
      return form(page, webhook, webhook);
    },
  },
  {
    method: 'POST',
    path: `${path}:id/edit/`,
    scope,
    run: async (page) => {
      const values = valuesOf(page);
      const saved = await page.attempt(() =>
        page.call<Webhook>('webhooks.update', { id: page.params['id'], ...values }),
      );
      if ('errors' in saved) return form(page, await loadWebhook(page), values, saved.errors);
      return page.redirect(`${path}${saved.value.id}/`, { text: 'The subscription is saved.' });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/rotate/`,
    scope,
    confirm: {
      title: 'Make a new secret?',
      text: 'The old one signs beside it for 24 hours. Give your endpoint the new one before then.',
      button: 'Make a new secret',
    },
    run: async (page) => {
      const rotated = await page.attempt(() => page.makeOnce<Made>('webhooks.rotateSecret', { id: page.params['id'] }));
      if ('errors' in rotated) return webhookPage(page, rotated.errors);
      if (!rotated.value) return page.redirect(path, sentBefore);
      return secretPage(page, rotated.value, 'The new secret');
    },
  },
  {
    method: 'POST',
    path: `${path}:id/activate/`,
    scope,
    run: (page) =>
      change(page, { is_active: true }, 'It is active again. What happened meanwhile can be replayed below.'),
  },
  {
    method: 'POST',
    path: `${path}:id/deactivate/`,
    scope,
    confirm: {
      title: 'Deactivate this subscription?',
      text: 'What waits to be sent is cancelled, and nothing is sent until it is activated again.',
      button: 'Deactivate',
    },
    run: (page) => change(page, { is_active: false }, 'It is not active any more.'),
  },
  {
    method: 'POST',
    path: `${path}:id/delete/`,
    scope,
    confirm: {
      title: 'Delete this subscription?',
      text: 'Nothing is sent to it any more, and its log goes, too. This cannot be undone.',
      button: 'Delete',
    },
    run: async (page) => {
      const gone = await page.attempt(() => page.call('webhooks.delete', { id: page.params['id'] }));
      if ('errors' in gone) return webhookPage(page, gone.errors);
      return page.redirect(path, { text: 'The subscription is deleted.' });
    },
  },
  ...webhookLogPages,
]);

async function change(page: PageRequest, values: object, text: string): Promise<PageAnswer> {
  const saved = await page.attempt(() => page.call<Webhook>('webhooks.update', { id: page.params['id'], ...values }));
  if ('errors' in saved) return webhookPage(page, saved.errors);
  return page.redirect(`${path}${saved.value.id}/`, { text });
}

/** A subscription with the secret that is shown once. */
interface Made extends Webhook {
  readonly secret: string;
}

function secretPage(page: PageRequest, webhook: Made, title: string): PageAnswer {
  const { id, url, secret } = webhook;
  const data = { title, secret, url, events: eventsText(webhook), path: `${path}${id}/` };
  return settingsPage(page, '/webhooks/secret', data, { section, title });
}

function valuesOf(page: PageRequest): Readonly<Record<string, unknown>> {
  const { url = '', description = '' } = page.form;
  const events = page.all('events');
  return {
    url,
    description,
    // "All" makes the others needless.
    events: events.includes(allEvents) ? [allEvents] : events,
    scopes: page.all('scopes'),
  };
}

function form(page: PageRequest, webhook: Webhook | null, values: object, errors?: FieldErrors): PageAnswer {
  const events = [
    { value: allEvents, label: 'All events', detail: 'Also those that are added later.' },
    ...webhookEventTypes.map((value) => ({ value, label: value, group: choiceLabel(value.split('.')[0] ?? '') })),
  ];
  const scopes = scopeBoxes(allScopes.filter((name) => page.can(name)));
  return settingsPage(
    page,
    '/webhooks/form',
    {
      heading: webhook ? 'Change the subscription' : 'New webhook',
      back: webhook ? { href: `${path}${webhook.id}/`, label: 'The subscription' } : { href: path, label: 'Webhooks' },
      values,
      errors,
      events,
      scopes,
      action: webhook ? `${path}${webhook.id}/edit/` : `${path}new/`,
      button: webhook ? 'Save' : 'Create',
    },
    { section, title: webhook ? 'Webhook' : 'New webhook', ...(errors ? { status: 422 } : {}) },
  );
}

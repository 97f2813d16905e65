/*
 * Every page of the dashboard, from the router's own table: a new page is looked at by the tests that go through all of
 * them, and one with a parameter fails there until it has an address here.
 */
import { pageRoutes } from '../../api/doors/dashboard/routes/router';
import type { Showcase } from '../factories/showcase';
import { pushSubscription } from '../factories/writeSamples';

type Addresses = (show: Showcase) => readonly string[];

const desk = '/dashboard/';
const one = (path: string, id: (show: Showcase) => string | number): [string, Addresses] => [
  `${desk}${path}`,
  (show) => [`${desk}${path.replace(/:\w+/, String(id(show)))}`],
];

/** Files and streams: looked at in files.test.ts. */
export const fileRoutes: readonly string[] = [
  `${desk}contacts/export/`,
  `${desk}audit-log/members/export/`,
  `${desk}reports/export/`,
  `${desk}broadcasts/:id/failures/`,
  `${desk}inbox/:receiver/media/:id/`,
  `${desk}inbox/:receiver/export/`,
  `${desk}live/`,
];
/** Parts that scripts ask for: looked at in teamwork.test.ts, choices.test.ts. */
const partRoutes = [
  `${desk}last-change/`,
  `${desk}inbox/presence/`,
  `${desk}inbox/:receiver/suggestions/`,
  `${desk}notices/`,
  `${desk}contacts/choices/`,
  `${desk}tickets/choices/`,
  `${desk}tickets/people/`,
  `${desk}inbox/:receiver/tickets/`,
];
/** Those, and what only leads elsewhere. */
const noPages = [
  ...fileRoutes,
  ...partRoutes,
  `${desk}settings/`,
  `${desk}verify/sso/`,
  `${desk}conversations/:id/`,
  desk,
];

/** Addresses of the pages that need more than their path. */
const addresses: Readonly<Record<string, Addresses>> = {
  [`${desk}inbox/`]: () => [
    `${desk}inbox/`,
    `${desk}inbox/?view=all`,
    `${desk}inbox/?view=mine`,
    `${desk}inbox/?tag=none`,
    `${desk}inbox/?saved=1`,
  ],
  [`${desk}search/`]: () => [`${desk}search/`, `${desk}search/?q=order`, `${desk}search/?q=nothingfits`],
  [`${desk}concerns/`]: () => [`${desk}concerns/`, `${desk}concerns/?show=unread`],
  [`${desk}messages/`]: () => [`${desk}messages/`, `${desk}messages/?q=order`, `${desk}messages/?q=nothingfits`],
  [`${desk}inbox/:receiver/`]: ({ receiver }) =>
    ['', '?compose=template', '?compose=choices', '?compose=note', '?view=all'].map(
      (query) => `${desk}inbox/${receiver}/${query}`,
    ),
  [`${desk}inbox/:receiver/print/`]: ({ receiver }) =>
    ['', '?notes=yes'].map((query) => `${desk}inbox/${receiver}/print/${query}`),
  [`${desk}contacts/:receiver_id/`]: ({ receiver, merged }) =>
    [receiver, merged].map((handle) => `${desk}contacts/${handle}/`),
  [`${desk}contacts/:receiver_id/merge/`]: ({ receiver, merged }) =>
    ['', '?search=a', `?with=${merged}`].map((query) => `${desk}contacts/${receiver}/merge/${query}`),
  [`${desk}tickets/`]: ({ pipeline }) =>
    ['', `?pipeline=${pipeline}`, '?view=list', '?view=list&search=nothing+fits'].map(
      (query) => `${desk}tickets/${query}`,
    ),
  [`${desk}tickets/:id/`]: ({ ticket }) => [
    `${desk}tickets/${ticket}/`,
    `${desk}tickets/${ticket}/?edit=1&before=2020-01-01T00:00:00.000Z`,
  ],
  [`${desk}broadcasts/:id/`]: ({ draft, scheduled, completed }) =>
    [draft, scheduled, completed].map((id) => `${desk}broadcasts/${id}/`),
  [`${desk}approvals/`]: () => [
    `${desk}approvals/`,
    `${desk}approvals/?status=all`,
    `${desk}approvals/?status=expired`,
  ],
  [`${desk}rules/new/`]: () => [`${desk}rules/new/`, `${desk}rules/new/?take=window`],
  [`${desk}rules/:id/`]: ({ rule }) => [`${desk}rules/${rule}/`, `${desk}rules/${rule}/?days=7`],
  [`${desk}webhooks/:id/`]: ({ webhook, disabledWebhook }) => [
    `${desk}webhooks/${webhook}/`,
    `${desk}webhooks/${disabledWebhook}/`,
    `${desk}webhooks/${webhook}/?status=delivered`,
  ],
  [`${desk}pipelines/:id/stages/:stage_id/`]: ({ pipeline, stage }) => [
    `${desk}pipelines/${pipeline}/stages/${stage}/`,
  ],
  [`${desk}pipelines/:id/stages/:stage_id/delete/`]: ({ pipeline, stage }) => [
    `${desk}pipelines/${pipeline}/stages/${stage}/delete/`,
  ],
  ...Object.fromEntries([
    one('pipelines/:id/', ({ pipeline }) => pipeline),
    one('pipelines/:id/delete/', ({ pipeline }) => pipeline),
    one('inbox/:receiver/activity/', ({ receiver }) => receiver),
    one('broadcasts/:id/confirm/', ({ draft }) => draft),
    one('approvals/:id/', ({ approval }) => approval),
    one('flows/:flow_id/', ({ flow }) => flow),
    one('templates/:template_id/', ({ template }) => template),
    one('macros/:id/', ({ macro }) => macro),
    one('rules/:id/runs/', ({ rule }) => rule),
    one('replies/:id/', ({ reply }) => reply),
    one('members/:id/', ({ member }) => member),
    one('api-keys/:id/revoke/', ({ apiKey }) => apiKey),
    one('custom-fields/:id/', ({ field }) => field),
    one('hours/:id/', ({ calendar }) => calendar),
    one('sla-policies/:id/', ({ policy }) => policy),
    one('team-inboxes/:id/', ({ inbox }) => inbox),
    one('webhooks/:id/edit/', ({ webhook }) => webhook),
  ]),
};

/** The routes that answer with a page to look at. */
export const shownRoutes: readonly string[] = pageRoutes
  .filter(({ method, path }) => method === 'GET' && !noPages.includes(path))
  .map(({ path }) => path);

/** Returns the addresses of a page. Throws where it needs a parameter that nothing is known for. */
export function addressesOf(route: string, show: Showcase): readonly string[] {
  const known = addresses[route];
  if (!known && route.includes(':')) throw new Error(`test/support/pages.ts needs an address for ${route}`);
  return known?.(show) ?? [route];
}

/** The routes of all pages as patterns of addresses, those without parameters first. */
export const routePatterns = pageRoutes
  .map(({ path }) => path)
  .sort((one, other) => one.split(':').length - other.split(':').length)
  .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`) }));

/** Returns the route that an address belongs to; the address itself where there is none. */
export const routeOf = (address: string): string =>
  routePatterns.find(({ pattern }) => pattern.test(address))?.path ?? address;

/** The ids of the showcase that stand for `:id`, by the beginning of the path. */
const ids: readonly (readonly [string, (show: Showcase) => string | number])[] = [
  ['tickets/', ({ ticket }) => ticket],
  ['inbox/:receiver/tickets/', ({ ticket }) => ticket],
  ['pipelines/', ({ pipeline }) => pipeline],
  ['approvals/', ({ approval }) => approval],
  ['replies/', ({ reply }) => reply],
  ['members/', ({ member }) => member],
  ['api-keys/', ({ apiKey }) => apiKey],
  ['custom-fields/', ({ field }) => field],
  ['hours/', ({ calendar }) => calendar],
  ['sla-policies/', ({ policy }) => policy],
  ['team-inboxes/', ({ inbox }) => inbox],
  ['broadcasts/:id/unschedule/', ({ scheduled }) => scheduled],
  ['broadcasts/', ({ draft }) => draft],
  ['macros/', ({ macro }) => macro],
  ['rules/', ({ rule }) => rule],
  ['webhooks/', ({ webhook }) => webhook],
];

/** Returns the address of an action. */
export function fillPath(route: string, show: Showcase): string {
  const id = ids.find(([start]) => route.startsWith(desk + start))?.[1](show) ?? 1;
  const values: Readonly<Record<string, string | number>> = {
    id,
    receiver: show.receiver,
    receiver_id: show.receiver,
    stage_id: show.stage,
    delivery_id: 1,
  };
  return route.replace(/:(\w+)/g, (_all, name: string) => String(values[name]));
}

type Form = Readonly<Record<string, string>>;

/** What is typed into the forms of the pages, by the path of the action; those without an entry take nothing. */
const forms: Readonly<Record<string, (show: Showcase) => readonly Form[]>> = {
  'inbox/:receiver/messages/': () => [{ mode: 'text', body: 'Hello' }],
  'inbox/:receiver/react/': () => [{ message: 'wamid.none', emoji: '👍' }],
  'inbox/:receiver/notes/': () => [{ body: 'For the team' }],
  'inbox/bulk/': ({ receiver }) => [{ receiver, conv_status: 'resolved' }],
  'inbox/bulk/undo/': () => [{ id: '1' }],
  'inbox/views/': () => [{ name: 'Mine and urgent' }],
  'inbox/:receiver/handover/': ({ member }) => [{ to: `assigned_member-${member}`, note: 'Yours now' }],
  'inbox/:receiver/presence/': () => [{ state: 'looking' }],
  'inbox/:receiver/tickets/': () => [{ title: 'Beside the chat' }],
  'inbox/:receiver/tickets/:id/move/': ({ stage }) => [{ stage: String(stage) }],
  'inbox/:receiver/tickets/:id/comments/': () => [{ body: 'Noted' }],
  'inbox/:receiver/tickets/:id/undo/': () => [{ change: '{"to":{"priority":"low"},"from":{"priority":"urgent"}}' }],
  'inbox/:receiver/state/': () => [{ conv_status: 'resolved' }],
  'inbox/:receiver/later/': () => ['now', 'not'].map((what) => ({ id: '1', what })),
  'inbox/:receiver/wait/': () => ['now', 'not'].map((what) => ({ id: '1', run: '1', what })),
  'inbox/:receiver/undo/': () => [{ change: '{"to":{"priority":"low"},"from":{"priority":"high"}}' }],
  'inbox/:receiver/details/': (): Form[] => [
    { form: 'profile', name: 'Anna' },
    { form: 'tags', tags: 'vip' },
    { form: 'opt_out', marketing_opt_out: 'true' },
  ],
  'inbox/:receiver/thread/': () => [{ action: 'take' }],
  'inbox/:receiver/macro/': ({ macro }) => [{ macro: String(macro), confirmed: 'yes' }],
  'concerns/read/': () => [{ ids: '1' }],
  'contacts/import/': () => [{ file: 'phone,name\n+4915158000009,Ida\n' }],
  'contacts/new/': () => [{ phone: '+4915158000008', name: 'Ida' }],
  'contacts/:receiver_id/edit/': () => [{ name: 'Other', 'was.name': 'Anna' }],
  'contacts/:receiver_id/merge/': ({ merged }) => [{ with: merged }],
  'contacts/bulk/': ({ receiver }): Form[] => [
    { receiver, do: 'add', tag: 'vip' },
    { receiver, do: 'remove', tag: 'vip' },
    { receiver, do: 'out' },
  ],
  'contacts/bulk/undo/': () => [{ id: '1' }],
  'contacts/bulk/export/': ({ receiver }) => [{ receiver }],
  'contacts/:receiver_id/opt-out/': () => [{ marketing_opt_out: 'true' }],
  'tickets/move/': ({ ticket, stage }) => [{ ticket: String(ticket), stage: String(stage) }],
  'tickets/bulk/': ({ ticket }) => [{ ticket: String(ticket), priority: 'high' }],
  'tickets/bulk/undo/': () => [{ id: '1' }],
  'tickets/new/': () => [{ title: 'New' }],
  'tickets/:id/edit/': () => [{ title: 'Other', 'was.title': 'Old' }],
  'tickets/:id/undo/': () => [{ change: '{"to":{"priority":"low"},"from":{"priority":"urgent"}}' }],
  'tickets/:id/comments/': () => [{ body: 'Noted' }],
  'tickets/:id/escalate/': ({ member }) => [{ escalated_to: String(member) }],
  'tickets/:id/contacts/': ({ merged }) => [{ add: merged }],
  'tickets/:id/watch/': () => [{ watch: 'true' }],
  'pipelines/new/': () => [{ name: 'New', stages: 'One\nTwo' }],
  'pipelines/:id/': () => [{ name: 'Other' }],
  'pipelines/:id/place/': () => [{ position: '1' }],
  'pipelines/:id/stages/:stage_id/': () => [{ name: 'Other', color: '#112233' }],
  'pipelines/:id/stages/:stage_id/place/': () => [{ position: '1' }],
  'api-keys/new/': () => [{ name: 'Shop', scopes: 'contact.view', autonomy: 'autonomous' }],
  'agents/:id/autonomy/': () => [{ autonomy: 'draft' }],
  'agents/clients/new/': () => [
    { name: 'App', client_type: 'public', redirect_uris: 'https://agent.example/callback' },
  ],
  'approvals/:id/answer/': () => [{ text: 'Rather this' }],
  'replies/new/': () => [{ shortcut: 'bye', body: 'Bye' }],
  'replies/:id/': () => [{ shortcut: 'bye', body: 'Bye' }],
  'members/new/': () => [{ email: 'new@desk.test', role: 'agent', permissions: 'chat.view' }],
  'members/:id/': () => [{ name: 'Kim', role: 'agent', permissions: 'chat.view', is_active: 'true' }],
  'verify/': () => [{ proof_password: 'a' }],
  'account/authenticator/': () => [{ enrolment: 'x', code: '123456', name: 'App' }],
  'account/passkey/': () => [{ name: 'Key', passkey: '{"id":"x"}' }],
  'account/away/': () => [{ is_away: 'true' }],
  'account/settings/': () => [{ undo_send: 'true', opens_next: 'true', takes_answered: 'true', language: 'en' }],
  'account/notifications/': () => [{ notify_assigned: 'page', quiet_from: '22:00', quiet_until: '07:00' }],
  'account/browsers/': (): Form[] => {
    const { endpoint, keys } = pushSubscription('page') as { endpoint: string; keys: Form };
    return [{ endpoint, ...keys }];
  },
  'account/password/': () => [{ current_password: 'a', new_password: 'Long-enough-9', again: 'Long-enough-9' }],
  'custom-fields/new/': () => [{ name: 'other', label: 'Other', field_type: 'text', applies_to: 'contacts' }],
  'custom-fields/:id/': () => [{ label: 'Other', field_type: 'text', applies_to: 'contacts' }],
  'usage/rates/': () => [{ csv: 'country,category,rate,currency\n*,utility,1,EUR', valid_from: '2026-10-01' }],
  'hours/new/': () => [{ name: 'Late', monday: '12-20', holidays: '2031-12-25 Christmas' }],
  'hours/:id/': () => [{ name: 'Late', monday: '12-20' }],
  'sla-policies/new/': () => [{ name: 'Fast', resolution_minutes: '60', applies_to: 'tickets' }],
  'sla-policies/:id/': () => [{ name: 'Fast', resolution_minutes: '60', applies_to: 'tickets' }],
  'team-inboxes/new/': () => [{ name: 'Returns' }],
  'team-inboxes/:id/': () => [{ name: 'Returns' }],
  'team-inboxes/:id/assignment/': () => [{ mode: 'balanced' }],
  'broadcasts/new/': () => [{ name: 'News', everybody: 'all', template_id: '1' }],
  'broadcasts/:id/': () => [{ name: 'News', everybody: 'all', template_id: '1' }],
  'broadcasts/:id/confirm/': () => [{ when: 'now', sure: 'true' }],
  'macros/new/': () => [{ name: 'Close', 'step-0-type': 'add_tags', 'step-0-tags': 'vip' }],
  'macros/:id/': () => [{ name: 'Close', 'step-0-type': 'add_tags', 'step-0-tags': 'vip' }],
  'rules/new/': ({ macro }) => [{ name: 'Late', 'on-0-what': 'message.received', macro_id: String(macro) }],
  'rules/:id/': ({ macro }) => [{ name: 'Late', 'on-0-what': 'call.missed', macro_id: String(macro) }],
  'rules/:id/state/': () => [{ state: 'paused' }],
  'rules/brake/': () => [{ on: 'true', reason: 'Too many' }],
  'webhooks/new/': () => [{ url: 'https://example.com/', events: '*' }],
  'webhooks/:id/edit/': () => [{ url: 'https://example.com/', events: '*' }],
  'webhooks/:id/replay/': () => [{ from: '2026-11-01T09:00' }],
  'sso/': () => [{ client_id: 'desk' }],
  'workspace/': () => [
    {
      name: 'Garden',
      timezone: 'Europe/Berlin',
      language: 'en',
      satisfaction_question: 'How was it?',
      satisfaction_labels: 'Good\nFair\nPoor',
    },
  ],
  'plan/': () => [{ plan: 'standard' }],
};

/** Returns the forms that an action is tried with. Leaving is not tried. */
export function formsOf(route: string, show: Showcase): readonly Form[] {
  if (route === `${desk}sign-out/`) return [];
  return forms[route.slice(desk.length)]?.(show) ?? [{}];
}

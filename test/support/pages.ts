/*
 * Every page of the dashboard, from the router's own table: a new page is looked at by the tests that go through all of
 * them, and one with a parameter fails there until it has an address here.
 */
import { pageRoutes } from '../../api/doors/dashboard/router';
import type { Showcase } from '../factories/showcase';

export interface PageAddress {
  /** The path of its route. */
  readonly route: string;
  readonly path: string;
  /** A word that is told about the variant. */
  readonly name: string;
}

type Addresses = (show: Showcase) => readonly string[];

const desk = '/dashboard/';
const one = (path: string, id: (show: Showcase) => string | number): [string, Addresses] => [
  `${desk}${path}`,
  (show) => [`${desk}${path.replace(/:\w+/, String(id(show)))}`],
];

/** Files and streams, and what only leads elsewhere. */
const noPages = [`${desk}contacts/export/`, `${desk}inbox/:receiver/media/:id/`, `${desk}settings/`, desk];

/** Addresses of the pages that need more than their path. */
const addresses: Readonly<Record<string, Addresses>> = {
  [`${desk}inbox/`]: () => [
    `${desk}inbox/`,
    `${desk}inbox/?view=all`,
    `${desk}inbox/?view=mine`,
    `${desk}inbox/?tag=none`,
  ],
  [`${desk}inbox/:receiver/`]: ({ receiver }) =>
    ['', '?compose=template', '?compose=attachment', '?view=all'].map((query) => `${desk}inbox/${receiver}/${query}`),
  [`${desk}contacts/:receiver_id/`]: ({ receiver, merged }) =>
    [receiver, merged].map((handle) => `${desk}contacts/${handle}/`),
  [`${desk}tickets/`]: ({ pipeline }) =>
    ['', `?pipeline=${pipeline}`, '?view=list', '?view=list&search=nothing+fits'].map(
      (query) => `${desk}tickets/${query}`,
    ),
  [`${desk}tickets/:id/`]: ({ ticket }) => [
    `${desk}tickets/${ticket}/`,
    `${desk}tickets/${ticket}/?edit=1&activity=all`,
  ],
  [`${desk}broadcasts/:id/`]: ({ draft, scheduled, completed }) =>
    [draft, scheduled, completed].map((id) => `${desk}broadcasts/${id}/`),
  [`${desk}approvals/`]: () => [
    `${desk}approvals/`,
    `${desk}approvals/?status=all`,
    `${desk}approvals/?status=expired`,
  ],
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
    one('contacts/:receiver_id/edit/', ({ receiver }) => receiver),
    one('broadcasts/:id/confirm/', ({ draft }) => draft),
    one('approvals/:id/', ({ approval }) => approval),
    one('flows/:flow_id/', ({ flow }) => flow),
    one('macros/:id/', ({ macro }) => macro),
    one('members/:id/', ({ member }) => member),
    one('custom-fields/:id/', ({ field }) => field),
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

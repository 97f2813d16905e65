import type { PageRequest } from '../page';
import type { List } from './load';

/** What a new workspace still needs. */
export interface FirstStep {
  readonly label: string;
  readonly text: string;
  /** Where it is done; empty: not by this member. */
  readonly href: string;
  readonly isDone: boolean;
}

/** Returns the first steps of a workspace; none once somebody has written in it. */
export async function firstSteps(page: PageRequest): Promise<readonly FirstStep[]> {
  const atMostOne = { countsUpTo: 1 };
  const begun = await page.call<List<unknown>>('conversations.list', { has_exchange: 'true', page_size: 1 }, atMostOne);
  if (begun.items.length > 0) return [];
  const one = { page_size: 1 };
  const none: Pick<List<unknown>, 'items' | 'count'> = { items: [] };
  const [numbers, contacts, members, agents] = await Promise.all([
    page.callIfPermitted<readonly unknown[]>('phoneNumbers.list', {}, []),
    page.can('contact.view') ? page.call<typeof none>('contacts.list', one, atMostOne) : none,
    page.callIfPermitted('teamMembers.list', { page_size: 2 }, none),
    page.callIfPermitted<readonly unknown[]>('connectedAgents.list', {}, []),
  ]);
  return [
    {
      label: 'Connect a number',
      text: 'Whoever operates this installation does it on its command line.',
      href: page.can('workspace.manage') ? '/dashboard/numbers/' : '',
      isDone: numbers.length > 0,
    },
    {
      label: 'Import your contacts',
      text: 'From a CSV file.',
      href: page.may('contacts.import') ? '/dashboard/contacts/import/' : '',
      isDone: contacts.items.length > 0,
    },
    {
      label: 'Invite a member',
      text: 'Each has their own sign-in and permissions.',
      href: page.may('teamMembers.create') ? '/dashboard/members/new/' : '',
      isDone: members.items.length > 1,
    },
    {
      label: 'Connect an AI agent',
      text: 'It drafts answers, and you approve them.',
      href: '/docs/connect-an-agent',
      isDone: agents.length > 0,
    },
  ];
}

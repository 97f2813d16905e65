import type { PageRequest } from '../page';
import { Icon, type Html } from '../html';
import { words } from '../words';
import type { List } from './load';

const { firstSteps: said } = words.inbox;

/** What a new workspace still needs. */
export interface FirstStep {
  readonly name: keyof typeof said.steps;
  /** Where it is done; empty: not by this member. */
  readonly href: string;
  readonly isDone: boolean;
}

/** Returns the first steps of a workspace; none once somebody has written in it. */
export async function firstSteps(page: PageRequest): Promise<readonly FirstStep[]> {
  const one = { page_size: 1, count: false };
  const begun = await page.call<List<unknown>>('conversations.list', { ...one, has_exchange: 'true' });
  if (begun.items.length > 0) return [];
  const none: Pick<List<unknown>, 'items' | 'count'> = { items: [] };
  const [numbers, contacts, members, agents] = await Promise.all([
    page.callIfPermitted<readonly unknown[]>('phoneNumbers.list', {}, []),
    page.can('contact.view') ? page.call<typeof none>('contacts.list', one) : none,
    page.callIfPermitted('teamMembers.list', { page_size: 2 }, none),
    page.callIfPermitted<readonly unknown[]>('connectedAgents.list', {}, []),
  ]);
  return [
    {
      name: 'number',
      href: page.can('workspace.manage') ? '/dashboard/numbers/' : '',
      isDone: numbers.length > 0,
    },
    {
      name: 'contacts',
      href: page.may('contacts.import') ? '/dashboard/contacts/import/' : '',
      isDone: contacts.items.length > 0,
    },
    {
      name: 'members',
      href: page.may('teamMembers.create') ? '/dashboard/members/new/' : '',
      isDone: members.items.length > 1,
    },
    {
      name: 'agent',
      href: '/docs/connect-an-agent',
      isDone: agents.length > 0,
    },
  ];
}

/** What a new workspace still needs, in place of its list. */
export function FirstSteps({ steps }: { readonly steps: readonly FirstStep[] }): Html {
  return (
    <section class="first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">{said.title}</h2>
      <ol>
        {steps.map(({ name, href, isDone }) => {
          const { label, text } = said.steps[name];
          return (
            <li class={isDone ? 'is-done' : undefined}>
              {isDone ? <Icon name="circle-check" label={said.done} /> : <Icon name="chevron-right" />}
              <div>
                {href ? <a href={href}>{label}</a> : <strong>{label}</strong>}
                <br />
                <span class="soft small">{text}</span>
              </div>
            </li>
          );
        })}
      </ol>
      <p class="soft small">{said.byThemselves}</p>
    </section>
  );
}

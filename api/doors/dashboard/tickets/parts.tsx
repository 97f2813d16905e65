import { Icon, type Html } from '../html';
import type { PageRequest } from '../page';
import type { TabView } from '../fieldViews';
import { Face } from '../people';
import { words } from '../words';
import { ticketsPath, type Ticket } from './read';

const { tickets: said } = words;

/** The head of board and list. */
export function Head({ page, views }: { readonly page: PageRequest; readonly views: readonly TabView[] }): Html {
  return (
    <div class="page-head">
      <h1>{said.title}</h1>
      <nav class="tabs" aria-label={said.views.label}>
        {views.map(({ href, label, isCurrent }) => (
          <a href={href} aria-current={isCurrent ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      {page.may('tickets.create') && (
        <a class="button button-main" href={`${ticketsPath}new/`} data-key="n">
          <Icon name="plus" />
          {said.new}
        </a>
      )}
    </div>
  );
}

interface AssigneeGiven {
  readonly ticket: Ticket;
  readonly size?: 'small';
}

/** Whose a ticket is, by their face; nobody is a dashed circle. */
export function Assignee({ ticket, size }: AssigneeGiven): Html {
  const { assigned_to: id, assigned_to_name: name } = ticket;
  if (id === null)
    return (
      <span class={`avatar avatar-none${size ? ` face-${size}` : ''}`} role="img" aria-label={said.unassigned}></span>
    );
  const text = said.assignedTo(name ?? said.fields.member(id));
  return (
    <span role="img" title={text} aria-label={text}>
      <Face id={id} name={name ?? '?'} {...(size ? { size } : {})} />
    </span>
  );
}

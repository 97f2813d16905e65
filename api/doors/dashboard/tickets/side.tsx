import type { Child } from 'hono/jsx';
import type { FieldErrors } from '../../../core/http/errors';
import { ChoiceInput, type ChoiceField } from '../choiceParts';
import { contactPath } from '../contacts/read';
import { tagsOf } from '../forms';
import { Icon, type Html } from '../html';
import type { PageRequest } from '../page';
import { Form } from '../parts';
import { Face } from '../people';
import { words } from '../words';
import type { TicketForm } from './form';
import { chosenOf, levels } from './labels';
import { ticketPath, ticketsPath, type Pipeline, type Ticket } from './read';

const { tickets: all } = words;
const { page: said } = all;

const contactsShown = 100;

/** The forms of the page beside that of the ticket's own fields, by the names of their actions. */
type FormName = 'comments' | 'contacts' | 'escalate';

/** What was typed into a form that was refused, and why it was. */
interface Typed {
  readonly errors: FieldErrors;
  readonly values: Readonly<Record<string, string>>;
}

/** What the parts of the page are drawn of. */
export interface Shown {
  readonly page: PageRequest;
  readonly ticket: Ticket;
  readonly pipelines: readonly Pipeline[];
  readonly form: TicketForm;
  /** Where its forms go. */
  readonly path: string;
  /** The name of the form that was refused. */
  readonly refused: string;
  /** What each form is to show again: that of the one which was refused, nothing of the others. */
  readonly typed: (form: FormName) => Typed;
}

/** The way to another ticket. */
export const TicketLink = ({ id }: { readonly id: number }): Html => <a href={ticketPath(id)}>#{id}</a>;

/** The fields for who may only read. */
export function factsOf({ page, ticket, form }: Shown): Html {
  const { fields } = all;
  const facts: readonly (readonly [string, string])[] = [
    [fields.stage, ticket.stage_name],
    [fields.assigned_to, ticket.assigned_to_name ?? fields.nobody],
    ...levels.map((name) => [fields[name], chosenOf(ticket, name)] as const),
    [fields.due_at, page.moment(ticket.due_at)],
    [fields.tags, (tagsOf(ticket.tags) ?? []).join(', ')],
    [fields.outcome, chosenOf(ticket, 'outcome')],
    ...form.custom.map((field) => [field.label, field.shown] as const),
  ];
  return <Pairs pairs={facts.map(([name, text]) => [name, text || '–'])} />;
}

function Pairs({ pairs }: { readonly pairs: readonly (readonly [label: string, value: Child])[] }): Html {
  return (
    <dl class="pairs">
      {pairs.map(([label, value]) => (
        <div>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Contacts({ page, ticket, path, addContact }: Shown & { readonly addContact: ChoiceField }): Html {
  const { receiver_name: name, receiver_phone: phone, affected_contacts: affected } = ticket;
  const more = affected.length - contactsShown;
  const mayChange = page.may('tickets.update');
  return (
    <section class="panel" aria-labelledby="people">
      <h2 id="people">{said.contacts}</h2>
      {phone === null && affected.length === 0 ? (
        <p class="soft">{said.noContacts}</p>
      ) : (
        <ul class="plain">
          {phone !== null && (
            <li class="line">
              <Face id={ticket.receiver ?? 0} name={name || phone} size="small" />
              <a href={contactPath(phone)}>{name || phone}</a> <span class="tag tag-accent">{said.customer}</span>
            </li>
          )}
          {affected.slice(0, contactsShown).map((contact) => (
            <li class="line">
              <Face id={contact.id} name={contact.name || contact.phone} size="small" />
              <a href={contactPath(contact.phone)}>{contact.name || contact.phone}</a>{' '}
              <span class="tag">{said.affected}</span>
              {mayChange && (
                <Form action={`${path}contacts/`} csrf={page.csrf}>
                  <button class="button-icon" name="remove" value={contact.id}>
                    <Icon name="x" label={said.remove(contact.name || contact.phone)} />
                  </button>
                </Form>
              )}
            </li>
          ))}
          {more > 0 && <li class="soft">{said.moreAffected(more)}</li>}
        </ul>
      )}
      {mayChange && (
        <Form class="line-form" action={`${path}contacts/`} csrf={page.csrf}>
          <ChoiceInput field={addContact} />
          <button class="button">{said.add}</button>
        </Form>
      )}
    </section>
  );
}

export function Related({ page, ticket }: Shown): Html {
  const { id, parent_ticket: parent, sub_tickets: subTickets, duplicates } = ticket;
  const mayCreate = page.may('tickets.create');
  if (!parent && subTickets.length === 0 && duplicates.length === 0 && !mayCreate) return <></>;
  return (
    <section class="panel" aria-labelledby="related">
      <h2 id="related">{said.related}</h2>
      <ul class="plain">
        {parent && (
          <li>
            {said.partOf} <TicketLink id={parent} />
          </li>
        )}
        {subTickets.map((other) => (
          <RelatedTicket other={other} />
        ))}
        {duplicates.map((other) => (
          <RelatedTicket other={other} what={said.duplicateOf} />
        ))}
      </ul>
      {mayCreate && (
        <p>
          <a class="button button-small" href={page.link(`${ticketsPath}new/`, { parent_ticket: id })}>
            <Icon name="plus" />
            {said.newSubTicket}
          </a>
        </p>
      )}
    </section>
  );
}

function RelatedTicket({ other, what }: { other: Ticket['sub_tickets'][number]; what?: string }): Html {
  const { id, title, stage_name: stage } = other;
  return (
    <li>
      {what && <>{what} </>}
      <a href={ticketPath(id)}>
        #{id} {title}
      </a>{' '}
      <span class="tag">{stage}</span>
    </li>
  );
}

export function Facts({ page, ticket }: Shown): Html {
  const { created_at: created, last_customer_at: wrote, reopened_count: reopened, watchers } = ticket;
  const workflows = page.workflowsOf('TicketId', ticket.id);
  return (
    <section class="panel" aria-labelledby="facts">
      <h2 id="facts">{said.facts}</h2>
      <Pairs
        pairs={[
          [said.created, page.timePart(created, 'full')],
          ...(wrote ? [[said.wrote, page.timePart(wrote, 'full')] as const] : []),
          ...(reopened > 0 ? [[said.reopened, said.times(reopened)] as const] : []),
          [said.watchers, watchers.map(({ name, email }) => name || email).join(', ') || said.nobody],
        ]}
      />
      {workflows && (
        <p>
          <a class="small" href={workflows} target="_blank" rel="noreferrer">
            {said.workflows} <Icon name="external-link" />
          </a>
        </p>
      )}
    </section>
  );
}

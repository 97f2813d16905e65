import type { Child } from 'hono/jsx';
import { cut } from '../../../core/text/cut';
import type { AnswerOf } from '../../../core/http/shapes';
import { activityShape } from '../../../services/resources/conversations/activity';
import type { ticketShape } from '../../../services/resources/tickets/serializer';
import { activityLines, loadActivityNames, type WireActivity } from '../activity';
import { customValueViews, definitionsFor, shownValue, tagsOf } from '../forms';
import { Hidden } from '../formParts';
import { Icon, type Html } from '../html';
import type { PageAnswer, PageRequest } from '../page';
import { asking, Back, Form } from '../parts';
import { readPage } from '../typedCalls';
import { words } from '../words';
import { optOutForm } from './marketing';
import { contactPath, contactsPath, readContact, titleOf, type Contact } from './wire';

const { contacts: said } = words;
const mergeKinds = new Set(['contacts_merged', 'identity_changed', 'phone_reassigned']);
const [activityShown, activityRead, ticketsShown] = [20, 200, 10];
/** The most characters that are shown of values that other programs wrote. */
const [maxTagsChars, maxValueChars] = [300, 500];

type Ticket = Pick<AnswerOf<typeof ticketShape>, 'id' | 'title' | 'stage_name'>;
type Lines = ReturnType<typeof activityLines>;

interface Fact {
  readonly label: string;
  readonly text: string;
}

/** What the sections of the page are drawn of. */
interface Shown {
  readonly page: PageRequest;
  readonly contact: Contact;
  readonly path: string;
  readonly title: string;
}

/** Answers with a contact's page. */
export async function showContact(page: PageRequest): Promise<PageAnswer> {
  const contact = await readContact(page);
  const [fields, tickets, activity] = await Promise.all([
    loadFields(page, contact),
    loadTickets(page, contact),
    loadActivity(page, contact),
  ]);
  const shown: Shown = { page, contact, path: contactPath(contact.receiver_id), title: titleOf(contact) };
  const body = (
    <>
      <Head {...shown} />
      <div class="split">
        <div>
          <About {...shown} />
          {fields.length > 0 && (
            <Section id="fields" title={said.fields}>
              <dl class="pairs">
                {fields.map(({ label, text }) => (
                  <Pair label={label}>{text}</Pair>
                ))}
              </dl>
            </Section>
          )}
          <Section id="activity" title={said.activity.title}>
            {activity ? (
              <>
                <Trail page={page} lines={activity.lines} />
                {activity.hasMore && (
                  <p>
                    <a class="button button-small" href={`${shown.path}?activity=all#activity`}>
                      {said.activity.more}
                    </a>
                  </p>
                )}
              </>
            ) : (
              <p class="soft">{said.activity.hidden}</p>
            )}
          </Section>
        </div>
        <div>
          <Marketing {...shown} />
          {page.workspace.ticketing && page.can('ticket.view') && <Tickets {...shown} tickets={tickets} />}
          <Section id="merges" title={said.merges.title}>
            {activity && activity.merges.length > 0 ? (
              <Trail page={page} lines={activity.merges} />
            ) : (
              <p class="soft">{said.merges.none}</p>
            )}
          </Section>
          {page.may('contacts.delete') && <Erase {...shown} />}
        </div>
      </div>
    </>
  );
  return page.page(body, { title: shown.title, place: 'contacts', styles: ['desk.css'] });
}

/** Reads the custom values, and what imports kept beside them. */
async function loadFields(page: PageRequest, { custom_fields: stored, attributes }: Contact): Promise<Fact[]> {
  const definitions = await definitionsFor(page, 'contacts');
  return [
    ...customValueViews(page, definitions, stored).map(({ label, shown }) => ({ label, text: shown })),
    ...Object.entries(attributes).map(([label, value]) => ({ label, text: cut(shownValue(value), maxValueChars) })),
  ].map(({ label, text }) => ({ label, text: text || '–' }));
}

async function loadTickets(page: PageRequest, { id }: Contact): Promise<readonly Ticket[]> {
  if (!page.workspace.ticketing) return [];
  const query = { receiver: id, limit: ticketsShown };
  return (await page.callIfPermitted<{ readonly items: readonly Ticket[] }>('tickets.list', query, { items: [] })).items;
}

interface Activity {
  readonly lines: Lines;
  readonly hasMore: boolean;
  readonly merges: Lines;
}

/** Reads what happened; null: the member may not see conversations. */
async function loadActivity(page: PageRequest, { receiver_id: receiverId }: Contact): Promise<Activity | null> {
  if (!page.can('chat.view')) return null;
  const query = { receiver_id: receiverId, page_size: activityRead };
  const [{ items }, names] = await Promise.all([
    readPage(page, activityShape, 'conversations.activity', query),
    loadActivityNames(page),
  ]);
  const entries = items as readonly WireActivity[];
  const size = page.query['activity'] === 'all' ? activityRead : activityShown;
  return {
    lines: activityLines(page, entries.slice(0, size), names),
    hasMore: entries.length > size,
    merges: activityLines(
      page,
      entries.filter(({ kind }) => mergeKinds.has(kind)),
      names,
    ),
  };
}

function Head({ page, contact, path, title }: Shown): Html {
  return (
    <div class="page-head">
      <Back href={contactsPath} label={said.all} />
      <h1 dir="auto">{title}</h1>
      {page.can('chat.view') && (
        <a class="button" href={`/dashboard/inbox/${encodeURIComponent(contact.receiver_id)}/`}>
          <Icon name="message-square" />
          {said.conversation}
        </a>
      )}
      {page.may('contacts.update') && (
        <a class="button button-main" href={`${path}edit/`} data-key="e">
          <Icon name="pencil" />
          {said.edit}
        </a>
      )}
    </div>
  );
}

function Section({ id, title, children }: { readonly id: string; readonly title: string; readonly children: Child }): Html {
  return (
    <section class="panel" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

function Pair({ label, children }: { readonly label: string; readonly children: Child }): Html {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function About({ page, contact }: Shown): Html {
  const { username, email, company, notes, first_message_at: first, ctwa_headline: ad } = contact;
  const { about } = said;
  return (
    <Section id="about" title={about.title}>
      <dl class="pairs">
        <Pair label={about.phone}>{contact.phone}</Pair>
        {username && <Pair label={about.username}>@{username}</Pair>}
        {email && <Pair label={about.email}>{email}</Pair>}
        {company && <Pair label={about.company}>{company}</Pair>}
        <Pair label={about.tags}>
          <Tags page={page} contact={contact} />
        </Pair>
        <Pair label={about.first}>
          {first ? page.timePart(first, 'full') : <span class="soft">{about.noneYet}</span>}
        </Pair>
        <Pair label={about.created}>{page.timePart(contact.created_at, 'full')}</Pair>
        {ad && (
          <Pair label={about.ad}>
            {ad} {page.timePart(contact.ctwa_referral_at)}
          </Pair>
        )}
      </dl>
      {notes && (
        <>
          <h3>{about.notes}</h3>
          <p class="pre" dir="auto">
            {notes}
          </p>
        </>
      )}
    </Section>
  );
}

function Tags({ page, contact }: Pick<Shown, 'page' | 'contact'>): Html {
  const tags = tagsOf(contact.tags);
  // Such tags cannot be edited here, only over the API.
  if (!tags) return <code>{cut(JSON.stringify(contact.tags), maxTagsChars)}</code>;
  if (tags.length === 0) return <span class="soft">{said.about.noTags}</span>;
  return (
    <>
      {tags.map((tag) => (
        <>
          <a class="tag" href={page.link(contactsPath, { tag })}>
            {tag}
          </a>{' '}
        </>
      ))}
    </>
  );
}

/** Entries of what happened. */
function Trail({ page, lines }: { readonly page: PageRequest; readonly lines: Lines }): Html {
  if (lines.length === 0) return <p class="soft">{said.activity.nothing}</p>;
  return (
    <ol class="trail">
      {lines.map(({ who, what, at, details }) => (
        <li>
          <p>
            <strong>{who}</strong> {what} <span class="soft small">{page.timePart(at, 'full')}</span>
          </p>
          {details.map((detail) => (
            <p class="soft small">{detail}</p>
          ))}
        </li>
      ))}
    </ol>
  );
}

function Marketing({ page, contact, path, title }: Shown): Html {
  const { marketing_opt_out: isOut, marketing_opt_out_at: at, marketing_opt_out_source: source } = contact;
  const { marketing } = said;
  const { ask, button, value } = optOutForm(isOut, title);
  return (
    <Section id="marketing" title={marketing.title}>
      {isOut ? (
        <p>
          <span class="tag tag-warn">
            <Icon name="bell-off" />
            {marketing.isOut}
          </span>{' '}
          <span class="soft small">
            {page.timePart(at, 'full')}
            {source && ` · ${marketing.sources[source]}`}
          </span>
        </p>
      ) : (
        <p>{marketing.isIn}</p>
      )}
      {page.may('contacts.update') && (
        <Form action={`${path}opt-out/`} csrf={page.csrf} {...asking(ask)}>
          <Hidden values={[['marketing_opt_out', value]]} />
          <button class="button button-small">{button}</button>
        </Form>
      )}
    </Section>
  );
}

function Tickets({ page, contact, tickets }: Shown & { readonly tickets: readonly Ticket[] }): Html {
  return (
    <Section id="tickets" title={said.tickets.title}>
      {tickets.length === 0 ? (
        <p class="soft">{said.tickets.none}</p>
      ) : (
        <ul class="plain">
          {tickets.map(({ id, title, stage_name: stage }) => (
            <li>
              <a href={`/dashboard/tickets/${id}/`}>
                #{id} {title}
              </a>{' '}
              <span class="tag">{stage}</span>
            </li>
          ))}
        </ul>
      )}
      {page.may('tickets.create') && (
        <p>
          <a
            class="button button-small"
            href={page.link('/dashboard/tickets/new/', { receiver_id: contact.receiver_id })}
          >
            <Icon name="plus" />
            {said.tickets.new}
          </a>
        </p>
      )}
    </Section>
  );
}

function Erase({ page, path, title }: Shown): Html {
  const { erase } = said;
  return (
    <Section id="erase" title={erase.title}>
      <p class="soft">{erase.about}</p>
      <Form action={`${path}erase/`} csrf={page.csrf} {...asking({ ...erase.ask, title: erase.named(title) })}>
        <button class="button button-small">
          <Icon name="trash" />
          {erase.open}
        </button>
      </Form>
    </Section>
  );
}

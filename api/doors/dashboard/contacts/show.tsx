import type { Child } from 'hono/jsx';
import { cut } from '../../../core/text/cut';
import type { FieldErrors } from '../../../core/http/errors';
import type { AnswerOf } from '../../../core/http/shapes';
import { activityShape } from '../../../services/resources/conversations/activity';
import type { ticketShape } from '../../../services/resources/tickets/serializer';
import { activityLines, loadActivityNames, type WireActivity } from '../activity';
import {
  customValueViews,
  definitionsFor,
  shownValue,
  tagsOf,
  textOf,
  unshown,
  type CustomValueView,
  type FieldDefinition,
  type Typed,
} from '../forms';
import { Act, FormFields, Hidden } from '../formParts';
import { Icon, type Html } from '../html';
import type { PageAnswer, PageRequest } from '../page';
import { asking, Back, Errors, Form } from '../parts';
import { Face } from '../people';
import { readPage } from '../typedCalls';
import { words } from '../words';
import { contactFields } from './edit';
import { optOutForm } from './marketing';
import { contactPath, contactsPath, titleOf, type Contact } from './read';

const { contacts: said } = words;
const mergeKinds = new Set(['contacts_merged', 'identity_changed', 'phone_reassigned']);
const [activityShown, activityRead, ticketsShown] = [20, 200, 10];
/** The most characters that are shown of values that other programs wrote. */
const [maxTagsChars, maxValueChars] = [300, 500];

type Ticket = Pick<AnswerOf<typeof ticketShape>, 'id' | 'title' | 'stage_name'>;
type Lines = ReturnType<typeof activityLines>;

/** What the sections of the page are drawn of. */
interface Shown {
  readonly page: PageRequest;
  readonly contact: Contact;
  readonly path: string;
  readonly title: string;
}

/** Answers with a contact's page, where a form of it was refused with why. */
export async function showContact(page: PageRequest, contact: Contact, errors: FieldErrors = {}): Promise<PageAnswer> {
  const [definitions, tickets, activity] = await Promise.all([
    definitionsFor(page, 'contacts'),
    loadTickets(page, contact),
    loadActivity(page, contact),
  ]);
  const shown: Shown = { page, contact, path: contactPath(contact.receiver_id), title: titleOf(contact) };
  const imported = Object.entries(contact.attributes);
  const body = (
    <div class="column">
      <Head {...shown} />
      <Properties {...shown} definitions={definitions} errors={errors} />
      {imported.length > 0 && (
        <Section id="imported" title={said.imported}>
          <dl class="props">
            {imported.map(([label, value]) => (
              <Pair label={label}>{cut(shownValue(value), maxValueChars) || '–'}</Pair>
            ))}
          </dl>
        </Section>
      )}
      {page.workspace.ticketing && page.can('ticket.view') && <Tickets {...shown} tickets={tickets} />}
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
      {activity && activity.merges.length > 0 && (
        <Section id="merges" title={said.merges}>
          <Trail page={page} lines={activity.merges} />
        </Section>
      )}
    </div>
  );
  const status = Object.keys(errors).length > 0 ? 422 : 200;
  return page.page(body, { title: shown.title, place: 'contacts', styles: ['desk.css'], status });
}

/** Answers a script that has saved a field: the properties as they are now, or what was wrong. */
export async function propertiesPart(page: PageRequest, contact: Contact, errors: FieldErrors): Promise<PageAnswer> {
  const definitions = await definitionsFor(page, 'contacts');
  const isRefused = Object.keys(errors).length > 0;
  // What was saved is what the fields say from now on.
  const filled = isRefused ? page : { form: {}, all: () => [], workspace: page.workspace };
  const shown: Shown = { page, contact, path: contactPath(contact.receiver_id), title: titleOf(contact) };
  const part = (
    <>
      <Properties {...shown} definitions={definitions} errors={errors} typed={filled} />
      <Name title={shown.title} outOfBand />
    </>
  );
  return page.part(part, isRefused ? { status: 422 } : { toast: { text: said.form.saved } });
}

async function loadTickets(page: PageRequest, { id }: Contact): Promise<readonly Ticket[]> {
  if (!page.workspace.ticketing) return [];
  const query = { receiver: id, limit: ticketsShown };
  return (await page.callIfPermitted<{ readonly items: readonly Ticket[] }>('tickets.list', query, { items: [] }))
    .items;
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

function Name({ title, outOfBand }: { readonly title: string; readonly outOfBand?: boolean }): Html {
  return (
    <h1 dir="auto" id="person-name" hx-swap-oob={outOfBand ? 'true' : undefined}>
      {title}
    </h1>
  );
}

function Head({ page, contact, path, title }: Shown): Html {
  const mayMerge = page.can('contact.delete') && page.may('contacts.merge');
  const mayErase = page.may('contacts.delete');
  const { erase, merge } = said;
  return (
    <div class="page-head person-head">
      <Back href={contactsPath} label={said.all} />
      <Face id={contact.id} name={title} size="large" />
      <Name title={title} />
      {page.can('chat.view') && (
        <a class="button button-main" href={`/dashboard/inbox/${encodeURIComponent(contact.receiver_id)}/`}>
          <Icon name="message-square" />
          {said.conversation}
        </a>
      )}
      {(mayMerge || mayErase) && (
        <>
          <button class="button-icon" type="button" popovertarget="more" title={said.about.more}>
            <Icon name="ellipsis" label={said.about.more} />
          </button>
          <div class="menu" id="more" popover="auto">
            {mayMerge && (
              <a class="menu-item" href={`${path}merge/`}>
                <Icon name="users" />
                {merge.open}
              </a>
            )}
            {mayErase && (
              <Form action={`${path}erase/`} csrf={page.csrf} {...asking({ ...erase.ask, title: erase.named(title) })}>
                <button class="menu-item" type="submit">
                  <Icon name="trash" />
                  {erase.open}
                </button>
              </Form>
            )}
          </div>
        </>
      )}
    </div>
  );
}

function Section({
  id,
  title,
  children,
}: {
  readonly id: string;
  readonly title: string;
  readonly children: Child;
}): Html {
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

interface PropertiesGiven extends Shown {
  readonly definitions: readonly FieldDefinition[];
  readonly errors: FieldErrors;
  /** What the fields are filled with beside what is stored; without it what the request has typed. */
  readonly typed?: Typed & Pick<PageRequest, 'workspace'>;
}

/** What is known of the person: each is edited where it stands. */
function Properties({ page, contact, path, title, definitions, errors, typed = page }: PropertiesGiven): Html {
  const { username, first_message_at: first, ctwa_headline: ad } = contact;
  const { about } = said;
  const tags = tagsOf(contact.tags);
  const inPlace = { autocomplete: 'off', 'data-submit': '', placeholder: about.add };
  const custom = customValueViews(typed, definitions, contact.custom_fields, errors['custom_fields']);
  const fields = [...contactFields(typed, contact, errors), ...custom].map((field) => ({
    ...field,
    attributes: { ...field.attributes, ...inPlace },
  }));
  const mayEdit = page.may('contacts.update');
  const refused = unshown(errors, custom);
  return (
    <section class="panel" id="properties" aria-label={about.title}>
      {mayEdit ? (
        <Act class="props" action={`${path}edit/`} csrf={page.csrf} hx-target="#properties" hx-swap="morph:outerHTML">
          <Errors errors={refused} fields={fields.map(({ name }) => name)} />
          <FormFields fields={fields} />
          <button class="button button-small unscripted">{words.common.save}</button>
        </Act>
      ) : (
        <dl class="props">
          {fields.map(({ name, label }) => (
            <Pair label={label}>{valueOf(contact, custom, name) || '–'}</Pair>
          ))}
        </dl>
      )}
      <dl class="props">
        <Pair label={about.phone}>{contact.phone}</Pair>
        {username && <Pair label={about.username}>@{username}</Pair>}
        {tags?.length !== 0 && (
          <Pair label={tags ? about.others : about.tags}>
            <Tags page={page} contact={contact} />
          </Pair>
        )}
        <Pair label={said.marketing.title}>
          <Marketing page={page} contact={contact} path={path} title={title} />
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
    </section>
  );
}

/** Returns a property as one reads it. */
function valueOf(contact: Contact, custom: readonly CustomValueView[], name: string): string {
  const own = custom.find((field) => field.name === name);
  if (own) return own.shown;
  const value = (contact as unknown as Readonly<Record<string, unknown>>)[name];
  return name === 'tags' ? (tagsOf(value)?.join(', ') ?? '') : textOf(value);
}

function Tags({ page, contact }: Pick<Shown, 'page' | 'contact'>): Html {
  const tags = tagsOf(contact.tags);
  // Such tags cannot be edited here, only over the API.
  if (!tags) return <code>{cut(JSON.stringify(contact.tags), maxTagsChars)}</code>;
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
    <div class="line">
      {isOut ? (
        <span class="grow">
          <span class="tag tag-warn">
            <Icon name="bell-off" />
            {marketing.isOut}
          </span>{' '}
          <span class="soft small">
            {page.timePart(at, 'full')}
            {source && ` · ${marketing.sources[source]}`}
          </span>
        </span>
      ) : (
        <span class="grow">{marketing.isIn}</span>
      )}
      {page.may('contacts.update') && (
        <Form action={`${path}opt-out/`} csrf={page.csrf} {...asking(ask)}>
          <Hidden values={[['marketing_opt_out', value]]} />
          <button class="button button-small">{button}</button>
        </Form>
      )}
    </div>
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

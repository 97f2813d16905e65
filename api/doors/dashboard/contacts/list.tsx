import type { FieldErrors } from '../../../core/http/errors';
import { contactShape } from '../../../services/resources/contacts/serializer';
import { Pick } from '../bulkParts';
import { pagerView } from '../fieldViews';
import { tagsOf } from '../forms';
import { Icon, type Html } from '../html';
import { loadMembers } from '../lookups';
import type { PageAnswer, PageRequest } from '../page';
import { Empty, Errors, Pager } from '../parts';
import { Face } from '../people';
import { Head, NewLink } from '../headParts';
import { readPage } from '../typedCalls';
import { words } from '../words';
import { BulkForm } from './bulk';
import { ContactFilterBar, contactFilters, type ContactFilters } from './filters';
import { contactPath, contactsPath, titleOf, type Contact } from './read';

const { contacts: said } = words;
const tagsShown = 3;
const noPage = { items: [], count: 0, next: null, previous: null };

/** Answers with the list of contacts. */
export async function showList(page: PageRequest): Promise<PageAnswer> {
  const filters = contactFilters(page);
  const { cursor, page: number } = page.query;
  const [found, members] = await Promise.all([
    page.attempt(() => readPage(page, contactShape, 'contacts.list', { ...filters, cursor, page: number })),
    loadMembers(page),
  ]);
  const list = 'value' in found ? found.value : noPage;
  const errors = 'errors' in found ? found.errors : {};
  const count = said.count(list.count ?? 0);
  const body = (
    <div class="column column-wide">
      <Head title={said.title}>
        {page.may('contacts.create') && <NewLink href={`${contactsPath}new/`} text={said.new} />}
        <button class="button-icon" type="button" popovertarget="more" title={said.about.more}>
          <Icon name="ellipsis" label={said.about.more} />
        </button>
        <div class="menu" id="more" popover="auto">
          {page.may('contacts.import') && (
            <a class="menu-item" href={`${contactsPath}import/`}>
              <Icon name="upload" />
              {said.import}
            </a>
          )}
          <a class="menu-item" href={page.link(`${contactsPath}export/`, filters)}>
            <Icon name="download" />
            {said.export}
          </a>
        </div>
      </Head>
      <ContactFilterBar filters={filters} members={members} />
      <Found page={page} contacts={list.items} filters={filters} errors={errors}>
        <Pager pager={pagerView(list, contactsPath, filters, count)} />
        {list.items.length > 0 && page.may('bulkChanges.contacts') && (
          <BulkForm page={page} filters={filters} count={list.count ?? 0} />
        )}
      </Found>
    </div>
  );
  const status = 'errors' in found ? 422 : 200;
  return page.page(body, {
    title: said.title,
    place: 'contacts',
    styles: ['desk.css'],
    scripts: ['longPress.js', 'bulk.js'],
    keys: said.keys,
    status,
  });
}

interface FoundGiven {
  readonly page: PageRequest;
  readonly contacts: readonly Contact[];
  readonly filters: ContactFilters;
  readonly errors: FieldErrors;
  /** What stands below the rows. */
  readonly children: readonly (Html | false)[];
}

/** What the filters find; asked for anew when several were changed. */
function Found({ page, contacts, filters, errors, children }: FoundGiven): Html {
  const isFiltered = Object.keys(filters).some((name) => name !== 'ordering');
  return (
    <div
      id="found"
      hx-get={page.req.originalUrl}
      hx-trigger="contacts:changed from:body"
      hx-select="#found"
      hx-swap="morph:outerHTML"
    >
      <Errors errors={errors} />
      {contacts.length === 0 ? (
        <Nothing page={page} isFiltered={isFiltered} />
      ) : (
        <>
          <ul class="people" aria-label={said.title}>
            {contacts.map((contact) => (
              <Row page={page} contact={contact} />
            ))}
          </ul>
          {children}
        </>
      )}
    </div>
  );
}

function Row({ page, contact }: { readonly page: PageRequest; readonly contact: Contact }): Html {
  const { id, receiver_id: receiverId, name, phone, email, company } = contact;
  const tags = tagsOf(contact.tags) ?? [];
  const title = titleOf(contact);
  return (
    <li id={`item-${id}`}>
      {page.may('bulkChanges.contacts') && (
        <Pick id={id} name="receiver" value={receiverId} label={said.list.select(title)} />
      )}
      <a class="person" id={`contact-${id}`} href={contactPath(receiverId)}>
        <Face id={id} name={title} />
        <span class="person-name cut" dir="auto">
          {title}
        </span>
        <span class="person-line cut">{[name && phone, email, company].filter(Boolean).join(' · ')}</span>
        <span class="person-marks">
          {contact.marketing_opt_out && (
            <span class="tag tag-warn">
              <Icon name="bell-off" />
              {said.list.optedOut}
            </span>
          )}
          {tags.slice(0, tagsShown).map((tag) => (
            <span class="tag cut" dir="auto">
              {tag}
            </span>
          ))}
          {tags.length > tagsShown && (
            <span class="soft small" title={tags.slice(tagsShown).join(', ')}>
              +{tags.length - tagsShown}
            </span>
          )}
        </span>
        <span class="person-time">{page.timePart(contact.updated_at)}</span>
      </a>
    </li>
  );
}

/** What an empty list says. */
function Nothing({ page, isFiltered }: { readonly page: PageRequest; readonly isFiltered: boolean }): Html {
  const { found, here } = said.nothing;
  if (isFiltered)
    return (
      <Empty icon="contact" title={found.title} text={found.text}>
        <p>
          <a class="button" href={contactsPath}>
            {found.all}
          </a>
        </p>
      </Empty>
    );
  const mayImport = page.may('contacts.import');
  return (
    <Empty icon="contact" title={here.title} text={mayImport ? `${here.text} ${here.bring}` : here.text}>
      {mayImport && (
        <p>
          <a class="button button-main" href={`${contactsPath}import/`}>
            {here.import}
          </a>
        </p>
      )}
    </Empty>
  );
}

import type { FieldErrors } from '../../../core/http/errors';
import { contactShape } from '../../../services/resources/contacts/serializer';
import { pagerView } from '../fieldViews';
import { tagsOf } from '../forms';
import { Icon, type Html } from '../html';
import { loadMembers } from '../lookups';
import type { PageAnswer, PageRequest } from '../page';
import { Empty, Errors, Filters, Pager } from '../parts';
import { readPage } from '../typedCalls';
import { words } from '../words';
import { contactFilters, filterViews, type ContactFilters } from './filters';
import { contactPath, contactsPath, titleOf, type Contact } from './wire';

const { contacts: said } = words;
const tagsShown = 4;
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
  const isFiltered = Object.keys(filters).some((name) => name !== 'ordering');
  const body = (
    <>
      <Head page={page} exportPath={list.count ? page.link(`${contactsPath}export/`, filters) : null} />
      <form class="filters" method="get" action={contactsPath} role="search">
        <Search filters={filters} />
        <Filters filters={filterViews(filters, members)} />
        <label>
          <span class="visually-hidden">{said.filters.tag}</span>
          <input
            class="input"
            name="tag"
            value={filters['tag'] ?? ''}
            placeholder={said.filters.tag}
            maxlength={255}
            data-submit=""
          />
        </label>
        <button class="button unscripted">{said.search.find}</button>
        {isFiltered && (
          <a class="button-icon" href={contactsPath}>
            <Icon name="x" />
            {said.search.clear}
          </a>
        )}
      </form>
      <Found page={page} contacts={list.items} isFiltered={isFiltered} errors={errors}>
        <Pager pager={pagerView(list, contactsPath, filters, said.count(list.count ?? 0))} />
      </Found>
    </>
  );
  const status = 'errors' in found ? 422 : 200;
  return page.page(body, { title: said.title, place: 'contacts', styles: ['desk.css'], status });
}

function Head({ page, exportPath }: { readonly page: PageRequest; readonly exportPath: string | null }): Html {
  return (
    <div class="page-head">
      <h1>{said.title}</h1>
      {page.may('contacts.import') && (
        <a class="button" href={`${contactsPath}import/`}>
          <Icon name="upload" />
          {said.import}
        </a>
      )}
      {exportPath && (
        <a class="button" href={exportPath}>
          <Icon name="download" />
          {said.export}
          <span class="visually-hidden">{said.exportAbout}</span>
        </a>
      )}
      {page.may('contacts.create') && (
        <a class="button button-main" href={`${contactsPath}new/`} data-key="n">
          <Icon name="plus" />
          {said.new}
        </a>
      )}
    </div>
  );
}

function Search({ filters }: { readonly filters: ContactFilters }): Html {
  return (
    <label class="filter-search">
      <span class="visually-hidden">{said.search.label}</span>
      <input
        class="input"
        type="search"
        name="search"
        value={filters['search'] ?? ''}
        placeholder={said.search.placeholder}
        maxlength={255}
        data-key="/"
        hx-get={contactsPath}
        hx-trigger="input changed delay:250ms"
        hx-include="closest form"
        hx-target="#found"
        hx-select="#found"
        hx-sync="this:replace"
      />
    </label>
  );
}

interface FoundGiven {
  readonly page: PageRequest;
  readonly contacts: readonly Contact[];
  readonly isFiltered: boolean;
  readonly errors: FieldErrors;
  /** The way to the neighbours of the page. */
  readonly children: Html;
}

/** What the filters find. */
function Found({ page, contacts, isFiltered, errors, children }: FoundGiven): Html {
  return (
    <div id="found">
      <Errors errors={errors} />
      {contacts.length === 0 ? (
        <Nothing page={page} isFiltered={isFiltered} />
      ) : (
        <>
          <div class="table-scroll">
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">{said.list.name}</th>
                  <th scope="col" class="wide-only">
                    {said.list.phone}
                  </th>
                  <th scope="col" class="wide-only">
                    {said.list.company}
                  </th>
                  <th scope="col">{said.list.tags}</th>
                  <th scope="col" class="wide-only">
                    {said.list.changed}
                  </th>
                </tr>
              </thead>
              <tbody>
                {contacts.map((contact) => (
                  <Row page={page} contact={contact} />
                ))}
              </tbody>
            </table>
          </div>
          {children}
        </>
      )}
    </div>
  );
}

function Row({ page, contact }: { readonly page: PageRequest; readonly contact: Contact }): Html {
  const tags = tagsOf(contact.tags) ?? [];
  return (
    <tr>
      <td>
        <a class="row-link" href={contactPath(contact.receiver_id)} dir="auto">
          {titleOf(contact)}
        </a>
        {contact.email && (
          <>
            <br />
            <span class="soft small">{contact.email}</span>
          </>
        )}{' '}
        {contact.name && <span class="narrow-only soft small">{contact.phone}</span>}
      </td>
      <td class="wide-only whole">{contact.phone}</td>
      <td class="wide-only">{contact.company}</td>
      <td>
        {contact.marketing_opt_out && <span class="tag tag-warn">{said.list.optedOut}</span>}{' '}
        {tags.slice(0, tagsShown).map((tag) => (
          <>
            <span class="tag">{tag}</span>{' '}
          </>
        ))}
        {tags.length > tagsShown && <span class="soft small">+{tags.length - tagsShown}</span>}
      </td>
      <td class="wide-only whole">{page.timePart(contact.updated_at)}</td>
    </tr>
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

import { Icon, type Html } from '../html';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { Empty } from '../parts';
import { words } from '../words';
import { searchPath } from './dialog';
import { findAll, type Group, type Hit } from './find';

const { search: said } = words;

/** The one search: a page, and what its dialog asks for. */
export const searchAllPages = definePages([{ method: 'GET', path: searchPath, scope: null, run: show }]);

async function show(page: PageRequest): Promise<PageAnswer> {
  const { q = '', part } = page.query;
  const groups = await findAll(page, q);
  if (part === 'hits') return page.part(<Hits page={page} groups={groups} />);
  const body = (
    <div class="column">
      <h1>{said.title}</h1>
      <form class="filters" method="get" action={searchPath} role="search">
        <label class="filter-search">
          <span class="visually-hidden">{said.label}</span>
          <input
            class="input"
            type="search"
            name="q"
            value={q}
            placeholder={said.placeholder}
            maxlength={255}
            autofocus
          />
        </label>
        <button class="button button-main">{said.find}</button>
      </form>
      {groups.length === 0 && <Empty icon="search" {...said.nothing} />}
      {groups.map((group) => (
        <section class="search-group">
          <h2>{said.groups[group.id]}</h2>
          <Rest group={group} />
          <ul class="search-list">
            {group.hits.map((hit) => (
              <li>
                <a class="search-hit" href={hit.href}>
                  <HitText page={page} hit={hit} />
                </a>
              </li>
            ))}
          </ul>
          {group.more && (
            <p>
              <a href={group.more}>{moreOf(group)}</a>
            </p>
          )}
        </section>
      ))}
    </div>
  );
  return page.page(body, { title: said.title, place: 'search' });
}

const moreOf = ({ id }: Group): string => (id === 'go' ? '' : said.more[id]);

interface HitsGiven {
  readonly page: PageRequest;
  readonly groups: readonly Group[];
}

/** What was found, as the list below the field of the dialog. */
function Hits({ page, groups }: HitsGiven): Html {
  const count = groups.reduce((sum, { hits }) => sum + hits.length, 0);
  if (count === 0 && !groups.some(({ isFailed }) => isFailed))
    return (
      <div class="search-none" data-says={said.nothing.title}>
        <p>{said.nothing.title}</p>
        <p class="soft small">{said.nothing.text}</p>
      </div>
    );
  return (
    <div id="search-hits" role="listbox" aria-label={said.title} data-says={said.found(count)}>
      {groups.map((group) => (
        <div class="search-group" role="group" aria-labelledby={`search-${group.id}`}>
          <p class="search-name" id={`search-${group.id}`} role="presentation">
            {said.groups[group.id]}
          </p>
          <Rest group={group} />
          {group.hits.map((hit, index) => (
            <Option id={`search-${group.id}-${index}`} href={hit.href}>
              <HitText page={page} hit={hit} />
            </Option>
          ))}
          {group.more && (
            <Option id={`search-${group.id}-more`} href={group.more}>
              <Icon name="chevron-right" />
              <span class="search-title">{moreOf(group)}</span>
            </Option>
          )}
        </div>
      ))}
    </div>
  );
}

function Option({
  id,
  href,
  children,
}: {
  readonly id: string;
  readonly href: string;
  readonly children?: unknown;
}): Html {
  return (
    <a class="search-hit" role="option" aria-selected="false" tabindex={-1} id={id} href={href}>
      {children}
    </a>
  );
}

/** What a group says that could not be asked. */
function Rest({ group: { id, isFailed } }: { readonly group: Group }): Html {
  if (!isFailed) return <></>;
  return (
    <p class="soft small">
      {said.groups[id]} {said.failed}
    </p>
  );
}

function HitText({ page, hit }: { readonly page: PageRequest; readonly hit: Hit }): Html {
  const { icon, title, detail, pieces = [], at } = hit;
  return (
    <>
      <Icon name={icon} />
      <span class="search-title cut" dir="auto">
        {title}
      </span>
      {detail && (
        <span class="soft small cut" dir="auto">
          {detail}
        </span>
      )}
      {at && <span class="search-at soft small">{page.timePart(at)}</span>}
      {pieces.length > 0 && (
        <span class="search-text soft small" dir="auto">
          {pieces.map(({ text, isFound }) => (isFound ? <mark>{text}</mark> : text))}
        </span>
      )}
    </>
  );
}

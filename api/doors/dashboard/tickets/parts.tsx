import { Icon, type Html } from '../html';
import type { PageRequest } from '../page';
import type { TabView } from '../fieldViews';
import { words } from '../words';
import { ticketsPath } from './read';

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

import type { Child } from 'hono/jsx';
import type { Option } from './fieldViews';
import { Hidden } from './formParts';
import { linkTo } from './formats';
import { Icon, type Html } from './html';
import { Field } from './parts';
import { words } from './words';

const { filterBar: said } = words;

/** Something that a list can be narrowed by. */
export interface Filter {
  readonly name: string;
  readonly label: string;
  /** The first of them, of an empty value, stands for none. Left out: a text. */
  readonly options?: readonly Option[];
  /** It orders, or says what is looked at: it stands in the menu, and is no filter that can be taken away. */
  readonly isFixed?: boolean;
  /** What its value is called, where no option says it. */
  readonly shown?: string | undefined;
}

interface FilterBarGiven {
  readonly action: string;
  /** The values of the address; those of no filter are sent along. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly search: { readonly label: string; readonly placeholder: string };
  readonly filters: readonly Filter[];
  /** More of the field that searches: what asks while typing. */
  readonly searching?: Readonly<Record<string, string>>;
}

/** One line above a list: what is looked for, the filters in use, each with its way out, and the others in a menu. */
export function FilterBar({ action, query, search, filters, searching = {} }: FilterBarGiven): Html {
  const names = new Set(filters.map(({ name }) => name));
  const along = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === '' || name === 'search' || names.has(name) ? [] : [[name, value]],
  );
  const used = filters.filter(({ name, isFixed }) => !isFixed && (query[name] ?? '') !== '');
  return (
    <form class="filter-bar" method="get" action={action} role="search">
      <Hidden values={along} />
      <label class="filter-search">
        <span class="visually-hidden">{search.label}</span>
        <Icon name="search" />
        <input
          class="input"
          type="search"
          name="search"
          value={query['search'] ?? ''}
          placeholder={search.placeholder}
          maxlength={255}
          data-key="/"
          {...searching}
        />
      </label>
      {used.map((filter) => (
        <Chip
          href={linkTo(action, { ...query, [filter.name]: undefined })}
          label={filter.label}
          value={valueOf(filter, query[filter.name] ?? '')}
        />
      ))}
      <button class="chip" type="button" popovertarget="filters" data-key="f">
        <Icon name="list-filter" />
        {said.open}
        {used.length > 0 && <span class="chip-count">{used.length}</span>}
      </button>
      <div class="menu filter-menu" id="filters" popover="auto" aria-label={said.label}>
        {filters.map(({ name, label, options }) => (
          <Field
            name={name}
            label={label}
            value={query[name] ?? ''}
            {...(options ? { type: 'select', options } : {})}
            attributes={{ 'data-submit': '', autocomplete: 'off' }}
          />
        ))}
        <p class="row">
          <button class="button button-small">{said.show}</button>
          {(used.length > 0 || query['search']) && (
            <a class="button button-small" href={linkTo(action, Object.fromEntries(along))}>
              {said.clear}
            </a>
          )}
        </p>
      </div>
    </form>
  );
}

const valueOf = ({ options = [], shown }: Filter, value: string): Child =>
  shown ?? options.find((option) => String(option.value) === value)?.label ?? value;

function Chip({ href, label, value }: { readonly href: string; readonly label: string; readonly value: Child }): Html {
  return (
    <a class="chip chip-used" href={href} title={said.remove(label)}>
      <span class="soft">{label}</span> <span class="cut">{value}</span>
      <Icon name="x" label={said.remove(label)} />
    </a>
  );
}

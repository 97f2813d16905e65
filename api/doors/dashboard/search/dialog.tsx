import { Icon, type Html } from '../html';
import { words } from '../words';

const { search: said } = words;

export const searchPath = '/dashboard/search/';

/** The one search as a dialog of every page; search.js opens it and asks while somebody types. */
export function SearchDialog(): Html {
  return (
    <dialog class="search" id="search-all" aria-label={said.title} data-lost={said.lost} data-busy={said.busy}>
      <div class="search-head">
        <Icon name="search" />
        <form method="get" action={searchPath} role="search">
          <input
            class="search-input"
            type="search"
            name="q"
            aria-label={said.label}
            placeholder={said.placeholder}
            maxlength={255}
            autocomplete="off"
            role="combobox"
            aria-autocomplete="list"
            aria-expanded="false"
            aria-controls="search-hits"
          />
        </form>
        <form method="dialog">
          <button class="button-icon" title={said.close}>
            <Icon name="x" label={said.close} />
          </button>
        </form>
      </div>
      <div class="search-found" id="search-found"></div>
      <p class="search-said" role="status" id="search-said"></p>
      <p class="search-keys" aria-hidden="true">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> {said.hint.choose}
        </span>
        <span>
          <kbd>Enter</kbd> {said.hint.open}
        </span>
        <span>
          <kbd>Esc</kbd> {said.hint.close}
        </span>
      </p>
    </dialog>
  );
}

import type { Child } from 'hono/jsx';
import type { Html } from '../html';
import { loadTeam } from '../lookups';
import type { PageRoute } from '../page';
import { Mentionable } from '../suggestions';
import { words } from '../words';
import { ticketsPath } from './read';

const peoplePath = `${ticketsPath}people/`;

/** The form of a comment, and beside it the members that `@` offers in its field (complete.js). */
export function Mentioning({ children }: { readonly children: Child }): Html {
  return (
    <div class="mentioning">
      {children}
      <ul
        class="options suggestions"
        role="listbox"
        aria-label={words.inbox.teamwork.suggestions}
        data-from={peoplePath}
        hidden
      ></ul>
    </div>
  );
}

/** The list of such a field. */
export const peoplePage: PageRoute = {
  method: 'GET',
  path: peoplePath,
  scope: 'ticket.view',
  run: async (page) =>
    page.part(<Mentionable page={page} members={(await loadTeam(page)).members} prefix="comment-" />),
};

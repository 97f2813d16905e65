import type { Child } from 'hono/jsx';
import type { Html } from '../html';
import { loadTeam } from '../inbox/load';
import { Mentionable } from '../inbox/teamwork';
import type { PageRoute } from '../page';
import { words } from '../words';
import { ticketsPath } from './read';

const peoplePath = `${ticketsPath}people/`;

/** A field for a comment, with the members that `@` offers in it (complete.js). */
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

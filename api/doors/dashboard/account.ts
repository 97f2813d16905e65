import { requireRecent } from '../../services/identity/apiKeys/authenticate';
import { signOut } from '../../services/identity/members/sessions';
import { cookieOf } from '../http/request';
import { placesFor } from './navigation';
import { definePages, type PageAnswer } from './page';
import { welcomePage } from './plainPages';
import { askAgain, askProvider, verifyPath, verifySsoPath } from './reauthentication';
import { ownPath, sessionCookie, signInPath } from './signIn';

/** The way in and out: the first place of a member, and signing out. */
export const accountPages = definePages([
  {
    method: 'GET',
    path: '/dashboard/',
    scope: null,
    run: async (page) => {
      const [first] = placesFor(page.credential.scopes).filter(({ group }) => group !== 'settings');
      return first ? page.redirect(first.path) : welcomePage(page);
    },
  },
  {
    method: 'GET',
    path: verifyPath,
    scope: null,
    run: (page) => askAgain(page),
  },
  { method: 'GET', path: verifySsoPath, scope: null, run: askProvider },
  {
    method: 'POST',
    path: verifyPath,
    scope: null,
    run: (page) => {
      requireRecent(page.credential);
      return Promise.resolve(page.redirect(ownPath(page.ctx.runtime, page.form['next'] ?? null)));
    },
  },
  {
    method: 'POST',
    path: '/dashboard/sign-out/',
    scope: null,
    run: async (page) => {
      const token = cookieOf(page.req, sessionCookie);
      if (token !== null) await signOut(page.ctx.runtime, token);
      return signedOut();
    },
  },
]);

/**
 * Returns the answer that ends in the sign-in page, and then in `next`, and takes the cookie back: the session is over.
 */
export function signedOut(next?: string): PageAnswer {
  return {
    status: 303,
    html: '',
    headers: {
      Location: next === undefined ? signInPath : `${signInPath}?${new URLSearchParams({ next }).toString()}`,
      'Set-Cookie': `${sessionCookie}=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax`,
    },
  };
}

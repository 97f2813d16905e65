import { signedOut } from '../account';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { passwordRule } from '../../../services/identity/members/passwordStrength';
import { keptOf } from './made';
import { settingsPage } from './settings';

const path = '/dashboard/account/';

/** A member's own sessions and password. */
export const profilePages = definePages([
  { method: 'GET', path, scope: null, run: (page) => show(page) },
  {
    method: 'POST',
    path: `${path}password/`,
    scope: null,
    run: async (page) => {
      const { current_password, new_password, again } = page.form;
      const { revoke_api_keys = 'false', disconnect_agents = 'false' } = page.form;
      if (new_password !== again) return show(page, { again: ['The two new passwords differ.'] });
      const input = { current_password, new_password, revoke_api_keys, disconnect_agents, ...keptOf(page) };
      const changed = await page.attempt(() => page.call('password.change', input));
      if ('errors' in changed) return show(page, changed.errors);
      return signedOut();
    },
  },
  {
    method: 'POST',
    path: `${path}sessions/end/`,
    scope: null,
    run: async (page) => {
      await page.call('sessions.endAll', { keep_current: 'true' });
      return page.redirect(path, { text: 'All other sessions have ended.' });
    },
  },
  {
    method: 'POST',
    path: `${path}sessions/:id/end/`,
    scope: null,
    run: async (page) => {
      await page.call('sessions.end', { id: page.params['id'] });
      return page.redirect(path, { text: 'The session has ended.' });
    },
  },
]);

async function show(page: PageRequest, errors?: object): Promise<PageAnswer> {
  const sessions = await page.call<readonly object[]>('sessions.list');
  return settingsPage(
    page,
    '/settings/account',
    { sessions, errors, passwordRule, path },
    { section: 'account', title: 'Your account', ...(errors ? { status: 422 } : {}) },
  );
}

import { cut } from '../../../core/text/cut';
import { signedOut } from '../account';
import type { FieldErrors } from '../../../core/http/errors';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { passwordRule } from '../../../services/identity/members/passwordStrength';
import { listOwnEvents } from '../../../services/identity/audit/security';
import { rescuePath } from '../../../services/identity/securityLog/told';
import { passkeyHost } from '../../../services/identity/factors/passkeys';
import { keptOf } from './made';
import { notificationsView } from './notifications';
import { wordsOf } from './securityLog';
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
      return signedOut(rescuePath);
    },
  },
  {
    method: 'POST',
    path: `${path}settings/`,
    scope: null,
    run: async (page) => {
      const { undo_send = 'false', opens_next = 'false', takes_answered = 'false' } = page.form;
      await page.call('ownSettings.update', { undo_send, opens_next, takes_answered });
      return page.redirect(path, { text: 'Saved.' });
    },
  },
  {
    method: 'POST',
    path: `${path}notifications/`,
    scope: null,
    run: async (page) => {
      const values = { notify_sound: 'false', ...page.form };
      const saved = await page.attempt(() => page.call('notificationSettings.update', values));
      if ('errors' in saved) return show(page, undefined, { values, errors: saved.errors });
      return page.redirect(path, { text: 'Saved.' });
    },
  },
  {
    method: 'POST',
    path: `${path}away/`,
    scope: null,
    run: async (page) => {
      await page.call('ownSettings.update', { is_away: page.form['is_away'] ?? 'true' });
      // Whatever page it was done on shows it.
      return page.isPartial ? { status: 204, html: '', headers: { 'HX-Trigger': 'anew' } } : page.redirect(path);
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

/** A session as its operation gives it. */
interface Session {
  readonly id: number;
  readonly user_agent: string;
  readonly address: string | null;
  readonly created_at: string;
  readonly last_used_at: string;
  readonly is_current: boolean;
}

/** A session as a row of the list. */
interface SessionView extends Omit<Session, 'id' | 'user_agent'> {
  readonly browser: string;
  /** How it is told from the others. */
  readonly since: string;
  readonly path: string;
}

function sessionView(page: PageRequest, { id, user_agent: browser, ...session }: Session): SessionView {
  return {
    ...session,
    browser: cut(browser, maxBrowserLetters) || 'Unknown browser',
    since: page.moment(session.created_at),
    path: `${path}sessions/${id}/`,
  };
}

/** A second factor as its operation gives it. */
interface Factor {
  readonly id: number;
  readonly kind: string;
  readonly name: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly codes_left: number | null;
}

/** A second factor as a row of the list. */
interface FactorView extends Omit<Factor, 'id' | 'codes_left'> {
  /** How many recovery codes are left; empty for other kinds. */
  readonly left: string;
  readonly path: string;
}

function factorView({ id, codes_left: left, ...factor }: Factor): FactorView {
  return { ...factor, left: left === null ? '' : `${left} left`, path: `${path}factors/${id}/` };
}

/** What a browser says of itself can be as long as it likes. */
const maxBrowserLetters = 120;

async function show(
  page: PageRequest,
  errors?: FieldErrors,
  refused?: { readonly values: Readonly<Record<string, string>>; readonly errors: FieldErrors },
): Promise<PageAnswer> {
  const found = await page.call<readonly Session[]>('sessions.list');
  const sessions = found.map((session) => sessionView(page, session));
  const factors = (await page.call<readonly Factor[]>('factors.list')).map(factorView);
  const canPasskey = passkeyHost(page.ctx.runtime.config) !== null;
  const events = (await listOwnEvents(page.ctx)).map(({ action, by, address, created_at }) => ({
    words: wordsOf(page, action),
    created_at,
    from: `${by === null ? '' : ` · by ${by || 'the operator'}`}${address && ` · ${address}`}`,
  }));
  const notifications = await notificationsView(page, refused?.values, refused?.errors);
  return settingsPage(
    page,
    '/settings/account',
    { sessions, factors, canPasskey, events, errors, passwordRule, path, notifications },
    { section: 'account', title: 'Your account', ...(errors || refused ? { status: 422 } : {}) },
  );
}

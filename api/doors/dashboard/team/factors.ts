import { passkeyHost } from '../../../services/identity/factors/passkeys';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { readPasskeyField } from '../proof';
import { qrCode } from '../qrCode';
import { sentBefore, settingsPage } from './settings';

const path = '/dashboard/account/';
const section = 'account';

interface Start {
  readonly uri: string;
  readonly secret: string;
  readonly enrolment: string;
}
interface Added {
  readonly recovery_codes: readonly string[] | null;
}

/** A member's own second factors. */
export const factorPages = definePages([
  { method: 'GET', path: `${path}authenticator/`, scope: null, run: (page) => showAuthenticator(page) },
  {
    method: 'POST',
    path: `${path}authenticator/`,
    scope: null,
    run: async (page) => {
      const { enrolment, code, name } = page.form;
      const added = await page.attempt(() => page.makeOnce<Added>('factors.addTotp', { enrolment, code, name }));
      if ('errors' in added) return showAuthenticator(page, added.errors);
      return showAdded(page, added.value, 'The authenticator app is added.');
    },
  },
  { method: 'GET', path: `${path}passkey/`, scope: null, run: (page) => showPasskey(page) },
  {
    method: 'POST',
    path: `${path}passkey/`,
    scope: null,
    run: async (page) => {
      const { name, passkey } = page.form;
      const given = { name, passkey: readPasskeyField(passkey) };
      const added = await page.attempt(() => page.makeOnce<Added>('factors.addPasskey', given));
      if ('errors' in added) return showPasskey(page, added.errors);
      return showAdded(page, added.value, 'The passkey is added.');
    },
  },
  {
    method: 'POST',
    path: `${path}recovery-codes/`,
    scope: null,
    run: async (page) => showAdded(page, await page.makeOnce<Added>('factors.renewCodes', {}), ''),
  },
  {
    method: 'POST',
    path: `${path}factors/:id/remove/`,
    scope: null,
    confirm: { title: 'Remove this factor?', text: 'It opens nothing any more.', button: 'Remove' },
    run: async (page) => {
      await page.call('factors.remove', { id: page.params['id'] });
      return page.redirect(path, { text: 'The factor is removed.' });
    },
  },
]);

async function showAuthenticator(page: PageRequest, errors?: object): Promise<PageAnswer> {
  const start = await page.call<Start>('factors.startTotp');
  return settingsPage(
    page,
    '/settings/authenticator',
    { start, picture: await qrCode(start.uri), name: page.form['name'] ?? 'Authenticator app', errors, path },
    { section, title: 'Authenticator app', ...(errors ? { status: 422 } : {}) },
  );
}

async function showPasskey(page: PageRequest, errors?: object): Promise<PageAnswer> {
  const isPossible = passkeyHost(page.ctx.runtime.config) !== null;
  const making = isPossible ? JSON.stringify(await page.call('factors.startPasskey')) : null;
  return settingsPage(
    page,
    '/settings/passkey',
    { making, name: page.form['name'] ?? 'Passkey', errors, path },
    { section, title: 'Passkey', scripts: ['passkey.js'], ...(errors ? { status: 422 } : {}) },
  );
}

/** Shows the recovery codes of a first factor, this once. */
function showAdded(page: PageRequest, added: Added | null, text: string): PageAnswer {
  if (!added) return page.redirect(path, sentBefore);
  if (!added.recovery_codes) return page.redirect(path, { text });
  const data = { codes: added.recovery_codes, path };
  return settingsPage(page, '/settings/recoveryCodes', data, { section, title: 'Recovery codes' });
}

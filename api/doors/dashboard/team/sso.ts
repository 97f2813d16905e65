import { allScopes } from '../../../core/http/access';
import type { FieldErrors } from '../../../core/http/errors';
import type { SsoRecord } from '../../../services/identity/sso/service';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { scopeBoxes } from './scopeBoxes';
import { settingsPage } from './settings';

const path = '/dashboard/sso/';
const scope = 'workspace.manage';

const roles = [
  { value: '', label: 'Nobody: only members are let in' },
  { value: 'agent', label: 'An agent with the permissions below' },
  { value: 'admin', label: 'An admin' },
];

/** How the workspace signs in by its company's provider. */
export const ssoPages = definePages([
  { method: 'GET', path, scope, run: async (page) => show(page, await page.call<SsoRecord>('sso.get')) },
  {
    method: 'POST',
    path,
    scope,
    run: async (page) => {
      const { issuer, client_id, client_secret, new_member_role } = page.form;
      const { require_sso = 'false', require_factor_for_sso = 'false' } = page.form;
      const permissions = page.all('new_member_permissions');
      const saved = await page.attempt(() =>
        page.call('sso.update', {
          issuer: issuer || null,
          client_id,
          client_secret: client_secret || undefined,
          new_member_role: new_member_role || null,
          new_member_permissions: permissions,
          ...{ require_sso, require_factor_for_sso },
        }),
      );
      if (!('errors' in saved)) return page.redirect(path, { text: 'Single sign-on is saved.' });
      const values = { ...page.form, new_member_permissions: permissions };
      return show(page, await page.call<SsoRecord>('sso.get'), values, saved.errors);
    },
  },
]);

function show(page: PageRequest, known: SsoRecord, values: object = known, errors?: FieldErrors): PageAnswer {
  const { domain, redirect_uri: redirectUri, has_client_secret: hasSecret } = known;
  return settingsPage(
    page,
    '/settings/sso',
    {
      ...{ domain, redirectUri, values, errors, path, roles },
      secretHint: hasSecret ? 'One is kept. Empty: it stays, unless the issuer changes.' : 'None is kept.',
      scopes: scopeBoxes(allScopes),
      maySave: page.member.role === 'owner' && page.may('sso.update'),
    },
    { section: 'sso', title: 'Single sign-on', ...(errors ? { status: 422 } : {}) },
  );
}

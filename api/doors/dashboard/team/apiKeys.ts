import { keyScopes, scopeDescriptions, autonomyLevels } from '../../../core/http/access';
import { getKey } from '../../../services/identity/apiKeys/service';
import { momentOfLocal } from '../formats';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { loadMembers } from '../lookups';
import { idOfPath, keptOf, loadMade } from './made';
import { sentBefore, settingsPage } from './settings';

const path = '/dashboard/api-keys/';
const scope = 'workspace.manage';

/** What the levels mean, where one is chosen. */
export const autonomyOptions = [
  { value: 'autonomous', label: 'Autonomous: sends by itself' },
  { value: 'approval', label: 'Approval: each send asks the members' },
  { value: 'draft', label: 'Draft: sends wait until somebody looks' },
].filter(({ value }) => (autonomyLevels as readonly string[]).includes(value));

interface FormState {
  readonly values: Readonly<Record<string, unknown>>;
  readonly errors?: object;
}

/** API keys: list, create, revoke. */
export const apiKeyPages = definePages([
  {
    method: 'GET',
    path,
    scope,
    run: async (page) => {
      const [keys, members] = await Promise.all([page.call<readonly object[]>('apiKeys.list'), loadMembers(page)]);
      const names = Object.fromEntries(members.map(({ id, name, email }) => [id, name || email]));
      return settingsPage(page, '/apiKeys/list', { keys, names, path }, { section: 'keys', title: 'API keys' });
    },
  },
  {
    method: 'GET',
    path: `${path}new/`,
    scope,
    run: (page) => Promise.resolve(form(page, { values: { autonomy: 'autonomous', scopes: [] } })),
  },
  {
    method: 'POST',
    path: `${path}new/`,
    scope,
    run: async (page) => {
      const { name, autonomy, expires_at: local } = page.form;
      const allowed = (page.form['allowed_addresses'] ?? '').split(/[\s,]+/).filter((range) => range !== '');
      const values = { ...page.form, scopes: page.all('scopes') };
      const expiresAt = local ? momentOfLocal(local, page.workspace.timezone) : null;
      if (local && !expiresAt) return form(page, { values, errors: { expires_at: ['Enter a date and a time.'] } });
      const made = await page.attempt(() =>
        page.makeOnce('apiKeys.create', {
          name,
          autonomy,
          scopes: values.scopes,
          expires_at: expiresAt?.toISOString(),
          allowed_addresses: allowed,
        }),
      );
      if ('errors' in made) return form(page, { values, errors: made.errors });
      if (!made.value) return page.redirect(path, sentBefore);
      return settingsPage(page, '/apiKeys/made', { key: made.value, path }, { section: 'keys', title: 'Your new key' });
    },
  },
  {
    method: 'GET',
    path: `${path}:id/revoke/`,
    scope,
    run: async (page) => {
      const id = idOfPath(page);
      const made = await loadMade(page, 'apiKeys.made', id);
      const { name } = await getKey(page.ctx, id);
      return settingsPage(
        page,
        '/apiKeys/revoke',
        { id, name, made, path },
        { section: 'keys', title: 'Revoke a key' },
      );
    },
  },
  {
    method: 'POST',
    path: `${path}:id/revoke/`,
    scope,
    run: async (page) => {
      await page.call('apiKeys.revoke', { id: page.params['id'], ...keptOf(page) });
      return page.redirect(path, { text: 'The key is revoked.' });
    },
  },
]);

function form(page: PageRequest, { values, errors }: FormState): PageAnswer {
  const scopes = keyScopes
    .filter((name) => page.can(name))
    .map((name) => ({ value: name, label: name, detail: scopeDescriptions[name] }));
  return settingsPage(
    page,
    '/apiKeys/form',
    { values, errors, scopes, autonomyOptions, path },
    { section: 'keys', title: 'New API key', ...(errors ? { status: 422 } : {}) },
  );
}

import { keyScopes, autonomyLevels } from '../../../core/http/access';
import type { FieldErrors } from '../../../core/http/errors';
import { getKey } from '../../../services/identity/apiKeys/service';
import { momentOfLocal } from '../../../core/zones';
import { amountText } from '../formats';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { loadMembers, memberNames } from '../lookups';
import { idOfPath, keptOf, loadMade } from './made';
import { scopeBoxes } from './scopeBoxes';
import { sentBefore, settingsPage } from './settings';

const path = '/dashboard/api-keys/';
const scope = 'workspace.manage';

/** What the levels mean, where one is chosen. */
export const autonomyOptions = [
  { value: 'autonomous', label: 'Autonomous: sends by itself' },
  { value: 'approval', label: 'Approval: each send asks the members' },
  { value: 'draft', label: 'Draft: sends wait for a look' },
].filter(({ value }) => (autonomyLevels as readonly string[]).includes(value));

interface FormState {
  readonly values: Readonly<Record<string, unknown>>;
  readonly errors?: FieldErrors;
}

/** A key as its operation gives it. */
interface ApiKey {
  readonly id: number;
  readonly name: string;
  readonly prefix: string;
  readonly member_id: number;
  readonly scopes: readonly string[];
  readonly autonomy: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly allowed_addresses: readonly string[];
  readonly notes: boolean;
}

/** A key as a row of the list. */
interface KeyView extends Pick<
  ApiKey,
  'name' | 'prefix' | 'autonomy' | 'created_at' | 'last_used_at' | 'expires_at' | 'notes'
> {
  readonly owner: string;
  readonly scopeCount: number;
  readonly scopeNames: string;
  /** Why the key no longer works; empty while it does. */
  readonly over: '' | 'revoked' | 'expired';
  /** The networks that may use it, and how many they are; empty: all. */
  readonly addresses: string;
  readonly addressCount: string;
  /** Where it is revoked; null: it is already. */
  readonly revoke: string | null;
}

function keyView(page: PageRequest, key: ApiKey, owners: ReadonlyMap<number, string>): KeyView {
  const { id, name, prefix, autonomy, created_at, last_used_at, expires_at, revoked_at, notes } = key;
  const hasExpired = expires_at !== null && new Date(expires_at) <= page.now;
  return {
    name,
    prefix,
    autonomy,
    created_at,
    last_used_at,
    expires_at,
    notes,
    owner: owners.get(key.member_id) ?? `Member ${key.member_id}`,
    scopeCount: key.scopes.length,
    scopeNames: key.scopes.join(', '),
    over: revoked_at !== null ? 'revoked' : hasExpired ? 'expired' : '',
    addresses: key.allowed_addresses.join(', '),
    addressCount: amountText(key.allowed_addresses.length, 'network'),
    revoke: revoked_at === null ? `${path}${id}/revoke/` : null,
  };
}

/** API keys: list, create, revoke. */
export const apiKeyPages = definePages([
  {
    method: 'GET',
    path,
    scope,
    run: async (page) => {
      const [found, members] = await Promise.all([page.call<readonly ApiKey[]>('apiKeys.list'), loadMembers(page)]);
      const owners = memberNames(members);
      const keys = found.map((key) => keyView(page, key, owners));
      return settingsPage(page, '/apiKeys/list', { keys, path }, { section: 'keys', title: 'API keys' });
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
        page.makeOnce<ApiKey & { readonly api_key: string }>('apiKeys.create', {
          name,
          autonomy,
          scopes: values.scopes,
          expires_at: expiresAt?.toISOString(),
          allowed_addresses: allowed,
          notes: page.form['notes'] === 'true',
        }),
      );
      if ('errors' in made) return form(page, { values, errors: made.errors });
      if (!made.value) return page.redirect(path, sentBefore);
      const { api_key: key, name: called, scopes, autonomy: level } = made.value;
      const data = { key, name: called, scopes: scopes.join(', '), autonomy: level, path };
      return settingsPage(page, '/apiKeys/made', data, { section: 'keys', title: 'Your new key' });
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
  const scopes = scopeBoxes(keyScopes.filter((name) => page.can(name)));
  return settingsPage(
    page,
    '/apiKeys/form',
    {
      values,
      errors,
      scopes,
      autonomyOptions,
      zone: `In the time zone of the workspace, ${page.workspace.timezone}.`,
      path,
    },
    { section: 'keys', title: 'New API key', ...(errors ? { status: 422 } : {}) },
  );
}

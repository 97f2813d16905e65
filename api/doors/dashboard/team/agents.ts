import { clientTypes } from '../../../services/identity/oauth/clients';
import { knownClients } from '../../../services/identity/oauth/metadata';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { autonomyOptions } from './apiKeys';
import { sentBefore, settingsPage } from './settings';

const path = '/dashboard/agents/';
const scope = 'workspace.manage';

/** Agents that members connected by OAuth, and the clients that may connect. */
export const agentPages = definePages([
  {
    method: 'GET',
    path,
    scope,
    run: async (page) => {
      const [agents, clients] = await Promise.all([
        page.call<readonly object[]>('connectedAgents.list'),
        page.call<readonly object[]>('oauthClients.list'),
      ]);
      const mcp = `${page.ctx.runtime.config.baseUrl}/mcp`;
      const data = { agents, clients, mcp, autonomyOptions, path };
      return settingsPage(page, '/agents/list', data, { section: 'agents', title: 'Agents' });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/autonomy/`,
    scope,
    run: async (page) => {
      const { id } = page.params;
      await page.call('connectedAgents.update', { id, autonomy: page.form['autonomy'] });
      return page.redirect(path, { text: 'The level is saved. It decides from the next call on.' });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/disconnect/`,
    scope,
    confirm: {
      title: 'Disconnect this agent?',
      text: 'It is refused from its next call on. To come back it must be connected again.',
      button: 'Disconnect',
    },
    run: async (page) => {
      await page.call('connectedAgents.disconnect', { id: page.params['id'] });
      return page.redirect(path, { text: 'The agent is disconnected.' });
    },
  },
  {
    method: 'GET',
    path: `${path}clients/new/`,
    scope,
    run: (page) => Promise.resolve(form(page, { client_type: 'public' })),
  },
  {
    method: 'POST',
    path: `${path}clients/new/`,
    scope,
    run: async (page) => {
      const { name, client_type, redirect_uris: lines = '' } = page.form;
      const uris = lines
        .split(/\s+/)
        .map((line) => line.trim())
        .filter((line) => line !== '');
      const made = await page.attempt(() =>
        page.makeOnce('oauthClients.create', { name, client_type, redirect_uris: uris }),
      );
      if ('errors' in made) return form(page, page.form, made.errors);
      if (!made.value) return page.redirect(path, sentBefore);
      const data = { client: made.value, path };
      return settingsPage(page, '/agents/made', data, { section: 'agents', title: 'The client is registered' });
    },
  },
  {
    method: 'POST',
    path: `${path}clients/by-document/`,
    scope,
    run: async (page) => {
      const { metadata_url, callback_port = '' } = page.form;
      const port = callback_port === '' ? {} : { callback_port };
      const made = await page.attempt(() => page.call('oauthClients.create', { metadata_url, ...port }));
      if ('errors' in made) return form(page, { ...page.form, client_type: 'public' }, made.errors);
      const data = { client: made.value, path };
      return settingsPage(page, '/agents/made', data, { section: 'agents', title: 'The client is registered' });
    },
  },
  {
    method: 'POST',
    path: `${path}clients/:id/disable/`,
    scope,
    confirm: {
      title: 'Disable this client?',
      text: 'Every agent that connected through it is refused from its next call on. This cannot be undone.',
      button: 'Disable',
    },
    run: async (page) => {
      await page.call('oauthClients.disable', { id: page.params['id'] });
      return page.redirect(path, { text: 'The client is disabled.' });
    },
  },
]);

const typeWords: Readonly<Record<string, string>> = {
  public: 'Public: an app on a computer or phone, without a secret',
  confidential: 'Confidential: a server that can keep a secret',
};

function form(page: PageRequest, values: object, errors?: object): PageAnswer {
  const types = clientTypes.map((value) => ({ value, label: typeWords[value] }));
  return settingsPage(
    page,
    '/agents/form',
    { values, errors, types, path, known: knownClients },
    { section: 'agents', title: 'Register a client', ...(errors ? { status: 422 } : {}) },
  );
}

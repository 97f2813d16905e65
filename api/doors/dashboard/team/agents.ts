import { clientTypes } from '../../../services/identity/oauth/clients';
import { knownClients } from '../../../services/identity/oauth/metadata';
import type { FieldErrors } from '../../../core/http/errors';
import type { Option } from '../fieldViews';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { autonomyOptions } from './apiKeys';
import { sentBefore, settingsPage } from './settings';

const path = '/dashboard/agents/';
const scope = 'workspace.manage';

/** An agent as its operation gives it. */
interface Agent {
  readonly id: number;
  readonly client_id: string;
  readonly client_name: string;
  readonly member: { readonly name: string; readonly email: string };
  readonly scopes: readonly string[];
  readonly autonomy: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

/** An agent as its card shows it. */
interface AgentView extends Pick<Agent, 'id' | 'scopes' | 'autonomy' | 'created_at' | 'last_used_at'> {
  readonly name: string;
  /** Where its document is; empty: it was registered by hand. */
  readonly host: string;
  readonly memberName: string;
  readonly path: string;
  readonly autonomies: readonly (Option & { readonly isChosen: boolean })[];
}

function agentView({ client_id: client, client_name: name, member, ...agent }: Agent): AgentView {
  return {
    ...agent,
    name,
    host: hostOf(client),
    memberName: member.name || member.email,
    path: `${path}${agent.id}/`,
    autonomies: autonomyOptions.map((option) => ({ ...option, isChosen: option.value === agent.autonomy })),
  };
}

/** A client as its operation gives it. */
interface Client {
  readonly id: number;
  readonly name: string;
  readonly client_id: string;
  readonly client_type: string;
  readonly client_secret?: string;
  readonly redirect_uris: readonly string[];
  readonly metadata_url: string | null;
  readonly disabled_at: string | null;
}

/** A client as a row of the list. */
interface ClientView extends Pick<Client, 'name' | 'client_id' | 'redirect_uris' | 'metadata_url'> {
  readonly isOff: boolean;
  /** Where its document is, else its type. */
  readonly kind: string;
  /** The port that its document was registered with, to read it again. */
  readonly port: string;
  readonly path: string;
}

function clientView(client: Client): ClientView {
  const { metadata_url: url, redirect_uris: uris, disabled_at: disabledAt } = client;
  const ports = uris.map((uri) => /^http:[/][/][^/]*:([0-9]+)/.exec(uri)?.[1]);
  return {
    name: client.name,
    client_id: client.client_id,
    redirect_uris: uris,
    metadata_url: url,
    isOff: disabledAt !== null,
    kind: url === null ? client.client_type : hostOf(url),
    port: ports.find(Boolean) ?? '',
    path: `${path}clients/${client.id}/`,
  };
}

function hostOf(url: string): string {
  return /^https?:/.test(url) ? new URL(url).host : '';
}

/** Agents that members connected by OAuth, and the clients that may connect. */
export const agentPages = definePages([
  {
    method: 'GET',
    path,
    scope,
    run: async (page) => {
      const [agents, clients] = await Promise.all([
        page.call<readonly Agent[]>('connectedAgents.list'),
        page.call<readonly Client[]>('oauthClients.list'),
      ]);
      const mcp = `${page.ctx.runtime.config.baseUrl}/mcp`;
      const data = { agents: agents.map(agentView), clients: clients.map(clientView), mcp, path };
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
      const uris = lines.split(/\s+/).filter((line) => line !== '');
      const made = await page.attempt(() =>
        page.makeOnce<Client>('oauthClients.create', { name, client_type, redirect_uris: uris }),
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
      const made = await page.attempt(() => page.call<Client>('oauthClients.create', { metadata_url, ...port }));
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

function form(page: PageRequest, values: Readonly<Record<string, string>>, errors?: FieldErrors): PageAnswer {
  const types = clientTypes.map((value) => ({ value, label: typeWords[value] }));
  return settingsPage(
    page,
    '/agents/form',
    { values, errors, types, path, known: knownClients.map((client) => ({ ...client, host: hostOf(client.url) })) },
    { section: 'agents', title: 'Register a client', ...(errors ? { status: 422 } : {}) },
  );
}

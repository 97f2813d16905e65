import { clientTypes } from '../../../services/identity/oauth/clients';
import { knownClients } from '../../../services/identity/oauth/metadata';
import { agentShape, clientShape, createdClientShape } from '../../../services/identity/oauth/operations';
import type { FieldErrors } from '../../../core/http/errors';
import type { Answer, Wire } from '../../../core/http/shapes';
import { Filled } from '../filled';
import { Icon, type Html } from '../html';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { asking, Errors, Field, Form } from '../parts';
import { makeOne, readList, readOne } from '../typedCalls';
import { words } from '../words';
import { autonomyOptions } from './apiKeys';
import { sentBefore, settingsPage } from './settings';
import { Once } from '../formParts';
import { Actions, Head } from '../headParts';
import { Done, Facts, NextHead, Secret, Table, Told, type Column } from './settingsParts';
import { valueWord } from '../valueWord';

const { agents, common } = words;
const { clients: clientWords, disable, disconnect, readAgain, register } = agents;
const path = '/dashboard/agents/';
const scope = 'workspace.manage';
const section = 'agents';

type Agent = typeof agentShape extends Wire<infer T> ? Answer<T> : never;
type Client = typeof clientShape extends Wire<infer T> ? Answer<T> : never;
type CreatedClient = typeof createdClientShape extends Wire<infer T> ? Answer<T> : never;

/** Agents that members connected by OAuth, and the clients that may connect. */
export const agentPages = definePages([
  { method: 'GET', path, scope, run: listPage },
  {
    method: 'POST',
    path: `${path}:id/autonomy/`,
    scope,
    run: async (page) => {
      const { id } = page.params;
      await page.call('connectedAgents.update', { id, autonomy: page.form['autonomy'] });
      return page.redirect(path, { text: agents.levelSaved });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/disconnect/`,
    scope,
    confirm: disconnect.ask,
    run: async (page) => {
      await page.call('connectedAgents.disconnect', { id: page.params['id'] });
      return page.redirect(path, { text: disconnect.done });
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
      const given = { name, client_type, redirect_uris: uris };
      const made = await page.attempt(() => makeOne(page, createdClientShape, 'oauthClients.create', given));
      if ('errors' in made) return form(page, page.form, made.errors);
      return made.value ? madePage(page, made.value) : page.redirect(path, sentBefore());
    },
  },
  {
    method: 'POST',
    path: `${path}clients/by-document/`,
    scope,
    run: async (page) => {
      const { metadata_url, callback_port = '' } = page.form;
      const given = { metadata_url, ...(callback_port === '' ? {} : { callback_port }) };
      const made = await page.attempt(() => readOne(page, createdClientShape, 'oauthClients.create', given));
      if ('errors' in made) return form(page, { ...page.form, client_type: 'public' }, made.errors);
      return madePage(page, made.value);
    },
  },
  {
    method: 'POST',
    path: `${path}clients/:id/disable/`,
    scope,
    confirm: disable.ask,
    run: async (page) => {
      await page.call('oauthClients.disable', { id: page.params['id'] });
      return page.redirect(path, { text: disable.done });
    },
  },
]);

function hostOf(url: string): string {
  return /^https?:/.test(url) ? new URL(url).host : '';
}

async function listPage(page: PageRequest): Promise<PageAnswer> {
  const [found, clients] = await Promise.all([
    readList(page, agentShape, 'connectedAgents.list'),
    readList(page, clientShape, 'oauthClients.list'),
  ]);
  const { none } = agents;
  const parts = {
    address: <code>{`${page.ctx.runtime.config.baseUrl}/mcp`}</code>,
    guide: <a href="/docs/connect-an-agent">{none.guide}</a>,
  };
  const body = (
    <>
      <Head title={agents.connected} />
      {found.length === 0 && (
        <div class="panel panel-empty">
          <p>
            <strong>{none.lead}</strong> <Filled text={none.text} parts={parts} />
          </p>
        </div>
      )}
      {found.map((agent) => (
        <AgentPanel page={page} agent={agent} />
      ))}
      <NextHead title={clientWords.title}>
        {page.may('oauthClients.create') && (
          <a class="button" href={`${path}clients/new/`}>
            <Icon name="plus" />
            {register.title}
          </a>
        )}
      </NextHead>
      <p class="soft">{clientWords.about}</p>
      {clients.length > 0 ? (
        <Table
          label={clientWords.title}
          columns={columns()}
          items={clients}
          actions={(client) => <ClientWays page={page} client={client} />}
          row={({ disabled_at: disabledAt }) => ({ class: disabledAt === null ? undefined : 'row-off' })}
        />
      ) : (
        <p class="soft">{clientWords.none}</p>
      )}
    </>
  );
  return settingsPage(page, body, { section, title: agents.title });
}

function AgentPanel({ page, agent }: { readonly page: PageRequest; readonly agent: Agent }): Html {
  const { id, client_id: client, client_name: name, member, scopes, autonomy, last_used_at: used } = agent;
  const host = hostOf(client);
  const own = `${path}${id}/`;
  const ask = { ...disconnect.ask, title: disconnect.named(name) };
  return (
    <article class="panel" aria-labelledby={`agent-${id}`}>
      <header class="parked-head">
        <h2 id={`agent-${id}`}>
          <Icon name="bot" /> {name}
        </h2>
        {page.may('connectedAgents.disconnect') && (
          <Form action={`${own}disconnect/`} csrf={page.csrf} {...asking(ask)}>
            <button class="button button-small" type="submit">
              {disconnect.button}
              <span class="visually-hidden"> {name}</span>
            </button>
          </Form>
        )}
      </header>
      <p class="soft small">
        {host && `${host} · `}
        {agents.for(member.name || member.email)} {page.timePart(agent.created_at, 'day')} {'· '}
        {used === null ? (
          agents.noCall
        ) : (
          <>
            {agents.lastCall} {page.timePart(used, 'full')}
          </>
        )}
      </p>
      <p class="tag-row">
        {scopes.map((scopeName) => (
          <>
            <span class="tag">{scopeName}</span>{' '}
          </>
        ))}
      </p>
      <Form class="inline-form" action={`${own}autonomy/`} csrf={page.csrf}>
        <label class="label" for={`autonomy-${id}`}>
          {agents.autonomy}
        </label>
        <select
          class="input"
          id={`autonomy-${id}`}
          name="autonomy"
          data-submit=""
          disabled={!page.may('connectedAgents.update')}
        >
          {autonomyOptions().map(({ value, label }) => (
            <option value={value} selected={value === autonomy}>
              {label}
            </option>
          ))}
        </select>
        <button class="button button-small unscripted" type="submit">
          {common.save}
        </button>
      </Form>
    </article>
  );
}

const columns = (): readonly Column<Client>[] => [
  {
    label: clientWords.columns.name,
    show: ({ name, metadata_url: url, client_type: type }) => (
      <>
        <strong>{name}</strong>
        <br />
        <span class="soft small">{url === null ? valueWord(type) : hostOf(url)}</span>
      </>
    ),
  },
  { label: clientWords.columns.id, show: ({ client_id: id }) => <code class="break">{id}</code> },
  { label: clientWords.columns.uris, show: ({ redirect_uris: uris }) => <Uris uris={uris} /> },
];

function Uris({ uris }: { readonly uris: readonly string[] }): Html {
  return (
    <>
      {uris.map((uri) => (
        <div class="break">{uri}</div>
      ))}
    </>
  );
}

/** What can be done with a client. */
function ClientWays({ page, client }: { readonly page: PageRequest; readonly client: Client }): Html {
  const { id, name, metadata_url: url, redirect_uris: uris, disabled_at: disabledAt } = client;
  if (disabledAt !== null) return <span class="tag tag-bad">{clientWords.disabled}</span>;
  if (!page.may('oauthClients.disable')) return <></>;
  // The port that its document was registered with, to read it again.
  const port = uris.map((uri) => /^http:[/][/][^/]*:([0-9]+)/.exec(uri)?.[1]).find(Boolean) ?? '';
  const named = <span class="visually-hidden"> {name}</span>;
  const again = { title: readAgain.named(name), text: readAgain.text, button: readAgain.button };
  return (
    <>
      {url !== null && (
        <Form action={`${path}clients/by-document/`} csrf={page.csrf} {...asking(again)}>
          <input type="hidden" name="metadata_url" value={url} />
          <input type="hidden" name="callback_port" value={port} />
          <button class="button button-small" type="submit">
            {readAgain.button}
            {named}
          </button>
        </Form>
      )}
      <Form
        action={`${path}clients/${id}/disable/`}
        csrf={page.csrf}
        {...asking({ ...disable.ask, title: disable.named(name) })}
      >
        <button class="button button-small" type="submit">
          {disable.button}
          {named}
        </button>
      </Form>
    </>
  );
}

function form(page: PageRequest, values: Readonly<Record<string, string>>, errors?: FieldErrors): PageAnswer {
  const { document: own, hand } = register;
  const body = (
    <>
      <Head title={register.title} back={{ href: path, label: agents.title }} />
      <h2>{own.title}</h2>
      <p class="soft">{own.about}</p>
      <ul class="rows column">
        {knownClients.map(({ name, url, callbackPort }) => (
          <li class="row-item">
            <Form action={`${path}clients/by-document/`} csrf={page.csrf}>
              <input type="hidden" name="metadata_url" value={url} />
              {callbackPort && <input type="hidden" name="callback_port" value={callbackPort} />}
              <button class="button" type="submit">
                {own.named(name)}
              </button>{' '}
              <span class="soft small">
                {hostOf(url)} {callbackPort && own.port(callbackPort)}
              </span>
            </Form>
          </li>
        ))}
      </ul>
      <Form class="panel column" action={`${path}clients/by-document/`} csrf={page.csrf}>
        <Field
          name="metadata_url"
          {...own.fields.metadata_url}
          value={values['metadata_url']}
          errors={errors}
          required
        />
        <Field name="callback_port" {...own.fields.callback_port} value={values['callback_port']} errors={errors} />
        <div class="actions">
          <button class="button" type="submit">
            {own.button}
          </button>
        </div>
      </Form>
      <h2>{hand.title}</h2>
      <Form class="panel column" action={`${path}clients/new/`} csrf={page.csrf}>
        <Once />
        <Errors errors={errors} fields={['name', 'client_type', 'redirect_uris', 'metadata_url', 'callback_port']} />
        <Field
          name="name"
          {...hand.fields.name}
          value={values['name']}
          errors={errors}
          required
          attributes={{ maxlength: 255 }}
        />
        <Field
          name="redirect_uris"
          {...hand.fields.redirect_uris}
          type="textarea"
          value={values['redirect_uris']}
          errors={errors}
          required
        />
        <Field
          name="client_type"
          {...hand.fields.client_type}
          type="select"
          options={clientTypes.map((value) => ({ value, label: clientWords.types[value] }))}
          value={values['client_type']}
          errors={errors}
        />
        <Actions save={register.button} cancel={path} />
      </Form>
    </>
  );
  return settingsPage(page, body, { section, title: register.title, ...(errors ? { status: 422 } : {}) });
}

/** Shows a client that was registered, with its secret if it has one: this once. */
function madePage(page: PageRequest, client: CreatedClient): PageAnswer {
  const { done } = register;
  const facts = [
    [clientWords.columns.name, client.name],
    [clientWords.columns.id, <code class="break">{client.client_id}</code>],
    [clientWords.columns.uris, <Uris uris={client.redirect_uris} />],
  ] as const;
  const body = (
    <>
      <h1>{done.title}</h1>
      <Facts facts={facts} />
      {client.client_secret !== null && (
        <>
          <Told warns>{done.copy}</Told>
          <Secret label={done.secret} value={client.client_secret} />
        </>
      )}
      <Done href={path} text={done.button} />
    </>
  );
  return settingsPage(page, body, { section, title: done.title });
}

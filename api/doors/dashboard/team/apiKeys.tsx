import { autonomyLevels, keyScopes } from '../../../core/http/access';
import type { FieldErrors } from '../../../core/http/errors';
import type { Answer, Wire } from '../../../core/http/shapes';
import { momentOfLocal } from '../../../core/zones';
import { apiKeyShape, createdKeyShape } from '../../../services/identity/apiKeys/serializer';
import { getKey } from '../../../services/identity/apiKeys/service';
import type { Option } from '../fieldViews';
import { Filled } from '../filled';
import { Icon, type Html } from '../html';
import { loadMembers, memberNames } from '../lookups';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { Checks, Errors, Field, Form } from '../parts';
import { makeOne, readList } from '../typedCalls';
import { words } from '../words';
import { idOfPath, keptOf, madeBoxes } from './ownedByMember';
import { scopeBoxes, scopeWords } from './scopeBoxes';
import { sentBefore, settingsPage } from './settings';
import { Once } from '../formParts';
import { Actions, Head, NewLink } from '../headParts';
import { Done, Facts, Secret, Table, Told, type Column } from './settingsParts';
import { valueWord } from '../valueWord';

const { apiKeys, common } = words;
const { columns, fields, revoke } = apiKeys;
const path = '/dashboard/api-keys/';
const scope = 'workspace.manage';
const section = 'keys';
const back = () => ({ href: path, label: apiKeys.title });

/** What the levels mean, where one is chosen. */
export const autonomyOptions = (): readonly Option[] =>
  autonomyLevels.toReversed().map((value) => ({ value, label: apiKeys.levels[value] }));

type ApiKey = typeof apiKeyShape extends Wire<infer T> ? Answer<T> : never;
type CreatedKey = typeof createdKeyShape extends Wire<infer T> ? Answer<T> : never;

/** What the form holds. */
type Values = { readonly [name in keyof typeof fields]?: unknown } & { readonly scopes: readonly string[] };

/** API keys: list, create, revoke. */
export const apiKeyPages = definePages([
  { method: 'GET', path, scope, run: listPage },
  {
    method: 'GET',
    path: `${path}new/`,
    scope,
    run: (page) => Promise.resolve(form(page, { autonomy: 'autonomous', scopes: [] })),
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
      if (local && !expiresAt) return form(page, values, { expires_at: [apiKeys.noMoment] });
      const made = await page.attempt(() =>
        makeOne(page, createdKeyShape, 'apiKeys.create', {
          name,
          autonomy,
          scopes: values.scopes,
          expires_at: expiresAt?.toISOString(),
          allowed_addresses: allowed,
          notes: page.form['notes'] === 'true',
        }),
      );
      if ('errors' in made) return form(page, values, made.errors);
      return made.value ? madePage(page, made.value) : page.redirect(path, sentBefore());
    },
  },
  { method: 'GET', path: `${path}:id/revoke/`, scope, run: revokePage },
  {
    method: 'POST',
    path: `${path}:id/revoke/`,
    scope,
    run: async (page) => {
      await page.call('apiKeys.revoke', { id: page.params['id'], ...keptOf(page) });
      return page.redirect(path, { text: revoke.done });
    },
  },
]);

async function listPage(page: PageRequest): Promise<PageAnswer> {
  const [keys, members] = await Promise.all([readList(page, apiKeyShape, 'apiKeys.list'), loadMembers(page)]);
  const { empty } = apiKeys;
  const parts = { mcp: <code>/mcp</code>, reference: <a href="/docs/">{empty.reference}</a> };
  const actions = ({ id, name, revoked_at: revokedAt }: ApiKey): Html | null =>
    revokedAt === null && page.may('apiKeys.revoke') ? (
      <a class="button button-small" href={`${path}${id}/revoke/`}>
        {revoke.button}
        <span class="visually-hidden"> {name}</span>
      </a>
    ) : null;
  const body = (
    <>
      <Head title={apiKeys.title}>
        {page.may('apiKeys.create') && <NewLink href={`${path}new/`} text={apiKeys.new} />}
      </Head>
      {keys.length === 0 ? (
        <div class="empty">
          <Icon name="key-round" />
          <h2>{empty.title}</h2>
          <p>
            <Filled text={empty.text} parts={parts} />
          </p>
        </div>
      ) : (
        <Table
          label={apiKeys.title}
          columns={columnsFor(page, memberNames(members))}
          items={keys}
          actions={actions}
          row={(key) => ({ class: overOf(page, key) ? 'row-off' : undefined })}
        />
      )}
    </>
  );
  return settingsPage(page, body, { section, title: apiKeys.title });
}

/** Returns why a key no longer works; empty while it does. */
function overOf(page: PageRequest, { revoked_at: revokedAt, expires_at: expiresAt }: ApiKey): string {
  if (revokedAt !== null) return apiKeys.revoked;
  return expiresAt !== null && new Date(expiresAt) <= page.now ? apiKeys.expired : '';
}

function columnsFor(page: PageRequest, owners: ReadonlyMap<number, string>): readonly Column<ApiKey>[] {
  const moment = (at: string | null): Html =>
    at === null ? <span class="soft">{apiKeys.never}</span> : page.timePart(at, 'full');
  return [
    {
      label: columns.name,
      show: ({ name, prefix, member_id: member, created_at: at }) => (
        <>
          <strong>{name}</strong>
          <br />
          <code class="soft">{prefix}…</code>
          <br />
          <span class="soft small">
            {owners.get(member) ?? apiKeys.member(member)}, {page.timePart(at, 'day')}
          </span>
        </>
      ),
    },
    {
      label: columns.permissions,
      show: ({ scopes }) => (
        <details class="small">
          <summary>{apiKeys.permissions(scopes.length)}</summary>
          {scopeWords(...scopes)}
        </details>
      ),
    },
    {
      label: columns.autonomy,
      show: ({ autonomy, notes }) => (
        <>
          {valueWord(autonomy)}
          {notes && (
            <>
              <br />
              <span class="soft small">{apiKeys.notes}</span>
            </>
          )}
        </>
      ),
    },
    { label: columns.used, show: ({ last_used_at: used }) => moment(used) },
    {
      label: columns.expires,
      show: (key) => (
        <>
          {overOf(page, key) ? <span class="tag tag-bad">{overOf(page, key)}</span> : moment(key.expires_at)}
          {key.allowed_addresses.length > 0 && (
            <details class="small">
              <summary>{apiKeys.onlyFrom(key.allowed_addresses.length)}</summary>
              {key.allowed_addresses.join(', ')}
            </details>
          )}
        </>
      ),
    },
  ];
}

function form(page: PageRequest, values: Values, errors?: FieldErrors): PageAnswer {
  const body = (
    <>
      <Head title={apiKeys.newTitle} back={back()} />
      <p class="soft">{apiKeys.about}</p>
      <Form class="panel" action={`${path}new/`} csrf={page.csrf}>
        <Once />
        <Errors errors={errors} fields={Object.keys(fields)} />
        <Field
          name="name"
          {...fields.name}
          value={values.name}
          errors={errors}
          required
          attributes={{ maxlength: 255 }}
        />
        <Checks
          name="scopes"
          legend={fields.scopes.label}
          hint={fields.scopes.hint}
          options={scopeBoxes(keyScopes.filter((name) => page.can(name)))}
          values={values.scopes}
          errors={errors}
        />
        <Field
          name="autonomy"
          {...fields.autonomy}
          type="select"
          options={autonomyOptions()}
          value={values.autonomy}
          errors={errors}
        />
        <Field
          name="expires_at"
          {...fields.expires_at}
          hint={apiKeys.zone(page.workspace.timezone)}
          type="datetime-local"
          value={values.expires_at}
          errors={errors}
          optional
        />
        <Field
          name="allowed_addresses"
          {...fields.allowed_addresses}
          type="textarea"
          rows={3}
          value={values.allowed_addresses}
          errors={errors}
          optional
        />
        <Field name="notes" {...fields.notes} type="checkbox" value={values.notes} errors={errors} />
        <Actions save={apiKeys.create} cancel={path} />
      </Form>
    </>
  );
  return settingsPage(page, body, { section, title: apiKeys.newTitle, ...(errors ? { status: 422 } : {}) });
}

/** Shows a new key, this once. */
function madePage(page: PageRequest, { api_key: key, name, scopes, autonomy }: CreatedKey): PageAnswer {
  const { made } = apiKeys;
  const facts = [
    [columns.name, name],
    [columns.permissions, scopeWords(...scopes)],
    [columns.autonomy, autonomy],
  ] as const;
  const body = (
    <>
      <h1>{made.title}</h1>
      <Told warns>{made.copy}</Told>
      <Secret label={made.label} value={key} />
      <Facts facts={facts} />
      <Done href={path} text={made.copied} />
    </>
  );
  return settingsPage(page, body, { section, title: made.title });
}

async function revokePage(page: PageRequest): Promise<PageAnswer> {
  const id = idOfPath(page);
  const made = await madeBoxes(page, 'apiKeys.made', id);
  const { name } = await getKey(page.ctx, id);
  const body = (
    <>
      <Head title={revoke.named(name)} back={back()} />
      <p>{revoke.text}</p>
      <Form class="panel column" action={`${path}${id}/revoke/`} csrf={page.csrf}>
        {made}
        <div class="actions">
          <a class="button" href={path}>
            {common.cancel}
          </a>
          {page.may('apiKeys.revoke') && (
            <button class="button button-bad" type="submit">
              {revoke.button}
            </button>
          )}
        </div>
      </Form>
    </>
  );
  return settingsPage(page, body, { section, title: revoke.title });
}

import { memberScopes, allScopes, type Scope } from '../../../core/http/access';
import type { FieldErrors } from '../../../core/http/errors';
import type { Answer, Wire } from '../../../core/http/shapes';
import { hasFactor } from '../../../services/identity/factors/service';
import { linkShape } from '../../../services/identity/members/links';
import { teamMemberShape } from '../../../services/identity/members/serializer';
import { getMember, listMembers, memberRoles, type MemberRecord } from '../../../services/identity/members/service';
import { createdMemberShape } from '../../../services/processes/credentials/memberOperations';
import { Filled } from '../filled';
import { Icon, type Html } from '../html';
import { loadInboxes } from '../lookups';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { asking, Checks, Errors, Field, Form } from '../parts';
import { makeOne, readPage } from '../typedCalls';
import { words } from '../words';
import { idOfPath, keptOf, madeBoxes } from './ownedByMember';
import { scopeBoxes, usualScopes } from './scopeBoxes';
import { sentBefore, settingsPage } from './settings';
import { Once } from '../formParts';
import { Actions, Head, NewLink } from '../headParts';
import { Done, Secret, Table, Told, type Column } from './settingsParts';
import { valueWord } from '../valueWord';

const { members, common } = words;
const { fields, columns, link } = members;
const path = '/dashboard/members/';
const scope = 'workspace.manage';
const section = 'members';

type Member = typeof teamMemberShape extends Wire<infer T> ? Answer<T> : never;
type Link = typeof linkShape extends Wire<infer T> ? Answer<T> : never;

/** What a form holds. */
interface Values {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly role?: string | undefined;
  readonly permissions: readonly string[];
  readonly is_active?: unknown;
}

/** Members and what they may do. */
export const memberPages = definePages([
  { method: 'GET', path, scope: 'team.view', run: listPage },
  {
    method: 'GET',
    path: `${path}new/`,
    scope,
    run: (page) => form(page, null, { role: 'agent', permissions: [] }),
  },
  {
    method: 'POST',
    path: `${path}new/`,
    scope,
    run: async (page) => {
      const { email, name, role } = page.form;
      const permissions = page.all('permissions');
      const made = await page.attempt(() =>
        makeOne(page, createdMemberShape, 'teamMembers.create', { email, name: name || undefined, role, permissions }),
      );
      if ('errors' in made) return form(page, null, { email, name, role, permissions }, made.errors);
      return made.value ? showLink(page, link.added, made.value.link) : page.redirect(path, sentBefore());
    },
  },
  {
    method: 'POST',
    path: `${path}:id/link/`,
    scope,
    run: async (page) => {
      const made = await makeOne(page, linkShape, 'teamMembers.makeLink', { id: page.params['id'] });
      return made ? showLink(page, link.made, made) : page.redirect(path, sentBefore());
    },
  },
  {
    method: 'POST',
    path: `${path}:id/forget-factors/`,
    scope,
    confirm: members.factors.ask,
    run: async (page) => {
      await page.call('teamMembers.forgetFactors', { id: page.params['id'] });
      return page.redirect(path, { text: members.factors.removed });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/end-sessions/`,
    scope,
    confirm: members.sessions.ask,
    run: async (page) => {
      await page.call('teamMembers.endSessions', { id: page.params['id'] });
      return page.redirect(path, { text: members.sessions.ended });
    },
  },
  {
    method: 'GET',
    path: `${path}:id/`,
    scope,
    asksOnce: true,
    run: async (page) => {
      const member = await getMember(page.ctx, idOfPath(page));
      const { name, role, permissions, is_active } = member;
      return form(page, member, { name, role, permissions: memberScopes(role, permissions), is_active });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/`,
    scope,
    run: async (page) => {
      const { name, role, is_active = 'false', revoke_api_keys: revoke, disconnect_agents: part } = page.form;
      const permissions = page.all('permissions');
      const changed = await page.attempt(() =>
        page.call('teamMembers.update', {
          id: page.params['id'],
          name,
          role,
          is_active,
          ...(role === 'owner' ? {} : { permissions }),
          revoke_api_keys: revoke ?? 'false',
          disconnect_agents: part ?? 'false',
          ...keptOf(page),
        }),
      );
      if (!('errors' in changed)) return page.redirect(path, { text: members.saved });
      const member = await getMember(page.ctx, idOfPath(page));
      return form(page, member, { name, role, permissions, is_active }, changed.errors);
    },
  },
]);

async function listPage(page: PageRequest): Promise<PageAnswer> {
  const [{ items }, inboxes] = await Promise.all([
    readPage(page, teamMemberShape, 'teamMembers.list', { page_size: 200 }),
    loadInboxes(page),
  ]);
  const inboxNames = new Map(inboxes.map(({ id, name }) => [id, name]));
  const shown: readonly Column<Member>[] = [
    {
      label: columns.name,
      show: ({ id, name, email }) => (
        <>
          <strong>{name || email}</strong>
          {id === page.member.id && (
            <>
              {' '}
              <span class="tag">{members.you}</span>
            </>
          )}
          <br />
          <span class="soft break">{email}</span>
        </>
      ),
    },
    {
      label: columns.role,
      show: ({ role, is_active: isActive }) => (
        <>
          {valueWord(role)}
          {!isActive && (
            <>
              {' '}
              <span class="tag tag-bad">{members.inactive}</span>
            </>
          )}
        </>
      ),
    },
    {
      label: columns.inboxes,
      show: ({ team_inboxes: ids }) => ids.map((id) => inboxNames.get(id) ?? id).join(', ') || members.none,
    },
    { label: columns.since, show: ({ created_at: at }) => page.timePart(at, 'day') },
  ];
  const edit = ({ id, name, email }: Member): Html | null =>
    page.may('teamMembers.update') ? (
      <a class="button button-small" href={`${path}${id}/`}>
        {common.edit}
        <span class="visually-hidden"> {name || email}</span>
      </a>
    ) : null;
  const body = (
    <>
      <Head title={members.title}>
        {page.may('teamMembers.create') && <NewLink href={`${path}new/`} text={members.new} icon="user-plus" />}
      </Head>
      <Table
        label={members.title}
        columns={shown}
        items={items}
        actions={edit}
        row={({ is_active: isActive }) => ({ class: isActive ? undefined : 'row-off' })}
      />
    </>
  );
  return settingsPage(page, body, { section, title: members.title });
}

/** Shows the link of a member, this once. */
function showLink(page: PageRequest, title: string, { url, expires_at: expiresAt }: Link): PageAnswer {
  const parts = { until: page.timePart(expiresAt, 'full') };
  const body = (
    <>
      <h1>{title}</h1>
      <Told warns={url !== null}>
        <Filled text={url === null ? link.mailed : link.give} parts={parts} />
      </Told>
      {url !== null && <Secret label={link.label} value={url} />}
      <Done href={path} text={link.done} />
    </>
  );
  return settingsPage(page, body, { section, title });
}

/** A member whose permissions another one can get. */
interface Colleague {
  readonly id: number;
  readonly name: string;
  /** What they may do, of what the member who looks may give. */
  readonly scopes: readonly Scope[];
  readonly isCopied: boolean;
}

async function colleaguesOf(
  page: PageRequest,
  member: MemberRecord | null,
  grantable: readonly Scope[],
): Promise<readonly Colleague[]> {
  const { items } = await listMembers(page.ctx, { page_size: 200 });
  return items
    .filter(({ id, is_active }) => is_active && id !== member?.id)
    .map(({ id, name, email, role, permissions }) => ({
      id,
      name: name || email,
      scopes: memberScopes(role, permissions).filter((held) => grantable.includes(held)),
      isCopied: String(id) === page.query['copy'],
    }));
}

async function form(
  page: PageRequest,
  member: MemberRecord | null,
  { email, name, role, permissions, is_active: isActive }: Values,
  errors?: FieldErrors,
): Promise<PageAnswer> {
  const grantable = allScopes.filter((given) => page.can(given));
  const colleagues = await colleaguesOf(page, member, grantable);
  // Without scripts the page is asked for again, with the boxes of the one who was chosen.
  const copied = colleagues.find(({ isCopied }) => isCopied);
  const title = member ? members.one : members.new;
  const action = `${path}${member?.id ?? 'new'}/`;
  const made = member && (await madeBoxes(page, 'teamMembers.made', member.id));
  const mayLink = member?.is_active === true && page.may('teamMembers.makeLink');
  const mayForget = member !== null && page.member.role === 'owner' && (await hasFactor(page.ctx.runtime, member.id));
  const save = page.may('teamMembers.update') ? (member ? common.save : members.add) : null;
  const body = (
    <>
      <Head title={member ? member.name || member.email : title} back={{ href: path, label: members.title }} />
      <form id="copy-from" method="get" action={action}></form>
      <Form class="panel" action={action} csrf={page.csrf} data-unsaved={copied && ''}>
        <Once />
        <Errors errors={errors} fields={['email', 'name', 'role', 'permissions']} />
        {member ? (
          <p class="soft">{member.email}</p>
        ) : (
          <Field
            name="email"
            label={fields.email}
            type="email"
            value={email}
            errors={errors}
            required
            attributes={{ maxlength: 254, autocomplete: 'off' }}
          />
        )}
        <Field
          name="name"
          label={fields.name}
          value={name}
          errors={errors}
          optional={!member}
          attributes={{ maxlength: 255 }}
        />
        <Field
          name="role"
          label={fields.role}
          type="select"
          options={memberRoles.map((value) => ({ value, label: members.roles[value] }))}
          value={role}
          errors={errors}
        />
        <div class="field scripted-only">
          <label for="usual">{fields.usual}</label>
          <select id="usual" data-ticks="permissions">
            <option value="">{members.choose}</option>
            {usualScopes().map(({ value, label }) => (
              <option value={value}>{label}</option>
            ))}
          </select>
        </div>
        {colleagues.length > 0 && <CopyField colleagues={colleagues} />}
        <Checks
          name="permissions"
          legend={fields.permissions}
          options={scopeBoxes(grantable)}
          values={copied?.scopes ?? permissions}
          errors={errors}
          hint={members.permissionsHint}
        />
        {member ? (
          <>
            <Field name="is_active" label={fields.is_active} type="checkbox" value={isActive} errors={errors} />
            <fieldset>
              <legend class="label">{members.away}</legend>
              <Field name="revoke_api_keys" label={fields.revoke_api_keys} type="checkbox" errors={errors} />
              <Field name="disconnect_agents" label={fields.disconnect_agents} type="checkbox" errors={errors} />
              {made}
            </fieldset>
          </>
        ) : (
          <p class="hint">{members.linkHint}</p>
        )}
        <Actions save={save} cancel={path} />
      </Form>
      {mayLink && (
        <Form class="apart" action={`${action}link/`} csrf={page.csrf}>
          <Once />
          <button class="button" type="submit">
            <Icon name="link" />
            {link.make}
          </button>
        </Form>
      )}
      {mayLink && page.may('teamMembers.endSessions') && (
        <Form class="apart" action={`${action}end-sessions/`} csrf={page.csrf} {...asking(members.sessions.ask)}>
          <button class="button" type="submit">
            <Icon name="log-out" />
            {members.sessions.end}
          </button>
        </Form>
      )}
      {mayForget && page.may('teamMembers.forgetFactors') && (
        <Form
          class="apart"
          action={`${action}forget-factors/`}
          csrf={page.csrf}
          {...asking({ ...members.factors.ask, text: members.factors.askMore })}
        >
          <button class="button" type="submit">
            <Icon name="shield-check" />
            {members.factors.remove}
          </button>
        </Form>
      )}
    </>
  );
  return settingsPage(page, body, { section, title, ...(errors ? { status: 422 } : {}) });
}

function CopyField({ colleagues }: { readonly colleagues: readonly Colleague[] }): Html {
  return (
    <div class="field">
      <label for="copy">{fields.copy}</label>
      <select id="copy" name="copy" form="copy-from" data-ticks="permissions">
        <option value="">{members.chooseMember}</option>
        {colleagues.map(({ id, name, scopes, isCopied }) => (
          <option value={id} data-scopes={scopes.join(' ')} selected={isCopied}>
            {name}
          </option>
        ))}
      </select>
      <button class="button unscripted" type="submit" form="copy-from">
        {members.tickTheirs}
      </button>
    </div>
  );
}

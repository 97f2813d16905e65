import { cut } from '../../../core/text/cut';
import { signedOut } from '../account';
import type { FieldErrors } from '../../../core/http/errors';
import { factorShape } from '../../../services/identity/members/factorOperations';
import { passwordRule } from '../../../services/identity/members/passwordStrength';
import { sessionShape } from '../../../services/identity/members/sessionOperations';
import { listOwnEvents } from '../../../services/identity/audit/security';
import { rescuePath } from '../../../services/identity/securityLog/securityNotices';
import { passkeyHost } from '../../../services/identity/factors/passkeys';
import { Filled } from '../filled';
import { languageOptions } from '../forms';
import type { Html } from '../html';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { asking, Errors, Field, Form } from '../parts';
import { readList } from '../typedCalls';
import { refusalText } from '../refusals';
import { words } from '../words';
import { keptOf } from './ownedByMember';
import { notificationForms, type RefusedNotifications } from './notifications';
import { wordsOf } from './securityLog';
import { settingsPage } from './settings';
import { Once } from '../formParts';
import { NextHead } from './settingsParts';
import { valueWord } from '../valueWord';

const { account, common } = words;
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
      if (new_password !== again) return show(page, { again: [account.password.differ] });
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
      const { undo_send = 'false', opens_next = 'false', takes_answered = 'false', language } = page.form;
      const spoken = language === undefined ? {} : { language: language || null };
      await page.call('ownSettings.update', { undo_send, opens_next, takes_answered, ...spoken });
      return page.redirect(path, { text: account.saved });
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
      return page.redirect(path, { text: account.saved });
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
      return page.redirect(path, { text: account.sessions.othersEnded });
    },
  },
  {
    method: 'POST',
    path: `${path}sessions/:id/end/`,
    scope: null,
    run: async (page) => {
      await page.call('sessions.end', { id: page.params['id'] });
      return page.redirect(path, { text: account.sessions.ended });
    },
  },
]);

/** What a browser says of itself can be as long as it likes. */
const maxBrowserLetters = 120;

async function show(page: PageRequest, errors?: FieldErrors, refused?: RefusedNotifications): Promise<PageAnswer> {
  const { email, role } = page.member;
  const body = (
    <>
      <h1>{account.title}</h1>
      <p class="soft">
        {email} · {valueWord(role)}
      </p>
      <WritingForm page={page} />
      {await notificationForms(page, refused)}
      {await sessionRows(page)}
      {await factorRows(page)}
      {await eventRows(page)}
      <PasswordForm page={page} errors={errors} />
    </>
  );
  const status = errors || refused ? { status: 422 } : {};
  return settingsPage(page, body, { section: 'account', title: account.title, ...status });
}

function WritingForm({ page }: { readonly page: PageRequest }): Html {
  const { writing } = account;
  return (
    <>
      <NextHead title={writing.title} />
      <Form class="column" action={`${path}settings/`} csrf={page.csrf}>
        <Field
          name="language"
          label={writing.language}
          type="select"
          value={page.member.locale ?? ''}
          options={[{ value: '', label: writing.browser }, ...languageOptions()]}
        />
        <Field name="undo_send" label={writing.undo} type="checkbox" value={page.member.undo_send} />
        <Field name="opens_next" label={writing.next} type="checkbox" value={page.member.opens_next} />
        <Field name="takes_answered" label={writing.takes} type="checkbox" value={page.member.takes_answered} />
        {page.may('ownSettings.update') && (
          <div class="actions">
            <button class="button" type="submit">
              {common.save}
            </button>
          </div>
        )}
      </Form>
    </>
  );
}

async function sessionRows(page: PageRequest): Promise<Html> {
  const { sessions: own } = account;
  const sessions = await readList(page, sessionShape, 'sessions.list');
  return (
    <>
      <NextHead title={own.title}>
        {sessions.length > 1 && page.may('sessions.endAll') && (
          <Form action={`${path}sessions/end/`} csrf={page.csrf}>
            <button class="button button-small" type="submit">
              {own.endOthers}
            </button>
          </Form>
        )}
      </NextHead>
      <ul class="rows">
        {sessions.map(
          ({ id, user_agent: agent, created_at: since, last_used_at: used, address, is_current: isOwn }) => (
            <li class="row-item">
              <div>
                <strong class="break">{cut(agent, maxBrowserLetters) || own.unknown}</strong>
                <br />
                <span class="soft small">
                  <Filled
                    text={own.since}
                    parts={{ since: page.timePart(since, 'full'), used: page.timePart(used, 'full') }}
                  />
                  {address && ` · ${address}`}
                </span>
              </div>
              {isOwn ? (
                <span class="tag tag-good">{own.current}</span>
              ) : (
                page.may('sessions.end') && (
                  <Form action={`${path}sessions/${id}/end/`} csrf={page.csrf}>
                    <button class="button button-small" type="submit">
                      {own.end}
                      <span class="visually-hidden">{own.endSince(page.moment(since))}</span>
                    </button>
                  </Form>
                )
              )}
            </li>
          ),
        )}
      </ul>
    </>
  );
}

async function factorRows(page: PageRequest): Promise<Html> {
  const { factors: own } = account;
  const factors = await readList(page, factorShape, 'factors.list');
  const canPasskey = passkeyHost(page.ctx.runtime.config) !== null;
  return (
    <>
      <NextHead title={own.title} />
      <p class="soft">
        {own.about} {page.workspace.require_factor && own.demanded}
      </p>
      <ul class="rows">
        {factors.map(({ id, kind, name, codes_left: left, created_at: since, last_used_at: used }) => (
          <li class="row-item">
            <div>
              <strong>{name}</strong>
              <br />
              <span class="soft small">
                {left !== null && own.left(left)}
                {own.since} {page.timePart(since, 'day')}
                {used !== null && (
                  <>
                    {' '}
                    {own.used} {page.timePart(used, 'full')}
                  </>
                )}
              </span>
            </div>
            {kind !== 'recovery' && page.may('factors.remove') && (
              <Form action={`${path}factors/${id}/remove/`} csrf={page.csrf} {...asking(own.ask)}>
                <button class="button button-small" type="submit">
                  {own.remove}
                  <span class="visually-hidden"> {name}</span>
                </button>
              </Form>
            )}
          </li>
        ))}
      </ul>
      {page.may('factors.addTotp') && (
        <div class="actions">
          <a class="button" href={`${path}authenticator/`}>
            {own.addAuthenticator}
          </a>
          {canPasskey && (
            <a class="button" href={`${path}passkey/`}>
              {own.addPasskey}
            </a>
          )}
          {factors.length > 0 && (
            <Form action={`${path}recovery-codes/`} csrf={page.csrf}>
              <Once />
              <button class="button" type="submit">
                {own.newCodes}
              </button>
            </Form>
          )}
        </div>
      )}
    </>
  );
}

async function eventRows(page: PageRequest): Promise<Html> {
  const { events: own } = account;
  const events = await listOwnEvents(page.ctx);
  return (
    <>
      <NextHead title={own.title}>
        <a class="button button-small" href={rescuePath}>
          {own.rescue}
        </a>
      </NextHead>
      <ul class="rows">
        {events.map(({ action, by, address, created_at: at }) => (
          <li class="row-item">
            <div>
              <strong>{wordsOf(action)}</strong>
              <br />
              <span class="soft small">
                {page.timePart(at, 'full')}
                {by !== null && own.by(by || own.operator)}
                {address && ` · ${address}`}
              </span>
            </div>
          </li>
        ))}
        {events.length === 0 && <li class="row-item soft">{own.none}</li>}
      </ul>
    </>
  );
}

function PasswordForm({ page, errors }: { page: PageRequest; errors: FieldErrors | undefined }): Html {
  const { title, about, fields, change } = account.password;
  const password = (name: 'current_password' | 'new_password' | 'again') => ({
    name,
    label: fields[name],
    type: 'password',
    errors,
    required: true,
  });
  return (
    <>
      <NextHead title={title} />
      <Form class="column" action={`${path}password/`} csrf={page.csrf}>
        <p class="soft">{about}</p>
        <Errors errors={errors} fields={['current_password', 'new_password', 'again']} />
        <Field {...password('current_password')} attributes={{ autocomplete: 'current-password' }} />
        <Field
          {...password('new_password')}
          hint={refusalText(passwordRule)}
          attributes={{ autocomplete: 'new-password', minlength: 8 }}
        />
        <Field {...password('again')} attributes={{ autocomplete: 'new-password' }} />
        <Field name="revoke_api_keys" label={fields.revoke_api_keys} type="checkbox" />
        <Field name="stop_webhooks" label={fields.stop_webhooks} type="checkbox" value />
        <Field name="stop_broadcasts" label={fields.stop_broadcasts} type="checkbox" value />
        <Field name="disconnect_agents" label={fields.disconnect_agents} type="checkbox" />
        {page.may('password.change') && (
          <div class="actions">
            <button class="button button-main" type="submit">
              {change}
            </button>
          </div>
        )}
      </Form>
    </>
  );
}

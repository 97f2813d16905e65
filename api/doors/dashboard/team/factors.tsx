import type { FieldErrors } from '../../../core/http/errors';
import type { Answer, Wire } from '../../../core/http/shapes';
import { passkeyHost } from '../../../services/identity/factors/passkeys';
import { codesShape, totpStartShape } from '../../../services/identity/members/factorOperations';
import { Filled } from '../filled';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { Errors, Field, Form } from '../parts';
import { readPasskeyField } from '../reauthentication';
import { drawQrCode } from '../qrCode';
import { makeOne, readOne } from '../typedCalls';
import { words } from '../words';
import { sentBefore, settingsPage } from './settings';
import { Once } from '../formParts';
import { Actions, Head } from '../headParts';
import { Done, Told } from './settingsParts';

const { account, common } = words;
const path = '/dashboard/account/';
const section = 'account';
const back = () => ({ href: path, label: account.title });

type Added = typeof codesShape extends Wire<infer T> ? Answer<T> : never;

/** A member's own second factors. */
export const factorPages = definePages([
  { method: 'GET', path: `${path}authenticator/`, scope: null, run: (page) => showAuthenticator(page) },
  {
    method: 'POST',
    path: `${path}authenticator/`,
    scope: null,
    run: async (page) => {
      const { enrolment, code, name } = page.form;
      const added = await page.attempt(() => makeOne(page, codesShape, 'factors.addTotp', { enrolment, code, name }));
      if ('errors' in added) return showAuthenticator(page, added.errors);
      return showAdded(page, added.value, account.authenticator.added);
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
      const added = await page.attempt(() => makeOne(page, codesShape, 'factors.addPasskey', given));
      if ('errors' in added) return showPasskey(page, added.errors);
      return showAdded(page, added.value, account.passkey.added);
    },
  },
  {
    method: 'POST',
    path: `${path}recovery-codes/`,
    scope: null,
    run: async (page) => showAdded(page, await makeOne(page, codesShape, 'factors.renewCodes', {}), ''),
  },
  {
    method: 'POST',
    path: `${path}factors/:id/remove/`,
    scope: null,
    confirm: account.factors.ask,
    run: async (page) => {
      await page.call('factors.remove', { id: page.params['id'] });
      return page.redirect(path, { text: account.factors.removed });
    },
  },
]);

async function showAuthenticator(page: PageRequest, errors?: FieldErrors): Promise<PageAnswer> {
  const { uri, secret, enrolment } = await readOne(page, totpStartShape, 'factors.startTotp');
  const { title, about, type, fields, add } = account.authenticator;
  const body = (
    <>
      <Head title={title} back={back()} />
      <p class="soft">{about}</p>
      {await drawQrCode(uri)}
      <p class="hint">
        <Filled text={type} parts={{ secret: <code class="break">{secret}</code> }} />
      </p>
      <Form class="panel column" action={`${path}authenticator/`} csrf={page.csrf}>
        <Once />
        <input type="hidden" name="enrolment" value={enrolment} />
        <Errors errors={errors} fields={['code', 'name']} />
        <Field
          name="code"
          label={fields.code}
          errors={errors}
          required
          attributes={{ autocomplete: 'one-time-code', inputmode: 'numeric', maxlength: 20 }}
        />
        <Field
          name="name"
          label={fields.name}
          value={page.form['name'] ?? title}
          errors={errors}
          required
          attributes={{ maxlength: 64 }}
        />
        <Actions save={page.may('factors.addTotp') ? add : null} cancel={path} />
      </Form>
    </>
  );
  return settingsPage(page, body, { section, title, ...(errors ? { status: 422 } : {}) });
}

async function showPasskey(page: PageRequest, errors?: FieldErrors): Promise<PageAnswer> {
  const { title, about, impossible, name, make } = account.passkey;
  const isPossible = passkeyHost(page.ctx.runtime.config) !== null;
  const making = isPossible ? JSON.stringify(await page.call('factors.startPasskey')) : null;
  const body = (
    <>
      <Head title={title} back={back()} />
      <p class={making === null ? undefined : 'soft'}>{making === null ? impossible : about}</p>
      {making !== null && (
        <Form class="panel column" action={`${path}passkey/`} csrf={page.csrf}>
          <Once />
          <input type="hidden" name="passkey" data-passkey-answer="" />
          <Errors errors={errors} fields={['name']} />
          <Field
            name="name"
            label={name}
            value={page.form['name'] ?? title}
            errors={errors}
            required
            attributes={{ maxlength: 64 }}
          />
          <div class="actions">
            {page.may('factors.addPasskey') && (
              <button class="button button-main" type="button" data-passkey={making} data-making="">
                {make}
              </button>
            )}
            <a class="button" href={path}>
              {common.cancel}
            </a>
          </div>
        </Form>
      )}
    </>
  );
  const status = errors ? { status: 422 } : {};
  return settingsPage(page, body, { section, title, scripts: ['passkey.js'], ...status });
}

/** Shows the recovery codes of a first factor, this once. */
function showAdded(page: PageRequest, added: Added | null, text: string): PageAnswer {
  if (!added) return page.redirect(path, sentBefore());
  if (!added.recovery_codes) return page.redirect(path, { text });
  const { codes } = account;
  const body = (
    <>
      <h1>{codes.title}</h1>
      <Told warns>{codes.about}</Told>
      <ul class="codes">
        {added.recovery_codes.map((code) => (
          <li>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <Done href={path} text={codes.kept} />
    </>
  );
  return settingsPage(page, body, { section, title: codes.head });
}

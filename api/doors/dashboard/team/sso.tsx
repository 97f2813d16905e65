import { allScopes } from '../../../core/http/access';
import type { FieldErrors } from '../../../core/http/errors';
import type { Answer, Wire } from '../../../core/http/shapes';
import { ssoShape } from '../../../services/identity/sso/operations';
import { Filled } from '../filled';
import type { Html } from '../html';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { Checks, Errors, Field, Form } from '../parts';
import { readOne } from '../typedCalls';
import { words } from '../words';
import { scopeBoxes } from './scopeBoxes';
import { settingsPage } from './settings';

const { sso, common } = words;
const { fields, roles } = sso;
const path = '/dashboard/sso/';
const scope = 'workspace.manage';

type Sso = typeof ssoShape extends Wire<infer T> ? Answer<T> : never;

/** What the form holds beside the secret. */
type Values = { readonly [name in keyof typeof fields]?: unknown } & Pick<Sso, 'new_member_permissions'>;

/** How the workspace signs in by its company's provider. */
export const ssoPages = definePages([
  {
    method: 'GET',
    path,
    scope,
    run: async (page) => {
      const known = await readOne(page, ssoShape, 'sso.get');
      return show(page, known, known);
    },
  },
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
      if (!('errors' in saved)) return page.redirect(path, { text: sso.saved });
      const values = { ...page.form, new_member_permissions: permissions };
      return show(page, await readOne(page, ssoShape, 'sso.get'), values, saved.errors);
    },
  },
]);

function show(page: PageRequest, known: Sso, values: Values, errors?: FieldErrors): PageAnswer {
  const body = (
    <>
      <h1>{sso.title}</h1>
      {known.domain === null ? (
        <p class="soft">{sso.noDomain}</p>
      ) : (
        <SsoForm page={page} known={known} domain={known.domain} values={values} errors={errors} />
      )}
    </>
  );
  return settingsPage(page, body, { section: 'sso', title: sso.title, ...(errors ? { status: 422 } : {}) });
}

interface FormGiven {
  readonly page: PageRequest;
  readonly known: Sso;
  readonly domain: string;
  readonly values: Values;
  readonly errors: FieldErrors | undefined;
}

function SsoForm({ page, known, domain, values, errors }: FormGiven): Html {
  const maySave = page.member.role === 'owner' && page.may('sso.update');
  const parts = { domain: <strong>{domain}</strong>, address: <code class="break">{known.redirect_uri}</code> };
  const choices = [
    { value: '', label: roles.nobody },
    { value: 'agent', label: roles.agent },
    { value: 'admin', label: roles.admin },
  ];
  return (
    <>
      <p class="soft">
        <Filled text={sso.domain} parts={parts} />
      </p>
      {!maySave && <p class="soft">{sso.onlyOwners}</p>}
      <Form class="column" action={path} csrf={page.csrf}>
        <Errors
          errors={errors}
          fields={['issuer', 'client_id', 'client_secret', 'new_member_role', 'new_member_permissions']}
        />
        <Field
          name="issuer"
          {...fields.issuer}
          type="url"
          value={values.issuer}
          errors={errors}
          optional
          attributes={{ maxlength: 512, autocomplete: 'off' }}
        />
        <Field
          name="client_id"
          {...fields.client_id}
          value={values.client_id}
          errors={errors}
          attributes={{ maxlength: 255, autocomplete: 'off' }}
        />
        <Field
          name="client_secret"
          {...fields.client_secret}
          type="password"
          errors={errors}
          optional
          hint={known.has_client_secret ? sso.secretKept : sso.noSecret}
          attributes={{ maxlength: 1024, autocomplete: 'off' }}
        />
        <Field
          name="new_member_role"
          {...fields.new_member_role}
          type="select"
          options={choices}
          value={values.new_member_role}
          errors={errors}
        />
        <Checks
          name="new_member_permissions"
          legend={fields.new_member_permissions.label}
          options={scopeBoxes(allScopes)}
          values={values.new_member_permissions}
          errors={errors}
        />
        <Field name="require_sso" {...fields.require_sso} type="checkbox" value={values.require_sso} errors={errors} />
        <Field
          name="require_factor_for_sso"
          {...fields.require_factor_for_sso}
          type="checkbox"
          value={values.require_factor_for_sso}
          errors={errors}
        />
        {maySave && (
          <div class="actions">
            <button class="button button-main" type="submit">
              {common.save}
            </button>
          </div>
        )}
      </Form>
    </>
  );
}

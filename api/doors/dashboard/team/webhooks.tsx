import { allScopes } from '../../../core/http/access';
import type { FieldErrors } from '../../../core/http/errors';
import type { Answer, Wire } from '../../../core/http/shapes';
import { choiceLabel } from '../../../services/resources/tickets/values';
import { allEvents, webhookEventTypes } from '../../../services/resources/webhooks/eventTypes';
import { webhookShape, webhookWithSecretShape } from '../../../services/resources/webhooks/serializer';
import { Filled } from '../filled';
import type { Html } from '../html';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { Checks, Empty, Errors, Field, Form, Tag } from '../parts';
import { makeOne, readList, readOne } from '../typedCalls';
import { words } from '../words';
import { scopeBoxes } from './scopeBoxes';
import { sentBefore, settingsPage } from './settings';
import { Once } from '../formParts';
import { Actions, Head, NewLink } from '../headParts';
import { Done, Facts, Secret, Told } from './settingsParts';
import { webhookLogPages } from './webhookLog';
import { eventsText, loadWebhook, stateOf, webhooksPath as path, webhookPage, type Webhook } from './webhookPage';

const { webhooks, common } = words;
const { fields, secret, activate, deactivate, delete: removal } = webhooks;
const scope = 'webhook.manage';
const section = 'webhooks';

type Made = typeof webhookWithSecretShape extends Wire<infer T> ? Answer<T> : never;
type Values = Pick<Webhook, keyof typeof fields>;

/** Subscriptions to events: list, create, change, rotate the secret, switch off and on, delete; with their log. */
export const webhookPages = definePages([
  { method: 'GET', path, scope, run: listPage },
  {
    method: 'GET',
    path: `${path}new/`,
    scope,
    run: (page) => Promise.resolve(form(page, null, { url: '', description: '', events: [], scopes: [] })),
  },
  {
    method: 'POST',
    path: `${path}new/`,
    scope,
    run: async (page) => {
      const values = valuesOf(page);
      const made = await page.attempt(() => makeOne(page, webhookWithSecretShape, 'webhooks.create', { ...values }));
      if ('errors' in made) return form(page, null, values, made.errors);
      return made.value ? secretPage(page, made.value, webhooks.made) : page.redirect(path, sentBefore());
    },
  },
  {
    method: 'GET',
    path: `${path}:id/edit/`,
    scope,
    run: async (page) => {
      const webhook = await loadWebhook(page);
      return form(page, webhook, webhook);
    },
  },
  {
    method: 'POST',
    path: `${path}:id/edit/`,
    scope,
    run: async (page) => {
      const values = valuesOf(page);
      const saved = await page.attempt(() => update(page, { ...values }));
      if ('errors' in saved) return form(page, await loadWebhook(page), values, saved.errors);
      return page.redirect(`${path}${saved.value.id}/`, { text: webhooks.saved });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/rotate/`,
    scope,
    confirm: secret.ask,
    run: async (page) => {
      const given = { id: page.params['id'] };
      const rotated = await page.attempt(() => makeOne(page, webhookWithSecretShape, 'webhooks.rotateSecret', given));
      if ('errors' in rotated) return webhookPage(page, rotated.errors);
      return rotated.value ? secretPage(page, rotated.value, secret.made) : page.redirect(path, sentBefore());
    },
  },
  {
    method: 'POST',
    path: `${path}:id/activate/`,
    scope,
    run: (page) => change(page, { is_active: true }, activate.done),
  },
  {
    method: 'POST',
    path: `${path}:id/deactivate/`,
    scope,
    confirm: deactivate.ask,
    run: (page) => change(page, { is_active: false }, deactivate.done),
  },
  {
    method: 'POST',
    path: `${path}:id/delete/`,
    scope,
    confirm: removal.ask,
    run: async (page) => {
      const gone = await page.attempt(() => page.call('webhooks.delete', { id: page.params['id'] }));
      if ('errors' in gone) return webhookPage(page, gone.errors);
      return page.redirect(path, { text: removal.done });
    },
  },
  ...webhookLogPages,
]);

const update = (page: PageRequest, values: object): Promise<Webhook> =>
  readOne(page, webhookShape, 'webhooks.update', { id: page.params['id'], ...values });

async function change(page: PageRequest, values: object, text: string): Promise<PageAnswer> {
  const saved = await page.attempt(() => update(page, values));
  if ('errors' in saved) return webhookPage(page, saved.errors);
  return page.redirect(`${path}${saved.value.id}/`, { text });
}

async function listPage(page: PageRequest): Promise<PageAnswer> {
  const found = await readList(page, webhookShape, 'webhooks.list');
  const body = (
    <>
      <Head title={webhooks.title}>
        {page.may('webhooks.create') && <NewLink href={`${path}new/`} text={webhooks.new} />}
      </Head>
      <p class="soft">
        <Filled text={webhooks.about} parts={{ reference: <a href="/docs/">{webhooks.reference}</a> }} />
      </p>
      {found.length === 0 ? (
        <Empty icon="webhook" {...webhooks.empty} />
      ) : (
        <ul class="rows">
          {found.map((webhook) => (
            <WebhookRow page={page} webhook={webhook} />
          ))}
        </ul>
      )}
    </>
  );
  return settingsPage(page, body, { section, title: webhooks.title });
}

function WebhookRow({ page, webhook }: { readonly page: PageRequest; readonly webhook: Webhook }): Html {
  const { id, url, description, events, failing_since: failing } = webhook;
  const some = events.length === 1 ? eventsText(webhook) : webhooks.kinds(events.length);
  const asked = events.includes(allEvents) ? webhooks.allEvents : some;
  return (
    <li class="row-item">
      <div>
        <a href={`${path}${id}/`}>
          <strong>{url}</strong>
        </a>
        <br />
        <span class="soft small">
          {description && `${description} · `}
          {asked}
          {failing !== null && (
            <>
              {' '}
              {webhooks.failing} {page.timePart(failing, 'full')}
            </>
          )}
        </span>
      </div>
      <Tag {...stateOf(webhook)} />
    </li>
  );
}

function secretPage(page: PageRequest, webhook: Made, title: string): PageAnswer {
  const facts = [
    [webhooks.facts.address, webhook.url],
    [webhooks.facts.events, eventsText(webhook)],
  ] as const;
  const body = (
    <>
      <h1>{title}</h1>
      <Told warns>{secret.copy}</Told>
      <Secret label={secret.label} value={webhook.secret} />
      <Facts facts={facts} />
      <Done href={`${path}${webhook.id}/`} text={secret.copied} />
    </>
  );
  return settingsPage(page, body, { section, title });
}

function valuesOf(page: PageRequest): Values {
  const { url = '', description = '' } = page.form;
  const events = page.all('events');
  // "All" makes the others needless.
  return { url, description, events: events.includes(allEvents) ? [allEvents] : events, scopes: page.all('scopes') };
}

function form(page: PageRequest, webhook: Webhook | null, values: Values, errors?: FieldErrors): PageAnswer {
  const events = [
    { value: allEvents, ...webhooks.everything },
    ...webhookEventTypes.map((value) => ({
      value,
      label: webhooks.names[value],
      detail: value,
      group: choiceLabel(value.split('.')[0] ?? ''),
    })),
  ];
  const back = webhook
    ? { href: `${path}${webhook.id}/`, label: webhooks.subscription }
    : { href: path, label: webhooks.title };
  const body = (
    <>
      <Head title={webhook ? webhooks.change : webhooks.new} back={back} />
      <Form class="panel" action={webhook ? `${path}${webhook.id}/edit/` : `${path}new/`} csrf={page.csrf}>
        <Once />
        <Errors errors={errors} fields={['url', 'description', 'events', 'scopes']} />
        <Field
          name="url"
          {...fields.url}
          type="url"
          value={values.url}
          errors={errors}
          required
          attributes={{ maxlength: 2048, placeholder: 'https://example.com/hooks/msgdesk', autocomplete: 'off' }}
        />
        <Field
          name="description"
          {...fields.description}
          value={values.description}
          errors={errors}
          optional
          attributes={{ maxlength: 255 }}
        />
        <Checks name="events" legend={fields.events.label} options={events} values={values.events} errors={errors} />
        <Checks
          name="scopes"
          legend={fields.scopes.label}
          hint={fields.scopes.hint}
          options={scopeBoxes(allScopes.filter((name) => page.can(name)))}
          values={values.scopes}
          errors={errors}
        />
        <Actions save={webhook ? common.save : common.create} cancel={back.href} />
      </Form>
    </>
  );
  const title = webhook ? webhooks.one : webhooks.new;
  return settingsPage(page, body, { section, title, ...(errors ? { status: 422 } : {}) });
}

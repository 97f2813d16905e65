import type { FieldErrors } from '../../../core/http/errors';
import type { Page } from '../../../core/http/operations';
import type { Answer, Wire } from '../../../core/http/shapes';
import {
  allEvents,
  deliveryStates,
  testEventType,
  webhookEventTypes,
} from '../../../services/resources/webhooks/eventTypes';
import { deliveryShape, webhookShape } from '../../../services/resources/webhooks/serializer';
import { localOf } from '../../../core/zones';
import { optionsOf, pagerView, statusTag, type TagView } from '../fieldViews';
import { Filled } from '../filled';
import { Icon, type Html } from '../html';
import type { PageAnswer, PageRequest } from '../page';
import { asking, Errors, Field, Form, Pager, Tag } from '../parts';
import { readOne, readPage } from '../typedCalls';
import { words } from '../words';
import { scopeWords } from './scopeBoxes';
import { settingsPage } from './settings';
import { Once } from '../formParts';
import { Head } from '../headParts';
import { Facts, NextHead, Table, type Column } from './settingsParts';
import { valueWord } from '../valueWord';

const { webhooks } = words;
const { log } = webhooks;

export const webhooksPath = '/dashboard/webhooks/';

/** A subscription. */
export type Webhook = typeof webhookShape extends Wire<infer T> ? Answer<T> : never;
type Delivery = typeof deliveryShape extends Wire<infer T> ? Answer<T> : never;

/** Returns whether a subscription sends, and whether what it sends arrives. */
export function stateOf({ disabled_at: disabledAt, is_active: isActive, failing_since: failing }: Webhook): TagView {
  const { states } = webhooks;
  if (disabledAt !== null) return { text: states.disabled, style: 'tag-bad' };
  if (!isActive) return { text: states.inactive, style: '' };
  return failing === null ? { text: states.active, style: 'tag-good' } : { text: states.failing, style: 'tag-warn' };
}

/** Returns what a subscription asks for, in words. */
export function eventsText({ events }: Pick<Webhook, 'events'>): string {
  return events.includes(allEvents) ? webhooks.facts.all : events.map(eventName).join(' · ');
}

/** Returns what a type of event says, in words. */
function eventName(type: string): string {
  const names: Readonly<Record<string, string>> = webhooks.names;
  return names[type] ?? type;
}

/** The log looks for news by itself while something is due this soon. */
const soonMs = 2 * 60_000;
const dayMs = 86_400_000;

/** Returns the subscription that the path names. */
export function loadWebhook(page: PageRequest): Promise<Webhook> {
  return readOne(page, webhookShape, 'webhooks.get', { id: page.params['id'] });
}

/** Answers with a subscription and the log of its deliveries; only the log where the page asks for it. */
export async function webhookPage(page: PageRequest, errors?: FieldErrors): Promise<PageAnswer> {
  const webhook = await loadWebhook(page);
  const { status, event, cursor, page: number } = page.query;
  const asked = { id: webhook.id, page_size: 25, status, event, cursor, page: number };
  const read = await page.attempt(() => readPage(page, deliveryShape, 'webhooks.deliveries', asked));
  const list = 'value' in read ? read.value : { items: [], count: 0, next: null, previous: null };
  const deliveries = <Deliveries page={page} webhook={webhook} list={list} />;
  if (page.isPartial) return page.part(deliveries);
  const refused = errors ?? ('errors' in read ? read.errors : undefined);
  const { id, description, scopes, autonomy } = webhook;
  const own = `${webhooksPath}${id}/`;
  const { facts: names } = webhooks;
  const facts = [
    [names.address, webhook.url],
    [names.state, <Tag {...stateOf(webhook)} />],
    [names.events, eventsText(webhook)],
    [names.answers, scopes.length > 0 ? `${scopeWords(...scopes)} (${valueWord(autonomy)})` : names.nothing],
    [names.made, page.timePart(webhook.created_at, 'full')],
  ] as const;
  const body = (
    <>
      <Head title={description || webhooks.one} back={{ href: webhooksPath, label: webhooks.title }}>
        {page.may('webhooks.update') && (
          <>
            <a class="button" href={`${own}edit/`}>
              <Icon name="pencil" />
              {words.common.edit}
            </a>
            <Form action={`${own}test/`} csrf={page.csrf}>
              <button class="button" type="submit">
                <Icon name="send" />
                {webhooks.test.button}
              </button>
            </Form>
          </>
        )}
      </Head>
      <Errors errors={refused} fields={['from', 'to']} />
      <StateNote page={page} webhook={webhook} />
      <Facts facts={facts} />
      <NextHead title={log.title} id="log-title" />
      <LogFilters page={page} path={own} errors={refused} />
      {deliveries}
      {page.may('webhooks.replay') && <Replay page={page} webhook={webhook} path={own} errors={refused} />}
      {page.may('webhooks.update') && <Ways page={page} webhook={webhook} path={own} />}
    </>
  );
  const settings = { section: 'webhooks', title: webhooks.one } as const;
  return settingsPage(page, body, errors ? { ...settings, status: 422 } : settings);
}

interface Given {
  readonly page: PageRequest;
  readonly webhook: Webhook;
}
interface PlacedGiven extends Given {
  readonly path: string;
}

/** What is wrong with it, and what can be done about that. */
function StateNote({ page, webhook }: Given): Html {
  const { notes } = webhooks;
  const since = (text: string, at: string): Html => (
    <strong>
      <Filled text={text} parts={{ at: page.timePart(at, 'full') }} />
    </strong>
  );
  if (webhook.disabled_at !== null)
    return (
      <div class="note note-bad">
        <p>
          {since(notes.disabled, webhook.disabled_at)} {webhook.disabled_reason} {notes.mend}
        </p>
      </div>
    );
  if (!webhook.is_active)
    return (
      <div class="note note-warn">
        <p>{notes.inactive}</p>
      </div>
    );
  if (webhook.failing_since === null) return <></>;
  return (
    <div class="note note-warn">
      <p>
        {since(notes.failing, webhook.failing_since)} {notes.tries}
      </p>
    </div>
  );
}

interface FiltersGiven {
  readonly page: PageRequest;
  readonly path: string;
  readonly errors: FieldErrors | undefined;
}

function LogFilters({ page, path, errors }: FiltersGiven): Html {
  const { filters } = log;
  const { status, event } = page.query;
  const choices = (all: string, values: readonly string[]) =>
    optionsOf([['', all], ...values.map((value) => [value, eventName(value)] as const)]);
  return (
    <form class="filter-form" method="get" action={path} role="search" aria-labelledby="log-title">
      <Field
        name="status"
        label={filters.status}
        type="select"
        options={optionsOf([
          ['', filters.anyState],
          ...deliveryStates.map((value) => [value, valueWord(value)] as const),
        ])}
        value={status}
        errors={errors}
        attributes={{ 'data-submit': '' }}
      />
      <Field
        name="event"
        label={filters.event}
        type="select"
        options={choices(filters.anyEvent, [...webhookEventTypes, testEventType])}
        value={event}
        errors={errors}
        attributes={{ 'data-submit': '' }}
      />
      <button class="button unscripted" type="submit">
        {filters.filter}
      </button>
    </form>
  );
}

/** The log, which asks for itself anew while a delivery is due soon: not all day for one that is due tomorrow. */
function Deliveries({ page, webhook, list }: Given & { readonly list: Page<Delivery> | NoPage }): Html {
  const { status, event, cursor, page: number } = page.query;
  const own = `${webhooksPath}${webhook.id}/`;
  const follows = list.items.some((item) => item.status === 'pending' && isSoon(page, item.next_attempt_at));
  const following = follows
    ? {
        'hx-get': page.link(own, { status, event, cursor, page: number }),
        'hx-trigger': 'every 3s',
        'hx-swap': 'morph:outerHTML',
      }
    : {};
  return (
    <section id="deliveries" aria-label={log.label} {...following}>
      {list.items.length > 0 ? (
        <Table
          label={log.title}
          columns={columnsFor(page)}
          items={list.items}
          actions={(item) => <Again page={page} webhook={webhook} item={item} />}
          row={({ id }) => ({ id: `delivery-${id}` })}
        />
      ) : status || event ? (
        <p class="soft">
          {log.none} <a href={own}>{log.all}</a>
        </p>
      ) : (
        <p class="soft">{log.empty}</p>
      )}
      <Pager pager={pagerView(list, own, { status, event })} />
    </section>
  );
}

type NoPage = Parameters<typeof pagerView>[0] & { readonly items: readonly Delivery[] };

function columnsFor(page: PageRequest): readonly Column<Delivery>[] {
  const { columns } = log;
  return [
    { label: columns.when, class: 'whole-wide', show: ({ created_at: at }) => page.timePart(at, 'full') },
    {
      label: columns.event,
      show: ({ id, type, event_id: event }) => (
        <>
          {eventName(type)}
          <details class="small" id={`delivery-${id}-event`}>
            <summary id={`delivery-${id}-event-name`}>{log.id}</summary>
            <span class="break">{event}</span>
          </details>
        </>
      ),
    },
    {
      label: columns.state,
      class: 'whole-wide',
      show: ({ status, attempts, next_attempt_at: next }) => (
        <>
          <Tag {...statusTag(status)} />
          <br />
          <span class="soft small">
            {log.attempts(attempts)}
            {status === 'pending' && next !== null && (
              <>
                {' '}
                {log.next} {page.timePart(next, 'full')}
              </>
            )}
          </span>
        </>
      ),
    },
    {
      label: columns.answer,
      show: ({ id, last_status_code: code, last_error: error, actions }) => (
        <>
          {code !== null && <code>{code}</code>} <span class="break">{error}</span>
          {code === null && !error && <span class="soft">{log.noAnswer}</span>}
          {Boolean(actions) && (
            <details class="small" id={`delivery-${id}-actions`}>
              <summary id={`delivery-${id}-actions-name`}>{log.actions}</summary>
              <pre class="code">{JSON.stringify(actions, null, 2)}</pre>
            </details>
          )}
        </>
      ),
    },
  ];
}

function Again({ page, webhook, item }: Given & { readonly item: Delivery }): Html {
  if (item.status === 'pending' || !webhook.is_active || !page.may('webhooks.redeliver')) return <></>;
  return (
    <Form action={`${webhooksPath}${webhook.id}/deliveries/${item.id}/redeliver/`} csrf={page.csrf}>
      <button class="button button-small" id={`delivery-${item.id}-again`} type="submit">
        {log.again}
        <span class="visually-hidden">{log.ofType(item.type, page.moment(item.created_at))}</span>
      </button>
    </Form>
  );
}

function Replay({ page, webhook, path, errors }: PlacedGiven & { readonly errors: FieldErrors | undefined }): Html {
  const { replay } = webhooks;
  const zone = page.workspace.timezone;
  const usual = localOf(new Date(page.now.getTime() - dayMs), zone);
  return (
    <section class="apart" aria-labelledby="replay-title">
      <h2 id="replay-title">{replay.title}</h2>
      {webhook.is_active ? (
        <>
          <p class="soft">{replay.about}</p>
          <Form action={`${path}replay/`} csrf={page.csrf}>
            <div class="pair">
              <Field
                name="from"
                {...replay.fields.from}
                hint={replay.zone(zone)}
                type="datetime-local"
                value={page.form['from'] ?? usual}
                errors={errors}
                required
              />
              <Field
                name="to"
                {...replay.fields.to}
                type="datetime-local"
                value={page.form['to'] ?? ''}
                errors={errors}
                optional
              />
            </div>
            <button class="button" type="submit">
              <Icon name="play" />
              {replay.title}
            </button>
          </Form>
        </>
      ) : (
        <p class="soft">{replay.activateFirst}</p>
      )}
    </section>
  );
}

/** What can be done with a subscription as a whole. */
function Ways({ page, webhook, path }: PlacedGiven): Html {
  const { secret, activate, deactivate, delete: removal } = webhooks;
  return (
    <section class="apart" aria-label={webhooks.subscription}>
      <div class="actions">
        <Form action={`${path}rotate/`} csrf={page.csrf} {...asking(secret.ask)}>
          <Once />
          <button class="button" type="submit">
            <Icon name="key-round" />
            {secret.button}
          </button>
        </Form>
        {webhook.is_active ? (
          <Form action={`${path}deactivate/`} csrf={page.csrf} {...asking(deactivate.ask)}>
            <button class="button" type="submit">
              <Icon name="ban" />
              {deactivate.button}
            </button>
          </Form>
        ) : (
          <Form action={`${path}activate/`} csrf={page.csrf}>
            <button class="button button-main" type="submit">
              <Icon name="play" />
              {activate.button}
            </button>
          </Form>
        )}
        <Form action={`${path}delete/`} csrf={page.csrf} {...asking(removal.ask)}>
          <button class="button" type="submit">
            <Icon name="trash" />
            {removal.button}
          </button>
        </Form>
      </div>
    </section>
  );
}

function isSoon(page: PageRequest, at: string | null): boolean {
  return at !== null && new Date(at).getTime() - page.now.getTime() < soonMs;
}

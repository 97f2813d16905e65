import { broadcastStart } from '../../../../workflows/starts';
import type { FieldErrors } from '../../../core/http/errors';
import { momentOfLocal } from '../../../core/zones';
import { broadcastShape, recipientShape } from '../../../services/resources/broadcasts/serializer';
import type { RadioView } from '../fieldViews';
import { Icon } from '../html';
import { loadFields, loadInboxes, loadNumbers, loadTemplates } from '../lookups';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { Errors, Field, Form, Radios, Removal } from '../parts';
import { callOnce, readOne, readPage } from '../typedCalls';
import { words } from '../words';
import type { Values } from './audience';
import { Draft, inputOf, valuesOf, valuesSaved, valuesSent } from './draft';
import { addressOf, listPage, path, place, type Broadcast } from './list';
import { loadPreview, Preview, sendableOf } from './preview';
import { Progress, sendFailures } from './result';
import { Head } from '../headParts';

const { broadcasts } = words;
const { confirm: said } = broadcasts;
const scope = 'broadcast.manage';

/** Broadcasts: list, draft, confirmation, progress and outcome. */
export const broadcastPages = definePages([
  { method: 'GET', path, scope, run: listPage },
  {
    method: 'GET',
    path: `${path}new/`,
    scope,
    run: (page) => draftPage(page, null, { everybody: 'some', conv_status: [] }),
  },
  { method: 'POST', path: `${path}new/`, scope, run: (page) => save(page, null) },
  { method: 'GET', path: `${path}:id/`, scope, asksOnce: true, run: (page) => show(page) },
  { method: 'GET', path: `${path}:id/failures/`, scope, run: sendFailures },
  { method: 'POST', path: `${path}:id/`, scope, run: async (page) => save(page, await find(page)) },
  { method: 'GET', path: `${path}:id/confirm/`, scope, asksOnce: true, run: (page) => confirmation(page) },
  { method: 'POST', path: `${path}:id/confirm/`, scope, run: confirm },
  {
    method: 'POST',
    path: `${path}:id/unschedule/`,
    scope,
    run: async (page) => {
      const { id = '' } = page.params;
      const back = await page.attempt(() => readOne(page, broadcastShape, 'broadcasts.unschedule', { id }));
      if ('errors' in back) return show(page, back.errors);
      return page.redirect(addressOf(back.value), { text: broadcasts.progress.unscheduled });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/resend/`,
    scope,
    run: async (page) => {
      const { id } = page.params;
      const draft = await page.attempt(() => callOnce(page, broadcastShape, 'broadcasts.resend', { id }));
      if ('errors' in draft) return show(page, draft.errors);
      return page.redirect(addressOf(draft.value), { text: broadcasts.result.resent });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/delete/`,
    scope,
    confirm: broadcasts.delete,
    run: async (page) => {
      const gone = await page.attempt(() => page.call('broadcasts.delete', { id: page.params['id'] }));
      if ('errors' in gone) return show(page, gone.errors);
      return page.redirect(path, { text: broadcasts.deleted });
    },
  },
]);

const find = (page: PageRequest): Promise<Broadcast> =>
  readOne(page, broadcastShape, 'broadcasts.get', { id: page.params['id'] });

async function show(page: PageRequest, errors?: FieldErrors): Promise<PageAnswer> {
  const broadcast = await find(page);
  const { id, name } = broadcast;
  if (broadcast.status === 'draft')
    return draftPage(page, broadcast, valuesOf(broadcast, page.workspace.timezone), errors);
  const { status, cursor, page: number } = page.query;
  const query = { id, status, cursor, page: number, page_size: 50 };
  const recipients = await readPage(page, recipientShape, 'broadcasts.recipients', query);
  const progress = <Progress page={page} broadcast={broadcast} recipients={recipients} status={status} />;
  if (page.isPartial) return page.part(progress);
  const isPlanned = broadcast.status === 'scheduled' && page.may('broadcasts.preview');
  const workflow = page.workflow(broadcastStart(page.workspace.id, id));
  const body = (
    <div class="column column-wide">
      <Head title={name} back={{ href: path, label: broadcasts.title }}>
        {workflow && (
          <a class="button button-small" href={workflow} target="_blank" rel="noreferrer">
            {broadcasts.progress.temporal} <Icon name="external-link" />
          </a>
        )}
      </Head>
      <Errors errors={errors} />
      {progress}
      {isPlanned && (
        <section class="panel planned" aria-labelledby="planned">
          <h2 id="planned">{broadcasts.progress.planned}</h2>
          <p class="soft small">{broadcasts.progress.plannedAbout}</p>
          <Preview preview={await loadPreview(page, broadcast)} />
        </section>
      )}
    </div>
  );
  return page.page(body, { title: name, place, ...(errors ? { status: 409 } : {}) });
}

/** Saves the draft; `refresh` only shows the placeholders of another template. */
async function save(page: PageRequest, broadcast: Broadcast | null): Promise<PageAnswer> {
  const [templates, fields] = await Promise.all([loadTemplates(page), loadFields(page)]);
  if (page.form['do'] === 'refresh') return draftPage(page, broadcast, valuesSent(page));
  const input = inputOf(page, broadcast, templates, fields);
  const saved = await page.attempt(() =>
    broadcast
      ? readOne(page, broadcastShape, 'broadcasts.update', { id: broadcast.id, ...input })
      : callOnce(page, broadcastShape, 'broadcasts.create', input),
  );
  if ('errors' in saved) return draftPage(page, broadcast, valuesSent(page), saved.errors);
  if (page.isPartial && broadcast) return draftPage(page, saved.value, valuesSaved(page, saved.value));
  return page.redirect(addressOf(saved.value), { text: broadcasts.saved });
}

async function draftPage(
  page: PageRequest,
  broadcast: Broadcast | null,
  values: Values,
  errors?: FieldErrors,
): Promise<PageAnswer> {
  const [templates, fields, inboxes, numbers] = await Promise.all([
    loadTemplates(page),
    loadFields(page),
    loadInboxes(page),
    loadNumbers(page),
  ]);
  const title = broadcast?.name ?? broadcasts.new;
  const own = `${path}${broadcast?.id ?? 'new'}/`;
  const draft = (
    <Draft
      page={page}
      parts={{ templates, fields, inboxes, numbers }}
      own={own}
      broadcast={broadcast}
      values={values}
      errors={errors}
      preview={await loadPreview(page, broadcast, errors !== undefined)}
    />
  );
  const status = errors ? { status: 422 } : {};
  if (page.isPartial) return page.part(draft, status);
  const asked = broadcasts.delete;
  const body = (
    <>
      <Head title={title} back={{ href: path, label: broadcasts.title }}>
        {broadcast && <span class="tag">{broadcasts.states.draft}</span>}
      </Head>
      {draft}
      {broadcast && page.may('broadcasts.delete') && (
        <Removal
          action={`${own}delete/`}
          csrf={page.csrf}
          icon="trash"
          text={asked.open}
          ask={{ title: asked.named(title), text: asked.draft, button: asked.button }}
        />
      )}
    </>
  );
  return page.page(body, { title, place, ...status });
}

/** Sends the broadcast, now or at a time. */
async function confirm(page: PageRequest): Promise<PageAnswer> {
  const { when, scheduled_at: local = '', sure } = page.form;
  if (sure !== 'true') return confirmation(page, { sure: [said.errors.sure] });
  if (when !== 'now' && when !== 'later') return confirmation(page, { when: [said.errors.when] });
  const moment = when === 'later' ? momentOfLocal(local, page.workspace.timezone) : null;
  if (when === 'later' && !moment) return confirmation(page, { scheduled_at: [said.errors.time] });
  const { id } = page.params;
  const confirmed = await page.attempt(() =>
    readOne(page, broadcastShape, 'broadcasts.confirm', {
      id,
      ...(moment ? { scheduled_at: moment.toISOString() } : {}),
    }),
  );
  if ('errors' in confirmed) return confirmation(page, confirmed.errors);
  return page.redirect(addressOf(confirmed.value), { text: moment ? said.scheduled : said.sending });
}

async function confirmation(page: PageRequest, errors?: FieldErrors): Promise<PageAnswer> {
  const broadcast = await find(page);
  const own = addressOf(broadcast);
  if (broadcast.status !== 'draft') return page.redirect(own);
  const preview = await loadPreview(page, broadcast);
  const { when, scheduled_at: time, sure } = page.form;
  const whens = (['now', 'later'] as const).map((value): RadioView => ({
    name: 'when',
    value,
    label: said[value],
    detail: '',
    isChosen: when === value,
  }));
  const wrong = (errors?.['when'] ?? []).join(' ');
  const body = (
    <div class="column">
      <Head title={said.heading(broadcast.name)} back={{ href: own, label: broadcast.name }} />
      <Errors errors={errors} fields={['when', 'scheduled_at', 'sure']} />
      <div class="panel">
        <Preview preview={preview} />
      </div>
      <Form class="panel" action={`${own}confirm/`} csrf={page.csrf}>
        <fieldset>
          <legend class="label">{said.when}</legend>
          <Radios radios={whens} />
          {wrong && <p class="field-error">{wrong}</p>}
        </fieldset>
        <Field
          name="scheduled_at"
          label={said.time}
          type="datetime-local"
          value={time}
          errors={errors}
          hint={said.zone(page.workspace.timezone)}
        />
        <Field name="sure" label={said.sure} type="checkbox" value={sure} errors={errors} />
        <p class="hint">{said.about}</p>
        <div class="actions">
          {page.may('broadcasts.confirm') && (
            <button
              class="button button-main"
              type="submit"
              data-now={said.sendNow(sendableOf(preview))}
              data-later={said.schedule}
            >
              <Icon name="send" />
              <span>{said.button}</span>
            </button>
          )}
          <a class="button" href={own}>
            {said.notYet}
          </a>
        </div>
      </Form>
    </div>
  );
  return page.page(body, { title: said.title(broadcast.name), place, ...(errors ? { status: 422 } : {}) });
}

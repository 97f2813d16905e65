import { broadcastStart } from '../../../../workflows/starts';
import type { FieldErrors } from '../../../core/http/errors';
import type { Page } from '../../../core/http/operations';
import type { RadioView } from '../fieldViews';
import { momentOfLocal } from '../../../core/zones';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { progressView, sendFailures, type Recipient } from './broadcastResult';
import { draftView, inputOf, valuesOf, valuesSaved, valuesSent } from './broadcastForm';
import { broadcastsPath as path, listView, loadPreview, sendWords, type Broadcast } from './broadcastViews';
import { loadFields, loadInboxes, loadNumbers, loadTemplates } from '../lookups';

const scope = 'broadcast.manage';
const place = 'broadcasts';

/** Broadcasts: list, draft, confirmation, progress and outcome. */
export const broadcastPages = definePages([
  {
    method: 'GET',
    path,
    scope,
    run: async (page) => {
      const { status } = page.query;
      const list = await page.call<Page<Broadcast>>('broadcasts.list', { page_size: 25, ...page.query });
      return page.page('/broadcasts/list', listView(page, list, status), { title: 'Broadcasts', place });
    },
  },
  {
    method: 'GET',
    path: `${path}new/`,
    scope,
    run: (page) => draftPage(page, null, { everybody: 'some', conv_status: [] }),
  },
  { method: 'POST', path: `${path}new/`, scope, run: (page) => save(page, null) },
  { method: 'GET', path: `${path}:id/`, scope, run: (page) => show(page) },
  { method: 'GET', path: `${path}:id/failures/`, scope, run: sendFailures },
  { method: 'POST', path: `${path}:id/`, scope, run: async (page) => save(page, await read(page)) },
  { method: 'GET', path: `${path}:id/confirm/`, scope, run: (page) => confirmation(page) },
  {
    method: 'POST',
    path: `${path}:id/confirm/`,
    scope,
    run: async (page) => {
      const { when, scheduled_at: local = '', sure } = page.form;
      if (sure !== 'true') return confirmation(page, { sure: ['Tick this first: what is sent cannot be taken back.'] });
      if (when !== 'now' && when !== 'later') return confirmation(page, { when: ['Choose whether now or at a time.'] });
      const moment = when === 'later' ? momentOfLocal(local, page.workspace.timezone) : null;
      if (when === 'later' && !moment) return confirmation(page, { scheduled_at: ['Enter a date and a time.'] });
      const { id = '' } = page.params;
      const confirmed = await page.attempt(() =>
        page.call('broadcasts.confirm', { id, ...(moment ? { scheduled_at: moment.toISOString() } : {}) }),
      );
      if ('errors' in confirmed) return confirmation(page, confirmed.errors);
      return page.redirect(`${path}${encodeURIComponent(id)}/`, {
        text: moment ? 'The broadcast is scheduled.' : 'The broadcast is being sent.',
      });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/unschedule/`,
    scope,
    run: async (page) => {
      const { id = '' } = page.params;
      const back = await page.attempt(() => page.call('broadcasts.unschedule', { id }));
      if ('errors' in back) return show(page, back.errors);
      return page.redirect(`${path}${encodeURIComponent(id)}/`, { text: 'It is a draft again. Nothing was sent.' });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/resend/`,
    scope,
    run: async (page) => {
      const { once = '' } = page.form;
      const draft = await page.attempt(() =>
        page.callOnce<Broadcast>('broadcasts.resend', once, { id: page.params['id'] }),
      );
      if ('errors' in draft) return show(page, draft.errors);
      return page.redirect(`${path}${draft.value.id}/`, {
        text: 'This is a draft for those who were not reached. Nothing is sent yet.',
      });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/delete/`,
    scope,
    confirm: { title: 'Discard this draft?', text: 'It cannot be brought back.', button: 'Discard' },
    run: async (page) => {
      const gone = await page.attempt(() => page.call('broadcasts.delete', { id: page.params['id'] }));
      if ('errors' in gone) return show(page, gone.errors);
      return page.redirect(path, { text: 'The draft is discarded.' });
    },
  },
]);

function read(page: PageRequest): Promise<Broadcast> {
  return page.call<Broadcast>('broadcasts.get', { id: page.params['id'] });
}

async function show(page: PageRequest, errors?: FieldErrors): Promise<PageAnswer> {
  const broadcast = await read(page);
  if (broadcast.status === 'draft')
    return draftPage(page, broadcast, valuesOf(broadcast, page.workspace.timezone), errors);
  const { status, cursor, page: number } = page.query;
  const recipients = await page.call<Page<Recipient>>('broadcasts.recipients', {
    id: broadcast.id,
    status,
    cursor,
    page: number,
    page_size: 50,
  });
  const isPlanned = broadcast.status === 'scheduled' && !page.isPartial && page.may('broadcasts.preview');
  const data = {
    title: broadcast.name,
    progress: progressView(page, broadcast, recipients, status),
    planned: isPlanned ? await loadPreview(page, broadcast) : null,
    errors,
    workflow: page.workflow(broadcastStart(page.workspace.id, broadcast.id)),
    path,
  };
  if (page.isPartial) return page.part('/broadcasts/progress', data);
  return page.page('/broadcasts/one', data, { title: broadcast.name, place, ...(errors ? { status: 409 } : {}) });
}

/** Saves the draft; `refresh` only shows the placeholders of another template. */
async function save(page: PageRequest, broadcast: Broadcast | null): Promise<PageAnswer> {
  const [templates, fields] = await Promise.all([loadTemplates(page), loadFields(page)]);
  if (page.form['do'] === 'refresh') return draftPage(page, broadcast, valuesSent(page));
  const input = inputOf(page, broadcast, templates, fields);
  const saved = await page.attempt(() =>
    broadcast
      ? page.call<Broadcast>('broadcasts.update', { id: broadcast.id, ...input })
      : page.callOnce<Broadcast>('broadcasts.create', page.form['once'] ?? '', input),
  );
  if ('errors' in saved) return draftPage(page, broadcast, valuesSent(page), saved.errors);
  if (page.isPartial && broadcast) return draftPage(page, saved.value, valuesSaved(page, saved.value));
  return page.redirect(`${path}${saved.value.id}/`, { text: 'The draft is saved. Nothing is sent yet.' });
}

async function draftPage(
  page: PageRequest,
  broadcast: Broadcast | null,
  values: Readonly<Record<string, unknown>>,
  errors?: FieldErrors,
): Promise<PageAnswer> {
  const [templates, fields, inboxes, numbers] = await Promise.all([
    loadTemplates(page),
    loadFields(page),
    loadInboxes(page),
    loadNumbers(page),
  ]);
  const title = broadcast?.name ?? 'New broadcast';
  const preview = await loadPreview(page, broadcast, errors !== undefined);
  const own = `${path}${broadcast?.id ?? 'new'}/`;
  const data = {
    title,
    broadcast,
    values,
    errors,
    // The content of the form is not stored yet.
    isUnsaved: page.form['do'] === 'refresh',
    form: draftView(page, { templates, numbers, inboxes, fields }, { own, broadcast, values, errors }),
    preview,
    mayConfirm: preview.sendable > 0 && page.may('broadcasts.confirm'),
    savesItself: broadcast !== null && page.may('broadcasts.update'),
    maySave: page.may(broadcast ? 'broadcasts.update' : 'broadcasts.create'),
    own,
    path,
  };
  const status = errors ? { status: 422 } : {};
  if (page.isPartial) return page.part('/broadcasts/draft', data, status);
  return page.page('/broadcasts/edit', data, { title, place, ...status });
}

async function confirmation(page: PageRequest, errors?: FieldErrors): Promise<PageAnswer> {
  const broadcast = await read(page);
  if (broadcast.status !== 'draft') return page.redirect(`${path}${broadcast.id}/`);
  const preview = await loadPreview(page, broadcast);
  const when = (value: string, label: string): RadioView => ({
    name: 'when',
    value,
    label,
    detail: '',
    isChosen: page.form['when'] === value,
  });
  const data = {
    broadcast,
    preview,
    sendWords: sendWords(preview),
    whens: [when('now', 'Now'), when('later', 'At a time')],
    whenError: (errors?.['when'] ?? []).join(' '),
    zone: `In the time zone of the workspace, ${page.workspace.timezone}. The audience is read when it fires.`,
    values: page.form,
    errors,
    own: `${path}${broadcast.id}/`,
  };
  return page.page('/broadcasts/confirm', data, {
    title: `Send ${broadcast.name}`,
    place,
    ...(errors ? { status: 422 } : {}),
  });
}

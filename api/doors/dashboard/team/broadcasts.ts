import { broadcastStart } from '../../../../workflows/starts';
import type { FieldErrors } from '../../../core/errors';
import type { Page } from '../../../core/operations';
import { shownStates } from '../../../services/resources/broadcasts/schema';
import { broadcastStatuses, convStatuses } from '../../../../models/enums';
import { momentOfLocal } from '../formats';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { inputOf, valuesOf, valuesSent } from './broadcastForm';
import { loadFields, loadInboxes, loadNumbers, loadTemplates, type Json } from '../lookups';
import { slotsOf } from './templateTexts';

const path = '/dashboard/broadcasts/';
const scope = 'broadcast.manage';
const place = 'broadcasts';

interface Broadcast extends Json {
  readonly id: number;
  readonly name: string;
  readonly status: (typeof broadcastStatuses)[number];
}

/** What the reasons and codes mean to a member. */
const reasonWords: Readonly<Record<string, string>> = {
  opted_out: 'opted out of marketing messages',
  needs_phone: 'has no phone number, which this template needs',
  duplicate: 'was named twice',
  contact_deleted: 'was deleted',
  ended_by_operator: 'was not sent to when the operator ended the broadcast',
  none: 'no code',
};

/** Broadcasts: list, draft, confirmation, progress and outcome. */
export const broadcastPages = definePages([
  {
    method: 'GET',
    path,
    scope,
    run: async (page) => {
      const { status } = page.query;
      const list = await page.call<Page<Broadcast>>('broadcasts.list', { page_size: 25, ...page.query });
      const data = { list, status, statuses: broadcastStatuses, path };
      return page.page('/broadcasts/list', data, { title: 'Broadcasts', place });
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
  { method: 'POST', path: `${path}:id/`, scope, run: async (page) => save(page, await read(page)) },
  { method: 'GET', path: `${path}:id/confirm/`, scope, run: (page) => confirmation(page) },
  {
    method: 'POST',
    path: `${path}:id/confirm/`,
    scope,
    run: async (page) => {
      const { when, scheduled_at: local = '', sure } = page.form;
      if (sure !== 'true') return confirmation(page, { sure: ['Tick this first: what is sent cannot be taken back.'] });
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
      const draft = await page.attempt(() => page.call<Broadcast>('broadcasts.resend', { id: page.params['id'] }));
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
  const recipients = await page.call<Page<object>>('broadcasts.recipients', {
    id: broadcast.id,
    status,
    cursor,
    page: number,
    page_size: 50,
  });
  const data = {
    broadcast,
    recipients,
    status,
    states: shownStates,
    errors,
    reasonWords,
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
  const input = inputOf(page, templates, fields);
  const saved = await page.attempt(() =>
    broadcast
      ? page.call<Broadcast>('broadcasts.update', { id: broadcast.id, ...input })
      : page.call<Broadcast>('broadcasts.create', input),
  );
  if ('errors' in saved) return draftPage(page, broadcast, valuesSent(page), saved.errors);
  if (page.isPartial && broadcast) return draftPage(page, saved.value, valuesSent(page));
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
  const template = templates.find((candidate) => candidate.template_id === values['template_id']);
  const data = {
    broadcast,
    values,
    errors,
    templates,
    inboxes,
    numbers,
    fields: fields.filter(({ applies_to: on }) => on.some((subject) => subject !== 'tickets')),
    slots: template ? slotsOf(template) : [],
    convStatuses,
    preview: broadcast && !errors ? await preview(page, broadcast) : null,
    reasonWords,
    path,
  };
  const status = errors ? { status: 422 } : {};
  if (page.isPartial) return page.part('/broadcasts/draft', data, status);
  return page.page('/broadcasts/edit', data, { title: broadcast?.name ?? 'New broadcast', place, ...status });
}

/** Returns whom the stored draft would reach; what forbids to say it, in words. */
async function preview(page: PageRequest, broadcast: Broadcast): Promise<object | null> {
  if (!page.may('broadcasts.preview')) return null;
  const seen = await page.attempt(() => page.call('broadcasts.preview', { id: broadcast.id }));
  return 'errors' in seen ? { problem: Object.values(seen.errors).flat().join(' ') } : seen.value;
}

async function confirmation(page: PageRequest, errors?: FieldErrors): Promise<PageAnswer> {
  const broadcast = await read(page);
  if (broadcast.status !== 'draft') return page.redirect(`${path}${broadcast.id}/`);
  const data = { broadcast, preview: await preview(page, broadcast), values: page.form, errors, reasonWords, path };
  return page.page('/broadcasts/confirm', data, {
    title: `Send ${broadcast.name}`,
    place,
    ...(errors ? { status: 422 } : {}),
  });
}

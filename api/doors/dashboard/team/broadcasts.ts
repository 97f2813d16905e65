import { broadcastStart } from '../../../../workflows/starts';
import type { FieldErrors } from '../../../core/http/errors';
import type { Page } from '../../../core/http/operations';
import { shownStates } from '../../../services/resources/broadcasts/schema';
import { broadcastStatuses } from '../../../../models/enums';
import { momentOfLocal } from '../formats';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { draftView, inputOf, valuesOf, valuesSent } from './broadcastForm';
import { loadFields, loadInboxes, loadNumbers, loadTemplates, type Json } from '../lookups';
import { previewTemplate } from '../inbox/templates';

const path = '/dashboard/broadcasts/';
const scope = 'broadcast.manage';
const place = 'broadcasts';

interface Broadcast extends Json {
  readonly id: number;
  readonly name: string;
  readonly status: (typeof broadcastStatuses)[number];
  readonly completed_at: string | null;
  readonly stats: Stats;
}

type Counts = Readonly<Record<string, number>>;

interface Stats {
  readonly audience: number;
  readonly pending: number;
  readonly sent: number;
  readonly delivered: number;
  readonly read: number;
  readonly failed: number;
  readonly skipped: number;
  readonly unknown: number;
  readonly held: number;
  readonly skipped_by_reason: Counts;
  readonly failed_by_code: Counts;
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

/** A broadcast on its way or at its end, in figures. */
interface ProgressView {
  /** After how many seconds the page asks anew; null: nothing changes any more. */
  readonly everySeconds: number | null;
  readonly percent: number;
  readonly figures: readonly { readonly label: string; readonly count: string }[];
  /** What became of those who did not get it. */
  readonly remarks: readonly string[];
  readonly mayResend: boolean;
}

function progressView(page: PageRequest, { status, stats, completed_at: ended }: Broadcast): ProgressView {
  const { audience, pending, failed, held } = stats;
  const figure = (label: string, count: number) => ({ label, count: numberText(count) });
  const leftOut = (reason: string): string => reasonWords[reason] ?? reason.replaceAll('_', ' ');
  return {
    everySeconds: status === 'running' ? 2 : status === 'scheduled' ? 15 : null,
    percent: audience === 0 ? 0 : Math.round(((audience - pending) / audience) * 100),
    figures: [
      figure('Audience', audience),
      figure('Waiting', pending),
      figure('Sent', stats.sent),
      figure('Delivered', stats.delivered),
      figure('Read', stats.read),
      figure('Failed', failed),
      figure('Left out', stats.skipped),
      figure('Unknown', stats.unknown),
    ],
    remarks: [
      ...Object.entries(stats.skipped_by_reason).map(
        ([reason, count]) => `${numberText(count)} left out: ${leftOut(reason)}`,
      ),
      ...Object.entries(stats.failed_by_code).map(
        ([code, count]) =>
          `${numberText(count)} failed: ${code === 'none' ? 'without a code' : `code ${code} of the platform`}`,
      ),
      ...(held > 0 ? [`${numberText(held)} sent, and held by the platform until it has looked at the template`] : []),
    ],
    mayResend:
      ended !== null &&
      failed + pending + (stats.skipped_by_reason['ended_by_operator'] ?? 0) > 0 &&
      page.may('broadcasts.resend'),
  };
}

function numberText(value: number): string {
  return value.toLocaleString('en');
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
    progress: progressView(page, broadcast),
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
  const data = {
    broadcast,
    values,
    errors,
    // What stands in the form is nowhere else yet.
    isUnsaved: page.form['do'] === 'refresh',
    form: draftView({ templates, numbers, inboxes, fields }, values),
    preview: broadcast && !errors ? await preview(page, broadcast) : null,
    reasonWords,
    path,
  };
  const status = errors ? { status: 422 } : {};
  if (page.isPartial) return page.part('/broadcasts/draft', data, status);
  return page.page('/broadcasts/edit', data, { title: broadcast?.name ?? 'New broadcast', place, ...status });
}

interface Sample {
  readonly receiver_id: string;
  readonly name: string;
  readonly header: string;
  readonly body: string;
}

/** Whom the stored draft would reach, and what they would read. */
interface Preview {
  readonly sendable: number;
  readonly skipped_by_reason: Readonly<Record<string, number>>;
  readonly samples: readonly Sample[];
  /** What every customer sees below the text. */
  readonly footer: string;
  readonly buttons: readonly string[];
}

/** Returns the preview; what forbids to say it, in words. */
async function preview(page: PageRequest, broadcast: Broadcast): Promise<Preview | { problem: string } | null> {
  if (!page.may('broadcasts.preview')) return null;
  const [seen, templates] = await Promise.all([
    page.attempt(() => page.call<Preview>('broadcasts.preview', { id: broadcast.id })),
    loadTemplates(page),
  ]);
  if ('errors' in seen) return { problem: Object.values(seen.errors).flat().join(' ') };
  const template = templates.find(({ template_id: id }) => id === broadcast['template_id']);
  const { footer, buttons } = previewTemplate(template?.components, {});
  return { ...seen.value, footer, buttons };
}

/** Returns what the button of the confirmation does when it sends now. */
function sendWords(seen: Awaited<ReturnType<typeof preview>>): string {
  if (!seen || !('sendable' in seen)) return 'Send now';
  return `Send to ${seen.sendable === 1 ? 'one contact' : `${seen.sendable.toLocaleString('en')} contacts`} now`;
}

async function confirmation(page: PageRequest, errors?: FieldErrors): Promise<PageAnswer> {
  const broadcast = await read(page);
  if (broadcast.status !== 'draft') return page.redirect(`${path}${broadcast.id}/`);
  const seen = await preview(page, broadcast);
  const data = { broadcast, preview: seen, sendWords: sendWords(seen), values: page.form, errors, reasonWords, path };
  return page.page('/broadcasts/confirm', data, {
    title: `Send ${broadcast.name}`,
    place,
    ...(errors ? { status: 422 } : {}),
  });
}

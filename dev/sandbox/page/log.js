import { api } from './api.js';
import { $, h, plain, time } from './dom.js';
import { currentPanel } from './views.js';

const shown = 60;
/** Which entries are open: a redraw keeps them so. */
const open = new Set();

/** Draws an entry that opens: a title, a line about it, what went wrong, and its text in full. */
export function entry({ key, title, meta, badges = [], body }) {
  const details = h(
    'details',
    { open: open.has(key) },
    h(
      'summary',
      {},
      h('span', { class: 'title' }, title),
      h(
        'span',
        { class: 'badges' },
        badges.filter(Boolean).map(([text, kind]) => h('span', { class: `tag ${kind}` }, text)),
      ),
      h('span', { class: 'meta' }, meta),
    ),
    h('pre', { tabindex: '0' }, body),
  );
  details.addEventListener('toggle', () => {
    if (details.open) open.add(key);
    else open.delete(key);
  });
  return h('li', {}, details);
}

/** Replaces the entries of a log where they changed; `print` says what they show. */
export function replaceEntries(list, print, items, empty) {
  if (list.dataset.print === print) return;
  list.dataset.print = print;
  list.replaceChildren(...(items.length > 0 ? items : [h('li', { class: 'empty' }, empty)]));
}

/** Writes JSON so that it can be read; what is cut off stays as it came. */
export function pretty(text) {
  try {
    return JSON.stringify(typeof text === 'string' ? JSON.parse(text) : text, null, 2);
  } catch {
    return String(text);
  }
}

/** Says what a webhook carries: types of messages, statuses, names of other fields. */
function summaryOf({ fields, body }) {
  try {
    const changes = JSON.parse(body).entry.flatMap((item) => item.changes);
    const words = changes.flatMap(({ field, value }) => {
      const messages = (value.messages ?? []).map((message) => `message: ${plain(message.type)}`);
      const statuses = (value.statuses ?? []).map((status) => `status: ${plain(status.status)}`);
      return messages.length + statuses.length > 0 ? [...messages, ...statuses] : [plain(field)];
    });
    return [...new Set(words)].join(', ');
  } catch {
    // A long body is cut off.
    return fields.map(plain).join(', ');
  }
}

function deliveryEntry(item) {
  const answer = item.status === null ? (item.error ?? 'no answer') : `HTTP ${item.status}`;
  return entry({
    key: `webhook ${item.id} ${item.attempt}`,
    title: summaryOf(item),
    badges: [
      [answer, item.status === 200 ? 'good' : 'bad'],
      item.attempt > 1 && [`attempt ${item.attempt}`, 'bad'],
      item.gave_up && ['given up', 'bad'],
    ],
    meta: `${time(item.at, true)} · ${item.updates} ${item.updates === 1 ? 'update' : 'updates'} · ${item.ms} ms`,
    body: `POST ${item.url}\nX-Hub-Signature-256: ${item.signature}\n\n${pretty(item.body)}`,
  });
}

function callEntry(item, index) {
  const more = [item.to && `to ${item.to}`, item.code && `code ${item.code}`].filter(Boolean);
  return entry({
    key: `call ${item.at} ${index}`,
    title: `${item.method} ${item.path}`,
    badges: [[item.status === 0 ? 'no answer' : `HTTP ${item.status}`, item.status === 200 ? 'good' : 'bad']],
    meta: [time(item.at, true), plain(item.outcome), ...more].join(' · '),
    body: pretty(item),
  });
}

/** Draws the log of webhooks, or that of requests, where it is shown. */
export async function drawLog() {
  if (currentPanel() !== 'webhooks') return;
  const kind = $('log-kind').value;
  const items =
    kind === 'webhooks'
      ? (await api('GET', `/webhooks?limit=${shown}`)).deliveries
      : (await api('GET', `/calls?limit=${shown}`)).reverse();
  const print = JSON.stringify([kind, items.map((item) => [item.id, item.at, item.attempt, item.path])]);
  const empty = kind === 'webhooks' ? 'No webhook has been sent yet.' : 'Msgdesk has not called the platform yet.';
  replaceEntries($('log'), print, items.map(kind === 'webhooks' ? deliveryEntry : callEntry), empty);
}

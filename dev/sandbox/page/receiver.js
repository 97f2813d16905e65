import { api } from './api.js';
import { ask, editJson } from './dialogs.js';
import { $, h, time, toast } from './dom.js';
import { entry, pretty, replaceEntries } from './log.js';
import { page } from './state.js';
import { currentPanel } from './views.js';

const modeNames = {
  ok: 'Answers, with actions',
  slow: 'Is slow',
  unavailable: 'Is down: 503',
  closed: 'Is down: closes the connection',
  garbage: 'Answers garbage',
  gone: 'Is gone: 410',
  throttled: 'Is busy: 429, Retry-After',
};
const shown = 60;
let rules = [];

function receivedEntry(item) {
  const answer = item.status === null ? 'no answer' : `answered ${item.status}`;
  const about = [time(item.at, true), item.subject, item.sequence === null ? '' : `sequence ${item.sequence}`];
  return entry({
    key: `received ${item.seq}`,
    title: item.type || `POST ${item.path}`,
    badges: [
      item.verified ? ['verified', 'good'] : ['not verified', 'bad'],
      item.attempt > 1 && [`attempt ${item.attempt}`, 'bad'],
      [answer, item.status === 200 ? 'good' : 'bad'],
      item.actions.length > 0 && [item.actions.join(', '), 'good'],
    ],
    meta: about.filter(Boolean).join(' · '),
    body: `${item.problem ? `${item.problem}\n` : ''}webhook-id: ${item.id}\n\n${pretty(item.event)}`,
  });
}

function hintOf({ mode, modes, secrets }) {
  const address = `${location.origin}/receiver`;
  if (secrets === 0) return `No subscription is known here: make one with the url ${address} and enter its secret.`;
  return mode === 'ok' ? `Events of Msgdesk come to ${address}.` : `The receiver ${modes[mode]}.`;
}

/** Draws what arrived at the receiver, where it is shown. */
export async function drawReceiver() {
  if (currentPanel() !== 'receiver') return;
  const view = await api('GET', `/receiver?limit=${shown}`);
  rules = view.rules;
  if ($('mode').options.length === 0)
    $('mode').append(...Object.entries(modeNames).map(([value, label]) => h('option', { value }, label)));
  if (document.activeElement !== $('mode')) $('mode').value = view.mode;
  $('receiver-hint').textContent = hintOf(view);
  replaceEntries(
    $('received'),
    view.received.map(({ seq }) => seq).join(),
    view.received.map(receivedEntry),
    'Nothing has arrived yet. Write as a customer, and the event appears here.',
  );
}

const change = (input) => api('POST', '/receiver', input).then(page.refresh);

/** Lets the panel say how the receiver behaves. */
export function startReceiver() {
  $('mode').addEventListener('change', () => change({ mode: $('mode').value }).catch(() => undefined));
  $('rules').addEventListener('click', () =>
    editJson(
      'What the receiver answers',
      'The first rule that fits an event is its answer: by type, by a text that its data contains, or both. ' +
        '{{data.receiver.name}} stands for that value of the event. Msgdesk does what actions ask for, once.',
      rules,
      (value) => change({ rules: value }),
    ),
  );
  $('clear').addEventListener('click', () => api('DELETE', '/receiver/received').then(page.refresh));
  $('secret').addEventListener('click', async () => {
    const given = await ask('Secret of a subscription', [
      { name: 'secret', label: 'As shown when the subscription was made', placeholder: 'whsec_…' },
    ]);
    if (!given?.secret) return;
    await change({ secret: given.secret });
    toast('Events signed with it are verified from now on.');
  });
}

import { api } from './api.js';
import { $, h, plain, toast } from './dom.js';
import { page, state } from './state.js';

const fault = (input) => async () => {
  await api('POST', '/faults', { times: 1, phone_number_id: state.phone.id, ...input });
  await page.refresh();
  toast('Armed for the next send on this number.');
};

const faults = {
  id: 'faults',
  title: 'The next send fails',
  parts: [
    [
      null,
      [
        ['Server error', fault({ kind: 'error', code: 131000 })],
        ['Rate limit', fault({ kind: 'error', code: 130429, retry_after: 2 })],
        ['Accepted, then reset', fault({ kind: 'reset_after_accept' })],
        ['No answer', fault({ kind: 'hang' })],
        ['HTML 502', fault({ kind: 'html' })],
        ['Undeliverable', fault({ kind: 'async_error', code: 131026 })],
        ['Over its limit for this person', fault({ kind: 'async_error', code: 131049 })],
        ['Spam limit of the number, from now on', fault({ kind: 'error', code: 131048, times: null })],
      ],
    ],
  ],
};

const asUsual = { duplicate: 0, reorder: false, drop: 0 };
const settings = (input, done) => async () => {
  await api('POST', '/settings', input);
  await page.refresh();
  toast(done);
};

const webhooks = {
  id: 'webhooks',
  title: 'How webhooks come',
  parts: [
    [
      null,
      [
        ['Each one twice', settings({ duplicate: 1 }, 'Every webhook comes twice.')],
        ['Statuses out of order', settings({ reorder: true }, 'Statuses come in any order.')],
        ['Some statuses lost', settings({ drop: 0.3 }, 'Three statuses of ten are lost.')],
        ['As usual again', settings(asUsual, 'Webhooks come as usual.')],
      ],
    ],
  ],
};

/** What goes wrong on purpose. */
export const disturbanceGroups = [faults, webhooks];

function faultText(item) {
  const where = item.path ? `requests to ${item.path}` : 'a send';
  const number = item.phone_number_id && state.accounts.flatMap((account) => account.phone_numbers);
  const on = number?.find((phone) => phone.id === item.phone_number_id)?.display_phone_number;
  const left =
    item.times === null ? 'until disarmed' : item.times - item.hits === 1 ? 'once' : `${item.times - item.hits} times`;
  const code = item.kind.includes('error') ? ` ${item.code}` : '';
  return `Armed for ${where}${on ? ` of ${on}` : ''}, ${left}: ${plain(item.kind)}${code}`;
}

function settingTexts({ duplicate, reorder, drop }) {
  return [
    [duplicate > 0, 'Webhooks come twice', { duplicate: 0 }],
    [reorder, 'Statuses come in any order', { reorder: false }],
    [drop > 0, `${Math.round(drop * 100)} % of the statuses are lost`, { drop: 0 }],
  ].filter(([on]) => on);
}

/** Shows what is armed or disturbed, until it fires or is taken back. */
export function drawArmed(given, current) {
  const item = (text, label, action) =>
    h(
      'li',
      {},
      h('span', {}, text),
      h('button', { type: 'button', 'aria-label': `${label}: ${text}`, on: action }, label),
    );
  const items = [
    ...given
      .filter(({ armed }) => armed)
      .map((one) => item(faultText(one), 'Disarm', () => api('DELETE', `/faults/${one.id}`).then(page.refresh))),
    ...settingTexts(current).map(([, text, input]) =>
      item(text, 'As usual', () => api('POST', '/settings', input).then(page.refresh)),
    ),
  ];
  const print = items.map((node) => node.textContent).join('\n');
  if ($('armed').dataset.print === print) return;
  $('armed').dataset.print = print;
  $('armed').hidden = items.length === 0;
  $('armed').replaceChildren(...items);
}

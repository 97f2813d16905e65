import { api, withToken } from './api.js';
import { drawChat, drawQuote, followChat, startComposer } from './chat.js';
import { drawArmed } from './disturbances.js';
import { $, h, toast } from './dom.js';
import { drawLog } from './log.js';
import { drawPeople, newCustomer } from './people.js';
import { drawPlay, startFind } from './play.js';
import { drawReceiver, startReceiver } from './receiver.js';
import { page, scope, state } from './state.js';
import { startViews } from './views.js';

const pollMs = 5000;

async function loadAccounts() {
  state.accounts = await api('GET', '/accounts');
  const options = state.accounts.flatMap((account) =>
    account.phone_numbers.map((phone) =>
      h('option', { value: phone.id }, `${phone.verified_name} ${phone.display_phone_number}`),
    ),
  );
  $('number').replaceChildren(...options);
  chooseNumber(state.phone?.id ?? localStorage.getItem('number') ?? $('number').value);
  drawPlay();
}

/** Chooses the business number with this id, or the first one. */
function chooseNumber(id) {
  const numbers = state.accounts.flatMap((account) => account.phone_numbers.map((phone) => ({ account, phone })));
  const found = numbers.find(({ phone }) => phone.id === id) ?? numbers[0];
  state.account = found?.account ?? null;
  state.phone = found?.phone ?? null;
  if (!found) {
    const about = 'No business account is registered yet. Start the product, or POST /_control/accounts.';
    $('people').replaceChildren(h('li', { class: 'empty' }, about));
    return;
  }
  $('number').value = found.phone.id;
  localStorage.setItem('number', found.phone.id);
}

async function loadChat() {
  const query = encodeURIComponent($('search').value);
  state.people = await api('GET', `/chats?${scope()}&q=${query}`);
  state.user ??= state.people[0]?.key ?? null;
  const { user } = state;
  const chat = user && (await api('GET', `/chats/${user}?${scope()}`).catch(() => null));
  // Another customer was chosen meanwhile: their chat is asked for next.
  if (state.user !== user) return;
  // Only now: buttons are pressed while it is on its way.
  state.chat = chat;
  if (!chat) state.user = null;
}

function deliveryText({ paused, pending, deliveries: [last] }) {
  if (paused) return `Webhooks paused, ${pending} waiting`;
  if (last && last.status !== 200)
    return `Webhooks fail: ${last.status ? `HTTP ${last.status}` : 'no answer'}, ${pending} waiting`;
  if (pending > 0) return `${pending} webhooks waiting`;
  return last ? 'Webhooks delivered' : 'No webhook sent yet';
}

function drawDelivery(info) {
  const [last] = info.deliveries;
  $('delivery').textContent = deliveryText(info);
  $('delivery').classList.toggle('bad', info.paused || (last !== undefined && last.status !== 200));
  $('pause').textContent = info.paused ? 'Resume webhooks' : 'Pause webhooks';
  $('pause').setAttribute('aria-pressed', String(info.paused));
}

async function refresh() {
  const [deliveries, { faults }, settings] = await Promise.all([
    api('GET', '/webhooks?limit=1'),
    api('GET', '/faults'),
    api('GET', '/settings'),
  ]);
  if (!state.account) await loadAccounts();
  if (state.account) {
    await loadChat();
    drawPeople();
    drawQuote();
    drawChat();
  }
  drawArmed(faults, settings);
  drawDelivery(deliveries);
  await Promise.all([drawLog(), drawReceiver()]);
}

let running = null;
let again = false;

/** Refreshes, one at a time: what changes meanwhile is read by one more round, for which callers wait, too. */
function soon() {
  if (running) {
    again = true;
    return running;
  }
  running = (async () => {
    do {
      again = false;
      try {
        await refresh();
      } catch {
        $('delivery').textContent = 'The sandbox does not answer.';
        $('delivery').classList.add('bad');
      }
    } while (again);
    running = null;
  })();
  return running;
}

page.refresh = soon;
page.reload = async () => {
  await loadAccounts();
  await soon();
};

document.querySelector('.bar .api').href = withToken('/_control/');
startViews(soon);
startComposer();
followChat();
startFind();
startReceiver();
$('log-kind').addEventListener('change', soon);
$('search').addEventListener('input', soon);
$('new').addEventListener('click', () => newCustomer().catch((error) => toast(error.message)));
$('number').addEventListener('change', () => {
  chooseNumber($('number').value);
  state.user = null;
  state.chat = null;
  drawPlay();
  void soon();
});
$('pause').addEventListener('click', async () => {
  const paused = $('pause').getAttribute('aria-pressed') === 'true';
  await api('POST', paused ? '/resume_webhooks' : '/pause_webhooks', {});
  await soon();
});

new EventSource(withToken('/_control/stream')).onmessage = soon;
setInterval(soon, pollMs);
void soon();

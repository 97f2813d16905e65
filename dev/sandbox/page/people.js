import { api } from './api.js';
import { ask } from './dialogs.js';
import { $, h, time, toast } from './dom.js';
import { page, state } from './state.js';
import { show } from './views.js';

/** Draws the first letter of a name on a colour that stays with the customer. */
export function avatar(user) {
  const sum = [...user.key].reduce((total, character) => total + character.charCodeAt(0), 0);
  return h(
    'span',
    { class: `avatar c${sum % 5}`, 'aria-hidden': 'true' },
    (user.name || '?').slice(0, 1).toUpperCase(),
  );
}

function personItem(user) {
  const identity = user.phone ? `+${user.phone}` : user.user_id;
  const last = user.last ? `${user.last.mine ? 'You: ' : ''}${user.last.text}` : identity;
  const chosen = user.key === state.user;
  return h(
    'li',
    {},
    h(
      'button',
      {
        type: 'button',
        'data-key': user.key,
        'aria-current': chosen ? 'true' : null,
        on: () => choose(user.key),
      },
      avatar(user),
      h('span', { class: 'who' }, user.name),
      h('span', { class: 'when' }, user.last ? time(user.last.at) : ''),
      h('span', { class: 'last' }, last),
    ),
  );
}

/** Draws the list of customers; the one that had the focus keeps it. */
export function drawPeople() {
  const focused = document.activeElement?.dataset?.key;
  const items = state.people.map(personItem);
  if (items.length === 0)
    items.push(h('li', { class: 'empty' }, 'No customer yet. Make one, and write to the business.'));
  $('people').replaceChildren(...items);
  if (focused) $('people').querySelector(`[data-key="${focused}"]`)?.focus();
}

/** Shows another customer's phone. */
export function choose(key) {
  state.user = key;
  state.chat = null;
  state.replyTo = null;
  show('phone');
  void page.refresh();
}

/** Makes a customer, who may write at once. */
export async function newCustomer() {
  const given = await ask('New customer', [
    { name: 'name', label: 'Name', placeholder: 'Anna Berg' },
    {
      name: 'phone',
      label: 'Phone (leave empty for a customer without a visible number)',
      placeholder: '+1 555 123 0001',
      type: 'tel',
    },
    { name: 'username', label: 'User name', placeholder: 'anna.berg' },
    { name: 'text', label: 'First message', value: 'Hello!' },
  ]);
  if (!given) return;
  if (!given.phone && !given.username) {
    toast('A phone or a user name is needed.');
    return;
  }

  const from = {
    name: given.name || undefined,
    phone: given.phone || undefined,
    username: given.username || undefined,
    hidden: given.phone ? undefined : true,
  };
  const { business_account_id: account } = state.account;
  const user = given.text
    ? (
        await api('POST', '/inbound', {
          business_account_id: account,
          phone_number_id: state.phone.id,
          from,
          text: given.text,
        })
      ).user
    : await api('POST', '/users', { business_account_id: account, ...from });
  choose(user.key);
  $('text').focus();
}

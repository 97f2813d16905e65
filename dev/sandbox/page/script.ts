import { EVENTS_SCRIPT } from './eventsScript';
import { PLAY_SCRIPT } from './playScript';

/** The page's script: no library, no inline code, all text set as text. */
export const SCRIPT = String.raw`'use strict';
(function () {
var $ = function (id) { return document.getElementById(id); };
var token = new URLSearchParams(location.search).get('control_token');
var state = { accounts: [], account: null, phone: null, people: [], user: null, chat: null, replyTo: null, shown: '' };

function h(tag, attrs) {
  var node = document.createElement(tag);
  Object.keys(attrs || {}).forEach(function (key) {
    var value = attrs[key];
    if (value === undefined || value === null || value === false) return;
    if (key === 'on') node.addEventListener('click', value);
    else if (key === 'class') node.className = value;
    else node.setAttribute(key, value === true ? '' : value);
  });
  for (var i = 2; i < arguments.length; i += 1) {
    [].concat(arguments[i]).forEach(function (child) {
      if (child !== null && child !== undefined && child !== false && child !== '') node.append(child);
    });
  }
  return node;
}

function withToken(path) {
  return token ? path + (path.indexOf('?') < 0 ? '?' : '&') + 'control_token=' + encodeURIComponent(token) : path;
}

async function api(method, path, body) {
  var response = await fetch(withToken('/_control' + path), { method: method, headers: body ? { 'content-type': 'application/json' } : {}, body: body ? JSON.stringify(body) : undefined });
  var result = await response.json();
  if (!response.ok) { toast(result.error || 'HTTP ' + response.status); throw new Error(result.error); }
  return result;
}

var toastTimer;
function toast(text) {
  $('toast').textContent = text;
  $('toast').hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(function () { $('toast').hidden = true; }, 3500);
}

function scope() { return 'business_account_id=' + state.account.business_account_id + '&phone_number_id=' + state.phone.id; }
function time(ms) { return new Date(ms).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }); }
function identity(user) { return user.phone ? '+' + user.phone : user.user_id; }
function face(user) {
  var sum = 0;
  for (var i = 0; i < user.key.length; i += 1) sum += user.key.charCodeAt(i);
  return h('span', { class: 'face c' + (sum % 5), 'aria-hidden': 'true' }, (user.name || '?').slice(0, 1).toUpperCase());
}

async function refresh() {
  var webhooks = api('GET', '/webhooks?limit=1');
  if (!state.account) await loadAccounts();
  if (state.account) {
    state.people = await api('GET', '/chats?' + scope() + '&q=' + encodeURIComponent($('search').value));
    if (!state.user && state.people.length > 0) state.user = state.people[0].key;
    state.chat = state.user ? await api('GET', '/chats/' + state.user + '?' + scope()).catch(function () { state.user = null; return null; }) : null;
    drawPeople();
    drawChat();
  }
  drawDelivery(await webhooks);
}

async function loadAccounts() {
  state.accounts = await api('GET', '/accounts');
  var select = $('number');
  select.replaceChildren();
  state.accounts.forEach(function (account) {
    account.phone_numbers.forEach(function (phone) {
      select.append(h('option', { value: phone.id }, phone.verified_name + ' ' + phone.display_phone_number));
    });
  });
  chooseNumber(state.phone ? state.phone.id : localStorage.getItem('number') || select.value);
  window.drawPlay();
}

function chooseNumber(id) {
  state.phone = null;
  state.accounts.forEach(function (account) {
    account.phone_numbers.forEach(function (phone) {
      if (phone.id === id || !state.phone) { state.account = account; state.phone = phone; }
    });
  });
  if (!state.phone) { $('people').replaceChildren(h('li', { class: 'empty' }, 'No business account is registered yet. Start the product, or POST /_control/accounts.')); return; }
  $('number').value = state.phone.id;
  localStorage.setItem('number', state.phone.id);
}

function drawDelivery(info) {
  var last = info.deliveries[0];
  var bad = last && last.status !== 200;
  var text = info.paused ? 'Webhooks paused, ' + info.pending + ' waiting' : bad ? 'Webhooks fail: ' + (last.status ? 'HTTP ' + last.status : 'no answer') + ', ' + info.pending + ' waiting' : info.pending ? info.pending + ' webhooks waiting' : last ? 'Webhooks delivered' : 'No webhook sent yet';
  $('delivery').textContent = text;
  $('delivery').className = 'delivery' + (bad || info.paused ? ' bad' : '');
  $('pause').textContent = info.paused ? 'Resume webhooks' : 'Pause webhooks';
  $('pause').setAttribute('aria-pressed', String(info.paused));
}

function drawPeople() {
  var focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.key : null;
  var items = state.people.map(function (user) {
    var last = user.last ? (user.last.mine ? 'You: ' : '') + user.last.text : identity(user);
    return h('li', {}, h('button', { type: 'button', 'data-key': user.key, 'aria-current': user.key === state.user ? 'true' : null, on: function () { choose(user.key); } },
      face(user), h('span', { class: 'who' }, user.name), h('span', { class: 'when' }, user.last ? time(user.last.at) : ''), h('span', { class: 'last' }, last)));
  });
  if (items.length === 0) items.push(h('li', { class: 'empty' }, 'No customer yet. Make one, and write to the business.'));
  $('people').replaceChildren.apply($('people'), items);
  if (focused) { var again = $('people').querySelector('[data-key="' + focused + '"]'); if (again) again.focus(); }
}

function choose(key) { state.user = key; state.replyTo = null; state.shown = ''; drawQuote(); refresh(); }

function drawHead() {
  var user = state.chat && state.chat.user;
  if (!user) { $('head').replaceChildren(h('strong', {}, 'No customer chosen')); return; }
  var left = user.window_until ? Math.max(0, Math.round((user.window_until - Date.now()) / 3600000)) : null;
  $('head').replaceChildren(face(user),
    h('div', {}, h('strong', {}, user.name), h('small', {}, [user.phone ? '+' + user.phone + (user.hidden ? ' (hidden)' : '') : null, user.username ? '@' + user.username : null, user.user_id].filter(Boolean).join(' · '))),
    h('div', { class: 'tags' },
      left === null ? h('span', { class: 'tag' }, 'Window closed') : h('span', { class: 'tag good' }, 'Window open, ' + left + ' h'),
      user.opted_out && h('span', { class: 'tag bad' }, 'No marketing'),
      user.blocked && h('span', { class: 'tag bad' }, 'Blocked the business')));
}

function drawChat() {
  drawHead();
  var list = $('chat');
  var messages = state.chat ? state.chat.messages : [];
  var print = JSON.stringify([state.user, messages]);
  if (print === state.shown) return;
  state.shown = print;
  var atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 80;
  var items = messages.map(bubble).filter(Boolean);
  if (items.length === 0) items.push(h('li', { class: 'empty' }, state.chat ? 'Nothing here yet. Write as this customer below, or send them a template from the product.' : 'Choose a customer on the left, or make a new one.'));
  list.replaceChildren.apply(list, items);
  var toEnd = function () { list.scrollTop = list.scrollHeight; };
  if (atEnd || list.dataset.user !== state.user) {
    toEnd();
    list.querySelectorAll('img').forEach(function (image) { image.addEventListener('load', toEnd, { once: true }); });
  }
  list.dataset.user = state.user || '';
}

var TICKS = { accepted: ['◷', 'accepted'], sent: ['✓', 'sent'], delivered: ['✓✓', 'delivered'], read: ['✓✓', 'read'], played: ['✓✓', 'played'], failed: ['!', 'failed'] };
function bubble(m) {
  if (m.type === 'reaction') return null;
  var ticks = TICKS[m.ticks] || ['', m.ticks];
  var body = h('div', { class: 'bubble' },
    m.note && h('p', { class: 'detail' }, m.note),
    m.quoted && h('div', { class: 'quoted' }, m.quoted),
    media(m.media),
    m.header && h('h3', {}, m.header),
    m.label && h('p', { class: 'label' }, m.label),
    m.text && h('p', {}, m.text),
    m.detail && h('p', { class: 'detail' }, m.detail),
    m.footer && h('p', { class: 'foot' }, m.footer),
    m.failure && h('p', { class: 'failure' }, 'Never arrived. ' + m.failure),
    m.lost && !m.failure && h('p', { class: 'failure' }, 'Never arrived: the customer blocked the business.'),
    m.answered && h('p', { class: 'failure' }, 'Answered with: ' + m.answered.replace(/_/g, ' ')),
    !m.system && h('p', { class: 'meta' }, (m.template ? m.template + ' · ' + m.category + ' · ' : '') + time(m.at), h('span', { class: 'ticks ' + m.ticks, 'aria-hidden': 'true' }, ticks[0]), h('span', { class: 'hidden' }, ticks[1])));
  var reacted = (m.reactions || []).length > 0 ? h('span', { class: 'react', 'aria-label': 'Reaction' }, m.reactions.join(' ')) : null;
  var actions = m.system || m.lost ? null : h('div', { class: 'act' }, h('button', { type: 'button', on: function () { replyTo(m); } }, 'Reply'), !m.mine && h('button', { type: 'button', on: function () { react(m); } }, 'React'));
  return h('li', { class: (m.system ? 'note' : m.mine ? 'mine' : 'theirs') + (m.lost ? ' lost' : '') }, body, reacted, m.mine || m.lost ? null : choices(m), actions);
}

function media(item) {
  if (!item) return null;
  if (item.url && (item.type === 'image' || item.type === 'sticker')) return h('img', { src: item.url.indexOf('/_control/') === 0 ? withToken(item.url) : item.url, alt: item.type === 'image' ? 'Photo' : 'Sticker' });
  var names = { video: 'Video', audio: 'Voice message', document: item.filename || 'Document', image: 'Photo', sticker: 'Sticker' };
  return item.url ? h('a', { class: 'file', href: item.url.indexOf('/_control/') === 0 ? withToken(item.url) : item.url, target: '_blank', rel: 'noreferrer' }, names[item.type]) : h('span', { class: 'file' }, names[item.type]);
}

function choices(m) {
  var out = (m.buttons || []).map(function (button) {
    if (button.send) return h('button', { type: 'button', on: function () { sendMessage(button.send, m.wamid); } }, button.title);
    if (button.flow) return h('button', { type: 'button', on: function () { window.flowReply(button.flow, m.wamid); } }, button.title);
    return h('a', { href: /^https?:/.test(button.url || '') ? button.url : '#', target: '_blank', rel: 'noreferrer' }, button.title);
  });
  if (m.list) out.push(h('button', { type: 'button', on: function () { pickRow(m); } }, m.list.button + ' …'));
  return out.length > 0 ? h('div', { class: 'choices' }, out) : null;
}

async function pickRow(m) {
  var rows = [].concat.apply([], m.list.sections.map(function (section) { return section.rows; }));
  var row = await pick(m.list.button, rows.map(function (item) { return [item.title + (item.description ? ' · ' + item.description : ''), item]; }));
  if (row) sendMessage({ type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: row.id, title: row.title, description: row.description } } }, m.wamid);
}

async function react(m) {
  var emoji = await pick('React with', ['👍', '❤️', '😂', '😮', '🙏'].map(function (item) { return [item, item]; }).concat([['Remove the reaction', '']]));
  if (emoji !== null) sendMessage({ type: 'reaction', reaction: { message_id: m.wamid, emoji: emoji } });
}

function replyTo(m) { state.replyTo = m; drawQuote(); $('text').focus(); }
function drawQuote() {
  $('quote').hidden = !state.replyTo;
  $('quote').textContent = state.replyTo ? 'Reply to: ' + (state.replyTo.text || state.replyTo.type).slice(0, 90) + '  (Esc cancels)' : '';
}

function base() { return { business_account_id: state.account.business_account_id, phone_number_id: state.phone.id, user: { key: state.user } }; }
async function sendMessage(message, about, more) {
  if (!state.user) { toast('Choose or make a customer first.'); return; }
  var input = Object.assign(base(), { message: message }, more || {});
  if (about) input.reply_to = about;
  await api('POST', '/inbound', input);
  refresh();
}

/* Dialogs: ask() for fields, pick() for one of several. */
function open(title, content) {
  return new Promise(function (resolve) {
    var dialog = $('dialog');
    var result = null;
    $('ask').replaceChildren(h('h2', { id: 'dialog-title' }, title));
    $('ask').append.apply($('ask'), content(function (value) { result = value; dialog.close(); }));
    $('ask').onsubmit = function (event) { event.preventDefault(); };
    dialog.onclose = function () { resolve(result); };
    dialog.showModal();
  });
}
function ask(title, fields) {
  return open(title, function (done) {
    var inputs = fields.map(function (field) {
      if (field.options) return h('select', { name: field.name }, field.options.map(function (option) { return h('option', { value: option }, option); }));
      var input = h(field.long ? 'textarea' : 'input', { name: field.name, type: field.long ? null : field.type || 'text', placeholder: field.placeholder, value: field.long ? null : field.value, rows: field.long ? 5 : null, autocomplete: 'off' });
      if (field.long && field.value) input.value = field.value;
      return input;
    });
    var finish = function () {
      var out = {};
      inputs.forEach(function (input) { out[input.name] = input.type === 'checkbox' ? input.checked : input.value.trim(); });
      done(out);
    };
    setTimeout(function () { $('ask').onsubmit = function (event) { event.preventDefault(); finish(); }; });
    return fields.map(function (field, index) { return field.type === 'checkbox' ? h('label', {}, inputs[index], ' ' + field.label) : h('label', {}, field.label, inputs[index]); })
      .concat([h('div', { class: 'row' }, h('button', { type: 'button', on: function () { done(null); } }, 'Cancel'), h('button', { type: 'submit', class: 'main' }, 'OK'))]);
  });
}
function pick(title, options) {
  return open(title, function (done) {
    return options.map(function (option) { return h('button', { type: 'button', class: 'option', on: function () { done(option[1]); } }, option[0]); })
      .concat([h('div', { class: 'row' }, h('button', { type: 'button', on: function () { done(null); } }, 'Cancel'))]);
  });
}

$('composer').addEventListener('submit', function (event) {
  event.preventDefault();
  var text = $('text').value.trim();
  if (!text) return;
  $('text').value = '';
  var about = state.replyTo ? state.replyTo.wamid : null;
  state.replyTo = null;
  drawQuote();
  sendMessage({ type: 'text', text: { body: text } }, about);
});
$('text').addEventListener('keydown', function (event) {
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); $('composer').requestSubmit(); }
  if (event.key === 'Escape' && state.replyTo) { state.replyTo = null; drawQuote(); }
});
$('search').addEventListener('input', function () { refresh(); });
$('number').addEventListener('change', function () { chooseNumber($('number').value); state.user = null; refresh(); window.drawPlay(); });
$('pause').addEventListener('click', async function () { await api('POST', $('pause').getAttribute('aria-pressed') === 'true' ? '/resume_webhooks' : '/pause_webhooks', {}); refresh(); });
$('new').addEventListener('click', async function () {
  var given = await ask('New customer', [{ name: 'name', label: 'Name', placeholder: 'Anna Berg' }, { name: 'phone', label: 'Phone (leave empty for a customer without a visible number)', placeholder: '+1 555 123 0001', type: 'tel' }, { name: 'username', label: 'User name', placeholder: 'anna.berg' }, { name: 'text', label: 'First message', value: 'Hello!' }]);
  if (!given) return;
  if (!given.phone && !given.username) { toast('A phone or a user name is needed.'); return; }
  var from = { name: given.name || undefined, phone: given.phone || undefined, username: given.username || undefined };
  if (!given.phone) from.hidden = true;
  var user;
  if (given.text) user = (await api('POST', '/inbound', { business_account_id: state.account.business_account_id, phone_number_id: state.phone.id, from: from, text: given.text })).user;
  else user = await api('POST', '/users', Object.assign({ business_account_id: state.account.business_account_id }, from));
  choose(user.key);
  $('text').focus();
});

var busy = false;
var again = false;
async function soon() {
  if (busy) { again = true; return; }
  busy = true;
  try { await refresh(); } catch (error) { $('delivery').textContent = 'The sandbox does not answer.'; $('delivery').className = 'delivery bad'; }
  busy = false;
  if (again) { again = false; soon(); }
}
window.sandbox = { state: state, h: h, api: api, ask: ask, pick: pick, toast: toast, base: base, sendMessage: sendMessage, refresh: soon, reload: function () { return loadAccounts().then(soon); } };
${EVENTS_SCRIPT}
${PLAY_SCRIPT}
new EventSource(withToken('/_control/stream')).onmessage = soon;
setInterval(soon, 5000);
soon();
})();
`;

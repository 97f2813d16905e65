import { withToken } from './api.js';
import { pick } from './dialogs.js';
import { $, h, time, toast } from './dom.js';
import { submitFlow } from './flowForm.js';
import { avatar } from './people.js';
import { sendMessage, state } from './state.js';

const ticks = {
  accepted: ['◷', 'accepted'],
  sent: ['✓', 'sent'],
  delivered: ['✓✓', 'delivered'],
  read: ['✓✓', 'read'],
  played: ['✓✓', 'played'],
  failed: ['!', 'failed'],
};
const fileNames = { video: 'Video', audio: 'Voice message', document: 'Document', image: 'Photo', sticker: 'Sticker' };

/** What was drawn last: the chat is only drawn again when it changed. */
let drawn = '';
/** Whether the end of the chat is in view, where it then stays while more comes or its place changes its size. */
let atEnd = true;

/** Runs what a button of a bubble does; its failure is shown. */
const acting = (action) => () => {
  Promise.resolve()
    .then(action)
    .catch((error) => toast(error.message));
};

function drawHead() {
  const user = state.chat?.user;
  if (!user) {
    $('head').replaceChildren(h('strong', {}, 'No customer chosen'));
    return;
  }
  const phone = user.phone ? `+${user.phone}${user.hidden ? ' (hidden)' : ''}` : null;
  const identities = [phone, user.username ? `@${user.username}` : null, user.user_id].filter(Boolean).join(' · ');
  const hours = user.window_until ? Math.max(0, Math.round((user.window_until - Date.now()) / 3_600_000)) : null;
  $('head').replaceChildren(
    avatar(user),
    h('div', { class: 'identity' }, h('strong', {}, user.name), h('small', {}, identities)),
    h(
      'div',
      { class: 'tags' },
      hours === null
        ? h('span', { class: 'tag' }, 'Window closed')
        : h('span', { class: 'tag good' }, `Window open, ${hours} h`),
      user.opted_out && h('span', { class: 'tag bad' }, 'No marketing'),
      user.blocked && h('span', { class: 'tag bad' }, 'Blocked the business'),
    ),
  );
}

/** Draws the chosen customer's phone, and stays at its end where it was there. */
export function drawChat() {
  drawHead();
  const list = $('chat');
  const messages = state.chat?.messages ?? [];
  const typing = state.chat?.typing ?? false;
  const print = JSON.stringify([state.user, messages, typing]);
  if (print === drawn) return;
  drawn = print;

  const items = messages.map(bubble).filter(Boolean);
  if (items.length === 0)
    items.push(
      h(
        'li',
        { class: 'empty' },
        state.chat
          ? 'Nothing here yet. Write as this customer below, or send them a template from the product.'
          : 'Choose a customer, or make a new one.',
      ),
    );
  if (typing)
    items.push(h('li', { class: 'theirs' }, h('div', { class: 'bubble' }, h('p', { class: 'detail' }, 'typing…'))));
  list.replaceChildren(...items);

  if (list.dataset.user !== state.user) atEnd = true;
  list.dataset.user = state.user ?? '';
  stayAtEnd();
  for (const image of list.querySelectorAll('img')) image.addEventListener('load', stayAtEnd, { once: true });
}

function stayAtEnd() {
  if (atEnd) $('chat').scrollTop = $('chat').scrollHeight;
}

/** Keeps the end of the chat in view, unless a person has scrolled away from it. */
export function followChat() {
  const list = $('chat');
  let top = 0;
  list.addEventListener('scroll', () => {
    if (list.clientHeight === 0) return;
    // A picture that has just got its height moves the end away; only who scrolls up leaves it.
    if (list.scrollHeight - list.scrollTop - list.clientHeight < 80) atEnd = true;
    else if (list.scrollTop < top) atEnd = false;
    top = list.scrollTop;
  });
  new ResizeObserver(stayAtEnd).observe(list);
}

function bubble(message) {
  if (message.type === 'reaction') return null;
  const [tick, tickName] = ticks[message.ticks] ?? ['', message.ticks];
  const template = message.template ? `${message.template} · ${message.category} · ` : '';
  const body = h(
    'div',
    { class: 'bubble' },
    message.note && h('p', { class: 'detail' }, message.note),
    message.quoted && h('div', { class: 'quoted' }, message.quoted),
    media(message.media),
    message.header && h('h3', {}, message.header),
    message.label && h('p', { class: 'label' }, message.label),
    message.text && h('p', {}, message.text),
    message.detail && h('p', { class: 'detail' }, message.detail),
    message.footer && h('p', { class: 'foot' }, message.footer),
    message.failure && h('p', { class: 'failure' }, `Never arrived. ${message.failure}`),
    message.lost &&
      !message.failure &&
      h('p', { class: 'failure' }, 'Never arrived: the customer blocked the business.'),
    message.answered && h('p', { class: 'failure' }, `Answered with: ${message.answered.replace(/_/g, ' ')}`),
    !message.system &&
      h(
        'p',
        { class: 'meta' },
        `${template}${time(message.at)}`,
        h('span', { class: `ticks ${message.ticks}`, 'aria-hidden': 'true' }, tick),
        h('span', { class: 'hidden' }, tickName),
      ),
  );
  const side = message.system ? 'note' : message.mine ? 'mine' : 'theirs';
  return h(
    'li',
    { class: `${side}${message.lost ? ' lost' : ''}` },
    body,
    (message.reactions ?? []).length > 0 &&
      h('span', { class: 'react', role: 'img', 'aria-label': 'Reaction' }, message.reactions.join(' ')),
    message.mine || message.lost ? null : choices(message),
    message.system || message.lost ? null : actions(message),
  );
}

function actions(message) {
  return h(
    'div',
    { class: 'act' },
    h('button', { type: 'button', on: () => replyTo(message) }, 'Reply'),
    !message.mine && h('button', { type: 'button', on: acting(() => react(message)) }, 'React'),
  );
}

function media(item) {
  if (!item) return null;
  const url = item.url?.startsWith('/_control/') ? withToken(item.url) : item.url;
  const name = item.type === 'document' && item.filename ? item.filename : fileNames[item.type];
  if (!url) return h('span', { class: 'file' }, name);
  if (item.type === 'image' || item.type === 'sticker') return h('img', { src: url, alt: name });
  return h('a', { class: 'file', href: url, target: '_blank', rel: 'noreferrer' }, name);
}

/** Draws the buttons of a message, as the customer can tap them. */
function choices(message) {
  const tap = (title, action) => h('button', { type: 'button', on: acting(action) }, title);
  const items = (message.buttons ?? []).map((button) => {
    if (button.send) return tap(button.title, () => sendMessage(button.send, message.wamid));
    if (button.flow) return tap(button.title, () => submitFlow(button.flow, message.wamid));
    const href = /^https?:/.test(button.url ?? '') ? button.url : '#';
    return h('a', { href, target: '_blank', rel: 'noreferrer' }, button.title);
  });
  if (message.list) items.push(tap(`${message.list.button} …`, () => pickRow(message)));
  return items.length > 0 ? h('div', { class: 'choices' }, items) : null;
}

async function pickRow(message) {
  const rows = message.list.sections.flatMap((section) => section.rows);
  const row = await pick(
    message.list.button,
    rows.map((item) => [`${item.title}${item.description ? ` · ${item.description}` : ''}`, item]),
  );
  if (!row) return;
  const { id, title, description } = row;
  const reply = { type: 'list_reply', list_reply: { id, title, description } };
  await sendMessage({ type: 'interactive', interactive: reply }, message.wamid);
}

async function react(message) {
  const emoji = await pick('React with', [
    ...['👍', '❤️', '😂', '😮', '🙏'].map((item) => [item, item]),
    ['Remove the reaction', ''],
  ]);
  if (emoji !== null) await sendMessage({ type: 'reaction', reaction: { message_id: message.wamid, emoji } });
}

function replyTo(message) {
  state.replyTo = message;
  drawQuote();
  $('text').focus();
}

/** Shows which message the composer answers. */
export function drawQuote() {
  $('quote').hidden = !state.replyTo;
  $('quote').textContent = state.replyTo
    ? `Reply to: ${(state.replyTo.text || state.replyTo.type).slice(0, 90)}  (Esc cancels)`
    : '';
}

/** Lets the composer send: Enter sends, Shift+Enter begins a new line, Escape cancels the reply. */
export function startComposer() {
  $('composer').addEventListener('submit', (event) => {
    event.preventDefault();
    const text = $('text').value.trim();
    if (!text) return;
    const about = state.replyTo?.wamid;
    $('text').value = '';
    state.replyTo = null;
    drawQuote();
    acting(() => sendMessage({ type: 'text', text: { body: text } }, about))();
  });
  $('text').addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      $('composer').requestSubmit();
    }
    if (event.key === 'Escape' && state.replyTo) {
      state.replyTo = null;
      drawQuote();
    }
  });
}

'use strict';

/* The inbox: which conversation is open, j and k, reading, drafts, previews, and following what others do. */
(() => {
  const $ = (selector) => document.querySelector(selector);
  const links = () => [...document.querySelectorAll('.conversation')];
  const openOne = () => $('#open[data-path]');

  /*
   * The open conversation is the marked one of the list; while another one is on its way, that one: it is marked at the
   * click, and j counts from there.
   */
  let wanted = null;
  function mark() {
    const path = wanted?.path ?? openOne()?.dataset.path;
    for (const link of links()) {
      if (path && new URL(link.href).pathname === path) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  }
  document.addEventListener('htmx:afterSwap', mark);
  document.addEventListener('htmx:beforeRequest', ({ detail: { elt, xhr } }) => {
    if (!elt.matches('.conversation')) return;
    wanted = { path: new URL(elt.href).pathname, xhr };
    mark();
  });
  document.addEventListener('htmx:afterRequest', ({ detail: { xhr } }) => {
    if (wanted?.xhr !== xhr) return;
    wanted = null;
    mark();
  });
  /* What belongs to a conversation that was left meanwhile is not put into the one that is open now. */
  document.addEventListener('htmx:oobBeforeSwap', (event) => {
    const { target, fragment } = event.detail;
    const come = fragment.firstElementChild?.dataset ?? {};
    if (come.of && come.of !== openOne()?.dataset.path) event.detail.shouldSwap = false;
    else if (target.id === 'messages' && (come.size !== target.dataset.size || come.whole !== target.dataset.whole)) {
      // It was asked for before more of the thread was shown.
      event.detail.shouldSwap = false;
      follow('thread', refreshThread);
    }
  });

  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = document.activeElement;
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(at?.tagName ?? '') || $('dialog[open], .menu:popover-open')) return;
    if (event.key !== 'j' && event.key !== 'k') return;
    const all = links();
    const current = all.findIndex((link) => link.hasAttribute('aria-current'));
    const next = all[current < 0 ? 0 : current + (event.key === 'j' ? 1 : -1)];
    if (!next) return;
    event.preventDefault();
    next.scrollIntoView({ block: 'nearest' });
    next.focus({ preventScroll: true });
    next.click();
  });

  /* The title of the tab says how many wait. */
  document.addEventListener('htmx:afterSwap', () => {
    const badge = $('#badge-waiting');
    const count = badge && !badge.hidden ? `(${badge.firstChild.textContent.trim()}) ` : '';
    document.title = count + document.title.replace(/^\(\d+\+?\) /, '');
  });

  /* Enter in a placeholder goes to the next field: a template is sent by its button. */
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !event.target.matches('.template-form input')) return;
    event.preventDefault();
    const fields = [...document.querySelectorAll('.template-form input, #composer-form button[type=submit]')];
    fields[fields.indexOf(event.target) + 1]?.focus();
  });

  /* What is too long is said, and nothing of it is cut. */
  document.addEventListener('input', ({ target }) => {
    if (!target.dataset?.most) return;
    const over = [...target.value].length - Number(target.dataset.most);
    target.setCustomValidity(over > 0 ? `${over} characters too many` : '');
    $('#too-long').textContent = target.validationMessage && over > 0 ? target.validationMessage : '';
  });

  /* Ctrl+Enter sends. */
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && event.target.closest('#composer-form')) {
      event.preventDefault();
      event.target.form.requestSubmit();
    }
  });

  /* What is half written stays with its conversation, in this tab, until it is sent. */
  const draftKey = () => `draft ${openOne()?.dataset.id}`;
  document.addEventListener('input', (event) => {
    if (event.target.matches('[data-draft]')) sessionStorage.setItem(draftKey(), event.target.value);
    const name = event.target.dataset?.fills;
    if (!name) return;
    for (const place of document.querySelectorAll('[data-filled]')) {
      if (place.dataset.filled !== name) continue;
      place.dataset.empty ??= place.textContent;
      place.textContent = event.target.value || place.dataset.empty;
      place.classList.toggle('is-filled', event.target.value !== '');
    }
  });
  function restoreDraft() {
    const field = $('[data-draft]');
    if (field && field.value === '') field.value = sessionStorage.getItem(draftKey()) ?? '';
  }

  /*
   * A text leaves the field when it is sent and stands in the thread as being sent, so that writing goes on: the field
   * is never replaced. One text goes after the other. Where one is refused or lost, it and those behind it come back
   * into the field; after a lost answer under the same key, which cannot send it twice.
   */
  const sender = document.body.appendChild(document.createElement('span'));
  sender.hidden = true;
  let sending = [];
  let isSending = false;
  const newKey = () => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(18))));
  function bubbleOf(text) {
    const row = document.createElement('li');
    row.className = 'bubble-row is-mine';
    row.innerHTML =
      '<div class="bubble is-mine"><p class="bubble-text" dir="auto"></p><p class="bubble-foot">Sending…</p></div>';
    row.querySelector('.bubble-text').textContent = text;
    return row;
  }
  function drawSending() {
    const id = openOne()?.dataset.id;
    $('#sending')?.replaceChildren(...sending.filter((one) => one.id === id).map(({ bubble }) => bubble));
  }
  function sendNext() {
    const [one] = sending;
    if (!one || isSending) return;
    isSending = true;
    window.htmx.ajax('POST', one.address, { source: sender, values: one.values, swap: 'none' }).catch(() => undefined);
  }
  function takeBack(id, isLost) {
    const back = sending.filter((one) => one.id === id);
    sending = sending.filter((one) => one.id !== id);
    const key = `draft ${id}`;
    const typed = sessionStorage.getItem(key);
    sessionStorage.setItem(key, [...back.map(({ values }) => values.body), typed].filter(Boolean).join('\n'));
    const field = $('[data-draft]');
    if (openOne()?.dataset.id !== id || !field) return;
    field.value = sessionStorage.getItem(key);
    field.form.elements.once.value = isLost ? back[0].values.once : newKey();
    if (!field.form.elements.reply_to_wamid) field.form.prepend(...back[0].quote);
  }
  document.addEventListener(
    'submit',
    (event) => {
      const form = event.target;
      const field = form.id === 'composer-form' && form.querySelector('[data-draft]');
      if (!field) return;
      event.preventDefault();
      event.stopPropagation();
      if (field.value.trim() === '') return;
      const address = new URL(form.action);
      const { size, whole } = $('#messages').dataset;
      address.searchParams.set('messages', size);
      address.searchParams.set('whole', whole);
      const quote = [...form.querySelectorAll('.composer-quote, [name=reply_to_wamid]')];
      const values = Object.fromEntries(new FormData(form));
      const { id } = openOne().dataset;
      sending.push({ id, address: address.pathname + address.search, values, quote, bubble: bubbleOf(values.body) });
      for (const element of quote) element.remove();
      field.value = '';
      form.elements.once.value = newKey();
      sessionStorage.removeItem(draftKey());
      field.focus();
      drawSending();
      $('#messages').scrollTop = 0;
      sendNext();
    },
    true,
  );
  document.addEventListener('htmx:afterRequest', ({ detail: { elt, xhr } }) => {
    if (elt !== sender) return;
    isSending = false;
    if (xhr.status >= 200 && xhr.status < 300) sending.shift();
    else takeBack(sending[0].id, xhr.status === 0 || xhr.status >= 500);
    drawSending();
    sendNext();
  });
  for (const name of ['htmx:afterSwap', 'htmx:oobAfterSwap']) document.addEventListener(name, drawSending);
  window.addEventListener('beforeunload', (event) => sending.length > 0 && event.preventDefault());

  /* After a click on Reply, Template or a message's answer, writing can begin. */
  document.addEventListener('htmx:afterSettle', (event) => {
    const target = event.detail.target;
    if (target?.id === 'composer' || target?.id === 'open') restoreDraft();
    if (target?.id === 'composer')
      $('#composer :is(textarea, [aria-invalid], input:not([type=hidden]), select):not(:disabled)')?.focus();
  });
  restoreDraft();

  /* Opened and looked at counts as read. */
  function read() {
    const head = $('#thread-head');
    const one = openOne();
    if (!one || !head || head.dataset.unread === '0' || document.visibilityState !== 'visible') return;
    head.dataset.unread = '0';
    const options = { swap: 'none', source: one, event: new CustomEvent('refresh') };
    window.htmx.ajax('POST', `${one.dataset.path}read/`, options).catch(() => undefined);
  }
  document.addEventListener('htmx:afterSettle', read);
  document.addEventListener('visibilitychange', read);
  read();

  /* Files that the platform does not keep any more. */
  document.addEventListener(
    'error',
    (event) => {
      const text = event.target.dataset?.fallback;
      if (!text) return;
      const note = document.createElement('span');
      note.className = 'soft small';
      note.textContent = `${text}: not available any more`;
      event.target.replaceWith(note);
    },
    true,
  );

  /* Following: parts are asked for anew when something changed. */
  const { follow } = window;
  const withPart = (path, search, part) => {
    const query = new URLSearchParams(search);
    for (const [key, value] of Object.entries(part)) query.set(key, value);
    return `${path}?${query}`;
  };
  const refreshList = (event) => {
    const typed = $('#search')?.value ?? '';
    // What is typed is looked for everywhere, as by Enter.
    const isOther = typed !== '' && typed !== new URLSearchParams(location.search).get('search');
    const query = new URLSearchParams(isOther ? { search: typed } : location.search);
    for (const name of ['messages', 'compose', 'reply_to', 'template_id']) query.delete(name);
    if (typed === '') query.delete('search');
    return window.htmx.ajax('GET', `/dashboard/inbox/?${query}`, { event, target: '#list', swap: 'morph:outerHTML' });
  };
  const refreshCounts = (event) =>
    window.htmx.ajax('GET', withPart('/dashboard/inbox/', location.search, { part: 'counts' }), {
      event,
      target: '#views',
      swap: 'morph:outerHTML',
    });
  /* A busy workspace changes all the time: what others do moves a part no more often, each tab at its own time. */
  const due = {};
  const followAtMost = (name, ask, everyMs) => {
    const wait = Math.max(0, (due[name] ?? 0) - Date.now());
    if (due[`${name} timer`]) return;
    due[`${name} timer`] = setTimeout(() => {
      due[name] = Date.now() + everyMs * (1 + Math.random() / 2);
      due[`${name} timer`] = 0;
      follow(name, ask);
    }, wait);
  };
  /* The panel is not taken away under the hands of who uses it. */
  const isPanelInUse = () => $('#details')?.matches(':focus-within, :has([aria-invalid], #activity ol)');
  document.addEventListener('htmx:oobBeforeSwap', (event) => {
    if (event.detail.target.id === 'details' && isPanelInUse()) event.detail.shouldSwap = false;
  });
  const refreshThread = (event) => {
    const one = openOne();
    if (!one) return undefined;
    return window.htmx.ajax(
      'GET',
      withPart(one.dataset.path, location.search, {
        part: 'thread',
        messages: $('#messages')?.dataset.size ?? '',
        whole: $('#messages')?.dataset.whole ?? '',
        details: isPanelInUse() ? 'no' : 'yes',
      }),
      { event, source: one, swap: 'none' },
    );
  };
  document.addEventListener('inbox:changed', (event) => {
    if (event.detail.thread) follow('thread', refreshThread);
    follow('list', refreshList);
    follow('counts', refreshCounts);
  });
  document.addEventListener('live', (event) => {
    const { type, id } = event.detail;
    const one = openOne();
    const own = Number(type === 'contact' ? one?.dataset.contact : one?.dataset.id);
    if (type === 'all' || (['conversation', 'contact', 'messages'].includes(type) && id === own))
      follow('thread', refreshThread);
    if (type === 'all' || ['conversation', 'contact'].includes(type)) {
      followAtMost('list', refreshList, 1_000);
      followAtMost('counts', refreshCounts, 3_000);
    }
  });
  /* The time that is left of a window goes on without any news. */
  setInterval(() => document.visibilityState === 'visible' && follow('thread', refreshThread), 60_000);
})();

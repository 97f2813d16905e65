'use strict';

/* The inbox: which conversation is open, j and k, reading, drafts, previews, and following what others do. */
(() => {
  const $ = (selector) => document.querySelector(selector);
  const links = () => [...document.querySelectorAll('.conversation')];
  const openOne = () => $('#open[data-path]');

  /* The open conversation is the marked one of the list. */
  function mark() {
    const path = openOne()?.dataset.path;
    for (const link of links()) {
      if (path && new URL(link.href).pathname === path) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  }
  document.addEventListener('htmx:afterSwap', mark);

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
  document.addEventListener('htmx:afterRequest', (event) => {
    // The form itself may be gone from the page by now.
    const form = event.detail.requestConfig?.elt;
    if (form?.id === 'composer-form' && event.detail.successful && form.elements.namedItem('body'))
      sessionStorage.removeItem(draftKey());
  });

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
    window.htmx.ajax('POST', `${one.dataset.path}read/`, { swap: 'none', source: one });
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
    const query = new URLSearchParams(location.search);
    for (const name of ['messages', 'compose', 'reply_to', 'template_id']) query.delete(name);
    const typed = $('#search')?.value;
    if (typed) query.set('search', typed);
    else query.delete('search');
    return window.htmx.ajax('GET', `/dashboard/inbox/?${query}`, { event, target: '#list', swap: 'morph:outerHTML' });
  };
  const refreshCounts = (event) =>
    window.htmx.ajax('GET', withPart('/dashboard/inbox/', location.search, { part: 'counts' }), {
      event,
      target: '#views',
      swap: 'morph:outerHTML',
    });
  /* Numbers of a busy workspace change all the time: what others do moves them every few seconds. */
  let countsTimer;
  const followCounts = () => {
    countsTimer ??= setTimeout(() => {
      countsTimer = undefined;
      follow('counts', refreshCounts);
    }, 3_000);
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
      follow('list', refreshList);
      followCounts();
    }
  });
  /* The time that is left of a window goes on without any news. */
  setInterval(() => document.visibilityState === 'visible' && follow('thread', refreshThread), 60_000);
})();

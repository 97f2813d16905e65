// @ts-check
'use strict';

/* The inbox: which conversation is open, j and k, and following what others do. */
const inbox = {
  /** The conversation that is open, if any. */
  open: () => ui.one('#open[data-path]'),
};

(() => {
  /** @returns {HTMLAnchorElement[]} */
  const links = () => ui.all('.conversation');

  /*
   * The open conversation is the marked one of the list; while another one is on its way, that one: it is marked at the
   * click, and j counts from there.
   */
  /** @type {{ readonly path: string; readonly xhr: XMLHttpRequest } | null} */
  let wanted = null;
  /* Where it stands in the list: when it leaves the list, j and k go on from there. */
  let place = 0;
  function mark() {
    const path = wanted?.path ?? inbox.open()?.dataset.path;
    if (!path) place = 0;
    for (const [index, link] of links().entries()) {
      const isIt = path !== undefined && new URL(link.href).pathname === path;
      if (isIt) place = index;
      if (isIt) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  }
  mark();
  document.addEventListener('htmx:afterSwap', mark);
  document.addEventListener('htmx:beforeRequest', ({ detail: { elt, xhr } }) => {
    if (!(elt instanceof HTMLAnchorElement) || !elt.matches('.conversation')) return;
    wanted = { path: new URL(elt.href).pathname, xhr };
    mark();
  });
  document.addEventListener('htmx:afterRequest', ({ detail: { xhr } }) => {
    if (wanted?.xhr !== xhr) return;
    wanted = null;
    mark();
  });
  /**
   * Whether messages that come take the place of those that are shown: they begin at the same one, or with the newest
   * because too many have come since that one; and they are not those around another one.
   * @param {DOMStringMap} come @param {DOMStringMap} shown
   */
  const isOfSameSpan = (come, shown) =>
    [come['since'], come['asked']].includes(shown['since']) &&
    come['at'] === shown['at'] &&
    come['whole'] === shown['whole'];
  /* What belongs to a conversation that was left meanwhile is not put into the one that is open now. */
  document.addEventListener('htmx:oobBeforeSwap', (event) => {
    const { target, fragment } = event.detail;
    const come = fragment.firstElementChild instanceof HTMLElement ? fragment.firstElementChild.dataset : {};
    if (come['of'] && come['of'] !== inbox.open()?.dataset.path) event.detail.shouldSwap = false;
    else if (target.id === 'messages' && !isOfSameSpan(come, target.dataset)) {
      // It was asked for before other messages of the thread were shown.
      event.detail.shouldSwap = false;
      window.follow('thread', refreshThread);
    }
  });

  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || ui.hasModifier(event)) return;
    if (ui.isField(document.activeElement) || ui.one('dialog[open], .menu:popover-open')) return;
    if (event.key !== 'j' && event.key !== 'k') return;
    if (goOn(event.key === 'j' ? 0 : 1)) event.preventDefault();
  });
  /* What stands in a menu has its key while that is closed, too. */
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'U' || event.defaultPrevented || ui.hasModifier(event)) return;
    if (ui.isField(event.target) || ui.one('dialog[open]')) return;
    ui.one('#more [value=unread]')?.click();
  });
  /** Opens the next conversation of the list, or the one before. @param {0 | 1} back */
  function goOn(back) {
    const all = links();
    const current = all.findIndex((link) => link.hasAttribute('aria-current'));
    const next = current < 0 ? all[Math.max(0, Math.min(place, all.length - 1) - back)] : all[current + 1 - 2 * back];
    if (!next) return false;
    next.scrollIntoView({ block: 'nearest' });
    next.focus({ preventScroll: true });
    next.click();
    return true;
  }
  /* Who is done with a conversation may want to go on; not from what they write or have opened meanwhile. */
  document.addEventListener('inbox:done', ({ detail: { id } }) => {
    if (
      inbox.open()?.dataset.id !== id ||
      ui.all('#composer textarea').some((field) => ui.isField(field) && field.value !== '')
    )
      return;
    if (!goOn(0)) goOn(1);
  });

  /* A macro that sends is shown before it runs. */
  /** @returns {HTMLDialogElement | null} */
  const macroPreview = () => ui.one('#macro-preview');
  document.addEventListener('htmx:afterSettle', ({ detail: { target } }) => {
    if (target.id === 'macro-preview') macroPreview()?.showModal();
  });
  document.addEventListener('submit', (event) => ui.target(event).id === 'macro-run' && macroPreview()?.close());

  /* The title of the tab says how many wait. */
  const isCounted = new RegExp(`^(${said.texts.new.replace('{count}', '\\d+')} · )?(\\(\\d+\\+?\\) )?`);
  document.addEventListener('htmx:afterSwap', () => {
    const badge = ui.one('#badge-waiting');
    const count = badge && !badge.hidden ? `(${badge.firstChild?.textContent?.trim()}) ` : '';
    document.title = document.title.replace(isCounted, `$1${count}`);
  });

  /* Following: parts are asked for anew when something changed. */
  /** @param {string | undefined} path @param {string} search @param {Record<string, string>} part */
  const withPart = (path, search, part) => {
    const query = new URLSearchParams(search);
    for (const [key, value] of Object.entries(part)) query.set(key, value);
    return `${path}?${query}`;
  };
  /** @param {RefreshEvent} event */
  const refreshList = (event) => {
    /** @type {HTMLInputElement | null} */
    const search = ui.one('#search');
    const typed = search?.value ?? '';
    // What is typed is looked for everywhere, as by Enter.
    const isOther = typed !== '' && typed !== new URLSearchParams(location.search).get('search');
    const query = new URLSearchParams(isOther ? { search: typed } : location.search);
    for (const name of ['messages', 'since', 'at', 'compose', 'reply_to', 'template_id']) query.delete(name);
    if (typed === '') query.delete('search');
    const list = { source: '#list', target: '#list', swap: 'morph:outerHTML' };
    return window.htmx.ajax('GET', `/dashboard/inbox/?${query}`, { event, ...list });
  };
  /** @param {RefreshEvent} event */
  const refreshCounts = (event) =>
    window.htmx.ajax('GET', withPart('/dashboard/inbox/', location.search, { part: 'counts' }), {
      event,
      source: '#views',
      target: '#views',
      swap: 'morph:outerHTML',
    });
  /* A busy workspace changes all the time: what others do moves a part no more often, each tab at its own time. */
  /** @type {Map<string, number>} */
  const due = new Map();
  /** @type {Set<string>} */
  const soon = new Set();
  /** @param {string} name @param {(event: RefreshEvent) => Promise<void>} ask @param {number} everyMs */
  const followAtMost = (name, ask, everyMs) => {
    if (soon.has(name)) return;
    soon.add(name);
    setTimeout(
      () => {
        due.set(name, Date.now() + everyMs * (1 + Math.random() / 2));
        soon.delete(name);
        window.follow(name, ask);
      },
      Math.max(0, (due.get(name) ?? 0) - Date.now()),
    );
  };
  /* The panel is not taken away under the hands of who uses it; what is pressed in its list changes the list. */
  const inUse = ':has(:focus:not(.upcoming button), [aria-invalid], [role="alert"], #activity ol, #panel-tickets form)';
  const isPanelInUse = () => ui.one('#details')?.matches(inUse) ?? false;
  /* Where the panel opens over the thread, it does so for a ticket from a message. */
  document.addEventListener('htmx:afterSwap', ({ detail: { target } }) => {
    const panel = target.id === 'panel-tickets' && ui.one('#details');
    if (panel && getComputedStyle(panel).display === 'none') panel.showPopover();
  });
  document.addEventListener('htmx:oobBeforeSwap', (event) => {
    if (event.detail.target.id === 'details' && isPanelInUse()) event.detail.shouldSwap = false;
  });
  /** @param {RefreshEvent} event */
  const refreshThread = (event) => {
    const one = inbox.open();
    if (!one) return undefined;
    const { size = '', since = '', whole = '' } = ui.one('#messages')?.dataset ?? {};
    const part = { part: 'thread', messages: size, since, whole, details: isPanelInUse() ? 'no' : 'yes' };
    return window.htmx.ajax('GET', withPart(one.dataset.path, location.search, part), {
      event,
      source: one,
      swap: 'none',
    });
  };
  document.addEventListener('inbox:changed', (event) => {
    if (event.detail.thread) window.follow('thread', refreshThread);
    window.follow('list', refreshList);
    window.follow('counts', refreshCounts);
  });
  document.addEventListener('live', (event) => {
    const { type, id } = event.detail;
    const one = inbox.open();
    const own = Number(type === 'contact' ? one?.dataset.contact : one?.dataset.id);
    if (type === 'all' || (['conversation', 'contact', 'messages', 'note'].includes(type) && id === own))
      window.follow('thread', refreshThread);
    if (type === 'all' || ['conversation', 'contact'].includes(type)) {
      followAtMost('list', refreshList, 1_000);
      followAtMost('counts', refreshCounts, 3_000);
    }
  });
  /* The time that is left of a window goes on without any news. */
  setInterval(() => document.visibilityState === 'visible' && window.follow('thread', refreshThread), 60_000);
})();

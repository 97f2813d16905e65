// @ts-check
'use strict';

/*
 * Parts that bring themselves up to date, by news or every few seconds, wait while somebody is in the middle of
 * something: a menu or dialog is open, a card is dragged, or what was asked for is on its way. They are asked for anew
 * when that is over. An answer that comes too late for that is not shown.
 */
(() => {
  const isInUse = () => ui.one('dialog[open], .menu:popover-open, .is-dragged, :is(form, a).htmx-request') !== null;
  /** @param {Element} element */
  const polls = (element) => element.getAttribute('hx-trigger')?.startsWith('every ');

  /*
   * follow(name, ask) asks for a part by `ask(event)`, which gives the event to htmx.ajax: at most one request of a
   * name at a time, and one more when it was asked for meanwhile. Each part names a `source` of its own: of requests
   * that wait for one element htmx keeps the newest only.
   */
  const retryMs = 3_000;
  /** Those on their way, and whether they were asked for once more. @type {Map<string, boolean>} */
  const running = new Map();
  /** @type {Map<string, Parameters<Window['follow']>[1]>} */
  const waiting = new Map();
  window.follow = (name, ask) => {
    if (running.has(name)) {
      running.set(name, true);
      return;
    }
    if (isInUse()) {
      waiting.set(name, ask);
      return;
    }
    running.set(name, false);
    // Told by the request itself: htmx may have queued it behind another one, and then its promise says nothing.
    /** @type {RefreshEvent} */
    const event = new CustomEvent('refresh', {
      detail: {
        retry: () => setTimeout(() => window.follow(name, ask), retryMs * (1 + Math.random())),
        wait: () => waiting.set(name, ask),
      },
    });
    Promise.resolve(ask(event))
      .catch(() => undefined)
      .finally(() => {
        const again = running.get(name);
        running.delete(name);
        if (again) setTimeout(() => window.follow(name, ask), 300);
      });
  };

  /*
   * <ol id="comments" data-follows="ticket 7, conversation 3">: this part of the page is asked for anew when news of
   * one of them come; from the page itself, or from the address in `data-from`.
   */
  document.addEventListener('live', ({ detail: { type, id } }) => {
    for (const part of ui.all('[data-follows]')) {
      if (type !== 'all' && !part.dataset.follows?.split(', ').includes(`${type} ${id}`)) continue;
      const [target, address] = [`#${part.id}`, part.dataset.from ?? location.pathname + location.search];
      const options = { source: target, target, select: target, swap: 'morph:outerHTML' };
      window.follow(part.id, (event) => window.htmx.ajax('GET', address, { ...options, event }));
    }
  });

  /* What waited is asked for when the last menu, dialog or request is done, after those who listen for it as well. */
  const goOn = () =>
    setTimeout(() => {
      if (isInUse()) return;
      const parts = [...waiting];
      waiting.clear();
      for (const [name, ask] of parts) window.follow(name, ask);
    });
  for (const name of ['close', 'toggle', 'dragend', 'htmx:afterRequest']) document.addEventListener(name, goOn, true);

  /** The event of what a page asked for by itself. @param {HtmxDetail} detail */
  const refreshOf = ({ requestConfig: { triggeringEvent: event } }) =>
    event?.type === 'refresh' ? /** @type {RefreshEvent} */ (event) : null;
  document.addEventListener('htmx:beforeRequest', (event) => {
    if (polls(event.detail.elt) && isInUse()) event.preventDefault();
  });
  /* What nobody asked for is refused without a word, and asked for again. */
  document.addEventListener('htmx:beforeOnLoad', (event) => {
    const { xhr } = event.detail;
    const refresh = refreshOf(event.detail);
    if (xhr.status < 400 || xhr.status === 401 || !refresh) return;
    event.preventDefault();
    // What is gone, or may not be seen any more, will be so in a while, too.
    if (xhr.status === 429 || xhr.status >= 500) refresh.detail?.retry();
  });
  for (const name of /** @type {const} */ (['htmx:sendError', 'htmx:timeout']))
    document.addEventListener(name, ({ detail }) => refreshOf(detail)?.detail?.retry());
  document.addEventListener('htmx:beforeSwap', (event) => {
    const refresh = refreshOf(event.detail);
    if (!(refresh || polls(event.detail.elt)) || !isInUse()) return;
    event.detail.shouldSwap = false;
    refresh?.detail?.wait();
  });

  /* Who has gone on to a field meanwhile stays in it, where a part that comes asks for the focus. */
  /** @type {HTMLInputElement | null} */
  let inUse = null;
  document.addEventListener('htmx:beforeSwap', () => {
    inUse = ui.isField(document.activeElement) ? document.activeElement : null;
  });
  document.addEventListener('htmx:afterSettle', () => {
    const taken = document.activeElement;
    if (inUse?.isConnected && taken !== inUse && taken?.matches('[autofocus]')) inUse.focus({ preventScroll: true });
  });
  /* What has an id keeps the focus when its part is replaced, and nothing scrolls. */
  let focused = '';
  document.addEventListener('htmx:beforeSwap', () => (focused = document.activeElement?.id ?? ''));
  document.addEventListener('htmx:afterSwap', () => {
    if (focused !== '' && document.activeElement === document.body)
      ui.one(`#${CSS.escape(focused)}`)?.focus({ preventScroll: true });
  });

  /* A button that was pressed stays in sight, however much its form has grown: it adds the next step, too. */
  document.addEventListener('htmx:afterSettle', ({ detail: { requestConfig } }) => {
    const pressed = document.activeElement;
    if (pressed?.matches('button') && requestConfig.elt === pressed) pressed.scrollIntoView({ block: 'nearest' });
  });
})();

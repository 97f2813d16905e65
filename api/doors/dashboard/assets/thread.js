// @ts-check
'use strict';

/* The messages of the open conversation: the place where one reads, what is new below it, reading, lost files. */
(() => {
  /*
   * What one reads stays where it is, whatever comes above or below it: the first message that is to be seen. At the
   * end of the thread the end stays.
   */
  /** Nearer to the end than this, a reader is at the end: less than a line of text. */
  const endPx = 16;
  /** @param {HTMLElement} box The list is laid out from its end: scrolled up, its place is negative. */
  const isAtEnd = (box) => box.scrollTop > -endPx;
  const rows = () => ui.all('#messages .bubbles:not(.later) > .bubble-row[id]');
  /** @type {{ readonly id: string; readonly top: number } | null} */
  let reading = null;
  function remember() {
    const box = ui.one('#messages');
    reading = null;
    // Below messages around one that was found there may come more: their end is none to stay at.
    if (!box || (isAtEnd(box) && !box.dataset.at)) return;
    const edge = box.getBoundingClientRect().top;
    const first = rows().find((row) => row.getBoundingClientRect().bottom > edge);
    if (first) reading = { id: first.id, top: first.getBoundingClientRect().top };
  }
  function keepPlace() {
    const box = ui.one('#messages');
    const row = reading && ui.one(`#${CSS.escape(reading.id)}`);
    if (box && row && reading) box.scrollTop += row.getBoundingClientRect().top - reading.top;
    tellDays();
    tellNew();
  }
  /* Earlier and later messages that were asked for stay when those beside them are brought up to date. */
  if (window.Idiomorph) {
    const { callbacks } = window.Idiomorph.defaults;
    // Forms have something to say about it, too (typed.js).
    const { beforeNodeMorphed: isTaken } = callbacks;
    callbacks.beforeNodeMorphed = (node, next) =>
      isTaken(node, next) &&
      (!(node instanceof HTMLElement && next instanceof HTMLElement) ||
        !node.dataset.edge ||
        node.dataset.edge !== next.dataset.edge);
  }
  /* A day whose messages came in two parts has one heading. */
  function tellDays() {
    let before = '';
    for (const heading of ui.all('#messages .day')) {
      heading.hidden = heading.textContent === before;
      before = heading.textContent ?? '';
    }
  }
  for (const name of /** @type {const} */ (['htmx:beforeSwap', 'htmx:oobBeforeSwap']))
    document.addEventListener(name, remember);
  for (const name of /** @type {const} */ (['htmx:afterSwap', 'htmx:oobAfterSwap']))
    document.addEventListener(name, keepPlace);

  /* What came below while one reads above is told: a button that leads there. */
  /** The newest message that was seen at the end of the thread, and whose thread it was. */
  let seen = { path: '', id: '' };
  function tellNew() {
    const box = ui.one('#messages');
    const told = ui.one('#new-messages');
    if (!box || !told || box.dataset.at) return;
    const path = box.dataset.of ?? '';
    const ids = rows().map(({ id }) => id);
    if (isAtEnd(box) || seen.path !== path) seen = { path, id: ids.at(-1) ?? '' };
    const count = ids.length - 1 - ids.lastIndexOf(seen.id);
    told.hidden = count === 0;
    const button = ui.one('button', told);
    if (button) button.textContent = ui.text('newMessages', { count });
  }
  document.addEventListener('scroll', (event) => ui.target(event).id === 'messages' && tellNew(), true);
  document.addEventListener('click', (event) => {
    if (!ui.around(event, '#new-messages')) return;
    ui.one('#messages')?.scrollTo({ top: 0 });
    ui.one('#messages')?.focus({ preventScroll: true });
  });
  tellNew();

  /* Opened and looked at counts as read. */
  const reader = ui.asker();
  // One after the other, none instead of another.
  reader.setAttribute('hx-sync', 'this:queue all');
  function read() {
    const head = ui.one('#thread-head');
    const one = inbox.open();
    if (!one || !head || head.dataset.unread === '0' || document.visibilityState !== 'visible') return;
    head.dataset.unread = '0';
    const options = { swap: 'none', source: reader, event: new CustomEvent('refresh') };
    window.htmx.ajax('POST', `${one.dataset.path}read/`, options).catch(() => undefined);
  }
  document.addEventListener('htmx:afterSettle', read);
  document.addEventListener('visibilitychange', read);
  read();

  /* What can be done with a message: one menu for all of them, filled in for the one that it is opened at. */
  /** @param {HTMLElement} link */
  function openMenu(link) {
    const [menu, model] = [ui.one('#message-menu'), ui.one('#message-acts')];
    if (!menu || !(model instanceof HTMLTemplateElement)) return;
    const { message = '', wamid = '', reacted = '' } = link.dataset;
    const acts = /** @type {DocumentFragment} */ (model.content.cloneNode(true));
    for (const element of ui.all('*', acts)) {
      for (const { name, value } of [...element.attributes])
        element.setAttribute(name, value.replaceAll('_id_', message).replaceAll('_wamid_', encodeURIComponent(wamid)));
      if (element instanceof HTMLInputElement && element.name === 'message') element.value = wamid;
      if (element instanceof HTMLInputElement && element.name === 'once') element.value = ui.newKey();
      if (element instanceof HTMLButtonElement && reacted && element.value === reacted)
        Object.assign(element, { value: '', ariaPressed: 'true' });
    }
    // What is not at the platform yet cannot be answered.
    if (!wamid) for (const one of ui.all('form, [hx-get*="reply_to"]', acts)) one.remove();
    menu.replaceChildren(acts);
    window.htmx.process(menu);
    menu.showPopover({ source: link });
  }
  document.addEventListener('click', (event) => {
    const link = ui.around(event, '.message-more');
    if (!link) return;
    event.preventDefault();
    openMenu(link);
  });
  window.onLongPress('#messages .bubble-row:has(.message-more) .bubble', {
    left: (bubble) => {
      const more = ui.one('.message-more', bubble.parentElement ?? undefined);
      if (more) openMenu(more);
    },
  });
  /** @param {string} text */
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without a secure address the browser has no clipboard for scripts.
      const field = document.body.appendChild(document.createElement('textarea'));
      field.value = text;
      field.select();
      document.execCommand('copy');
      field.remove();
    }
    ui.say({ text: ui.text('copied') });
  }
  document.addEventListener('click', (event) => {
    const act = ui.around(event, '#message-menu [data-act]');
    if (act instanceof HTMLAnchorElement) {
      event.preventDefault();
      void copy(act.href);
    } else if (act instanceof HTMLButtonElement) {
      const texts = ui.all(`#m-${act.value} .bubble-text`).map(({ innerText }) => innerText.trim());
      void copy(texts.join('\n\n'));
      ui.one('#message-menu')?.hidePopover();
    }
  });
  /* A sign stands at its message as soon as it is chosen. */
  document.addEventListener('submit', (event) => {
    const { target, submitter } = event;
    if (!(target instanceof HTMLFormElement) || !target.matches('#message-menu form')) return;
    const wamid = ui.field(target, 'message')?.value ?? '';
    const bubble = ui.one(`[data-wamid="${CSS.escape(wamid)}"]`)?.parentElement?.querySelector('.bubble');
    const emoji = submitter instanceof HTMLButtonElement ? submitter.value : '';
    if (!bubble || emoji === '') return;
    const shown = ui.one('.reactions', bubble) ?? bubble.appendChild(document.createElement('p'));
    shown.className = 'reactions';
    shown.textContent = `${shown.textContent} ${emoji}`.trim();
  });

  /* A picture that did not come, because the server was busy or away, is asked for again; then its name is shown. */
  const retriesMs = [1_000, 3_000, 9_000];
  /** @param {HTMLElement} element */
  const askAgain = (element) => {
    const text = element.dataset.fallback;
    if (!text || !(element instanceof HTMLImageElement)) return;
    const tries = Number(element.dataset.tries ?? 0);
    const waitMs = retriesMs[tries];
    if (waitMs !== undefined) {
      element.dataset.tries = `${tries + 1}`;
      setTimeout(() => element.setAttribute('src', element.getAttribute('src') ?? ''), waitMs);
      return;
    }
    const note = document.createElement('span');
    note.className = 'soft small';
    note.textContent = ui.text('notLoaded', { what: text });
    element.replaceWith(note);
  };
  document.addEventListener('error', (event) => askAgain(ui.target(event)), true);
  // Those that failed before this was read.
  for (const image of ui.all('img[data-fallback]'))
    if (image instanceof HTMLImageElement && image.complete && image.naturalWidth === 0) askAgain(image);
})();

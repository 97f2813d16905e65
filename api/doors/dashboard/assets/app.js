// @ts-check
'use strict';

/* Looking things up, for every script of the dashboard: this one is loaded first. */
const ui = {
  /**
   * @template {HTMLElement} [T=HTMLElement]
   * @param {string} selector
   * @param {ParentNode} [root]
   * @returns {T | null}
   */
  one: (selector, root = document) => root.querySelector(selector),
  /**
   * What a page of this script always has.
   *
   * @template {HTMLElement} [T=HTMLElement]
   * @param {string} selector
   * @returns {T}
   */
  need: (selector) => {
    /** @type {T | null} */
    const element = document.querySelector(selector);
    if (!element) throw new Error(`the page has no ${selector}`);
    return element;
  },
  /**
   * @template {HTMLElement} [T=HTMLElement]
   * @param {string} selector
   * @param {ParentNode} [root]
   * @returns {T[]}
   */
  all: (selector, root = document) =>
    [...root.querySelectorAll(/** @type {'div'} */ (selector))].map(
      (element) => /** @type {T} */ (/** @type {unknown} */ (element)),
    ),
  /** The element that an event began at. @param {Event} event */
  target: (event) =>
    /** @type {HTMLElement} */ (event.target instanceof Element ? event.target : document.documentElement),
  /**
   * What an element stands in, if anything.
   *
   * @param {Event} event
   * @param {string} selector
   * @returns {HTMLElement | null}
   */
  around: (event, selector) => ui.target(event).closest(selector),
  /** A field of a form by its name. @param {HTMLFormElement} form @param {string} name */
  field: (form, name) => /** @type {HTMLInputElement | null} */ (form.elements.namedItem(name)),
  /** @param {EventTarget | Element | null} element @returns {element is HTMLInputElement} */
  isField: (element) => element instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName),
  /** An answer that says that it was done: a network error has the status 0. @param {XMLHttpRequest} xhr */
  isDone: (xhr) => xhr.status >= 200 && xhr.status < 300,
  /**
   * A text in the language of the page, with what is given in its places; the number `count` chooses its form.
   *
   * @param {SaidText} key @param {Readonly<Record<string, string | number>>} [given]
   */
  text: (key, given = {}) => {
    const known = said.texts[key];
    const isOne = new Intl.PluralRules(said.language).select(Number(given['count'])) === 'one';
    const form = typeof known === 'string' ? known : isOne ? known.one : known.other;
    return form.replace(/\{(\w+)\}/g, (_, name) => {
      const value = given[name] ?? '';
      return typeof value === 'number' ? value.toLocaleString(said.numbers) : value;
    });
  },
  /** A key with one of these is the browser's. @param {KeyboardEvent} event */
  hasModifier: (event) => event.ctrlKey || event.metaKey || event.altKey,
  /**
   * Uploads a file beside the page; throws what was refused, in words.
   *
   * @param {File} file
   * @returns {Promise<UploadedFile>}
   */
  upload: async (file) => {
    const body = new FormData();
    body.set('file', file, file.name);
    // The server waits five minutes for a file.
    const signal = AbortSignal.timeout(360_000);
    const secret = JSON.parse(document.body.getAttribute('hx-headers') ?? '{}');
    const headers = { ...secret, 'HX-Request': 'true', 'HX-Current-URL': location.href };
    const answer = await fetch('/dashboard/media/', { method: 'POST', headers, body, signal }).catch(() => null);
    const signIn = answer?.headers.get('HX-Redirect');
    if (signIn) location.assign(signIn);
    const told = await answer?.json().catch(() => null);
    if (answer?.ok && told) return told;
    throw new Error(told?.error ?? ui.text('fileLost'));
  },
  /** An element to ask by: of the requests of one element, htmx lets a newer one take the place of one that waits. */
  asker: () => {
    const element = document.body.appendChild(document.createElement('span'));
    element.hidden = true;
    return element;
  },
  /** A key under which something is done once. */
  newKey: () => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(18)))),
  /** Since when a change of many may be taken back, for the pages to come. */
  changedMany: {
    begin: () => sessionStorage.setItem('changed many', String(Date.now())),
    /** How long ago it was, in milliseconds. */
    age: () => Date.now() - Number(sessionStorage.getItem('changed many')),
    end: () => sessionStorage.removeItem('changed many'),
  },
  /** @param {Toast} toast */
  say: (toast) => void document.dispatchEvent(new CustomEvent('toast', { detail: toast })),
};

/* Toasts, menus and shortcuts of every page. Pages work without it. */
(() => {
  /*
   * A part that is brought up to date leaves alone what is being typed. Of fields only: of a thread or board that has
   * the focus it would leave alone all that is in it.
   */
  if (window.Idiomorph)
    Object.defineProperty(window.Idiomorph.defaults, 'ignoreActiveValue', {
      enumerable: true,
      get: () => ui.isField(document.activeElement),
    });

  /* Toasts: from the header of an answer, or written into the page. What can be taken back has a button for it. */
  /** Whether a change of many can be taken back in the page as it is. */
  const isOffered = () => ui.one('.toast [action$="/bulk/undo/"]') !== null;
  const shownMs = 6000;
  const undoMs = 12_000;
  /** @param {Element} toast @param {number} [ms] */
  function leave(toast, ms) {
    const wait = () => {
      // Nothing is taken away from under a pointer or the focus, or while it is on its way.
      if (toast.matches(':hover, :focus-within, :has(.htmx-request)')) setTimeout(wait, 2000);
      else toast.remove();
    };
    setTimeout(wait, ms ?? (toast.querySelector('form, a') ? undoMs : shownMs));
  }
  /** @param {NonNullable<Toast['undo']>} undo */
  function undoForm({ action, fields, target }) {
    const form = document.createElement('form');
    Object.assign(form, { method: 'post', action });
    form.setAttribute('hx-post', action);
    form.setAttribute('hx-disabled-elt', 'find button');
    form.setAttribute('hx-swap', target ? 'outerHTML' : 'none');
    if (target) form.setAttribute('hx-target', target);
    for (const [name, value] of Object.entries(fields)) {
      const field = document.createElement('input');
      Object.assign(field, { type: 'hidden', name, value });
      form.append(field);
    }
    const button = document.createElement('button');
    Object.assign(button, { type: 'submit', className: 'toast-undo', textContent: `${ui.text('undo')} ` });
    button.dataset.key = 'z';
    const key = document.createElement('kbd');
    key.textContent = 'z';
    button.append(key);
    form.append(button);
    return form;
  }
  /*
   * What changes all of a page loads it anew. htmx could, but leaves its mark on what asked: where the member stays
   * with what they typed, news would wait for it for good.
   */
  document.addEventListener('anew', () => location.reload());
  document.addEventListener('toast', ({ detail: { text, kind, href, undo, isNotice } }) => {
    const toast = document.createElement('div');
    toast.className = kind === 'bad' ? 'toast toast-bad' : 'toast';
    if (isNotice) toast.classList.add('toast-notice');
    const words = document.createElement('span');
    words.textContent = text;
    toast.append(words);
    if (href) toast.append(Object.assign(document.createElement('a'), { href, textContent: ui.text('open') }));
    if (undo) toast.append(undoForm(undo));
    // One at a time: only the last thing that was done is taken back. A notice takes the place of a notice. What failed
    // has done nothing: what was done before can still be taken back, also when it was the undo that failed.
    const others = kind === 'bad' ? '.toast:not(.toast-notice, :has(form))' : '.toast:not(.toast-notice)';
    for (const other of ui.all(isNotice ? '.toast-notice' : others)) other.remove();
    ui.one('#toasts')?.append(toast);
    if (undo) window.htmx.process(toast);
    if (undo && !isOffered()) ui.changedMany.end();
    leave(toast, undo?.shownMs);
  });
  document.addEventListener('htmx:afterRequest', (event) => {
    if (ui.isDone(event.detail.xhr)) ui.around(event, '.toast')?.remove();
  });
  for (const toast of ui.all('#toasts .toast')) leave(toast, Number(toast.dataset.shownMs) || undefined);

  /* Who left the page of a change of many, maybe before its answer, takes it back from the page where they are. */
  const manyMs = 60_000;
  async function offerUndo() {
    if (ui.changedMany.age() > manyMs) {
      ui.changedMany.end();
      return;
    }
    // The page may say so itself, or what was done since.
    if (isOffered()) return;
    if (ui.one('.toast form')) return ui.changedMany.end();
    if (ui.one('.toast:not(.toast-notice)')) return void setTimeout(offerUndo, 3_000);
    const source = ui.asker();
    await window.htmx.ajax('GET', '/dashboard/last-change/', { source, swap: 'none' }).catch(() => undefined);
    source.remove();
    // It may still be under way.
    if (!isOffered()) setTimeout(offerUndo, 3_000);
  }
  document.addEventListener('htmx:afterRequest', ({ detail: { elt, xhr } }) => {
    if (elt.getAttribute('action')?.endsWith('/bulk/undo/') && ui.isDone(xhr)) ui.changedMany.end();
  });
  document.addEventListener('submit', ({ target: form }) => {
    if (form instanceof HTMLFormElement && /\/bulk\/undo\/$/.test(form.action) && !form.hasAttribute('hx-post'))
      ui.changedMany.end();
  });
  if (sessionStorage.getItem('changed many')) document.addEventListener('DOMContentLoaded', () => void offerUndo());

  /* What is kept in the browser for a member is gone with their session: texts that wait, and drafts. */
  document.addEventListener('submit', (event) => {
    if (ui.target(event).getAttribute('action') !== '/dashboard/sign-out/') return;
    sessionStorage.clear();
    for (const key of Object.keys(localStorage)) if (key.startsWith('outbox ')) localStorage.removeItem(key);
  });

  /* What the member asked for is told; what a page asks for by itself is tried again without a word (refresh.js). */
  /** @param {HtmxRequest} request */
  const lost = ({ triggeringEvent, verb }) => {
    if (triggeringEvent?.type === 'refresh') return;
    ui.say({ text: ui.text(verb === 'get' ? 'unreachable' : 'unsure'), kind: 'bad' });
  };
  for (const name of /** @type {const} */ (['htmx:sendError', 'htmx:timeout']))
    document.addEventListener(name, (event) => lost(event.detail.requestConfig));
  /* An answer is heard, too, when what asked for it is gone from the page by then: htmx would tell nobody. */
  document.addEventListener('htmx:beforeRequest', ({ detail: { elt, xhr, requestConfig } }) => {
    xhr.addEventListener('readystatechange', () => {
      if (xhr.readyState !== XMLHttpRequest.DONE || elt.isConnected) return;
      if (xhr.status === 0 && requestConfig.verb !== 'get') lost(requestConfig);
      for (const [name, detail] of Object.entries(JSON.parse(xhr.getResponseHeader('HX-Trigger') ?? '{}')))
        document.body.dispatchEvent(new CustomEvent(name, { bubbles: true, detail }));
    });
  });

  /*
   * What was put in acts as soon as it is seen: htmx binds it a moment later, and a key or a click in between would
   * load the page anew, and forget the place in it.
   */
  for (const name of ['click', 'submit', 'change', 'input']) {
    /** @param {Event} event */
    const bind = ({ target }) => {
      const added = target instanceof Element ? target.closest('.htmx-added') : null;
      if (added) window.htmx.process(added);
    };
    window.addEventListener(name, bind, { capture: true });
  }

  /* Colours that people chose: the policy lets no style attribute through. */
  /** @param {ParentNode} root */
  function paint(root) {
    for (const element of ui.all('[data-color]', root))
      element.style.setProperty('--chosen', element.dataset.color ?? '');
    for (const element of ui.all('[data-progress]', root))
      element.style.setProperty('--progress', `${element.dataset.progress}%`);
  }
  paint(document);
  document.addEventListener('htmx:load', (event) => paint(event.detail.elt.parentElement || document));

  /* The bar of a phone says what the navigation counts: <span data-mirrors="badge-waiting">. */
  function mirror() {
    for (const copy of ui.all('[data-mirrors]')) {
      const from = ui.one(`#${copy.dataset.mirrors}`);
      copy.hidden = from?.hidden ?? true;
      copy.replaceChildren(...[...(from?.childNodes ?? [])].map((node) => node.cloneNode(true)));
    }
  }
  mirror();
  for (const name of ['htmx:afterSettle', 'htmx:oobAfterSwap']) document.addEventListener(name, mirror);

  /* Printing: <button data-print>. */
  document.addEventListener('click', (event) => ui.around(event, '[data-print]') && window.print());

  /* Copying: <button data-copy="#field">; a field with data-select is selected whole. */
  document.addEventListener('click', async (event) => {
    const selector = ui.around(event, '[data-copy]')?.dataset.copy;
    /** @type {HTMLInputElement | null} */
    const field = selector ? ui.one(selector) : null;
    if (!field) return;
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      ui.say({ text: ui.text('copied') });
    } catch {
      ui.say({ text: ui.text('notCopied') });
    }
  });
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLInputElement && target.matches('[data-select]')) target.select();
  });

  /*
   * Menus close when something in them was chosen: by a link at its click, by a button when its form has been sent. A
   * menu that closes gives the focus back, and a form whose button lost the focus does not know any more which one it
   * was. Panels stay.
   */
  document.addEventListener('click', (event) => {
    const opened = ui.around(event, '[data-open]')?.dataset.open;
    /** @type {HTMLDialogElement | null} */
    const dialog = opened ? ui.one(opened) : null;
    dialog?.showModal();
    /** @type {HTMLElement | null | undefined} */ (
      ui.around(event, ':is(.menu, .nav) a')?.closest('[popover]')
    )?.hidePopover();
  });
  document.addEventListener('submit', (event) => ui.around(event, '.menu')?.hidePopover());
  /* What is opened from a menu takes its place: closed, it gives the focus back to the button of that menu. */
  document.addEventListener('click', (event) => {
    const next = ui.around(event, '.menu > .folded')?.getAttribute('popovertarget');
    if (!next) return;
    event.preventDefault();
    ui.around(event, '.menu')?.hidePopover();
    ui.one(`#${next}`)?.showPopover();
  });
  /* A click beside a dialog closes it. */
  document.addEventListener('click', (event) => {
    if (event.target instanceof HTMLDialogElement) event.target.close('no');
  });

  /*
   * Shortcuts: <a data-key="n"> is clicked, a field is focused, a menu is opened. The focus stays visible, and keys
   * with modifiers stay the browser's.
   */
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || ui.hasModifier(event)) return;
    const isInDialog = ui.one('dialog[open]') !== null;
    if (event.key === 'Escape' && ui.isField(document.activeElement) && !isInDialog) {
      document.activeElement.blur();
      return;
    }
    if (ui.isField(event.target) || isInDialog) return;
    if (event.key === '?') {
      event.preventDefault();
      /** @type {HTMLDialogElement | null} */
      const keys = ui.one('#keys');
      keys?.showModal();
      return;
    }
    const known = ui.all(`[data-key="${CSS.escape(event.key)}"]`).filter((element) => !element.matches(':disabled'));
    const target =
      known.find((element) => element.checkVisibility()) ??
      // A menu that a narrow window has folded into another one opens by its key all the same.
      known.find((element) => element.matches('.folds') && element.parentElement?.checkVisibility());
    if (!target) return;
    event.preventDefault();
    if (ui.isField(target)) target.focus();
    else target.click();
  });

  /*
   * A menu that was opened by a key starts at its first item. The event comes a moment later: where somebody has the
   * focus in it already, or has gone on to a field, what they type next would go into another one.
   */
  document.addEventListener(
    'toggle',
    (event) => {
      const popover = ui.target(event);
      if (ui.isField(document.activeElement)) return;
      if (!popover.matches('[popover]:popover-open:not(:focus-within)') || popover.id === 'nav') return;
      /** Of what is shown: a wide window hides what a narrow one has in its menu. @param {string} kinds */
      const focusFirst = (kinds) =>
        ui
          .all(kinds, popover)
          .find((each) => each.checkVisibility())
          ?.focus();
      // By a finger no field: a keyboard would cover what was opened.
      if (!matchMedia('(pointer: coarse)').matches)
        focusFirst('[autofocus], a, button, input:not([type="hidden"]), select');
      else if (popover.matches('.menu')) focusFirst('[autofocus], a, button, select');
      else popover.focus();
    },
    true,
  );
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const menu = ui.around(event, '.menu');
    if (!menu || ui.isField(event.target)) return;
    const items = ui.all('a, button', menu).filter((item) => item.checkVisibility());
    const next = items.indexOf(ui.target(event)) + (event.key === 'ArrowDown' ? 1 : -1);
    items[(next + items.length) % items.length]?.focus();
    event.preventDefault();
  });
  /* Of tabs that a phone has in one line, the open one is in sight; the page itself stays where it is. */
  for (const tabs of ui.all('.tabs-page')) {
    const open = ui.one('[aria-current]', tabs);
    if (open) tabs.scrollTo({ left: open.offsetLeft - tabs.offsetLeft - (tabs.clientWidth - open.offsetWidth) / 2 });
  }
})();

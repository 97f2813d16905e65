'use strict';

/* Toasts, confirmations, menus and shortcuts of every page. Pages work without it. */
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const isTyping = (element) =>
    element instanceof HTMLElement && (element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName));

  /* A part that is brought up to date leaves alone what is being typed. */
  if (window.Idiomorph) window.Idiomorph.defaults.ignoreActiveValue = true;

  /* Toasts: from the header of an answer, or written into the page. What can be taken back has a button for it. */
  const shownMs = 6000;
  const undoMs = 12_000;
  function leave(toast) {
    const wait = () => {
      // Nothing is taken away from under a pointer or the focus.
      if (toast.matches(':hover, :focus-within')) setTimeout(wait, 2000);
      else toast.remove();
    };
    setTimeout(wait, toast.querySelector('form') ? undoMs : shownMs);
  }
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
    Object.assign(button, { type: 'submit', className: 'toast-undo', textContent: 'Undo ' });
    button.dataset.key = 'z';
    const key = document.createElement('kbd');
    key.textContent = 'z';
    button.append(key);
    form.append(button);
    return form;
  }
  function showToast({ text, kind, undo }) {
    // One at a time: only the last thing that was done is taken back.
    const toast = document.createElement('div');
    toast.className = kind === 'bad' ? 'toast toast-bad' : 'toast';
    const words = document.createElement('span');
    words.textContent = text;
    toast.append(words);
    if (undo) toast.append(undoForm(undo));
    $('#toasts').replaceChildren(toast);
    if (undo) window.htmx.process(toast);
    leave(toast);
  }
  document.addEventListener('htmx:afterRequest', (event) => event.target.closest?.('.toast')?.remove());
  document.addEventListener('toast', (event) => showToast(event.detail));
  for (const toast of document.querySelectorAll('#toasts .toast')) leave(toast);
  /* What the member asked for is told; what a page asks for by itself is tried again without a word (refresh.js). */
  const lost = ({ triggeringEvent, verb }) => {
    if (triggeringEvent?.type === 'refresh') return;
    const text =
      verb === 'get'
        ? 'The server cannot be reached. Try again.'
        : 'The server cannot be reached. We could not tell whether this was done: look before you try again.';
    showToast({ text, kind: 'bad' });
  };
  for (const name of ['htmx:sendError', 'htmx:timeout'])
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

  /* Confirmation: <form data-confirm="What happens" data-confirm-title="…" data-confirm-button="…">. */
  const dialog = $('#confirm');
  async function ask(element) {
    $('#confirm-title').textContent = element.dataset.confirmTitle || 'Are you sure?';
    $('#confirm-text').textContent = element.dataset.confirm;
    $('#confirm-yes').textContent = element.dataset.confirmButton || 'Go ahead';
    dialog.returnValue = 'no';
    // A dialog takes the place of whatever popover is open.
    const panel = element.closest('[popover]:popover-open');
    dialog.showModal();
    await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }));
    if (panel?.isConnected) panel.showPopover();
    return dialog.returnValue === 'yes';
  }
  function setConfirmed(form) {
    const field = document.createElement('input');
    Object.assign(field, { type: 'hidden', name: 'confirmed', value: 'yes' });
    form.append(field);
  }
  document.addEventListener(
    'submit',
    async (event) => {
      const form = event.target;
      const source = event.submitter?.dataset.confirm ? event.submitter : form;
      if (!source.dataset.confirm || form.elements.namedItem('confirmed')) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const button = event.submitter;
      if (!(await ask(source))) return;
      setConfirmed(form);
      form.requestSubmit(button);
      form.elements.namedItem('confirmed')?.remove();
    },
    true,
  );

  /* Fields that save themselves when they change; their button is for browsers without scripts. */
  document.documentElement.classList.add('scripted');
  const sentAs = new WeakMap();
  const contentOf = (form) => new URLSearchParams(new FormData(form)).toString();
  document.addEventListener('submit', (event) => {
    sentAs.set(event.target, contentOf(event.target));
    event.target.closest('.menu')?.hidePopover?.();
  });
  document.addEventListener('change', (event) => {
    if (!event.target.matches('[data-submit]')) return;
    const { form } = event.target;
    // Enter changes the field and sends the form: once is enough.
    setTimeout(() => sentAs.get(form) !== contentOf(form) && form.isConnected && form.requestSubmit());
  });

  /* Colours that people chose: the policy lets no style attribute through. */
  function paint(root) {
    for (const element of root.querySelectorAll('[data-color]'))
      element.style.setProperty('--chosen', element.dataset.color);
    for (const element of root.querySelectorAll('[data-progress]'))
      element.style.setProperty('--progress', `${element.dataset.progress}%`);
  }
  paint(document);
  document.addEventListener('htmx:load', (event) => paint(event.detail.elt.parentElement || document));

  /* Copying: <button data-copy="#field">; a field with data-select is selected whole. */
  document.addEventListener('click', async (event) => {
    const selector = event.target.closest('[data-copy]')?.dataset.copy;
    if (!selector) return;
    const field = $(selector);
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      showToast({ text: 'Copied.' });
    } catch {
      showToast({ text: 'The browser does not let us copy. The text is selected: press Ctrl+C.' });
    }
  });
  document.addEventListener('focusin', (event) => event.target.matches('[data-select]') && event.target.select());

  /*
   * Menus close when something in them was chosen: by a link at its click, by a button when its form has been sent. A
   * menu that closes gives the focus back, and a form whose button lost the focus does not know any more which one it
   * was. Panels stay.
   */
  document.addEventListener('click', (event) => {
    const opener = event.target.closest('[data-open]');
    if (opener) $(opener.dataset.open)?.showModal();
    event.target.closest(':is(.menu, .nav) a')?.closest('[popover]').hidePopover?.();
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
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && isTyping(document.activeElement) && !$('dialog[open]')) {
      document.activeElement.blur();
      return;
    }
    if (isTyping(event.target) || $('dialog[open]')) return;
    if (event.key === '?') {
      event.preventDefault();
      $('#keys').showModal();
      return;
    }
    const target = [...document.querySelectorAll(`[data-key="${CSS.escape(event.key)}"]`)].find(
      (element) => element.checkVisibility() && !element.disabled,
    );
    if (!target) return;
    event.preventDefault();
    if (isTyping(target)) target.focus();
    else target.click();
  });

  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !event.target.matches('[data-sends]')) return;
    event.preventDefault();
    event.target.form.requestSubmit();
  });

  /* A menu that was opened by a key starts at its first item. */
  document.addEventListener(
    'toggle',
    (event) => {
      if (event.target.matches?.('[popover]:popover-open') && event.target.id !== 'nav')
        $('[autofocus], a, button, input:not([type="hidden"]), select', event.target)?.focus();
    },
    true,
  );
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const menu = event.target.closest?.('.menu');
    if (!menu || isTyping(event.target)) return;
    const items = [...menu.querySelectorAll('a, button')].filter((item) => item.checkVisibility());
    const next = items.indexOf(event.target) + (event.key === 'ArrowDown' ? 1 : -1);
    items[(next + items.length) % items.length]?.focus();
    event.preventDefault();
  });
})();

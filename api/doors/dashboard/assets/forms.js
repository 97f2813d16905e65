// @ts-check
'use strict';

/*
 * Forms of every page: what is asked before, fields that save themselves, what was refused, and what is about to be
 * lost.
 */
(() => {
  /*
   * What is on its way is not sent again by the same button: the server would do both, and the browser drops the answer
   * to the first, which may be all that ever shows a secret. After a while it may be sent again: nothing may have come
   * of it.
   */
  const againAfterMs = 5_000;
  /** @type {WeakMap<HTMLFormElement, HTMLElement | null>} */
  let sentBy = new WeakMap();
  window.addEventListener(
    'submit',
    (event) => {
      if (sentBy.get(/** @type {HTMLFormElement} */ (event.target)) !== event.submitter) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    true,
  );

  /* Confirmation: <form data-confirm="What happens" data-confirm-title="…" data-confirm-button="…">. */
  /** @param {Question} question @param {Element | null} [near] */
  async function ask({ title, text, button }, near = null) {
    /** @type {HTMLDialogElement | null} */
    const dialog = ui.one('#confirm');
    if (!dialog) return true;
    // One question after the other: what is read is what is answered.
    while (dialog.open) await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }));
    const words = { '#confirm-title': title, '#confirm-text': text, '#confirm-yes': button };
    for (const [selector, value] of Object.entries(words)) ui.one(selector)?.replaceChildren(value);
    dialog.returnValue = 'no';
    // A dialog takes the place of whatever popover is open.
    const panel = /** @type {HTMLElement | null | undefined} */ (near?.closest('[popover]:popover-open'));
    dialog.showModal();
    await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }));
    if (panel?.isConnected) panel.showPopover();
    return dialog.returnValue === 'yes';
  }
  window.ask = ask;
  /** @param {SubmitEvent} event @returns {Question | null} */
  function questionOf(event) {
    const form = ui.target(event);
    const source = event.submitter?.dataset.confirm ? event.submitter : form;
    const { confirm, confirmTitle = ui.text('areYouSure'), confirmButton = ui.text('goAhead') } = source.dataset;
    return confirm ? { title: confirmTitle, text: confirm, button: confirmButton } : null;
  }
  /* A file field uploads what is chosen; its form gets the id. */
  document.addEventListener(
    'change',
    async (event) => {
      const { target } = event;
      if (!(target instanceof HTMLInputElement) || target.type !== 'file' || !target.dataset.uploads) return;
      event.stopImmediatePropagation();
      const { form, files } = target;
      const kept = form && ui.field(form, target.dataset.uploads);
      const called = form && ui.field(form, `${target.dataset.uploads}_filename`);
      const words = ui.one('[data-uploaded]', target.parentElement ?? document);
      if (!kept || !files?.[0]) return;
      words?.replaceChildren(ui.text('uploading'));
      // Until it is here the form is not sent: it would keep the file that it had.
      target.setCustomValidity(ui.text('fileOnItsWay'));
      try {
        const file = await ui.upload(files[0]);
        kept.value = file.id;
        if (called) called.value = file.filename;
        words?.replaceChildren(file.filename);
        // The form may be one that saves itself.
        kept.dispatchEvent(new Event('change', { bubbles: true }));
      } catch (error) {
        words?.replaceChildren(error instanceof Error ? error.message : String(error));
      }
      target.setCustomValidity('');
      target.value = '';
    },
    true,
  );

  /* Files of which a form takes several: each is a box that is ticked, once it is here. */
  document.addEventListener('change', async ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.dataset.uploadsInto) return;
    const list = ui.one(target.dataset.uploadsInto);
    const words = ui.one('[data-uploaded]', target.closest('fieldset') ?? document);
    const chosen = [...(target.files ?? [])];
    target.value = '';
    // Until all are here the form is not sent.
    target.setCustomValidity(ui.text('filesOnTheirWay'));
    const problems = [];
    for (const file of chosen) {
      words?.replaceChildren(ui.text('uploadingFile', { name: file.name }));
      try {
        list?.append(boxOf(await ui.upload(file)));
      } catch (error) {
        problems.push(`${file.name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    target.setCustomValidity('');
    words?.replaceChildren(problems.join(' ') || ui.text('filesHere'));
  });
  /** @param {UploadedFile} file */
  function boxOf({ id, filename }) {
    const [row, label, box, name, kept] = ['li', 'label', 'input', 'span', 'input'].map((tag) =>
      document.createElement(tag),
    );
    if (!row || !label || !box || !name || !kept) throw new Error('a browser makes elements');
    label.className = 'choice';
    Object.assign(box, { type: 'checkbox', name: 'media_ids', value: id, checked: true });
    Object.assign(name, { className: 'choice-name break', dir: 'auto', textContent: filename });
    Object.assign(kept, { type: 'hidden', name: `filename.${id}`, value: filename });
    label.append(box, name);
    row.append(label, kept);
    return row;
  }

  /*
   * <select data-ticks="permissions">: a choice ticks the boxes of that name which it lists, by its value or in
   * `data-scopes`, and no others, in the form that it stands in.
   */
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLSelectElement) || !target.dataset.ticks || target.value === '') return;
    const listed = (target.selectedOptions[0]?.dataset.scopes ?? target.value).split(' ');
    for (const box of target.closest('form')?.elements ?? [])
      if (box instanceof HTMLInputElement && box.name === target.dataset.ticks)
        box.checked = listed.includes(box.value);
  });

  /* Fields that save themselves when they change; their button is for browsers without scripts. */
  document.documentElement.classList.add('scripted');
  const sentAs = new WeakMap();
  document.addEventListener('submit', ({ target }) => {
    if (target instanceof HTMLFormElement) sentAs.set(target, window.typed.contentOf(target));
  });
  /* Where an answer shows what was before, what was sent may be sent again. */
  for (const name of /** @type {const} */ (['htmx:afterSwap', 'htmx:oobAfterSwap']))
    document.addEventListener(name, () => {
      for (const form of document.forms)
        if (sentAs.has(form) && sentAs.get(form) !== window.typed.contentOf(form)) sentAs.delete(form);
    });
  /* What is saved by a button shows it once there is something to save. */
  document.addEventListener('input', ({ target }) => {
    const form = ui.isField(target) ? target.form : null;
    if (form?.matches('.property')) form.toggleAttribute('data-changed', window.typed.isNewer(form));
  });
  document.addEventListener('change', ({ target }) => {
    if (!ui.isField(target) || !target.matches('[data-submit]')) return;
    const { form } = target;
    // Enter changes the field and sends the form: once is enough.
    setTimeout(
      () => form && sentAs.get(form) !== window.typed.contentOf(form) && form.isConnected && form.requestSubmit(),
    );
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.isComposing || !ui.isField(event.target)) return;
    if (!event.target.matches('[data-sends]')) return;
    // A text of one line, which saves itself, is sent by Enter alone.
    if (!event.ctrlKey && !event.metaKey && !event.target.matches('[data-submit]')) return;
    event.preventDefault();
    event.target.form?.requestSubmit();
  });

  /*
   * <button data-now="Send to 7 contacts now" data-later="Schedule for">: says what the choices of its form
   * make of it, in the format of the server.
   */
  /** @param {number} moment The time that a clock of the workspace shows, as if it were UTC. */
  const timeText = (moment) =>
    new Date(moment).toLocaleString(said.dates, {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      ...(new Date(moment).getUTCFullYear() === new Date().getFullYear() ? {} : { year: 'numeric' }),
      hour: '2-digit',
      minute: '2-digit',
      timeZone: 'UTC',
    });
  function nameButton() {
    const button = ui.one('[data-now]');
    const form = button?.closest('form');
    const words = button && ui.one('span', button);
    if (!form || !button || !words) return;
    const when = new FormData(form).get('when');
    const at = Date.parse(`${ui.field(form, 'scheduled_at')?.value}Z`);
    if (when === 'now') words.textContent = button.dataset.now ?? '';
    else if (when === 'later' && at) words.textContent = `${button.dataset.later} ${timeText(at)}`;
  }
  for (const name of ['change', 'input']) document.addEventListener(name, nameButton);
  nameButton();

  /*
   * What was typed into a form and not saved is not lost without a word: by a link, by another form of the page, by
   * closing it. What saves itself, drafts and menus do not count. A form that shows again what was typed has nothing
   * changed, and is not saved either: it was refused, or says so (data-unsaved).
   */
  const sendsItself = 'form[hx-trigger*="change"]';
  const savesItself = `${sendsItself}, #details form:not(#panel-tickets form)`;
  /** @param {Element} field */
  const isUnsaved = (field) => !field.matches('[data-submit], [data-draft]') && window.typed.isChanged(field);
  /** @param {HTMLFormElement} form */
  const hasChanged = (form) =>
    form.matches(savesItself) ? window.typed.isNewer(form) : [...form.elements].some(isUnsaved);
  /** The forms whose content would be lost, but for the one that is being sent. @param {Element | null} [sent] */
  const unsaved = (sent = null) =>
    ui
      .all('main form')
      .filter((form) => form !== sent && form instanceof HTMLFormElement && form.method === 'post')
      .filter((form) => !form.closest('.menu, dialog, [hidden]'))
      .filter(
        (form) =>
          form.matches('[data-unsaved], :has([aria-invalid], [role="alert"])') ||
          hasChanged(/** @type {HTMLFormElement} */ (form)),
      );
  let isLeaving = false;
  /** @param {() => void} go */
  async function askToLeave(go) {
    if (!(await ask(said.texts.leave))) return;
    isLeaving = true;
    go();
    // A link that replaces a part of the page leaves the rest as it is.
    setTimeout(() => (isLeaving = false));
  }
  /** @param {HTMLFormElement} form */
  const save = (form) =>
    form.matches(sendsItself) ? form.dispatchEvent(new Event('change', { bubbles: true })) : form.requestSubmit();
  /* A link that waits until a form which saves itself is saved; the newest one. */
  /** @type {{ form: HTMLFormElement; link: HTMLAnchorElement; xhr?: XMLHttpRequest } | null} */
  let waiting = null;
  document.addEventListener('htmx:beforeRequest', ({ detail: { elt, xhr } }) => {
    if (waiting?.form === elt) waiting.xhr = xhr;
  });
  document.addEventListener('htmx:afterRequest', ({ detail: { elt, xhr } }) => {
    if (waiting?.form !== elt) return;
    const { form, link, xhr: own } = waiting;
    const isLost = unsaved().includes(form);
    if (isLost && xhr !== own) {
      // The request before it. A draft's own is on its way; a form of the panel is sent where that one did not save it.
      if (!form.matches(sendsItself)) save(form);
      return;
    }
    waiting = null;
    if (isLost) void askToLeave(() => link.click());
    else link.click();
  });
  document.addEventListener(
    'click',
    (event) => {
      const link = ui.around(event, 'a[href]');
      if (isLeaving || !(link instanceof HTMLAnchorElement) || event.button !== 0 || event.shiftKey) return;
      if (event.ctrlKey || event.metaKey || event.altKey || link.target === '_blank' || link.hasAttribute('download'))
        return;
      const isHere = link.href.split('#')[0] === location.href.split('#')[0] && link.hash !== '';
      // Parts of a page that a link asks for leave its forms alone, but those of the part that it replaces.
      const into = link.getAttribute('hx-target') ?? link.closest('[hx-boost]')?.getAttribute('hx-target');
      const lost = unsaved().filter((form) => !into || form.closest(into));
      if (isHere || lost.length === 0) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const form = /** @type {HTMLFormElement} */ (lost[0]);
      const isRefused = !form.matches(`:is(${savesItself}):not(:has([aria-invalid], [role="alert"]))`);
      if (lost.length > 1 || isRefused || !form.checkValidity()) void askToLeave(() => link.click());
      else {
        // It is saved in a moment; then the link is followed. Its last save may have failed: it is sent in any case.
        waiting = { form, link };
        if (form.matches(`${sendsItself}, :not(.htmx-request)`)) save(form);
      }
    },
    true,
  );
  document.addEventListener(
    'submit',
    (event) => {
      const form = /** @type {HTMLFormElement} */ (event.target);
      const stays = form.hasAttribute('hx-post') || form.hasAttribute('hx-get') || form.method === 'dialog';
      // What is confirmed was asked about before.
      if (isLeaving || stays || ui.field(form, 'confirmed') || unsaved(form).length === 0) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const button = event.submitter;
      void askToLeave(() => form.requestSubmit(button));
    },
    true,
  );
  /* What the form itself asks comes after that. */
  document.addEventListener(
    'submit',
    async (event) => {
      const form = /** @type {HTMLFormElement} */ (event.target);
      const question = questionOf(event);
      if (!question || ui.field(form, 'confirmed')) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const button = event.submitter;
      if (!(await ask(question, event.submitter ?? form))) return;
      const values = [['confirmed', 'yes']];
      // htmx sends the value of a button only while that has the focus.
      if (button instanceof HTMLButtonElement && form.hasAttribute('hx-post')) values.push([button.name, button.value]);
      const fields = values.map(([name, value]) =>
        Object.assign(document.createElement('input'), { type: 'hidden', name, value }),
      );
      for (const field of fields) field.dataset.once = '';
      form.append(...fields);
      form.requestSubmit(button);
      for (const field of fields) field.remove();
    },
    true,
  );
  /* What was sent is not lost. All who may keep it back are asked before. */
  window.addEventListener('submit', (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target);
    if (event.defaultPrevented || form.hasAttribute('hx-post') || form.method === 'dialog') return;
    isLeaving = true;
    if (form.method !== 'post' || form.target === '_blank') return;
    sentBy.set(form, event.submitter);
    setTimeout(() => sentBy.delete(form), againAfterMs);
  });
  window.addEventListener('pageshow', () => {
    isLeaving = false;
    sentBy = new WeakMap();
  });
  window.addEventListener('beforeunload', (event) => {
    if (!isLeaving && unsaved().length > 0) event.preventDefault();
  });

  /* A form that was refused goes on with the first field that is wrong. */
  ui.one('main form :is(input, select, textarea)[aria-invalid="true"]')?.focus();
})();

// @ts-check
'use strict';

/* The box below a thread: drafts, texts on their way, and the fields of a template. */
(() => {
  /* Enter in a placeholder goes to the next field: a template is sent by its button. */
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !ui.target(event).matches('.template-form input')) return;
    event.preventDefault();
    const fields = ui.all('.template-form input, #composer-form button[type=submit]');
    fields[fields.indexOf(ui.target(event)) + 1]?.focus();
  });

  /* Enter in the time of a message for later schedules it: the form's own button would send it now. */
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !ui.target(event).matches('#send-later-menu :is(input, select)')) return;
    event.preventDefault();
    ui.one('#send-at')?.click();
  });

  /* What is too long is said, and nothing of it is cut. */
  document.addEventListener('input', ({ target }) => {
    if (!ui.isField(target) || !target.dataset.most) return;
    const over = [...target.value].length - Number(target.dataset.most);
    const text = over > 0 ? `${over} characters too many` : '';
    target.setCustomValidity(text);
    ui.one('#too-long')?.replaceChildren(text);
  });

  /* Ctrl+Enter sends; with Shift, the conversation is done with it. */
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    if (!ui.isField(event.target) || !event.target.closest('#composer-form, #note-form')) return;
    event.preventDefault();
    // Not while its button is disabled: a file of it is not here yet.
    const { form } = event.target;
    if (form && !ui.one('button[type=submit]:disabled', form))
      form.requestSubmit(event.shiftKey ? ui.one('#send-done', form) : null);
  });

  /* What is half written stays with its conversation, in this tab, until it is sent. */
  /** @returns {HTMLTextAreaElement | null} */
  const draftField = () => ui.one('[data-draft]');
  /** @returns {HTMLTextAreaElement | null} */
  const replyField = () => ui.one('#reply');
  const draftKey = () => `draft ${draftField()?.dataset.draft ?? ''}${inbox.open()?.dataset.id}`;
  document.addEventListener('input', ({ target }) => {
    if (!ui.isField(target)) return;
    if (target.matches('[data-draft]')) sessionStorage.setItem(draftKey(), target.value);
    const name = target.dataset.fills;
    if (!name) return;
    for (const place of ui.all('[data-filled]')) {
      if (place.dataset.filled !== name) continue;
      place.dataset.empty ??= place.textContent ?? '';
      place.textContent = target.value || place.dataset.empty;
      place.classList.toggle('is-filled', target.value !== '');
    }
  });
  /** The quotes of what came back, by the key of its draft. @type {Map<string, readonly HTMLElement[]>} */
  const quotes = new Map();
  /** Where somebody writes, while the field is replaced. @type {{ key: string; from: number; to: number } | null} */
  let caret = null;
  document.addEventListener('htmx:beforeSwap', () => {
    const field = draftField();
    const isWriting = field && field === document.activeElement;
    caret = isWriting ? { key: draftKey(), from: field.selectionStart, to: field.selectionEnd } : null;
  });
  /* What came back has its key beside it: it cannot go out twice. */
  function restoreDraft() {
    const field = draftField();
    if (!field?.form || field.value !== '') return;
    const key = draftKey();
    field.value = sessionStorage.getItem(key) ?? '';
    if (caret?.key === key) field.setSelectionRange(caret.from, caret.to);
    const once = sessionStorage.getItem(`once ${key}`);
    if (once) setKey(field.form, once);
    if (!ui.field(field.form, 'reply_to_wamid')) field.form.prepend(...(quotes.get(key) ?? []));
    quotes.delete(key);
  }

  /*
   * A text leaves the field when it is sent and stands in the thread as being sent, so that writing goes on: the field
   * is never replaced. One text goes after the other. Where one is refused or lost, it and those behind it come back
   * into the field of their conversation, which may be another one than is open.
   */
  /**
   * @typedef {object} Sending
   * @property {string} id
   * @property {string} address
   * @property {Readonly<Record<string, string>>} values
   * @property {readonly HTMLElement[]} quote
   * @property {HTMLElement} bubble
   * @property {number} dueAt
   * @property {UploadedFile} [file]
   */
  const sender = ui.asker();
  /** @type {Sending[]} */
  let sending = [];
  let isSending = false;
  /**
   * A message for each file: the text stands below the first one, where it can have one, else it goes by itself.
   *
   * @param {Readonly<Record<string, string>>} values @param {readonly UploadedFile[]} files
   * @returns {{ values: Readonly<Record<string, string>>; file?: UploadedFile }[]}
   */
  function partsOf(values, files) {
    const kinds = files.map(attached.kindOf);
    const captioned = kinds[0] !== undefined && kinds[0] !== 'audio';
    const parts = files.map((file, place) => ({
      values: {
        ...values,
        ...(place > 0 ? { once: ui.newKey() } : {}),
        body: place === 0 && captioned ? (values['body'] ?? '') : '',
        media_id: file.id,
        kind: kinds[place] ?? 'document',
      },
      file,
    }));
    if (files.length > 0 && (captioned || !values['body'])) return parts;
    return [...parts, { values: parts.length > 0 ? { ...values, once: ui.newKey() } : values }];
  }
  /* Whoever wants to can take a text back for so long: it is not posted before. */
  const undoMs = 5_000;
  let waiting = 0;
  /** @param {string} text */
  function bubbleOf(text) {
    const row = document.createElement('li');
    row.className = 'bubble-row is-mine';
    row.innerHTML =
      '<div class="bubble is-mine"><p class="bubble-text" dir="auto"></p><p class="bubble-foot">Sending…</p></div>';
    ui.one('.bubble-text', row)?.replaceChildren(text);
    return row;
  }
  function drawSending() {
    const id = inbox.open()?.dataset.id;
    ui.one('#sending')?.replaceChildren(...sending.filter((one) => one.id === id).map(({ bubble }) => bubble));
  }
  function sendNext() {
    const [one] = sending;
    if (!one || isSending) return;
    clearTimeout(waiting);
    const waitMs = one.dueAt - Date.now();
    if (waitMs > 0) {
      waiting = setTimeout(sendNext, waitMs);
      return;
    }
    ui.one('.take-back', one.bubble)?.remove();
    isSending = true;
    window.htmx.ajax('POST', one.address, { source: sender, values: one.values, swap: 'none' }).catch(() => undefined);
  }
  /** @param {HTMLFormElement | null} form @param {string} key */
  function setKey(form, key) {
    const once = form && ui.field(form, 'once');
    if (once) once.value = key;
  }
  /**
   * Under the same key, which cannot send it twice: it may have gone out, now or when it was sent before. A refusal of
   * the text itself ends its key.
   *
   * @param {Sending} first @param {boolean} [isRefused]
   */
  function takeBack(first, isRefused = false) {
    const { id } = first;
    const back = sending.slice(sending.indexOf(first)).filter((one) => one.id === id);
    sending = sending.filter((one) => !back.includes(one));
    const key = `draft ${id}`;
    const typed = sessionStorage.getItem(key);
    sessionStorage.setItem(key, [...back.map(({ values }) => values['body']), typed].filter(Boolean).join('\n'));
    sessionStorage.setItem(`once ${key}`, (!isRefused && first.values['once']) || ui.newKey());
    quotes.set(key, first.quote);
    attached.put(
      id,
      back.flatMap(({ file }) => file ?? []),
    );
    const field = replyField();
    if (inbox.open()?.dataset.id !== id || !field) return;
    field.value = '';
    restoreDraft();
  }
  /** @param {Sending} text */
  function offerBack(text) {
    const button = document.createElement('button');
    Object.assign(button, { type: 'button', className: 'button button-small take-back', textContent: 'Take back' });
    button.dataset.key = 'z';
    button.addEventListener('click', () => {
      takeBack(text);
      drawSending();
      sendNext();
      replyField()?.focus();
    });
    ui.one('.bubble', text.bubble)?.append(button);
  }
  document.addEventListener(
    'submit',
    (event) => {
      const { target: form } = event;
      const [field, one, box] = [replyField(), inbox.open(), ui.one('#messages')];
      if (!(form instanceof HTMLFormElement) || form.id !== 'composer-form' || !field || !one || !box) return;
      event.preventDefault();
      event.stopPropagation();
      ui.one('#send-later-menu')?.hidePopover();
      const files = attached.take();
      if (field.value.trim() === '' && files.length === 0) return;
      const address = new URL(form.action);
      address.searchParams.set('messages', box.dataset.size ?? '');
      address.searchParams.set('since', box.dataset.since ?? '');
      address.searchParams.set('whole', box.dataset.whole ?? '');
      const quote = ui.all('.composer-quote, [name=reply_to_wamid]', form);
      const values = Object.fromEntries(
        [...new FormData(form, event.submitter)].map(([name, value]) => [name, String(value)]),
      );
      const dueAt = field.dataset.undo === undefined ? 0 : Date.now() + undoMs;
      const to = { id: one.dataset.id ?? '', address: address.pathname + address.search, quote, dueAt };
      const parts = partsOf(values, files);
      for (const [index, part] of parts.entries()) {
        // It is done with the last of them.
        const own = index < parts.length - 1 ? { ...part.values, then: '' } : part.values;
        /** @type {Sending} */
        const text = {
          ...to,
          ...part,
          values: own,
          bubble: bubbleOf(part.values['body'] || part.file?.filename || ''),
        };
        sending.push(text);
        if (dueAt > 0) offerBack(text);
      }
      for (const element of quote) element.remove();
      field.value = '';
      setKey(form, ui.newKey());
      for (const key of [draftKey(), `once ${draftKey()}`]) sessionStorage.removeItem(key);
      field.focus();
      drawSending();
      box.scrollTop = 0;
      sendNext();
    },
    true,
  );
  /* A text is begun under the newest message that is shown while its field is empty. */
  function begin() {
    const [field, box] = [replyField(), ui.one('#messages')];
    const begun = field?.form && ui.field(field.form, 'begun_under');
    const newest = ui.all('.bubbles:not(.later) > .bubble-row[id^="m-"]', box ?? undefined).at(-1);
    if (field?.value === '' && begun && newest && box?.dataset.at === '') begun.value = newest.id.slice(2);
  }
  document.addEventListener('input', begin);
  /* Where somebody else has answered since, it is asked once before the text goes; others wait behind it. */
  /** @type {AnsweredQuestion | null} */
  let answered = null;
  document.addEventListener('answered', ({ detail }) => (answered = detail));
  /** @param {Sending} one @param {AnsweredQuestion} question */
  async function askFirst(one, question) {
    const goesOn = await window.ask(question);
    isSending = false;
    const known = { begun_under: question.newestId };
    for (const each of sending) if (each.id === one.id) each.values = { ...each.values, ...known };
    const form = inbox.open()?.dataset.id === one.id && replyField()?.form;
    const begun = form && ui.field(form, 'begun_under');
    if (begun) begun.value = known.begun_under;
    if (!goesOn) takeBack(one);
    drawSending();
    sendNext();
  }
  document.addEventListener('htmx:afterRequest', ({ detail: { elt, xhr } }) => {
    const [one] = sending;
    if (elt !== sender || !one) return;
    const question = answered;
    answered = null;
    if (question) {
      void askFirst(one, question);
      return;
    }
    isSending = false;
    if (ui.isDone(xhr)) sending.shift();
    else takeBack(one, xhr.status === 422);
    drawSending();
    sendNext();
    // Among older messages it cannot be seen.
    const [open, at] = [inbox.open(), ui.one('#messages')?.dataset.at];
    if (at && open && sending.length === 0 && ui.isDone(xhr)) location.assign(open.dataset.path ?? '');
  });
  /* A note's draft stays, with its key, until the note is stored: another conversation may be open by then. */
  document.addEventListener('htmx:beforeRequest', ({ detail: { elt, xhr } }) => {
    const once = elt instanceof HTMLFormElement && elt.id === 'note-form' && ui.field(elt, 'once');
    if (!once) return;
    const key = draftKey();
    const text = sessionStorage.getItem(key);
    sessionStorage.setItem(`once ${key}`, once.value);
    xhr.addEventListener('load', () => {
      if (!ui.isDone(xhr)) return;
      sessionStorage.removeItem(`once ${key}`);
      // What was typed since is stored nowhere else.
      if (sessionStorage.getItem(key) === text) sessionStorage.removeItem(key);
    });
  });
  for (const name of /** @type {const} */ (['htmx:afterSwap', 'htmx:oobAfterSwap']))
    document.addEventListener(name, () => {
      drawSending();
      begin();
    });
  /*
   * Who leaves has sent it: what waits to be taken back, and what is on its way, goes out behind the page, under the
   * same keys. Nobody is there any more to be asked whether it still fits. It can only get lost without a network.
   */
  window.addEventListener('pagehide', () => {
    for (const { address, values } of sending) {
      const { begun_under: _begun, ...body } = values;
      void fetch(address, { method: 'POST', body: new URLSearchParams(body), keepalive: true, redirect: 'manual' });
    }
  });
  window.addEventListener('beforeunload', (event) => {
    if (sending.length > 0 && !navigator.onLine) event.preventDefault();
  });

  /* After a click on Reply, Template or a message's answer, writing can begin, if it has not begun elsewhere. */
  document.addEventListener('htmx:afterSettle', (event) => {
    const { id } = event.detail.target;
    if (id === 'composer' || id === 'open') restoreDraft();
    if (id === 'composer' && !ui.isField(document.activeElement))
      ui.one('#composer :is(textarea, [aria-invalid], input:not([type=hidden]), select):not(:disabled)')?.focus();
  });
  restoreDraft();
})();

// @ts-check
'use strict';

/* The box below a thread: drafts, texts on their way, and the fields of a template. */
(() => {
  /* Enter in a placeholder goes to the next field: a template is sent by its button. */
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !ui.target(event).matches(':is(.template-form, .choices-form) input')) return;
    event.preventDefault();
    const fields = ui.all(':is(.template-form, .choices-form) input, #composer-form button[type=submit]');
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
    const text = over > 0 ? ui.text('tooLong', { count: over }) : '';
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
  /** @returns {HTMLTextAreaElement[]} */
  const draftFields = () => ui.all('#composer [data-draft]');
  const draftField = () => draftFields()[0] ?? null;
  /** @returns {HTMLTextAreaElement | null} */
  const replyField = () => ui.one('#reply');
  /** @param {HTMLElement | null} field */
  const keyOf = (field) => `draft ${field?.dataset.draft ?? ''}${inbox.open()?.dataset.id}`;
  /* A template may have nothing to fill in. */
  const chosenId = () => ui.one('#composer-form [name=template_id]')?.getAttribute('value') ?? '';
  const draftKey = () => (draftField() ? keyOf(draftField()) : `draft ${chosenId()} ${inbox.open()?.dataset.id}`);
  document.addEventListener('input', ({ target }) => {
    if (!ui.isField(target)) return;
    if (target.matches('[data-draft]')) sessionStorage.setItem(keyOf(target), target.value);
    fill(target);
  });
  /** Shows in the preview of a template what is typed. @param {HTMLInputElement | HTMLTextAreaElement} field */
  function fill({ dataset: { fills: name }, value }) {
    if (!name) return;
    for (const place of ui.all('[data-filled]')) {
      if (place.dataset.filled !== name) continue;
      place.dataset.empty ??= place.textContent ?? '';
      place.textContent = value || place.dataset.empty;
      place.classList.toggle('is-filled', value !== '');
    }
  }
  /** The quotes of what came back, by the key of its draft. @type {Map<string, readonly HTMLElement[]>} */
  const quotes = new Map();
  /** Where somebody writes, while the field is replaced. @type {{ key: string; from: number; to: number } | null} */
  let caret = null;
  document.addEventListener('htmx:beforeSwap', () => {
    const field = draftFields().find((one) => one === document.activeElement);
    caret = field ? { key: keyOf(field), from: field.selectionStart, to: field.selectionEnd } : null;
  });
  function restoreDraft() {
    for (const field of draftFields()) {
      const { quote } = field.dataset;
      const key = keyOf(field);
      if (quote) {
        delete field.dataset.quote;
        sessionStorage.setItem(key, [sessionStorage.getItem(key)?.trimEnd(), quote].filter(Boolean).join('\n\n'));
      } else if (field.value !== '') continue;
      field.value = sessionStorage.getItem(key) ?? '';
      fill(field);
      if (caret?.key === key) field.setSelectionRange(caret.from, caret.to);
    }
    /** @type {HTMLFormElement | null} */
    const form = draftField()?.form ?? ui.one('#composer-form');
    if (!form) return;
    const key = draftKey();
    // What came back has its key beside it: it cannot go out twice.
    const once = sessionStorage.getItem(`once ${key}`);
    if (once) setKey(form, once);
    if (!ui.field(form, 'reply_to_wamid')) form.prepend(...(quotes.get(key) ?? []));
    quotes.delete(key);
  }

  /* Whoever wants to can take a text back for so long: it is not posted before. */
  const undoMs = 5_000;
  /** @param {HTMLFormElement | null} form @param {string} key */
  function setKey(form, key) {
    const once = form && ui.field(form, 'once');
    if (once) once.value = key;
  }
  /* What comes back stands in the field of its conversation, which may be another one than is open. */
  document.addEventListener('outbox:back', ({ detail: { first, once, back } }) => {
    const { id } = first;
    const isOpen = inbox.open()?.dataset.id === id;
    /** @param {Sending} one @param {string} key */
    const putKey = (one, key) => {
      sessionStorage.setItem(`once ${key}`, one === first ? once : one.once);
      const wamid = one.values['reply_to_wamid'];
      if (wamid) quotes.set(key, quoteOf(wamid, one.quote));
    };
    for (const one of back) {
      if (!one.form) continue;
      for (const [key, text] of Object.entries(one.form.drafts)) sessionStorage.setItem(key, text);
      putKey(one, one.form.key);
    }
    const texts = back.filter(({ form }) => !form);
    if (texts[0]) {
      const key = `draft ${id}`;
      const bodies = [...texts.map(({ values }) => values['body']), sessionStorage.getItem(key)];
      sessionStorage.setItem(key, bodies.filter(Boolean).join('\n'));
      putKey(texts[0], key);
      attached.put(
        id,
        texts.flatMap(({ file }) => file ?? []),
      );
    }
    const field = replyField();
    if (!isOpen) return;
    if (first.form) {
      const isShown = draftFields().some((each) => keyOf(each) in (first.form?.drafts ?? {}));
      return isShown ? restoreDraft() : showForm(first);
    }
    if (!field) return;
    field.value = '';
    restoreDraft();
    field.focus();
  });
  /** Where the box for a kind of message is asked for. @param {string | undefined} mode */
  function boxOf(mode) {
    const link = ui.one(`#composer [data-compose=${mode}]`)?.getAttribute('hx-get');
    return link ? new URL(link, location.href) : undefined;
  }
  /** Shows the form of a template or a question that came back. @param {Sending} one */
  function showForm({ values: { mode, template_id: template = '' } }) {
    const part = boxOf(mode);
    if (!part) return;
    if (template) part.searchParams.set('template_id', template);
    const how = { source: '#composer', target: '#composer', swap: 'outerHTML' };
    window.htmx.ajax('GET', part.pathname + part.search, how).catch(() => undefined);
  }
  /** The message that is answered, and the way out of that. @param {string} wamid @param {string} text */
  function quoteOf(wamid, text) {
    const make = document.createElement.bind(document);
    const named = Object.assign(make('input'), { type: 'hidden', name: 'reply_to_wamid', value: wamid });
    const quote = Object.assign(make('p'), { className: 'quote composer-quote' });
    const leave = Object.assign(make('button'), { className: 'button-icon', type: 'button', textContent: '×' });
    leave.setAttribute('aria-label', ui.text('doNotAnswer'));
    leave.addEventListener('click', () => [named, quote].forEach((element) => element.remove()));
    quote.append(Object.assign(make('span'), { className: 'cut', textContent: text }), leave);
    return [named, quote];
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
      const quote = ui.all('.composer-quote, [name=reply_to_wamid]', form);
      const values = Object.fromEntries(
        // The field for a file is of the page without scripts.
        [...new FormData(form, event.submitter)].flatMap(([name, value]) =>
          typeof value === 'string' ? [[name, value]] : [],
        ),
      );
      const { csrf: _csrf, ...kept } = values;
      const parts = attached.partsOf(kept, files);
      for (const [index, part] of parts.entries())
        outbox.add({
          id: one.dataset.id ?? '',
          address: addressOf(form, box),
          quote: quotedIn(form),
          dueAt: field.dataset.undo === undefined ? 0 : Date.now() + undoMs,
          text: part.values['body'] || part.file?.filename || '',
          ...part,
          // It is done with the last of them.
          values: index < parts.length - 1 ? { ...part.values, then: '' } : part.values,
        });
      for (const element of quote) element.remove();
      field.value = '';
      setKey(form, ui.newKey());
      for (const key of [draftKey(), `once ${draftKey()}`]) sessionStorage.removeItem(key);
      field.focus();
      outbox.start();
      box.scrollTop = 0;
    },
    true,
  );
  /**
   * Where a message is sent, with what is shown of its thread.
   *
   * @param {HTMLFormElement} form @param {HTMLElement} box
   */
  function addressOf(form, box) {
    const address = new URL(form.action);
    for (const [name, value] of [
      ['messages', box.dataset.size],
      ['since', box.dataset.since],
      ['whole', box.dataset.whole],
    ])
      address.searchParams.set(name ?? '', value ?? '');
    return address.pathname + address.search;
  }
  /** @param {HTMLFormElement} form */
  const quotedIn = (form) => ui.one('.composer-quote .cut', form)?.textContent ?? '';
  /*
   * A template, or a question with its answers, is sent by its form, which says at once what is wrong with it. Where
   * the line is lost it waits in the thread, as a text does, under the key that it was sent under.
   */
  /** @type {WeakMap<XMLHttpRequest, Parameters<typeof outbox.add>[0]>} */
  const onTheirWay = new WeakMap();
  document.addEventListener('htmx:beforeRequest', ({ detail: { elt: form, xhr, requestConfig } }) => {
    const box = ui.one('#messages');
    if (!(form instanceof HTMLFormElement) || form.id !== 'composer-form' || replyField() || !box) return;
    const entries = [...requestConfig.formData].map(([name, value]) => [name, String(value)]);
    const { csrf: _csrf, ...values } = Object.fromEntries(entries);
    const preview = ui.all('.template-preview .bubble-text', form).map(({ textContent }) => textContent ?? '');
    const drafts = Object.fromEntries(draftFields().map((field) => [keyOf(field), field.value]));
    onTheirWay.set(xhr, {
      id: inbox.open()?.dataset.id ?? '',
      address: addressOf(form, box),
      quote: quotedIn(form),
      dueAt: 0,
      text: (preview.length > 0 ? preview : [values['body'], values['choices']]).join('\n'),
      values: { ...values, waited: 'yes' },
      form: { key: draftKey(), drafts },
      tries: 1,
    });
  });
  for (const name of /** @type {const} */ (['htmx:sendError', 'htmx:timeout']))
    document.addEventListener(
      name,
      (event) => {
        const { elt: form, xhr } = event.detail;
        const waits = onTheirWay.get(xhr);
        if (!waits?.form || !(form instanceof HTMLFormElement)) return;
        // It says so in its place.
        event.stopPropagation();
        const { key, drafts } = waits.form;
        for (const [each, text] of Object.entries(drafts))
          if (sessionStorage.getItem(each) === text) sessionStorage.removeItem(each);
        for (const each of [`posted ${key}`, `once ${key}`]) sessionStorage.removeItem(each);
        outbox.add(waits);
        outbox.start();
        for (const field of draftFields()) {
          if (field.form !== form || field.value !== drafts[keyOf(field)]) continue;
          field.value = '';
          fill(field);
        }
        for (const element of ui.all('.composer-quote, [name=reply_to_wamid]', form)) element.remove();
        setKey(form, ui.newKey());
        leaveTemplate(form);
      },
      true,
    );
  /** The next template is another one, which is chosen first. @param {HTMLFormElement} form */
  function leaveTemplate(form) {
    const chosen = ui.all('.template-form, [name=template_id]', form);
    if (chosen.length === 0) return;
    for (const element of chosen) element.remove();
    for (const button of ui.all('.send-buttons button', form)) button.toggleAttribute('disabled', true);
    /** @type {HTMLSelectElement | null} */
    const choice = ui.one('#template');
    if (choice) choice.value = '';
  }
  /* A text is begun under the newest message that is shown while its field is empty. */
  function begin() {
    const [field, box] = [replyField(), ui.one('#messages')];
    const begun = field?.form && ui.field(field.form, 'begun_under');
    const newest = ui.all('.bubbles:not(.later) > .bubble-row[id^="m-"]', box ?? undefined).at(-1);
    if (field?.value === '' && begun && newest && box?.dataset.at === '') begun.value = newest.id.slice(2);
  }
  document.addEventListener('input', begin);
  document.addEventListener('outbox:known', ({ detail: { id, newest } }) => {
    /** @type {HTMLFormElement | null} */
    const form = inbox.open()?.dataset.id === id ? ui.one('#composer-form') : null;
    const begun = form && ui.field(form, 'begun_under');
    if (begun) begun.value = newest;
  });
  document.addEventListener('outbox:sent', ({ detail: { id, left } }) => {
    // Among older messages it cannot be seen.
    const [open, at] = [inbox.open(), ui.one('#messages')?.dataset.at];
    if (at && open?.dataset.id === id && left === 0) location.assign(open.dataset.path ?? '');
  });
  /*
   * What was posted and not answered goes under its key once more, so that it cannot go out twice. What was changed
   * since then is another message.
   */
  document.addEventListener(
    'submit',
    ({ target: form, submitter }) => {
      if (!(form instanceof HTMLFormElement) || !form.matches('.composer form')) return;
      const once = ui.field(form, 'once');
      if (!once || replyField()) return;
      const texts = draftFields().map((field) => [keyOf(field), field.value]);
      const how = ['reply_to_wamid', 'phone_number_id'].map((name) => ui.field(form, name)?.value);
      const later = submitter instanceof HTMLButtonElement && submitter.name === 'send_at' ? submitter.value : '';
      const said = JSON.stringify([texts, how, later, later === 'local' && ui.field(form, 'send_local')?.value]);
      const posted = JSON.parse(sessionStorage.getItem(`posted ${draftKey()}`) ?? 'null');
      if (posted?.said === said) once.value = posted.once;
      sessionStorage.setItem(`posted ${draftKey()}`, JSON.stringify({ once: once.value, said }));
    },
    true,
  );
  /* Other drafts stay until they are stored: another conversation may be open by then. */
  document.addEventListener('htmx:beforeRequest', ({ detail: { elt, xhr } }) => {
    if (!(elt instanceof HTMLFormElement) || !elt.matches('.composer form')) return;
    const texts = draftFields().map(
      (field) => /** @type {const} */ ([keyOf(field), sessionStorage.getItem(keyOf(field))]),
    );
    const key = draftKey();
    xhr.addEventListener('load', () => {
      if (!ui.isDone(xhr)) return;
      for (const each of [`posted ${key}`, `once ${key}`]) sessionStorage.removeItem(each);
      // What was typed since is stored nowhere else.
      for (const [each, text] of texts) if (sessionStorage.getItem(each) === text) sessionStorage.removeItem(each);
    });
  });
  /* Where the window opens or closes while nobody writes in the box, it asks for what can be sent then. */
  function wantedPart() {
    const [box, left] = [ui.one('#composer'), ui.one('#window')];
    const now = left?.classList.contains('is-closed') ? 'closed' : 'open';
    if (!box || !left || box.dataset.window === now || box.dataset.mode === 'note') return undefined;
    if (now === 'closed' && draftFields().some(({ value }) => value !== '')) return undefined;
    if (box.contains(document.activeElement)) return undefined;
    const part = boxOf('text');
    // What it is drawn for is told by the window as it is then: it may have opened again meanwhile.
    part?.searchParams.delete('compose');
    return part && part.pathname + part.search;
  }
  function followWindow() {
    if (!wantedPart()) return;
    window.follow('composer', () => {
      // Another kind may have been chosen since it was asked for.
      const part = wantedPart();
      // No news: its drafts come back by themselves.
      const event = new CustomEvent('window');
      const how = { source: '#composer', target: '#composer', swap: 'outerHTML', event };
      return part ? window.htmx.ajax('GET', part, how) : undefined;
    });
  }
  for (const name of /** @type {const} */ (['htmx:afterSwap', 'htmx:oobAfterSwap']))
    document.addEventListener(name, () => {
      begin();
      followWindow();
    });
  /* A button types a sign that a list comes of. */
  document.addEventListener('click', (event) => {
    const sign = ui.around(event, '[data-type]')?.dataset.type;
    const field = replyField();
    if (!sign || !field) return;
    const before = field.value.slice(0, field.selectionStart);
    field.focus();
    field.setRangeText((/\S$/.test(before) ? ' ' : '') + sign, field.selectionStart, field.selectionEnd, 'end');
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });

  /* After a click on Reply, Template or a message's answer, writing can begin, if it has not begun elsewhere. */
  document.addEventListener('htmx:afterSettle', (event) => {
    const { target, requestConfig } = event.detail;
    const { id } = target;
    if (id === 'composer' || id === 'open') restoreDraft();
    if (requestConfig.triggeringEvent?.type === 'window') return;
    if (id === 'composer' && !ui.isField(document.activeElement))
      ui.one('#composer :is(textarea, [aria-invalid], input:not([type=hidden]), select):not(:disabled)')?.focus();
  });
  restoreDraft();
})();

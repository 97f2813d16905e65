// @ts-check
'use strict';

/*
 * `/` in a reply offers canned replies, `@` in a note or a comment the members: asked for once for each conversation,
 * or for each list that says from where (`data-from`).
 */
(() => {
  const fields = '#reply, #note, [data-mentions]';
  /** The list that was offered last. @type {HTMLElement | null} */
  let list = null;
  /** @param {HTMLTextAreaElement} field */
  const listOf = (field) =>
    ui.one('.suggestions', field.closest('.mentioning') ?? ui.one('#suggestions')?.parentElement ?? document);
  /** Where the entries of a list are asked for; null: nowhere now. @param {HTMLElement} of */
  const addressOf = (of) => {
    if (of.dataset.from) return of.dataset.from;
    const path = inbox.open()?.dataset.path;
    return path ? `${path}suggestions/` : null;
  };
  const shown = () => (list ? ui.all('[role=option]', list).filter((option) => !option.hidden) : []);
  /** @param {Event | Element | null} from @returns {HTMLTextAreaElement | null} */
  const fieldOf = (from) => {
    const element = from instanceof Event ? ui.target(from) : from;
    return element instanceof HTMLTextAreaElement && element.matches(fields) ? element : null;
  };
  /**
   * What stands before the cursor: a sign that begins a word, and the letters behind it.
   *
   * @param {HTMLTextAreaElement} field
   */
  function typed(field) {
    const before = field.value.slice(0, field.selectionStart);
    const sign = field.id === 'reply' ? '/' : '@';
    const match = /(?:^|\s)([/@])([\p{L}\p{N}_-]*)$/u.exec(before);
    return match?.[1] === sign ? { sign, word: (match[2] ?? '').toLowerCase() } : null;
  }

  /** @param {HTMLElement | undefined} option */
  function mark(option) {
    for (const one of shown()) one.setAttribute('aria-selected', String(one === option));
    option?.scrollIntoView({ block: 'nearest' });
    fieldOf(document.activeElement)?.setAttribute('aria-activedescendant', option?.id ?? '');
  }
  function close() {
    if (list) list.hidden = true;
    for (const field of ui.all(fields)) field.removeAttribute('aria-activedescendant');
  }
  /** @param {HTMLTextAreaElement} field */
  function offer(field) {
    const looked = typed(field);
    if (!list || list !== listOf(field) || !looked || list.dataset.loaded !== addressOf(list)) return close();
    for (const option of ui.all('[role=option]', list))
      option.hidden = option.dataset.sign !== looked.sign || !option.dataset.word?.toLowerCase().includes(looked.word);
    list.hidden = shown().length === 0;
    mark(list.hidden ? undefined : shown()[0]);
  }
  /** @param {HTMLElement} option */
  function choose(option) {
    const field = fieldOf(document.activeElement);
    const looked = field && typed(field);
    if (!field || !looked) return;
    const from = field.selectionStart - looked.word.length - 1;
    field.setRangeText(option.dataset.insert ?? '', from, field.selectionStart, 'end');
    if (option.dataset.files) attached.include(JSON.parse(option.dataset.files));
    field.dispatchEvent(new Event('input', { bubbles: true }));
    close();
  }

  document.addEventListener('input', (event) => {
    const field = fieldOf(event);
    const own = field && listOf(field);
    const address = own && addressOf(own);
    if (!field || !own || !address) return;
    if (list !== own) close();
    list = own;
    if (!typed(field) || own.dataset.loaded === address) return offer(field);
    // Letters that are typed meanwhile ask no second time: its answer would show again what was left out.
    if (own.dataset.asked === address) return;
    own.dataset.asked = address;
    // The next letter asks again.
    const forget = () => void delete own.dataset.asked;
    window.htmx
      .ajax('GET', address, {
        target: own,
        swap: 'innerHTML',
        // Requests of one element take turns, and the page's own are many.
        source: own,
        event: new CustomEvent('refresh', { detail: { retry: forget, wait: forget } }),
      })
      .then(() => {
        if (own.dataset.asked !== address) return;
        own.dataset.loaded = address;
        offer(field);
      })
      .catch(forget);
  });
  /* Before what the keys do else. */
  document.addEventListener(
    'keydown',
    (event) => {
      const options = fieldOf(event) && !list?.hidden ? shown() : [];
      if (options.length === 0 || ui.hasModifier(event)) return;
      const at = options.findIndex((option) => option.getAttribute('aria-selected') === 'true');
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const option = options[at];
      if (step) mark(options[(at + step + options.length) % options.length]);
      else if ((event.key === 'Enter' || event.key === 'Tab') && option) choose(option);
      else if (event.key === 'Escape') close();
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
    true,
  );
  /* The field keeps the focus. */
  document.addEventListener('pointerdown', (event) => {
    if (ui.around(event, '.suggestions')) event.preventDefault();
  });
  document.addEventListener('click', (event) => {
    const option = ui.around(event, '.suggestions [role=option]');
    if (option) choose(option);
    else if (!fieldOf(event)) close();
  });
})();

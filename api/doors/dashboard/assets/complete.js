// @ts-check
'use strict';

/* `/` in a reply offers canned replies, `@` in a note the members: asked for once for each conversation. */
(() => {
  const box = () => ui.one('#suggestions');
  const shown = () => ui.all('#suggestions [role=option]').filter((option) => !option.hidden);
  /** @param {Event | Element | null} from @returns {HTMLTextAreaElement | null} */
  const fieldOf = (from) => {
    const element = from instanceof Event ? ui.target(from) : from;
    return element instanceof HTMLTextAreaElement && element.matches('#reply, #note') ? element : null;
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
    const list = box();
    if (list) list.hidden = true;
    for (const field of ui.all('#reply, #note')) field.removeAttribute('aria-activedescendant');
  }
  /** @param {HTMLTextAreaElement} field */
  function offer(field) {
    const [list, looked] = [box(), typed(field)];
    if (!list || !looked || list.dataset.loaded !== inbox.open()?.dataset.path) return close();
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
    const [field, list, path] = [fieldOf(event), box(), inbox.open()?.dataset.path];
    if (!field || !list || !path) return;
    if (!typed(field) || list.dataset.loaded === path) return offer(field);
    // Letters that are typed meanwhile ask no second time: its answer would show again what was left out.
    if (list.dataset.asked === path) return;
    list.dataset.asked = path;
    // The next letter asks again.
    const forget = () => void delete list.dataset.asked;
    window.htmx
      .ajax('GET', `${path}suggestions/`, {
        target: '#suggestions',
        swap: 'innerHTML',
        // Requests of one element take turns, and the page's own are many.
        source: list,
        event: new CustomEvent('refresh', { detail: { retry: forget, wait: forget } }),
      })
      .then(() => {
        if (list.dataset.asked !== path) return;
        list.dataset.loaded = path;
        offer(field);
      })
      .catch(forget);
  });
  /* Before what the keys do else. */
  document.addEventListener(
    'keydown',
    (event) => {
      const options = fieldOf(event) && !box()?.hidden ? shown() : [];
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
    if (ui.around(event, '#suggestions')) event.preventDefault();
  });
  document.addEventListener('click', (event) => {
    const option = ui.around(event, '#suggestions [role=option]');
    if (option) choose(option);
    else if (!fieldOf(event)) close();
  });
})();

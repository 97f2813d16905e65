// @ts-check
'use strict';

/*
 * A field for a contact or a ticket: what fits what is typed stands in a list below it, and the form gets the value of
 * what is chosen, with the words that stand for it. Without scripts the server says what fits.
 */
(() => {
  /** @param {Element | null} element @returns {HTMLInputElement | null} */
  const fieldOf = (element) =>
    element instanceof HTMLInputElement && element.matches('.picker input[role=combobox]') ? element : null;
  /** @param {HTMLInputElement} field */
  const partsOf = (field) => {
    const around = field.closest('.picker') ?? document;
    /** @type {HTMLInputElement[]} The value, and the words that stand for it. */
    const [chosen, words] = ui.all('input[type=hidden]', around);
    return { list: ui.one('[role=listbox]', around), chosen, words, asked: ui.one('fieldset', around) };
  };
  /** @param {HTMLElement | null} list */
  const options = (list) => (list ? ui.all('[role=option]', list) : []);

  /** @param {HTMLInputElement} field @param {HTMLElement | undefined} option */
  function mark(field, option) {
    for (const one of options(partsOf(field).list)) one.setAttribute('aria-selected', String(one === option));
    option?.scrollIntoView({ block: 'nearest' });
    if (option) field.setAttribute('aria-activedescendant', option.id);
    else field.removeAttribute('aria-activedescendant');
  }
  /** @param {HTMLInputElement} field @param {boolean} isOpen */
  function show(field, isOpen) {
    const { list } = partsOf(field);
    if (!list) return;
    list.hidden = !isOpen;
    field.setAttribute('aria-expanded', String(isOpen));
    mark(field, isOpen ? options(list)[0] : undefined);
  }
  /** @param {HTMLInputElement} field @param {HTMLElement} option */
  function choose(field, option) {
    const { chosen, words } = partsOf(field);
    field.value = option.dataset.name ?? '';
    if (chosen) chosen.value = option.dataset.value ?? '';
    if (words) words.value = field.value;
    show(field, false);
    // It may be a field that saves itself.
    field.dispatchEvent(new Event('change', { bubbles: true }));
  }

  document.addEventListener('input', (event) => {
    const field = fieldOf(ui.target(event));
    // Other words mean something else.
    if (field) partsOf(field).asked?.remove();
  });
  document.addEventListener('htmx:afterSwap', ({ detail: { target } }) => {
    const field = fieldOf(document.activeElement);
    // The answer to what was typed before a choice comes too late.
    if (field && partsOf(field).list === target)
      show(field, field.value !== '' && field.value !== partsOf(field).words?.value && options(target).length > 0);
  });
  /* Before what the keys do else. */
  document.addEventListener(
    'keydown',
    (event) => {
      const field = fieldOf(ui.target(event));
      const list = field && partsOf(field).list;
      if (!field || !list || ui.hasModifier(event)) return;
      const all = options(list);
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (list.hidden) {
        if (!step || all.length === 0) return;
        show(field, true);
      } else {
        const at = all.findIndex((option) => option.getAttribute('aria-selected') === 'true');
        const option = all[at];
        if (step) mark(field, all[(at + step + all.length) % all.length]);
        else if (event.key === 'Enter' && option) choose(field, option);
        else if (event.key === 'Escape') show(field, false);
        else return;
      }
      event.preventDefault();
      event.stopPropagation();
    },
    true,
  );
  /* The field keeps the focus. */
  document.addEventListener('pointerdown', (event) => {
    if (ui.around(event, '.picker-list')) event.preventDefault();
  });
  document.addEventListener('click', (event) => {
    const option = ui.around(event, '.picker-list [role=option]');
    const field = option && fieldOf(ui.one('input[role=combobox]', option.closest('.picker') ?? document));
    if (field) choose(field, option);
  });
  document.addEventListener('focusout', (event) => {
    const field = fieldOf(ui.target(event));
    if (field) show(field, false);
  });
})();

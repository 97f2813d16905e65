// @ts-check
'use strict';

/* A selection in a list: it stays while the list is brought up to date, and ends when it was changed. */
(() => {
  /** @type {Set<string>} */
  const picked = new Set();
  /** @returns {HTMLInputElement[]} */
  const boxes = () => ui.all('.pick');
  /** @returns {HTMLInputElement | null} */
  const allBox = () => ui.one('#bulk-all');
  /** @type {HTMLInputElement | null} */
  let last = null;

  function draw() {
    const all = allBox();
    for (const box of boxes()) box.checked = all?.checked || picked.has(box.value);
    const form = ui.one('#bulk');
    form?.classList.toggle('is-on', picked.size > 0);
    const { selected = '', selectedAll = '' } = form?.dataset ?? {};
    const count = String(picked.size);
    ui.one('#bulk-count')?.replaceChildren(all?.checked ? selectedAll : selected.replace('{count}', count));
  }
  function clear() {
    picked.clear();
    /** @type {HTMLFormElement | null} */
    const form = ui.one('#bulk');
    form?.reset();
    setTimeout(draw);
  }
  /** @param {HTMLInputElement} box @param {boolean} isRange */
  function pick(box, isRange) {
    const shown = boxes();
    const whole = allBox();
    // Without this one it is not all that match any more, but the others that are shown.
    if (whole?.checked) for (const each of shown) picked.add(each.value);
    if (whole) whole.checked = false;
    const [from, to] = [last ? shown.indexOf(last) : -1, shown.indexOf(box)];
    const range = isRange && from >= 0 ? shown.slice(Math.min(from, to), Math.max(from, to) + 1) : [box];
    for (const each of range)
      if (box.checked) picked.add(each.value);
      else picked.delete(each.value);
    last = box;
    draw();
  }
  document.addEventListener('click', (event) => {
    const { target } = event;
    if (target instanceof HTMLInputElement && target.matches('.pick')) pick(target, event.shiftKey);
  });
  /*
   * On touch a long press selects a row, whose face makes room for the box only then; from the first on a tap selects,
   * too.
   */
  /** @param {Event} event @returns {HTMLInputElement | null} */
  const boxAround = (event) => ui.around(event, 'li:has(.pick)')?.querySelector('.pick') ?? null;
  /** @param {HTMLInputElement} box */
  const turn = (box) => {
    box.checked = !box.checked;
    pick(box, false);
  };
  window.onLongPress('li:has(.pick)', { held: (row) => turn(/** @type {HTMLInputElement} */ (ui.one('.pick', row))) });
  window.addEventListener(
    'click',
    (event) => {
      const box = boxAround(event);
      const isTouch = event instanceof PointerEvent && event.pointerType === 'touch';
      if (!box || !isTouch || ui.target(event) === box || picked.size === 0) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      turn(box);
    },
    true,
  );
  document.addEventListener('change', (event) => ui.target(event).id === 'bulk-all' && draw());
  document.addEventListener('reset', (event) => ui.target(event).id === 'bulk' && picked.size > 0 && clear());
  /* Nobody sees all that match: it is asked before they are changed. */
  window.addEventListener(
    'submit',
    (event) => {
      const { target: form, submitter } = event;
      if (!(form instanceof HTMLFormElement) || form.id !== 'bulk') return;
      delete form.dataset.confirm;
      // A file changes nothing, and is sent by the browser itself.
      if (submitter?.matches('[data-plain]')) event.stopImmediatePropagation();
      else if (allBox()?.checked) askBefore(form, submitter);
    },
    true,
  );
  /** @param {HTMLFormElement} form @param {HTMLElement | null} submitter */
  function askBefore(form, submitter) {
    const menu = submitter?.closest('.menu');
    const words = [menu && ui.one(`[popovertarget="${menu.id}"]`, form), submitter]
      .map((button) => button?.textContent?.trim().replace(/\s+/g, ' '))
      .filter(Boolean);
    form.dataset.confirmTitle = form.dataset.askTitle;
    form.dataset.confirm = (form.dataset.ask ?? '').replace('{act}', words.join(': '));
    form.dataset.confirmButton = form.dataset.askButton;
  }
  document.addEventListener('submit', (event) => {
    if (ui.target(event).id === 'bulk') for (const menu of ui.all('#bulk .menu:popover-open')) menu.hidePopover();
  });
  /* x selects the row that has the focus, or the conversation that is open. */
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'x' || ui.hasModifier(event) || ui.isField(document.activeElement)) return;
    const row =
      document.activeElement?.closest('li:has(.pick)') ?? ui.one('.conversation[aria-current]')?.closest('li');
    /** @type {HTMLInputElement | null | undefined} */
    const box = row?.querySelector('.pick');
    if (!box) return;
    event.preventDefault();
    box.checked = !box.checked;
    pick(box, false);
  });
  /* The pages to come offer to take it back, too (app.js). */
  document.addEventListener('htmx:beforeRequest', ({ detail: { elt } }) => {
    if (elt.id === 'bulk') ui.changedMany.begin();
  });
  window.addEventListener('submit', (event) => {
    if (ui.target(event).id === 'bulk' && !event.defaultPrevented) ui.changedMany.begin();
  });
  document.addEventListener('htmx:afterSwap', draw);
  document.addEventListener('htmx:afterRequest', ({ detail: { elt, xhr } }) => {
    if (elt.id === 'bulk' && ui.isDone(xhr)) clear();
  });
  draw();
})();

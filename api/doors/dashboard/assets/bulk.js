// @ts-check
'use strict';

/* A selection of conversations: it stays while the list is brought up to date, and ends when it was changed. */
(() => {
  /** @type {Set<string>} */
  const picked = new Set();
  /** @returns {HTMLInputElement[]} */
  const boxes = () => ui.all('.pick');
  /** @type {HTMLInputElement | null} */
  let last = null;

  function draw() {
    for (const box of boxes()) box.checked = picked.has(box.value);
    /** @type {HTMLInputElement | null} */
    const all = ui.one('#bulk-all');
    ui.one('#bulk')?.classList.toggle('is-on', picked.size > 0);
    ui.one('#bulk-count')?.replaceChildren(all?.checked ? 'Selected:' : `${picked.size} selected, or`);
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
    const all = boxes();
    const [from, to] = [last ? all.indexOf(last) : -1, all.indexOf(box)];
    const range = isRange && from >= 0 ? all.slice(Math.min(from, to), Math.max(from, to) + 1) : [box];
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
  document.addEventListener('change', (event) => ui.target(event).id === 'bulk-all' && draw());
  document.addEventListener('reset', (event) => ui.target(event).id === 'bulk' && picked.size > 0 && clear());
  document.addEventListener('submit', (event) => {
    if (ui.target(event).id === 'bulk') for (const menu of ui.all('#bulk .menu:popover-open')) menu.hidePopover();
  });
  /* x selects the conversation that is open, or has the focus. */
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'x' || ui.hasModifier(event) || ui.isField(document.activeElement)) return;
    const row =
      document.activeElement?.closest('.conversations li') ?? ui.one('.conversation[aria-current]')?.closest('li');
    /** @type {HTMLInputElement | null | undefined} */
    const box = row?.querySelector('.pick');
    if (!box) return;
    event.preventDefault();
    box.checked = !box.checked;
    pick(box, false);
  });
  document.addEventListener('htmx:afterSwap', draw);
  document.addEventListener('htmx:afterRequest', ({ detail: { elt, xhr } }) => {
    if (elt.id === 'bulk' && ui.isDone(xhr)) clear();
  });
  draw();
})();

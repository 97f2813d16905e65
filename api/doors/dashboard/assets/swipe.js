// @ts-check
'use strict';

/*
 * On a phone a row of the list is swiped: towards its end it is done, towards its start it is snoozed. What stands in
 * the thread's head and in the changes of many does the same.
 */
(() => {
  const isPhone = matchMedia('(max-width: 44rem)');
  /* Farther than a finger that presses long (longPress.js); less far than where a browser takes a vertical one. */
  const beginsPx = 12;
  /* From this part of the row's width on it is meant. */
  const farShare = 0.35;
  /** @type {{ readonly row: HTMLElement; readonly x: number; readonly y: number; by: number; isOn: boolean } | null} */
  let swipe = null;
  /** @param {HTMLElement | null} row */
  function back(row) {
    row?.style.removeProperty('--swiped');
    row?.classList.remove('is-dragged', 'is-far');
  }
  function end() {
    const was = swipe;
    swipe = null;
    back(was?.row ?? null);
    // What waited for the end of it goes on (refresh.js).
    if (was?.isOn) document.dispatchEvent(new Event('dragend'));
  }
  document.addEventListener('pointerdown', (event) => {
    end();
    const row =
      event.pointerType === 'touch' && event.isPrimary ? ui.around(event, '.conversations[data-done] li') : null;
    // In a selection a finger selects.
    if (!row || !isPhone.matches || ui.one('.pick:checked')) return;
    swipe = { row, x: event.clientX, y: event.clientY, by: 0, isOn: false };
  });
  document.addEventListener('pointermove', (event) => {
    if (!swipe || !event.isPrimary) return;
    const { row } = swipe;
    const [x, y] = [event.clientX - swipe.x, event.clientY - swipe.y];
    if (!swipe.isOn) {
      // Held, it is selected; up and down, the list scrolls.
      if (ui.one('.pick:checked', row) || Math.abs(y) > Math.max(beginsPx, Math.abs(x))) end();
      if (!swipe || Math.abs(x) < beginsPx) return;
      swipe.isOn = true;
    }
    const { done = '', snooze = '' } = row.parentElement?.dataset ?? {};
    swipe.by = getComputedStyle(row).direction === 'rtl' ? -x : x;
    row.style.setProperty('--swiped', `${x}px`);
    row.dataset.act = swipe.by > 0 ? done : snooze;
    row.classList.add('is-dragged');
    row.classList.toggle('is-end', swipe.by > 0);
    row.classList.toggle('is-far', Math.abs(swipe.by) > row.offsetWidth * farShare);
  });
  document.addEventListener('pointercancel', end);
  document.addEventListener('pointerup', () => {
    const meant = swipe?.row.classList.contains('is-far') ? swipe : null;
    /** @type {HTMLAnchorElement | null} */
    const link = meant && ui.one('.conversation', meant.row);
    if (!meant || !link) return end();
    const { pathname, search } = new URL(link.href);
    const until = meant.row.parentElement?.dataset.until ?? '';
    const values = meant.by > 0 ? { conv_status: 'resolved' } : { conv_status: 'snoozed', until };
    const { row } = meant;
    // It stays aside until the list is there without it.
    row.style.setProperty(
      '--swiped',
      `${Math.sign(meant.by) * (getComputedStyle(row).direction === 'rtl' ? -1 : 1) * 100}%`,
    );
    row.classList.remove('is-dragged');
    swipe = null;
    // Each asks for itself: of what waits for one element htmx keeps the newest only.
    const asker = ui.asker();
    asker.addEventListener(
      'htmx:afterRequest',
      (event) => {
        if (!ui.isDone(/** @type {CustomEvent<HtmxDetail>} */ (event).detail.xhr)) back(row);
        // What failed is told after this.
        setTimeout(() => asker.remove());
      },
      { once: true },
    );
    const options = { source: asker, swap: 'none', values: { ...values, from: 'list' } };
    window.htmx.ajax('POST', `${pathname}state/${search}`, options).catch(() => undefined);
  });
})();

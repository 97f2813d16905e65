// @ts-check
'use strict';

/* A long press by finger: what it offers opens as the finger leaves, and what the finger does then opens nothing. */
(() => {
  /*
   * Before the browser's own, at 500 ms. Where that comes first, or the finger leaves before a busy phone came to the
   * timer, that is the press.
   */
  const pressMs = 400;
  /** A finger that goes further than this scrolls or swipes; it is never quite still. */
  const stillPx = 10;
  /** @type {{ selector: string; held?: (at: HTMLElement) => void; left?: (at: HTMLElement) => void }[]} */
  const offers = [];
  /**
   * @typedef {object} Press
   * @property {(typeof offers)[number]} offer
   * @property {HTMLElement} at
   * @property {number} x
   * @property {number} y
   * @property {number} since
   * @property {number} timer
   */
  /** @type {Press | null} */
  let press = null;
  /** What a finger held last: its click follows the press. */
  /** @type {HTMLElement | null} */
  let held = null;
  window.onLongPress = (selector, acts) => void offers.push({ selector, ...acts });

  function letGo() {
    clearTimeout(press?.timer);
    press = null;
  }
  function hold() {
    if (!press || held) return;
    const { offer, at } = press;
    held = at;
    offer.held?.(at);
  }
  document.addEventListener('pointerdown', (event) => {
    letGo();
    held = null;
    if (event.pointerType !== 'touch') return;
    const offer = offers.find(({ selector }) => ui.around(event, selector));
    const at = offer && ui.around(event, offer.selector);
    const { clientX: x, clientY: y, timeStamp: since } = event;
    if (at) press = { offer, at, x, y, since, timer: setTimeout(hold, pressMs) };
  });
  document.addEventListener('pointermove', ({ clientX, clientY }) => {
    if (press && !held && Math.hypot(clientX - press.x, clientY - press.y) > stillPx) letGo();
  });
  document.addEventListener('scroll', () => !held && letGo(), { capture: true, passive: true });
  for (const name of ['pointerup', 'pointercancel'])
    document.addEventListener(name, ({ timeStamp }) => {
      if (press && timeStamp - press.since >= pressMs) hold();
      const ended = press;
      letGo();
      // What is open by now would be closed by the finger that leaves.
      if (ended && held) setTimeout(() => ended.offer.left?.(ended.at));
      // No click follows where the browser took the finger.
      if (name === 'pointercancel') held = null;
    });
  /** @param {Event} event */
  const isOfPress = (event) => held !== null && held.contains(ui.target(event));
  document.addEventListener('contextmenu', (event) => {
    hold();
    if (isOfPress(event)) event.preventDefault();
  });
  window.addEventListener(
    'click',
    (event) => {
      // It may meet what the press has opened by then.
      const isOfFinger = held !== null && event instanceof PointerEvent && event.pointerType === 'touch';
      if (!isOfFinger && !isOfPress(event)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      held = null;
    },
    true,
  );
})();

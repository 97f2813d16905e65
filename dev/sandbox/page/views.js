import { $ } from './dom.js';

/** Below this width, the list of customers and the panel share one place; below the other, the phone does, too. */
const wide = window.matchMedia('(min-width: 1051px)');
const narrow = window.matchMedia('(max-width: 680px)');
const panels = ['events', 'webhooks', 'receiver'];

/** Shows one part of the page. Parts that have a place of their own at this width are always there. */
export function show(view) {
  const { dataset } = $('main');
  dataset.view = view;
  if (panels.includes(view)) dataset.panel = view;
  draw();
}

/** Returns the panel that is shown, or would be at a width that has a place for it. */
export function currentPanel() {
  return $('main').dataset.panel;
}

function current() {
  const { view, panel } = $('main').dataset;
  if (wide.matches) return panel;
  return !narrow.matches && view === 'phone' ? 'people' : view;
}

function draw() {
  const chosen = current();
  $('main').dataset.side = chosen;
  for (const button of document.querySelectorAll('.views button'))
    button.setAttribute('aria-current', String(button.dataset.view === chosen));
}

/** Lets the buttons switch between the parts of the page. */
export function startViews(onShow) {
  for (const button of document.querySelectorAll('.views button'))
    button.addEventListener('click', () => {
      show(button.dataset.view);
      onShow();
    });
  for (const query of [wide, narrow]) query.addEventListener('change', draw);
  draw();
}

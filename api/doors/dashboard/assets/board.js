// @ts-check
'use strict';

/*
 * The board of tickets: cards are moved by dragging, by finger or by the keyboard. Without scripts, a ticket's page moves
 * it.
 */
(() => {
  /** @type {HTMLFormElement | null} */
  const form = ui.one('#move');
  /** @type {HTMLDialogElement | null} */
  const dialog = ui.one('#stages');
  const stages = () => ui.all('#board .column-stage');
  /** @param {Element | null | undefined} element @returns {HTMLElement | null} */
  const cardOf = (element) => element?.closest('.ticket-card') ?? null;
  /** @param {Element | null | undefined} element @returns {HTMLElement | null} */
  const stageOf = (element) => element?.closest('.column-stage') ?? null;
  /** @param {HTMLElement | null | undefined} stage */
  const cards = (stage) => (stage ? ui.all('.ticket-card', stage) : []);
  /** @param {HTMLElement | null | undefined} card */
  const focusCard = (card) => card && ui.one('a', card)?.focus();

  /** @param {HTMLElement | null | undefined} card @param {HTMLElement | null | undefined} stage */
  function move(card, stage) {
    if (!form || !card || !stage || stageOf(card) === stage) return;
    const { notifies, name } = stage.dataset;
    const contacts = Number(card.dataset.contacts);
    // What customers hear cannot be taken back.
    if (notifies && contacts > 0) {
      form.dataset.confirmTitle = ui.text('moving', { name: name ?? '' });
      form.dataset.confirm = ui.text('moveTells', { template: notifies, count: contacts });
      form.dataset.confirmButton = ui.text('moveAndSend');
    } else delete form.dataset.confirm;
    for (const [name, value] of Object.entries({ ticket: card.dataset.ticket, stage: stage.dataset.stage })) {
      const field = ui.field(form, name);
      if (field) field.value = value ?? '';
    }
    form.requestSubmit();
  }

  /* By dragging. */
  /** @type {HTMLElement | null} */
  let dragged = null;
  /** @param {HTMLElement | null} stage */
  const over = (stage) => stages().forEach((other) => other.classList.toggle('stage-over', other === stage));
  document.addEventListener('dragstart', (event) => {
    // Some browsers drag by a finger, too, a moment after it has lifted the card.
    if (lifted) return event.preventDefault();
    dragged = cardOf(ui.target(event));
    if (!dragged || !event.dataTransfer) return;
    dragged.classList.add('is-dragged');
    event.dataTransfer.effectAllowed = 'move';
    event.dataTransfer.setData('text/plain', dragged.dataset.ticket ?? '');
  });
  document.addEventListener('dragover', (event) => {
    const stage = dragged && stageOf(ui.target(event));
    over(stage);
    if (stage) event.preventDefault();
  });
  document.addEventListener('drop', (event) => {
    const stage = dragged && stageOf(ui.target(event));
    if (!stage) return;
    event.preventDefault();
    move(dragged, stage);
  });
  document.addEventListener('dragend', () => {
    dragged?.classList.remove('is-dragged');
    dragged = null;
    over(null);
  });

  /*
   * By finger: a long press lifts a card, which then goes along with the finger; towards an edge the board scrolls. Let
   * go where it was lifted, its stages are offered.
   */
  const [edgePx, stepPx, stillPx] = [48, 8, 10];
  /** @typedef {{ readonly x: number; readonly y: number }} Place */
  /**
   * @typedef {object} Lifted
   * @property {HTMLElement} card
   * @property {HTMLElement} copy What the finger carries: of a card, its column would show no more than is in it.
   * @property {Place} home How far it is from its own place to that of the card.
   * @property {Place} from Where the finger came down.
   * @property {number} x
   * @property {boolean} isMoved
   */
  /** @type {Lifted | null} */
  let lifted = null;
  /** @type {Place} */
  let pressed = { x: 0, y: 0 };
  /** The nearest one: between two of them and beyond the last a finger means one as well. @param {number} x */
  function stageAt(x) {
    /** @param {HTMLElement} stage */
    const awayFrom = (stage) => {
      const { left, right } = stage.getBoundingClientRect();
      return Math.max(left - x, x - right, 0);
    };
    return stages().sort((one, other) => awayFrom(one) - awayFrom(other))[0] ?? null;
  }
  /** @param {Lifted} one @param {number} x @param {number} y */
  function carry({ copy, home }, x, y) {
    copy.style.setProperty('--carried-x', `${home.x + x}px`);
    copy.style.setProperty('--carried-y', `${home.y + y}px`);
  }
  /** @param {HTMLElement} card */
  function lift(card) {
    if (dragged) return;
    const copy = /** @type {HTMLElement} */ (card.cloneNode(true));
    for (const each of [copy, ...ui.all('[id]', copy)]) each.removeAttribute('id');
    copy.inert = true;
    copy.classList.add('is-carried');
    const at = card.getBoundingClientRect();
    copy.style.setProperty('--carried-width', `${at.width}px`);
    document.body.append(copy);
    const own = copy.getBoundingClientRect();
    lifted = { card, copy, home: { x: at.x - own.x, y: at.y - own.y }, from: pressed, x: 0, isMoved: false };
    carry(lifted, 0, 0);
    card.classList.add('is-dragged');
    dragged = card;
  }
  function scrollAtEdge() {
    if (!lifted?.isMoved) return;
    const board = ui.need('#board');
    const { left, right } = board.getBoundingClientRect();
    const { x } = lifted;
    board.scrollLeft += x < left + edgePx ? -stepPx : x > right - edgePx ? stepPx : 0;
    over(stageAt(x));
    requestAnimationFrame(scrollAtEdge);
  }
  function putDown() {
    const was = lifted;
    lifted = null;
    was?.copy.remove();
    // As by the mouse: what waited for the end of it goes on (refresh.js).
    if (was) document.dispatchEvent(new Event('dragend'));
    return was;
  }
  document.addEventListener('pointermove', ({ clientX: x, clientY: y }) => {
    if (!lifted) return;
    const { from, isMoved } = lifted;
    lifted.x = x;
    carry(lifted, x - from.x, y - from.y);
    if (isMoved || Math.hypot(x - from.x, y - from.y) <= stillPx) return;
    lifted.isMoved = true;
    scrollAtEdge();
  });
  /* What is carried scrolls nothing. */
  document.addEventListener('touchmove', (event) => lifted && event.preventDefault(), { passive: false });
  /* A second finger ends it, and so does the browser where it takes the finger. */
  document.addEventListener('pointerdown', ({ clientX: x, clientY: y }) => {
    putDown();
    pressed = { x, y };
  });
  document.addEventListener('pointercancel', putDown);
  window.onLongPress('.ticket-card[draggable="true"]', {
    held: lift,
    left: () => {
      const was = putDown();
      if (was?.isMoved) move(was.card, stageAt(was.x));
      else if (was) offerStages(was.card);
    },
  });

  /* By the list of stages. */
  let chosen = '';
  /** @param {HTMLElement} card */
  function offerStages(card) {
    if (!dialog) return;
    chosen = card.id;
    dialog.returnValue = '';
    for (const button of ui.all('.stage-choices button', dialog))
      button.toggleAttribute('aria-current', button.getAttribute('value') === stageOf(card)?.dataset.stage);
    dialog.showModal();
    ui.one('.stage-choices [aria-current]', dialog)?.focus();
  }
  dialog?.addEventListener('close', () => {
    const card = ui.one(`#${CSS.escape(chosen)}`);
    const stage = stages().find((candidate) => candidate.dataset.stage === dialog.returnValue);
    focusCard(card);
    if (stage) move(card, stage);
  });

  /* By the keyboard. */
  document.addEventListener('keydown', (event) => {
    const card = cardOf(ui.target(event));
    if (!card || ui.hasModifier(event)) return;
    const stage = stageOf(card);
    if (!stage) return;
    const list = stages();
    const place = list.indexOf(stage);
    const row = cards(stage).indexOf(card);
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0;
    if (event.key === 'm') offerStages(card);
    else if (step && event.shiftKey) moveBy(card.id, step);
    else if (step) {
      const next = (step < 0 ? list.slice(0, place).reverse() : list.slice(place + 1)).find(
        (other) => cards(other).length > 0,
      );
      focusCard(cards(next).at(Math.min(row, cards(next).length - 1)));
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const other = cards(stage)[row + (event.key === 'ArrowDown' ? 1 : -1)];
      if (!other) return;
      focusCard(other);
    } else return;
    event.preventDefault();
  });

  /* A key that is pressed while a move is on its way counts from where the card is then. */
  /** @param {string} id @param {number} step */
  function moveBy(id, step) {
    if (form?.classList.contains('htmx-request')) {
      form.addEventListener('htmx:afterRequest', () => setTimeout(() => moveBy(id, step)), { once: true });
      return;
    }
    const card = ui.one(`#${CSS.escape(id)}`);
    const from = stageOf(card);
    const list = stages();
    if (from) move(card, list[list.indexOf(from) + step]);
  }

  /* What colleagues do shows by itself. */
  /** @param {RefreshEvent} event */
  const refresh = (event) =>
    window.htmx.ajax('GET', `${location.pathname}?${ui.one('#board')?.dataset.view}`, {
      event,
      source: '#board',
      target: '#board',
      swap: 'morph:outerHTML',
    });
  let soon = 0;
  document.addEventListener('live', (event) => {
    if (!['all', 'ticket'].includes(event.detail.type)) return;
    clearTimeout(soon);
    soon = setTimeout(() => window.follow('board', refresh), 200);
  });
})();

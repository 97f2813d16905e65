// @ts-check
'use strict';

/* The board of tickets: cards are moved by dragging or by the keyboard. Without scripts, a ticket's page moves it. */
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

  /* By the keyboard. */
  let chosen = '';
  document.addEventListener('keydown', (event) => {
    const card = cardOf(ui.target(event));
    if (!card || ui.hasModifier(event)) return;
    const stage = stageOf(card);
    if (!stage) return;
    const list = stages();
    const place = list.indexOf(stage);
    const row = cards(stage).indexOf(card);
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0;
    if (event.key === 'm' && dialog) {
      chosen = card.id;
      dialog.returnValue = '';
      for (const button of ui.all('.stage-choices button', dialog))
        button.toggleAttribute('aria-current', button.getAttribute('value') === stage.dataset.stage);
      dialog.showModal();
      ui.one('.stage-choices [aria-current]', dialog)?.focus();
    } else if (step && event.shiftKey) moveBy(card.id, step);
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
  dialog?.addEventListener('close', () => {
    const card = ui.one(`#${CSS.escape(chosen)}`);
    const stage = stages().find((candidate) => candidate.dataset.stage === dialog.returnValue);
    focusCard(card);
    if (stage) move(card, stage);
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

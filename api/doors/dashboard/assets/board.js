'use strict';

/* The board of tickets: cards are moved by dragging or by the keyboard. Without scripts, a ticket's page moves it. */
(() => {
  const form = document.getElementById('move');
  const board = () => document.getElementById('board');
  const dialog = document.getElementById('stages');
  const cardOf = (element) => element.closest?.('.ticket-card') ?? null;
  const stageOf = (element) => element.closest?.('.column-stage') ?? null;
  const stages = () => [...board().querySelectorAll('.column-stage')];
  const cards = (stage) => [...stage.querySelectorAll('.ticket-card')];
  const focusCard = (card) => card?.querySelector('a')?.focus();

  function move(card, stage) {
    if (!form || !card || !stage || stageOf(card) === stage) return;
    const { notifies, name } = stage.dataset;
    const contacts = Number(card.dataset.contacts);
    // What customers hear cannot be taken back.
    if (notifies && contacts > 0) {
      form.dataset.confirmTitle = `Move to ${name}?`;
      form.dataset.confirm = `“${notifies}” is sent to ${contacts === 1 ? 'one contact' : `${contacts} contacts`}.`;
      form.dataset.confirmButton = 'Move and send';
    } else delete form.dataset.confirm;
    form.elements.ticket.value = card.dataset.ticket;
    form.elements.stage.value = stage.dataset.stage;
    form.requestSubmit();
  }

  /* By dragging. */
  let dragged = null;
  const over = (stage) => stages().forEach((other) => other.classList.toggle('stage-over', other === stage));
  document.addEventListener('dragstart', (event) => {
    dragged = cardOf(event.target);
    if (!dragged) return;
    dragged.classList.add('is-dragged');
    event.dataTransfer.effectAllowed = 'move';
    event.dataTransfer.setData('text/plain', dragged.dataset.ticket);
  });
  document.addEventListener('dragover', (event) => {
    const stage = dragged && stageOf(event.target);
    over(stage);
    if (stage) event.preventDefault();
  });
  document.addEventListener('drop', (event) => {
    const stage = dragged && stageOf(event.target);
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
    const card = cardOf(event.target);
    if (!card || event.ctrlKey || event.metaKey || event.altKey) return;
    const stage = stageOf(card);
    const list = stages();
    const place = list.indexOf(stage);
    const row = cards(stage).indexOf(card);
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === 'm' && form) {
      chosen = card.id;
      dialog.returnValue = '';
      for (const button of dialog.querySelectorAll('.stage-choices button'))
        button.toggleAttribute('aria-current', button.value === stage.dataset.stage);
      dialog.showModal();
      dialog.querySelector('.stage-choices [aria-current]')?.focus();
    } else if (step && event.shiftKey) moveBy(card.id, step);
    else if (step) {
      const next = (step < 0 ? list.slice(0, place).reverse() : list.slice(place + 1)).find(
        (other) => cards(other).length > 0,
      );
      if (next) focusCard(cards(next)[Math.min(row, cards(next).length - 1)]);
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const other = cards(stage)[row + (event.key === 'ArrowDown' ? 1 : -1)];
      if (!other) return;
      focusCard(other);
    } else return;
    event.preventDefault();
  });
  dialog?.addEventListener('close', () => {
    const card = document.getElementById(chosen);
    const stage = stages().find((candidate) => candidate.dataset.stage === dialog.returnValue);
    focusCard(card);
    if (stage) move(card, stage);
  });

  /* A key that is pressed while a move is on its way counts from where the card is then. */
  function moveBy(id, step) {
    if (form?.classList.contains('htmx-request')) {
      form.addEventListener('htmx:afterRequest', () => setTimeout(() => moveBy(id, step)), { once: true });
      return;
    }
    const card = document.getElementById(id);
    const list = stages();
    if (card) move(card, list[list.indexOf(stageOf(card)) + step]);
  }

  /* What colleagues do shows by itself. */
  const refresh = (event) =>
    window.htmx.ajax('GET', `${location.pathname}?${board().dataset.view}`, {
      event,
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

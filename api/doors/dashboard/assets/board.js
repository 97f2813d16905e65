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
  let moved = '';

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
    moved = card.id;
    form.requestSubmit();
  }

  /* By dragging. */
  let dragged = null;
  const over = (stage) => stages().forEach((other) => other.classList.toggle('stage-over', other === stage));
  document.addEventListener('dragstart', (event) => {
    dragged = cardOf(event.target);
    if (!dragged) return;
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
    dragged = null;
    over(null);
  });

  /* By the keyboard. */
  document.addEventListener('keydown', (event) => {
    const card = cardOf(event.target);
    if (!card || event.ctrlKey || event.metaKey || event.altKey) return;
    const stage = stageOf(card);
    const list = stages();
    const place = list.indexOf(stage);
    const row = cards(stage).indexOf(card);
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === 'm' && form) {
      moved = card.id;
      dialog.returnValue = '';
      dialog.showModal();
    } else if (step && event.shiftKey) move(card, list[place + step]);
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
    const card = document.getElementById(moved);
    const stage = stages().find((candidate) => candidate.dataset.stage === dialog.returnValue);
    if (stage) move(card, stage);
    else focusCard(card);
  });

  /* The card that was moved keeps the focus. */
  document.addEventListener('htmx:afterSettle', () => {
    if (moved === '') return;
    focusCard(document.getElementById(moved));
    moved = '';
  });

  /* What colleagues do shows by itself, but never under a card that is being dragged. */
  let waiting = 0;
  function refreshSoon() {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      if (dragged) {
        refreshSoon();
        return;
      }
      // The focus stays on its card.
      moved = moved || cardOf(document.activeElement)?.id || '';
      const address = `${location.pathname}?${board().dataset.view}`;
      window.htmx.ajax('GET', address, { target: '#board', swap: 'morph:outerHTML' });
    }, 200);
  }
  document.addEventListener('live', (event) => {
    if (['all', 'ticket'].includes(event.detail.type)) refreshSoon();
  });
})();

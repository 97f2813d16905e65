import { $, h, toast } from './dom.js';
import { groups } from './events.js';
import { page, state } from './state.js';

/** What was open and chosen outlives a redraw, which follows every change of a template, a flow or the number. */
const opened = { sends: true };
const picked = {};
let wanted = '';

/** Runs what a button plays; the panel is marked as busy meanwhile, and a failure is shown. */
function playing(group, action) {
  return async () => {
    if (group.user && !state.user) {
      toast('Choose or make a customer first.');
      return;
    }
    $('play').setAttribute('aria-busy', 'true');
    try {
      if (group.user && !state.chat) await page.refresh();
      await action();
    } catch (error) {
      toast(error.message);
    }
    $('play').removeAttribute('aria-busy');
  };
}

const fits = (group, part, name) => wanted === '' || [group.title, part, name].join(' ').toLowerCase().includes(wanted);

function drawSelect(select) {
  const options = select.options();
  if (options.length === 0) return null;
  const node = h(
    'select',
    { id: select.id },
    options.map(([label, value]) => h('option', { value, selected: value === picked[select.id] }, label)),
  );
  picked[select.id] = node.value;
  node.addEventListener('change', () => {
    picked[select.id] = node.value;
  });
  return h('label', { class: 'chosen' }, select.label, node);
}

function drawPart(group, title, items) {
  const found = items.filter(([name]) => fits(group, title, name));
  if (found.length === 0) return null;
  const button = ([name, action]) => h('button', { type: 'button', on: playing(group, action) }, name);
  return [title && h('h3', {}, title), h('div', { class: 'grid' }, found.map(button))];
}

function drawGroup(group) {
  const select = group.select ? drawSelect(group.select) : null;
  if (group.select && !select) return null;
  const parts = group.parts.map(([title, items]) => drawPart(group, title, items)).filter(Boolean);
  if (parts.length === 0) return null;

  const details = h(
    'details',
    { 'data-group': group.id, open: wanted !== '' || opened[group.id] },
    h('summary', {}, h('h2', {}, group.title)),
    h('div', { class: 'events' }, select, parts),
  );
  details.addEventListener('toggle', () => {
    if (wanted === '') opened[group.id] = details.open;
  });
  return details;
}

/** Draws the groups of events, each of which opens. */
export function drawPlay() {
  if (!state.account) return;
  // A button that is pressed stays until it is let go: the click on one that was replaced is lost.
  if ($('play').querySelector('button:active')) {
    setTimeout(drawPlay, 100);
    return;
  }
  const drawn = groups.map(drawGroup).filter(Boolean);
  if (drawn.length === 0) drawn.push(h('p', { class: 'empty' }, 'No event has this name.'));
  $('play').replaceChildren(...drawn);
}

/** Lets the field find events by their names. */
export function startFind() {
  $('find').addEventListener('input', (event) => {
    wanted = event.target.value.trim().toLowerCase();
    drawPlay();
  });
}

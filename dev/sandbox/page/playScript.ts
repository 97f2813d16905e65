/** The right-hand panel: the groups of events, each of which opens, with a field that finds one by its name. */
export const PLAY_SCRIPT = String.raw`
(function () {
var s = window.sandbox;
var h = s.h;
var groups = window.sandboxEvents(s);
// What was open and chosen outlives a redraw, which follows every change of a template, a flow or the number.
var opened = { sends: true };
var picked = {};
var wanted = '';

function guarded(group, action) {
  return function () {
    if (group.user && !s.state.user) { s.toast('Choose or make a customer first.'); return; }
    var panel = document.getElementById('play');
    panel.setAttribute('aria-busy', 'true');
    return Promise.resolve().then(action).catch(function (error) { s.toast(error.message); }).then(function () { panel.removeAttribute('aria-busy'); });
  };
}

function fits(group, part, name) {
  return wanted === '' || [group.title, part, name].join(' ').toLowerCase().indexOf(wanted) >= 0;
}

function drawSelect(select) {
  var options = select.options();
  if (options.length === 0) return null;
  var node = h('select', { id: select.id }, options.map(function (option) { return h('option', { value: option[1], selected: option[1] === picked[select.id] }, option[0]); }));
  picked[select.id] = node.value;
  node.addEventListener('change', function () { picked[select.id] = node.value; });
  return h('label', { class: 'chosen' }, select.label, node);
}

function drawGroup(group) {
  var select = group.select ? drawSelect(group.select) : null;
  if (group.select && !select) return null;
  var content = [];
  group.parts.forEach(function (part) {
    var items = part[1].filter(function (item) { return fits(group, part[0], item[0]); });
    if (items.length === 0) return;
    if (part[0]) content.push(h('h3', {}, part[0]));
    content.push(h('div', { class: 'grid' }, items.map(function (item) { return h('button', { type: 'button', on: guarded(group, item[1]) }, item[0]); })));
  });
  if (content.length === 0) return null;
  var details = h('details', { 'data-group': group.id, open: wanted !== '' || opened[group.id] }, h('summary', {}, h('h2', {}, group.title)), h('div', { class: 'events' }, select, content));
  details.addEventListener('toggle', function () { if (wanted === '') opened[group.id] = details.open; });
  return details;
}

window.drawPlay = function () {
  if (!s.state.account) return;
  var drawn = groups.map(drawGroup).filter(Boolean);
  if (drawn.length === 0) drawn.push(h('p', { class: 'empty' }, 'No event has this name.'));
  document.getElementById('play').replaceChildren.apply(document.getElementById('play'), drawn);
};
document.getElementById('find').addEventListener('input', function (event) { wanted = event.target.value.trim().toLowerCase(); window.drawPlay(); });
})();
`;

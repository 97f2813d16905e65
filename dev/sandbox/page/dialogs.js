import { $, h } from './dom.js';

/** Opens the dialog; `content` gets the function that closes it with a value. A cancelled dialog gives null. */
function open(title, content) {
  return new Promise((resolve) => {
    const dialog = $('dialog');
    let result = null;
    const done = (value) => {
      result = value;
      dialog.close();
    };
    $('ask').onsubmit = (event) => event.preventDefault();
    $('ask').replaceChildren(h('h2', { id: 'dialog-title' }, title), ...content(done));
    dialog.onclose = () => resolve(result);
    dialog.showModal();
  });
}

const buttons = (done, label) =>
  h(
    'div',
    { class: 'row' },
    h('button', { type: 'button', on: () => done(null) }, 'Cancel'),
    label && h('button', { type: 'submit', class: 'main' }, label),
  );

function inputOf(field) {
  if (field.options)
    return h(
      'select',
      { name: field.name },
      field.options.map((option) => h('option', { value: option }, option)),
    );
  if (field.long) {
    const area = h('textarea', { name: field.name, rows: field.rows ?? 5, spellcheck: 'false' });
    area.value = field.value ?? '';
    // The focus would else begin at the end.
    area.setSelectionRange(0, 0);
    return area;
  }
  const { name, placeholder, value, type = 'text' } = field;
  return h('input', { name, type, placeholder, value, autocomplete: 'off' });
}

/** Asks for the values of some fields. */
export function ask(title, fields) {
  return open(title, (done) => {
    const inputs = fields.map(inputOf);
    $('ask').onsubmit = (event) => {
      event.preventDefault();
      done(Object.fromEntries(inputs.map((input) => [input.name, input.value.trim()])));
    };
    return [...fields.map((field, index) => h('label', {}, field.label, inputs[index])), buttons(done, 'OK')];
  });
}

/** Asks for one of several options, each `[label, value]`. */
export function pick(title, options) {
  return open(title, (done) => [
    ...options.map(([label, value]) => h('button', { type: 'button', class: 'option', on: () => done(value) }, label)),
    buttons(done),
  ]);
}

/** Lets a JSON value be edited; `save` may refuse it with an error, which is shown, and the dialog stays open. */
export function editJson(title, about, value, save) {
  return open(title, (done) => {
    const area = inputOf({ name: 'json', long: true, rows: 16, value: JSON.stringify(value, null, 2) });
    const problem = h('p', { class: 'failure', role: 'alert' });
    $('ask').onsubmit = async (event) => {
      event.preventDefault();
      try {
        await save(JSON.parse(area.value));
        done(true);
      } catch (error) {
        problem.textContent = error.message;
      }
    };
    return [h('p', { class: 'about' }, about), h('label', {}, 'JSON', area), problem, buttons(done, 'Save')];
  });
}

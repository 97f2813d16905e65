'use strict';

/*
 * Import of contacts: shows the columns first, then sends the rows in portions with their progress, and offers what was
 * refused as a file.
 */
(() => {
  const form = document.getElementById('import');
  if (!form) return;
  const byId = (id) => document.getElementById(id);
  const [drop, input, error, preview, start] = ['drop', 'file', 'file-error', 'preview', 'start'].map(byId);
  const known = JSON.parse(form.dataset.known);
  const portion = 500;
  const previewRows = 5;
  const shownErrors = 100;
  let file = null;

  const make = (name, text = '', attributes = {}) => {
    const element = document.createElement(name);
    element.textContent = text;
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const number = (value) => value.toLocaleString('en');
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  /*
   * The records of a CSV text, each as it stands there; a line break inside quotes belongs to its record. As the server
   * reads it, a quote opens at the beginning of a value only.
   */
  function recordsOf(text, delimiter) {
    const records = [];
    let from = 0;
    let quoted = false;
    for (let at = 0; at < text.length; at += 1) {
      const sign = text[at];
      if (quoted && sign === '"' && text[at + 1] === '"') at += 1;
      else if (sign === '"' && (quoted || at === from || text[at - 1] === delimiter)) quoted = !quoted;
      else if (!quoted && (sign === '\n' || sign === '\r')) {
        if (at > from) records.push(text.slice(from, at));
        from = at + 1;
      }
    }
    if (from < text.length) records.push(text.slice(from));
    return records;
  }
  function cellsOf(record, delimiter) {
    const cells = [];
    let cell = '';
    let quoted = false;
    for (let at = 0; at < record.length; at += 1) {
      const sign = record[at];
      if (sign === '"' && quoted && record[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else if (sign === '"' && (quoted || cell === '')) quoted = !quoted;
      else if (sign === delimiter && !quoted) {
        cells.push(cell);
        cell = '';
      } else cell += sign;
    }
    return [...cells, cell];
  }
  function delimiterOf(header) {
    const outside = header.replace(/"[^"]*"/g, '');
    return [',', ';', '\t'].reduce((best, next) =>
      outside.split(next).length > outside.split(best).length ? next : best,
    );
  }

  function tableOf(head, rows) {
    const box = make('div', '', {
      class: 'table-scroll',
      tabindex: '0',
      role: 'region',
      'aria-label': 'Rows of the file',
    });
    const table = box.appendChild(make('table', '', { class: 'table' }));
    const header = table.appendChild(make('thead')).appendChild(make('tr'));
    for (const cell of head) header.append(cell);
    const body = table.appendChild(make('tbody'));
    for (const row of rows) {
      const line = body.appendChild(make('tr'));
      for (const cell of row) line.append(make('td', String(cell).slice(0, 200)));
    }
    return box;
  }

  function refuse(message) {
    error.textContent = message;
    input.setAttribute('aria-invalid', String(message !== ''));
    start.disabled = message !== '';
    if (message !== '') preview.hidden = true;
  }

  async function choose(chosen) {
    file = null;
    byId('result').replaceChildren();
    refuse('');
    if (!chosen) return;
    if (chosen.size > Number(form.dataset.maxBytes)) return refuse('The file is too large. Cut it into smaller ones.');
    let text;
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(await chosen.arrayBuffer());
    } catch {
      return refuse('The file is not valid UTF-8. Save it as “CSV UTF-8” in your spreadsheet.');
    }
    const delimiter = delimiterOf(text.split(/[\r\n]/, 1)[0]);
    const [header, ...records] = recordsOf(text, delimiter);
    if (!header || records.length === 0) return refuse('The file has no rows below its header.');
    if (records.length > Number(form.dataset.maxRows))
      return refuse('The file has too many rows. Cut it into smaller ones.');
    const columns = cellsOf(header, delimiter).map((name) => name.trim());
    const keys = ['phone', 'bsuid', 'receiver_id'].map((name) => known[name]);
    const isNamed = columns.some((name) => keys.includes(known[name.toLowerCase()]));
    const head = columns.map((name) => {
      const cell = make('th', name, { scope: 'col' });
      const label = known[name.toLowerCase()];
      cell.append(make('br'), make('span', label || 'kept as it is', { class: label ? 'tag tag-good' : 'tag' }));
      return cell;
    });
    const rows = records.slice(0, previewRows).map((record) => cellsOf(record, delimiter));
    preview.replaceChildren(
      make('h2', `${number(records.length)} ${records.length === 1 ? 'row' : 'rows'} in ${chosen.name}`),
      tableOf(head, rows),
    );
    if (!isNamed) {
      refuse('No column is named phone, bsuid or receiver_id. Name one of them so in the first row.');
      preview.hidden = false;
      return undefined;
    }
    preview.hidden = false;
    start.textContent = `Import ${number(records.length)} ${records.length === 1 ? 'row' : 'rows'}`;
    file = { header, records, delimiter };
    return undefined;
  }

  async function send(records, header) {
    for (let attempt = 0; ; attempt += 1) {
      const body = new FormData();
      body.append('csrf', form.elements.csrf.value);
      body.append('file', new Blob([[header, ...records].join('\n')], { type: 'text/csv' }), 'contacts.csv');
      const answer = await fetch(form.action, { method: 'POST', body, headers: { 'HX-Request': 'true' } });
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const result = page.querySelector('[data-result]');
      if (answer.ok && result) return JSON.parse(result.dataset.result);
      if ((answer.status === 429 || answer.status === 503) && attempt < 5) {
        await pause(Number(answer.headers.get('Retry-After') ?? 2) * 1000);
        continue;
      }
      const errors = page.querySelector('[data-errors]');
      const toast = answer.headers.get('HX-Trigger');
      throw new Error(
        errors
          ? JSON.parse(errors.dataset.errors).join(' ')
          : toast
            ? JSON.parse(toast).toast.text
            : 'The server did not answer as it should.',
      );
    }
  }

  async function run() {
    const { header, records, delimiter } = file;
    const total = { received: 0, created: 0, updated: 0, failed: 0, errors: [] };
    const meter = byId('meter');
    byId('progress').hidden = false;
    start.disabled = true;
    input.disabled = true;
    let problem = '';
    for (let from = 0; from < records.length && problem === ''; from += portion) {
      try {
        const part = await send(records.slice(from, from + portion), header);
        for (const name of ['received', 'created', 'updated', 'failed']) total[name] += part[name];
        for (const entry of part.errors) total.errors.push({ ...entry, row: entry.row + from });
      } catch (failure) {
        problem =
          `${failure.message} ${number(from)} rows are imported; ` +
          'import the file again to go on, that changes nothing twice.';
      }
      const percent = Math.round((Math.min(from + portion, records.length) / records.length) * 100);
      meter.style.setProperty('--progress', `${percent}%`);
      meter.setAttribute('aria-valuenow', String(percent));
      byId('progress-text').textContent = `${number(total.received)} of ${number(records.length)} rows`;
    }
    byId('progress').hidden = true;
    input.disabled = false;
    start.disabled = false;
    show(total, problem, records, header, delimiter);
  }

  function show(total, problem, records, header, delimiter) {
    const box = make('section', '', { class: 'panel', tabindex: '-1', 'aria-label': 'Outcome of the import' });
    box.append(make('h2', problem === '' ? 'Done' : 'Stopped'));
    if (problem !== '') box.append(make('p', problem, { class: 'note note-bad', role: 'alert' }));
    const facts = box.appendChild(make('dl', '', { class: 'pairs' }));
    for (const [label, name] of [
      ['Rows', 'received'],
      ['Created', 'created'],
      ['Changed', 'updated'],
      ['Refused', 'failed'],
    ]) {
      const line = facts.appendChild(make('div'));
      line.append(make('dt', label), make('dd', number(total[name])));
    }
    if (total.errors.length > 0) {
      box.append(make('h3', 'What was refused or left out'));
      const refused = new Map();
      for (const entry of total.errors)
        refused.set(entry.row, [...(refused.get(entry.row) ?? []), `${entry.field}: ${entry.message}`]);
      const quote = (text) => `"${text.replaceAll('"', '""')}"`;
      const lines = [...refused].map(
        ([row, messages]) => `${records[row - 1]}${delimiter}${quote(messages.join(' '))}`,
      );
      const text = `\uFEFF${[`${header}${delimiter}problem`, ...lines].join('\r\n')}\r\n`;
      const address = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
      const label = `Download ${number(refused.size)} ${refused.size === 1 ? 'row' : 'rows'} with what is wrong`;
      const line = box.appendChild(make('p'));
      line.append(make('a', label, { class: 'button button-small', download: 'refused.csv', href: address }));
      const head = ['Row', 'Column', 'Value', 'Why'].map((name) => make('th', name, { scope: 'col' }));
      const rows = total.errors
        .slice(0, shownErrors)
        .map((entry) => [
          entry.row,
          entry.field,
          typeof entry.value === 'string' ? entry.value : entry.value === null ? '' : JSON.stringify(entry.value),
          entry.message,
        ]);
      box.append(tableOf(head, rows));
    }
    box.append(make('a', 'See contacts', { class: 'button', href: '/dashboard/contacts/' }));
    byId('result').replaceChildren(box);
    box.focus();
  }

  input.addEventListener('change', () => choose(input.files[0]));
  for (const name of ['dragenter', 'dragover', 'dragleave', 'drop']) {
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.toggle('drop-over', name === 'dragenter' || name === 'dragover');
    });
  }
  drop.addEventListener('drop', (event) => {
    input.files = event.dataTransfer.files;
    void choose(event.dataTransfer.files[0]);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (file) void run();
  });
})();

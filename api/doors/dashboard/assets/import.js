// @ts-check
'use strict';

/*
 * Import of contacts: the server says what it reads in the file and guesses what its columns are, somebody says what
 * they are, the server says what the import would do, then the rows are sent in portions with their progress, and what
 * was refused is offered as a file. Nothing is read here: the server says where each row ends.
 */
(() => {
  /** @type {HTMLFormElement} */
  const form = ui.need('#import');
  /** @type {HTMLInputElement} */
  const input = ui.need('#file');
  /** @type {HTMLButtonElement} */
  const start = ui.need('#start');
  const [drop, preview, result] = [ui.need('#drop'), ui.need('#preview'), ui.need('#result')];
  const [progress, meter] = [ui.need('#progress'), ui.need('#meter')];
  /** @type {Record<string, string>} */
  const words = JSON.parse(form.dataset.words ?? '{}');
  /** @type {Record<string, string>} */
  const counts = /** @type {any} */ (words).counts;
  const portionRows = 500;
  const checkDelayMs = 300;
  const shownErrors = 100;

  /**
   * A file that was looked at: its header, and its rows one after the other.
   *
   * @typedef {object} Chosen
   * @property {Blob} text The whole of it.
   * @property {string[]} columns What its columns are.
   * @property {number} count
   * @property {string} progress
   * @property {string} delimiter
   * @property {Blob} header
   * @property {(from: number, to: number) => Blob} rows
   * @property {(from: number) => number} cutAfter Where a portion that begins there ends.
   */
  /** @typedef {{ row: number; field: string; value: unknown; message: string }} RowError */
  /** @typedef {{ received: number; created: number; updated: number; failed: number; errors: RowError[] }} Outcome */
  /** @type {Chosen | null} */
  let chosen = null;
  let [checks, checkTimer] = [0, 0];

  /**
   * @param {string} name @param {string} [text] @param {Record<string, string>} [attributes]
   */
  const make = (name, text = '', attributes = {}) => {
    const element = document.createElement(name);
    element.textContent = text;
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  /** @param {number} value */
  const number = (value) => value.toLocaleString(document.documentElement.lang);
  /** @param {number} ms */
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  /** @param {string} message */
  function refuse(message) {
    ui.one('#file-error')?.replaceChildren(message);
    input.setAttribute('aria-invalid', String(message !== ''));
    start.disabled = message !== '';
    if (message !== '') preview.hidden = true;
  }

  /**
   * Posts a file beside the page; gives what came back, or throws what was refused.
   *
   * @param {string} path
   * @param {Blob} file
   * @param {string[]} [columns]
   */
  async function post(path, file, columns) {
    const body = new FormData();
    body.append('csrf', ui.field(form, 'csrf')?.value ?? '');
    body.append('country', ui.field(form, 'country')?.value ?? '');
    if (columns) body.append('columns', JSON.stringify(columns));
    body.append('file', file, 'contacts.csv');
    for (let attempt = 0; ; attempt += 1) {
      const how = { method: 'POST', body, headers: { 'HX-Request': 'true' }, signal: AbortSignal.timeout(360_000) };
      const answer = await fetch(path, how).catch(() => null);
      const text = await answer?.text().catch(() => null);
      if (!answer || typeof text !== 'string') throw new Error(words.unreachable);
      const part = new DOMParser().parseFromString(text, 'text/html');
      if (answer.ok) return part;
      if ((answer.status === 429 || answer.status === 503) && attempt < 5) {
        await pause(Number(answer.headers.get('Retry-After') ?? 2) * 1000);
        continue;
      }
      const errors = ui.one('[data-errors]', part)?.dataset.errors;
      const toast = answer.headers.get('HX-Trigger');
      throw new Error(errors ? JSON.parse(errors).join(' ') : toast ? JSON.parse(toast).toast.text : words.unexpected);
    }
  }

  /** @param {Blob} file @param {DOMStringMap} said @returns {Chosen} */
  function cut(file, { count, delimiter = ',', headerBytes, rowBytes = '', columns = '[]', progressWords = '' }) {
    const lengths = rowBytes.split(' ').map(Number);
    // Bytes that the server does not count stand before the header: the mark of the encoding.
    const mark = file.size - lengths.reduce((sum, length) => sum + length, Number(headerBytes));
    const begin = mark + Number(headerBytes);
    const starts = [begin];
    for (const length of lengths) starts.push((starts.at(-1) ?? begin) + length);
    return {
      text: file,
      columns: JSON.parse(columns),
      count: Number(count),
      progress: progressWords,
      delimiter,
      header: file.slice(mark, begin),
      rows: (from, to) => file.slice(starts[from], starts[to]),
      cutAfter: (from) => {
        let to = Math.min(from + portionRows, lengths.length);
        // A row that cannot be read goes with the one behind it.
        while (to < lengths.length && lengths[to - 1] === 0) to += 1;
        return to;
      },
    };
  }

  /**
   * Returns a file as the server counts its bytes. It is sent in pieces, of which only the first would have the mark of
   * UTF-16 ("Unicode Text" of Excel). What is no such text is left to the server, which says so.
   *
   * @param {File} file
   * @returns {Promise<Blob>}
   */
  async function inUtf8(file) {
    const mark = new Uint8Array(await file.slice(0, 2).arrayBuffer()).join(' ');
    const encoding = mark === '255 254' ? 'utf-16le' : mark === '254 255' ? 'utf-16be' : null;
    if (!encoding) return file;
    try {
      return new Blob([new TextDecoder(encoding, { fatal: true }).decode(await file.arrayBuffer())]);
    } catch {
      return file;
    }
  }

  /** @param {File | undefined} file */
  async function choose(file) {
    chosen = null;
    result.replaceChildren();
    refuse('');
    if (!file) return;
    if (file.size > Number(form.dataset.maxBytes)) {
      refuse(words.tooLarge ?? '');
      return;
    }
    start.disabled = true;
    try {
      const text = await inUtf8(file);
      const part = await post(`${form.action}preview/`, text);
      const seen = ui.one('#preview-of', part);
      // Another file may have been chosen meanwhile.
      if (!seen || input.files?.[0] !== file) return;
      preview.replaceChildren(seen);
      ui.one('#preview-name')?.replaceChildren(file.name);
      preview.hidden = false;
      chosen = cut(text, seen.dataset);
      start.textContent = seen.dataset.start ?? '';
      allow();
    } catch (failure) {
      if (input.files?.[0] === file) refuse(failure instanceof Error ? failure.message : String(failure));
    }
  }

  /* Nothing is imported before it was said what that would do. */
  function allow() {
    start.disabled = ui.one('#check')?.dataset.ready === undefined;
  }

  /* What somebody says of the columns, and of the country, is looked at anew. */
  async function check() {
    const file = chosen;
    if (!file) return;
    for (const [index, select] of /** @type {HTMLSelectElement[]} */ (ui.all('[data-column]', preview)).entries())
      file.columns[index] = select.value;
    const place = ui.one('#check');
    checks += 1;
    const own = checks;
    start.disabled = true;
    delete place?.dataset.ready;
    place?.replaceChildren(make('p', words.checking, { class: 'soft' }));
    try {
      const part = await post(`${form.action}preview/`, file.text, file.columns);
      if (own !== checks || chosen !== file) return;
      place?.replaceWith(ui.one('#check', part) ?? '');
      allow();
    } catch (failure) {
      if (own !== checks || chosen !== file) return;
      const said = failure instanceof Error ? failure.message : String(failure);
      place?.replaceChildren(make('p', said, { class: 'note note-bad', role: 'alert' }));
    }
  }

  /** @param {Chosen} file */
  async function run(file) {
    /** @type {Outcome} */
    const total = { received: 0, created: 0, updated: 0, failed: 0, errors: [] };
    progress.hidden = false;
    start.disabled = true;
    input.disabled = true;
    let problem = '';
    for (let from = 0; from < file.count && problem === '';) {
      const to = file.cutAfter(from);
      try {
        const rows = new Blob([file.header, file.rows(from, to)], { type: 'text/csv' });
        const part = await post(form.action, rows, file.columns);
        /** @type {Outcome} */
        const done = JSON.parse(ui.one('[data-result]', part)?.dataset.result ?? '{}');
        for (const name of /** @type {const} */ (['received', 'created', 'updated', 'failed']))
          total[name] += done[name];
        for (const entry of done.errors) total.errors.push({ ...entry, row: entry.row + from });
      } catch (failure) {
        const begun = (words.begun ?? '').replace('{count}', number(from));
        problem = `${failure instanceof Error ? failure.message : failure} ${begun}`;
      }
      const percent = Math.round((to / file.count) * 100);
      meter.style.setProperty('--progress', `${percent}%`);
      meter.setAttribute('aria-valuenow', String(percent));
      ui.one('#progress-text')?.replaceChildren(file.progress.replace('{done}', number(total.received)));
      from = to;
    }
    progress.hidden = true;
    input.disabled = false;
    start.disabled = false;
    await show(total, problem, file);
  }

  /**
   * The refused rows as they stood in the file, each with what is wrong: first, where a row with too few cells has it,
   * too, and instead of what was wrong the last time.
   *
   * @param {RowError[]} errors
   * @param {Chosen} file
   */
  async function refusedFile(errors, file) {
    /** @type {Map<number, string[]>} */
    const refused = new Map();
    for (const { row, field, message } of errors)
      refused.set(row, [...(refused.get(row) ?? []), field ? `${field}: ${message}` : message]);
    /** @param {Blob} line */
    const text = async (line) => {
      const signs = await line.text();
      let [start, end] = [0, signs.length];
      while (start < end && '\r\n'.includes(signs.charAt(start))) start += 1;
      while (end > start && '\r\n'.includes(signs.charAt(end - 1))) end -= 1;
      return signs.slice(start, end);
    };
    const { delimiter } = file;
    const [told = ''] = /^"?sep=."?[\r\n]+/i.exec(await file.header.text()) ?? [];
    const header = (await text(file.header)).slice(told.length);
    const before = /^"?\(problem\)"?[,;\t]/.test(header)
      ? new RegExp(`^(?:"(?:[^"]|"")*"|[^"${delimiter}]*)${delimiter}`)
      : '';
    const lines = [`(problem)${delimiter}${header.replace(before, '')}`];
    for (const [row, messages] of refused) {
      const line = (await text(file.rows(row - 1, row))).replace(before, '');
      lines.push(`"${messages.join(' ').replaceAll('"', '""')}"${delimiter}${line}`);
    }
    const body = new Blob([`\uFEFF${told}${lines.join('\r\n')}\r\n`], { type: 'text/csv;charset=utf-8' });
    return URL.createObjectURL(body);
  }

  /** @param {readonly RowError[]} errors */
  function errorTable(errors) {
    const attributes = { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': words.table ?? '' };
    const box = make('div', '', attributes);
    const table = box.appendChild(make('table', '', { class: 'table' }));
    const header = table.appendChild(make('thead')).appendChild(make('tr'));
    for (const name of ['row', 'column', 'value', 'why']) header.append(make('th', words[name], { scope: 'col' }));
    const body = table.appendChild(make('tbody'));
    for (const { row, field, value, message } of errors.slice(0, shownErrors)) {
      const shown = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
      const line = body.appendChild(make('tr'));
      for (const cell of [String(row), field, shown, message]) line.append(make('td', cell.slice(0, 200)));
    }
    return box;
  }

  /** @param {Outcome} total @param {string} problem @param {Chosen} file */
  async function show(total, problem, file) {
    const box = make('section', '', { class: 'panel', tabindex: '-1', 'aria-label': words.outcome ?? '' });
    box.append(make('h2', problem === '' ? words.done : words.stopped));
    if (problem !== '') box.append(make('p', problem, { class: 'note note-bad', role: 'alert' }));
    const facts = box.appendChild(make('dl', '', { class: 'pairs' }));
    for (const name of /** @type {const} */ (['received', 'created', 'updated', 'failed'])) {
      const line = facts.appendChild(make('div'));
      line.append(make('dt', counts[name]), make('dd', number(total[name])));
    }
    if (total.errors.length > 0) {
      box.append(make('h3', words.refused));
      const address = await refusedFile(total.errors, file);
      const link = make('a', words.download, { class: 'button button-small', download: 'refused.csv', href: address });
      box.appendChild(make('p')).append(link);
      box.append(errorTable(total.errors));
    }
    box.append(make('a', words.see, { class: 'button', href: '/dashboard/contacts/' }));
    result.replaceChildren(box);
    box.focus();
    // What was sent is saved: the page may be left.
    form.reset();
    chosen = null;
    start.textContent = words.start ?? '';
    preview.hidden = true;
  }

  input.addEventListener('change', () => choose(input.files?.[0]));
  form.addEventListener('change', ({ target }) => {
    const isTold = target instanceof HTMLSelectElement && (target.name === 'country' || preview.contains(target));
    if (!isTold || !chosen) return;
    start.disabled = true;
    clearTimeout(checkTimer);
    checkTimer = setTimeout(check, checkDelayMs);
  });
  for (const name of ['dragenter', 'dragover', 'dragleave', 'drop']) {
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.toggle('drop-over', name === 'dragenter' || name === 'dragover');
    });
  }
  drop.addEventListener('drop', (event) => {
    if (!event.dataTransfer) return;
    input.files = event.dataTransfer.files;
    void choose(event.dataTransfer.files[0]);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (chosen) void run(chosen);
  });
})();

// @ts-check
'use strict';

/*
 * Texts on their way, and templates and questions that wait for the line. A text leaves its field when it is sent and
 * stands in the thread as being sent, so that writing goes on. Until the server has it, it is kept in this browser under its member, and gone at sign-out (app.js). They go
 * one after the other, each under its key, which cannot send it twice: after a lost connection or a reload, too, and
 * from another tab where their own one is closed.
 */
const outbox = (() => {
  const prefix = `outbox ${document.body.dataset.member} `;
  /** @returns {Sending[]} */
  const all = () =>
    Object.keys(localStorage)
      .filter((key) => key.startsWith(prefix))
      .map((key) => JSON.parse(localStorage.getItem(key) ?? '{}'))
      .sort((left, right) => left.at - right.at);
  /** @param {Sending} one */
  const keep = (one) => localStorage.setItem(prefix + one.once, JSON.stringify(one));
  /** @param {Sending} one */
  const drop = (one) => localStorage.removeItem(prefix + one.once);

  const tab = sessionStorage.getItem('tab') ?? ui.newKey();
  sessionStorage.setItem('tab', tab);
  // Held as long as the tab is there.
  void navigator.locks?.request(`tab ${tab}`, () => new Promise(() => undefined)).catch(() => undefined);
  /* A tab that is closed sends nothing any more; without locks, what is a minute old is nobody's. */
  const [orphanMs, firstRetryMs, mostRetryMs, mostTries] = [60_000, 3_000, 60_000, 6];
  /** The texts that this tab sends, in their order. */
  async function own() {
    const held = (await navigator.locks?.query())?.held?.map(({ name }) => name);
    return all().filter(
      (one) =>
        one.refused === undefined &&
        (one.tab === tab || (held ? !held.includes(`tab ${one.tab}`) : Date.now() - one.at > orphanMs)),
    );
  }

  /* What is drawn in the open thread, by the keys of the texts. */
  /** @type {Map<string, HTMLElement>} */
  const rows = new Map();
  /** @param {Sending} one */
  const stateOf = ({ refused, tries, dueAt }) =>
    refused !== undefined ? 'refused' : tries || !navigator.onLine ? 'waits' : dueAt > Date.now() ? 'due' : 'sending';
  /** @param {Sending} one */
  function rowOf(one) {
    const model = ui.one('#sending-model');
    const row =
      rows.get(one.once) ??
      (model instanceof HTMLTemplateElement && document.importNode(model.content, true).firstElementChild);
    if (!(row instanceof HTMLElement)) return [];
    const state = stateOf(one);
    if (row.dataset.state === state) return row;
    rows.set(one.once, row);
    row.dataset.state = state;
    row.dataset.once = one.once;
    ui.one('.bubble-text', row)?.replaceChildren(one.text);
    ui.one('.why', row)?.replaceChildren(one.refused ?? '');
    for (const part of ui.all('[data-in]', row)) part.hidden = !part.dataset.in?.split(' ').includes(state);
    return row;
  }
  function draw() {
    const id = inbox.open()?.dataset.id;
    const shown = all()
      .filter((one) => one.id === id)
      .flatMap(rowOf);
    const place = ui.one('#sending');
    const isDrawn =
      place?.children.length === shown.length && shown.every((row, index) => row === place.children[index]);
    // What has the focus keeps it.
    if (!isDrawn) place?.replaceChildren(...shown);
  }

  const sender = ui.asker();
  // What waits says so in its place.
  for (const name of ['htmx:sendError', 'htmx:timeout'])
    sender.addEventListener(name, (event) => event.stopPropagation());
  // Without a thread there is nothing to put an answer's parts into.
  sender.addEventListener('htmx:beforeSwap', (event) => {
    /** @type {CustomEvent<HtmxDetail>} */ (event).detail.shouldSwap &&= inbox.open() !== null;
  });
  /** Where somebody else has answered since, it is asked once before the text goes. @type {AnsweredQuestion | null} */
  let answered = null;
  document.addEventListener('answered', ({ detail }) => (answered = detail));
  let [isSending, isAsking] = [false, false];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;

  /**
   * Takes a text and those behind it back into the field of their conversation.
   *
   * @param {Sending} first @param {boolean} [isRefused]
   */
  function takeBack(first, isRefused = false) {
    const back = all().filter(
      (one) => one.id === first.id && one.tab === first.tab && one.at >= first.at && !one.refused,
    );
    for (const one of back) drop(one);
    // Under the same key: it may have gone out, now or before. A refusal of the text itself ends its key.
    const once = isRefused ? ui.newKey() : first.once;
    document.dispatchEvent(new CustomEvent('outbox:back', { detail: { first, once, back } }));
    draw();
  }
  /** @param {Sending} one @param {AnsweredQuestion} question */
  async function askFirst(one, question) {
    isAsking = true;
    const goesOn = await window.ask(question);
    isAsking = false;
    for (const each of all())
      if (each.id === one.id) keep({ ...each, values: { ...each.values, begun_under: question.newestId } });
    document.dispatchEvent(new CustomEvent('outbox:known', { detail: { id: one.id, newest: question.newestId } }));
    if (!goesOn) takeBack(one);
    void next();
  }
  /**
   * What becomes of a text by its answer; false: no other one goes now.
   *
   * @param {Sending} one @param {XMLHttpRequest} xhr
   */
  function settle(one, xhr) {
    const question = answered;
    answered = null;
    if (question) {
      void askFirst(one, question);
      return false;
    }
    if (ui.isDone(xhr)) {
      drop(one);
      draw();
      document.dispatchEvent(new CustomEvent('outbox:sent', { detail: { id: one.id, left: all().length } }));
      return true;
    }
    const tries = (one.tries ?? 0) + 1;
    const isPassing = xhr.status === 0 || [401, 409, 429].includes(xhr.status) || xhr.status >= 500;
    if (isPassing && (xhr.status === 0 || tries < mostTries)) {
      keep({ ...one, tries });
      draw();
      wake(Math.min(firstRetryMs * 2 ** (tries - 1), mostRetryMs));
      return false;
    }
    const why = JSON.parse(xhr.getResponseHeader('HX-Trigger') ?? '{}').toast?.text ?? '';
    // Whoever waits for the answer has it in the field; after a while they are elsewhere.
    if (one.tries) keep({ ...one, refused: why });
    else takeBack(one, true);
    draw();
    return true;
  }
  /** @param {Sending} one @returns {Promise<boolean>} */
  const send = (one) =>
    new Promise((resolve) => {
      sender.addEventListener(
        'htmx:afterRequest',
        (event) => resolve(settle(one, /** @type {CustomEvent<HtmxDetail>} */ (event).detail.xhr)),
        { once: true },
      );
      const { address, values } = one;
      window.htmx.ajax('POST', address, { source: sender, values, swap: 'none' }).catch(() => undefined);
    });
  /** @param {number} ms */
  function wake(ms) {
    clearTimeout(waiting);
    waiting = setTimeout(next, ms);
  }
  async function sendAll() {
    for (;;) {
      const [one] = await own();
      if (!one || isAsking) return;
      const waitMs = one.dueAt - Date.now();
      if (waitMs > 0) return wake(waitMs);
      draw();
      if (!(await send(one))) return;
    }
  }
  /* One tab at a time: two would otherwise find the same text of a third. */
  async function next() {
    if (isSending || isAsking) return;
    isSending = true;
    await (navigator.locks ? navigator.locks.request('outbox', sendAll) : sendAll()).catch(() => undefined);
    isSending = false;
  }

  document.addEventListener('click', (event) => {
    const act = ui.around(event, '#sending [data-do]')?.dataset.do;
    const once = ui.around(event, '#sending [data-once]')?.dataset.once;
    const one = all().find((each) => each.once === once);
    if (!act || !one) return;
    if (act === 'back') takeBack(one);
    else drop(one);
    // The refused text has ended its key.
    const { refused: _why, tries: _tries, ...again } = one;
    if (act === 'again') {
      const key = ui.newKey();
      keep({ ...again, once: key, tab, values: { ...again.values, once: key } });
    }
    draw();
    void next();
  });
  for (const name of /** @type {const} */ (['htmx:afterSwap', 'htmx:oobAfterSwap']))
    document.addEventListener(name, draw);
  for (const name of ['storage', 'offline', 'online']) window.addEventListener(name, draw);
  window.addEventListener('online', () => void next());
  /*
   * Who leaves has sent it: what waits to be taken back, and what is on its way, goes out behind the page, under the
   * same keys. Nobody is there any more to be asked whether it still fits.
   */
  window.addEventListener('pagehide', () => {
    if (!navigator.onLine) return;
    const csrf = ui.one('#composer-form [name=csrf]')?.getAttribute('value') ?? '';
    for (const one of all()) {
      const { address, values } = one;
      if (one.tab !== tab || one.refused !== undefined) continue;
      // Whoever comes back does not wait for it any more.
      keep({ ...one, dueAt: 0 });
      const { begun_under: _begun, ...body } = values;
      const init = { method: 'POST', body: new URLSearchParams({ ...body, csrf }), keepalive: true };
      void fetch(address, { ...init, redirect: 'manual' }).catch(() => undefined);
    }
  });
  window.addEventListener('pageshow', (event) => event.persisted && void next());

  let last = 0;
  return {
    /** @param {Omit<Sending, 'once' | 'tab' | 'at' | 'refused'>} text */
    add(text) {
      last = Math.max(last + 0.001, Date.now());
      keep({ ...text, once: text.values['once'] ?? '', tab, at: last });
    },
    start() {
      draw();
      void next();
    },
  };
})();
outbox.start();

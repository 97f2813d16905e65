// @ts-check
'use strict';

/*
 * The one search: a dialog that is opened by its button, by `/` (app.js) or by Ctrl+K, and asks while somebody types.
 * One question at a time: a newer one takes the place of one that is on its way.
 */
(() => {
  /** @type {HTMLDialogElement | null} */
  const dialog = ui.one('#search-all');
  /** @type {HTMLInputElement | null} */
  const field = ui.one('#search-all input[name="q"]');
  const found = ui.one('#search-found');
  const says = ui.one('#search-said');
  if (!dialog || !field || !found || !says) return;
  const [pauseMs, answerMs] = [150, 20_000];
  let asking = new AbortController();
  let timer = 0;
  /** What the list answers; null: nothing yet. @type {string | null} */
  let answered = null;

  const hits = () => ui.all('[role="option"]', found);
  /** @param {HTMLElement | undefined} hit */
  function choose(hit) {
    for (const one of hits()) one.setAttribute('aria-selected', String(one === hit));
    if (hit) field?.setAttribute('aria-activedescendant', hit.id);
    else field?.removeAttribute('aria-activedescendant');
    hit?.scrollIntoView({ block: 'nearest' });
  }
  const chosen = () => hits().find((hit) => hit.getAttribute('aria-selected') === 'true');

  async function ask() {
    clearTimeout(timer);
    asking.abort();
    const { signal } = (asking = new AbortController());
    const q = field?.value ?? '';
    const query = new URLSearchParams({ q, part: 'hits' });
    const how = { headers: { 'HX-Request': 'true', 'HX-Current-URL': location.href } };
    dialog?.setAttribute('aria-busy', 'true');
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
      const answer = await fetch(`/dashboard/search/?${query}`, { ...how, signal: limit });
      const text = await answer.text();
      if (signal.aborted) return;
      const elsewhere = answer.headers.get('HX-Redirect');
      if (elsewhere) return location.assign(elsewhere);
      if (!answer.ok) return fail(dialog?.dataset.busy);
      show(q, text);
    } catch {
      if (!signal.aborted) fail(dialog?.dataset.lost);
    } finally {
      if (!signal.aborted) dialog?.removeAttribute('aria-busy');
    }
  }
  /** @param {string} q @param {string} html */
  function show(q, html) {
    if (!found || !says) return;
    answered = q;
    found.replaceChildren(...new DOMParser().parseFromString(html, 'text/html').body.childNodes);
    says.textContent = ui.one('[data-says]', found)?.dataset.says ?? '';
    says.classList.remove('is-bad');
    field?.setAttribute('aria-expanded', String(hits().length > 0));
    choose(q === '' ? undefined : hits()[0]);
  }
  /* What stands there stays, with a word that it is not the answer. @param {string | undefined} words */
  function fail(words = '') {
    if (!says) return;
    answered = null;
    says.textContent = words;
    says.classList.add('is-bad');
  }

  function begin() {
    field?.select();
    void ask();
  }
  document.addEventListener('click', (event) => {
    if (!ui.around(event, '[data-open="#search-all"]')) return;
    // A menu that is open would lie above it.
    for (const popover of ui.all(':popover-open')) popover.hidePopover();
    begin();
  });
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    const other = ui.one('dialog[open]');
    if (key.toLowerCase() !== 'k' || !(ctrlKey || metaKey) || altKey || shiftKey || (other && other !== dialog)) return;
    event.preventDefault();
    if (!dialog.open) dialog.showModal();
    begin();
  });

  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(ask, pauseMs);
  });
  field.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    const all = hits();
    const at = all.findIndex((hit) => hit === chosen());
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const next = event.key === 'ArrowDown' ? at + 1 : at < 0 ? all.length - 1 : at - 1;
      choose(all[(next + all.length) % all.length]);
    } else if (event.key === 'Enter') {
      const hit = chosen();
      // What is chosen answers what stands there; else the page of the search does, or the question is asked anew.
      if (answered === null || (answered === field.value && hit)) event.preventDefault();
      if (answered === null) void ask();
      else if (answered === field.value && hit) hit.click();
    } else if (event.key === 'Escape' && field.value !== '') {
      // A field of this kind would take the key for itself, and be empty.
      event.preventDefault();
      dialog.close();
    }
  });
  found.addEventListener('pointermove', (event) => {
    const hit = ui.around(event, '[role="option"]');
    if (hit && hit !== chosen()) choose(hit);
  });
  dialog.addEventListener('click', (event) => {
    if (ui.around(event, '[role="option"]')) dialog.close();
  });
  dialog.addEventListener('close', () => {
    clearTimeout(timer);
    asking.abort();
    dialog.removeAttribute('aria-busy');
  });
})();

// @ts-check
'use strict';

/* Who else is in a conversation: this page gives signs of what it does, and shows those of others. */
(() => {
  const [signMs, typingMs, settleMs] = [10_000, 5_000, 300];
  let path = '';
  /** Where the member will be in a moment. */
  let coming = '';
  let state = '';
  let signedAt = 0;
  let typing = 0;
  let settling = 0;

  const signer = ui.asker();
  /* The server keeps what it was told for half a minute. */
  /** @param {'looking' | 'writing'} next */
  function sign(next) {
    if (path === '' || document.visibilityState !== 'visible') return;
    [state, signedAt] = [next, Date.now()];
    const event = new CustomEvent('refresh', { detail: null });
    const options = { event, source: signer, target: '#presence', swap: 'outerHTML' };
    window.htmx.ajax('POST', `${path}presence/`, { ...options, values: { state: next } }).catch(() => undefined);
  }
  function leave() {
    clearTimeout(settling);
    coming = '';
    if (path === '') return;
    const headers = JSON.parse(document.body.getAttribute('hx-headers') ?? '{}');
    const body = new URLSearchParams({ state: 'left' });
    fetch(`${path}presence/`, { method: 'POST', keepalive: true, headers, body }).catch(() => undefined);
    path = '';
  }
  function shown() {
    const open = inbox.open();
    return open?.dataset.presence === undefined ? '' : (open.dataset.path ?? '');
  }
  /** @param {'looking' | 'writing'} next */
  function arrive(next) {
    const now = shown();
    if (now === path) return;
    leave();
    path = coming = now;
    sign(next);
  }
  /* Whoever leafs through the list is nowhere until they stop. What else is drawn meanwhile keeps nobody waiting. */
  function follow() {
    const now = shown();
    if (now === coming) return;
    coming = now;
    clearTimeout(settling);
    settling = setTimeout(arrive, settleMs, 'looking');
  }
  document.addEventListener('htmx:afterSettle', follow);
  window.addEventListener('pagehide', leave);
  window.addEventListener('pageshow', follow);
  document.addEventListener('visibilitychange', () => (document.visibilityState === 'hidden' ? leave() : follow()));
  setInterval(() => sign(state === 'writing' ? 'writing' : 'looking'), signMs);
  document.addEventListener('input', (event) => {
    if (!ui.target(event).matches('#reply')) return;
    // Whoever writes has stopped leafing.
    arrive('writing');
    clearTimeout(typing);
    typing = setTimeout(() => sign('looking'), typingMs);
    if (state !== 'writing' || Date.now() - signedAt > typingMs) sign('writing');
  });

  /* What came stands at the rows of the list and below the thread, also when these are drawn anew. */
  function draw() {
    const here = new Map(ui.all('#presence li').map((one) => [one.dataset.in, one]));
    const [own] = [inbox.open()?.dataset.id];
    for (const place of ui.all('[data-present]')) {
      const one = here.get(place.dataset.present || own);
      place.classList.toggle('is-writing', one?.dataset.writing !== undefined);
      place.hidden = one === undefined;
      const words = place.querySelector('.presence-words') ?? place;
      if (words.textContent !== (one?.textContent ?? '')) words.textContent = one?.textContent ?? '';
      if (one) place.title = one.textContent ?? '';
    }
  }
  document.addEventListener('htmx:afterSwap', draw);
  document.addEventListener('live', ({ detail: { type } }) => {
    if (type !== 'presence' && type !== 'all') return;
    window.follow('presence', (event) =>
      window.htmx.ajax('GET', '/dashboard/inbox/presence/', {
        event,
        source: '#presence',
        target: '#presence',
        swap: 'outerHTML',
      }),
    );
  });
  follow();
})();

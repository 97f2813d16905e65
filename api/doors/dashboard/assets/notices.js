// @ts-check
'use strict';

/*
 * What the member is told of: a toast where a page is looked at, else a number in its title and a notification of the
 * browser; and a sound, once in a browser however many tabs are open.
 */
(() => {
  const { liveFrom = '', member = '', worker = '' } = document.body.dataset;
  const [overlapMs, retryMs, answerMs, refreshMs, maxKept] = [8_000, 3_000, 60_000, 3_600_000, 100];
  const scope = '/dashboard/';
  /* What is older was told by the page before this one. */
  const from = Number(liveFrom.split('.')[0]) - overlapMs;
  let unseen = 0;

  /**
   * Returns which of some ids a store does not know yet; it knows them from then on.
   *
   * @param {Storage} store @param {string[]} ids
   */
  function fresh(store, ids) {
    const known = (store.getItem('notices') ?? '').split(',');
    const found = ids.filter((id) => !known.includes(id));
    store.setItem('notices', [...known, ...found].slice(-maxKept).join(','));
    return found;
  }
  const isLooking = () => document.visibilityState === 'visible';
  /* What customers write is shown by the list of the inbox, and by the conversation itself where it is read. */
  const isWritten = (/** @type {HTMLElement} */ { dataset }) => ['message', 'unassigned'].includes(dataset.kind ?? '');
  const isInSight = (/** @type {HTMLElement} */ notice) =>
    isLooking() &&
    isWritten(notice) &&
    new URL(notice.dataset.href ?? '', location.href).pathname === ui.one('#open[data-path]')?.dataset.path;

  /* The title counts what has come since the page was looked at. */
  const count = () => {
    const title = document.title.replace(new RegExp(`^${said.texts.new.replace('{count}', '\\d+')} · `), '');
    const next = unseen > 0 ? `${said.texts.new.replace('{count}', String(unseen))} · ${title}` : title;
    if (next !== document.title) document.title = next;
  };
  document.addEventListener('htmx:afterSettle', count);
  document.addEventListener('visibilitychange', () => {
    if (!isLooking()) return;
    unseen = 0;
    count();
  });

  /* Two short tones; a browser that waits for a first click makes none. */
  function sound() {
    const audio = new AudioContext();
    const gain = audio.createGain();
    gain.gain.value = 0.08;
    gain.connect(audio.destination);
    for (const [index, frequency] of [660, 880].entries()) {
      const tone = audio.createOscillator();
      tone.frequency.value = frequency;
      tone.connect(gain);
      tone.start(audio.currentTime + index * 0.14);
      tone.stop(audio.currentTime + index * 0.14 + 0.12);
    }
    setTimeout(() => void audio.close(), 1_000);
  }

  /* Notifications of the browser, where this member has turned them on in it. */
  const isOn = () =>
    'serviceWorker' in navigator &&
    Notification.permission === 'granted' &&
    localStorage.getItem('notifies') === member;
  const register = () => navigator.serviceWorker.register(worker, { scope });
  /** @param {HTMLElement} notice @param {string} body */
  async function show({ dataset }, body) {
    const registration = await navigator.serviceWorker.getRegistration(scope);
    // The tag is that of a push: what comes both ways is shown once.
    const shown = { tag: `notice-${dataset.id}`, title: dataset.title, body, href: dataset.href };
    registration?.active?.postMessage(shown);
  }

  /** @param {HTMLElement[]} notices The newest first. */
  function take(notices) {
    const mine = notices.filter((one) => Date.parse(one.dataset.at ?? '') >= from && !isInSight(one));
    const idOf = (/** @type {HTMLElement} */ one) => one.dataset.id ?? '';
    const ids = fresh(sessionStorage, mine.map(idOf));
    const news = mine.filter((one) => ids.includes(idOf(one)));
    const [newest] = news;
    if (!newest) return;
    const { title, href = '' } = newest.dataset;
    const words = newest.textContent ?? '';
    const body = news.length > 1 ? ui.text('andMore', { what: words, count: news.length - 1 }) : words;
    if (isLooking()) {
      if (!isWritten(newest) || !ui.one('#list')) ui.say({ text: `${title}: ${body}`, href, isNotice: true });
    } else {
      unseen += news.length;
      count();
    }
    if (fresh(localStorage, ids).length === 0) return;
    if (newest.dataset.sounds !== undefined) sound();
    if (!isLooking() && isOn() && newest.dataset.quiet === undefined) show(newest, body).catch(() => undefined);
  }

  /* Asked for by itself: an open menu holds up no notice. One question at a time, and one more where it is due. */
  let isAsking = false;
  let again = false;
  async function ask() {
    again = isAsking;
    if (isAsking) return;
    isAsking = true;
    try {
      const how = { headers: { 'HX-Request': 'true' }, signal: AbortSignal.timeout(answerMs) };
      const answer = await fetch('/dashboard/notices/', how);
      if (answer.status === 429 || answer.status >= 500) throw new Error('the server is busy');
      const page = new DOMParser().parseFromString(answer.ok ? await answer.text() : '', 'text/html');
      take(ui.all('li', page));
    } catch {
      setTimeout(ask, retryMs);
    }
    isAsking = false;
    if (again) ask();
  }
  document.addEventListener('live', ({ detail: { type } }) => type === 'notice' && ask());

  /* Whoever sees the page of what concerns them has read it, whichever way led there. */
  /** @type {Set<number>} */
  const noted = new Set();
  async function noteRead() {
    const unread = JSON.parse(ui.one('#badge-concerns')?.dataset.unread ?? '{}');
    const here = /** @type {number[]} */ (unread[location.pathname] ?? []);
    const ids = here.filter((id) => !noted.has(id));
    if (!isLooking() || ids.length === 0) return;
    for (const id of ids) noted.add(id);
    const given = JSON.parse(document.body.getAttribute('hx-headers') ?? '{}');
    const headers = { ...given, 'HX-Request': 'true', 'HX-Current-URL': location.href };
    const body = new URLSearchParams({ ids: ids.join(',') });
    const answer = await fetch('/dashboard/concerns/read/', { method: 'POST', headers, body, keepalive: true }).catch(
      () => null,
    );
    // Where it did not arrive, the next page that is opened says it again.
    if (answer?.ok) document.dispatchEvent(new CustomEvent('live', { detail: { type: 'notice', id: 0 } }));
  }
  for (const name of ['DOMContentLoaded', 'visibilitychange', 'htmx:afterSettle', 'htmx:pushedIntoHistory'])
    document.addEventListener(name, () => void noteRead());

  /* Web push: the server is told of the address and the keys that the browser was given. */
  async function tell(/** @type {PushSubscription} */ subscription, isAskedFor = false) {
    const { endpoint = '', keys = {} } = subscription.toJSON();
    const given = JSON.parse(document.body.getAttribute('hx-headers') ?? '{}');
    const headers = { ...given, 'HX-Request': 'true', 'HX-Current-URL': location.href };
    const body = new URLSearchParams({ endpoint, ...keys });
    const signal = AbortSignal.timeout(answerMs);
    const answer = await fetch('/dashboard/account/browsers/', { method: 'POST', headers, body, signal });
    const elsewhere = answer.headers.get('HX-Redirect');
    // Who signed in long ago is asked who they are; then the page tells it by itself.
    if (elsewhere && isAskedFor) location.assign(elsewhere);
    if (!answer.ok) throw new Error('the browser was refused');
    localStorage.setItem('notifiesSince', String(Date.now()));
  }
  /* The server forgets a browser with its session: whoever has signed in again has it told anew. */
  async function renew() {
    const registration = await register();
    const subscription = await registration.pushManager.getSubscription();
    if (subscription && Date.now() - Number(localStorage.getItem('notifiesSince')) > refreshMs)
      await tell(subscription);
  }
  if (isOn()) renew().catch(() => undefined);
  document.addEventListener('submit', (event) => {
    if (ui.around(event, 'form[action="/dashboard/sign-out/"]')) localStorage.removeItem('notifiesSince');
  });

  /* The page of the member's account turns it on and off. */
  const panel = ui.one('#this-browser');
  if (!panel) return;
  const says = ui.one('[data-says]', panel);
  const button = (/** @type {string} */ does) =>
    /** @type {HTMLButtonElement | null} */ (ui.one(`[data-does="${does}"]`, panel));
  /** @param {string} words */
  const say = (words) => {
    if (says) says.textContent = words;
  };
  function draw() {
    const [on, off] = [button('on'), button('off')];
    const isAble = 'serviceWorker' in navigator && 'Notification' in window;
    if (!isAble) say(said.texts.notices.impossible);
    else if (Notification.permission === 'denied') say(said.texts.notices.denied);
    else if (isOn()) say(said.texts.notices.on);
    if (on) on.hidden = !isAble || isOn() || Notification.permission === 'denied';
    if (off) off.hidden = !isAble || !isOn();
  }
  async function turnOn() {
    if ((await Notification.requestPermission()) !== 'granted') return draw();
    localStorage.setItem('notifies', member);
    await register();
    const { key } = panel?.dataset ?? {};
    const { pushManager } = await navigator.serviceWorker.ready;
    if (key)
      try {
        // One that was made for another key takes nothing of ours.
        await (await pushManager.getSubscription())?.unsubscribe();
        await tell(await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }), true);
        location.reload();
        return;
      } catch {
        draw();
        say(said.texts.notices.noPush);
        return;
      }
    draw();
  }
  async function turnOff() {
    localStorage.removeItem('notifies');
    const registration = await navigator.serviceWorker.getRegistration(scope);
    await (await registration?.pushManager.getSubscription())?.unsubscribe();
    /** @type {HTMLFormElement | null} */
    const form = ui.one('#browsers [data-current] form');
    if (form) form.requestSubmit();
    else location.reload();
  }
  button('on')?.addEventListener('click', () => void turnOn());
  button('off')?.addEventListener('click', () => void turnOff());
  draw();
})();

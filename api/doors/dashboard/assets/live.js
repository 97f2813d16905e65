// @ts-check
'use strict';

/*
 * News of the workspace, as `live` events of the document: {type, id}, or {type: 'all'} when too much was missed to
 * tell. One stream per visible tab, and one in a browser whose tabs are all hidden, for its notices; other hidden ones
 * let go of their streams, and catch up when they are looked at again.
 */
(() => {
  const address = document.body.dataset.live;
  if (!address || !window.EventSource) return;
  const [hiddenMs, silentMs, retryMs, maxRetryMs] = [20_000, 45_000, 3_000, 30_000];
  /** @type {EventSource | null} */
  let source = null;
  let last = document.body.dataset.liveFrom || '';
  let watch = 0;
  let retry = 0;
  let pauseMs = retryMs;
  let isSignedOut = false;
  let hiding = 0;
  let watched = '';

  /** @param {boolean} isLost */
  const offline = (isLost) => {
    const banner = ui.one('#offline');
    if (banner) banner.hidden = !isLost;
  };
  /** @param {DocumentEventMap['live']['detail']} detail */
  const tell = (detail) => document.dispatchEvent(new CustomEvent('live', { detail }));

  /* The server speaks every 15 seconds: silence is a dead connection that nobody closed. */
  function heard() {
    clearTimeout(watch);
    watch = setTimeout(() => lost(), silentMs);
  }
  function lost() {
    close();
    offline(true);
    clearTimeout(retry);
    retry = setTimeout(open, pauseMs);
    pauseMs = Math.min(2 * pauseMs, maxRetryMs);
  }
  /* A stream that was refused does not say why. Where the session is over, it would be refused for ever. */
  async function askWhy() {
    const headers = { 'HX-Request': 'true', 'HX-Current-URL': location.href };
    const how = { headers, signal: AbortSignal.timeout(silentMs) };
    const answer = await fetch('/dashboard/notices/', how).catch(() => null);
    if (answer?.status !== 401) return;
    isSignedOut = true;
    close();
    clearTimeout(retry);
    const link = document.createElement('a');
    Object.assign(link, { href: answer.headers.get('HX-Redirect') ?? location.href, textContent: ui.text('signIn') });
    ui.one('#offline p')?.replaceChildren(`${ui.text('signedOut')} `, link);
  }
  function close() {
    clearTimeout(watch);
    source?.close();
    source = null;
  }
  function open() {
    close();
    if (isSignedOut) return;
    // A new stream knows no Last-Event-ID of its own, so the address carries it.
    watched = ui.one('[data-live-watch]')?.dataset.liveWatch ?? '';
    const stream = new EventSource(`${address}?${new URLSearchParams({ after: last, watch: watched })}`);
    source = stream;
    heard();
    stream.addEventListener('open', () => {
      // One that was on its way when the line was lost.
      offline(!navigator.onLine);
      pauseMs = retryMs;
      heard();
    });
    stream.addEventListener('beat', (event) => {
      last = event.lastEventId || last;
      heard();
    });
    stream.addEventListener('change', (event) => {
      last = event.lastEventId || last;
      heard();
      tell(JSON.parse(event.data));
    });
    stream.addEventListener('error', () => {
      if (source !== stream) return;
      // It is closed by a refusal only: one that ended, or was not answered, the browser itself would try again.
      if (stream.readyState === EventSource.CLOSED) void askWhy();
      lost();
    });
  }
  /* The tab that holds the lock goes on listening; it has it until it is left. */
  let isKept = false;
  const keep = () =>
    navigator.locks
      ?.request('listening', () => {
        isKept = true;
        if (!source) open();
        return new Promise(() => undefined);
      })
      .catch(() => undefined);
  document.addEventListener('visibilitychange', () => {
    clearTimeout(hiding);
    const letGo = () => {
      if (isKept) return;
      clearTimeout(retry);
      close();
    };
    if (document.visibilityState === 'hidden') hiding = setTimeout(letGo, hiddenMs);
    else if (!source) open();
  });
  /* Another conversation is looked at: its messages are followed from here on. */
  document.addEventListener('htmx:afterSettle', () => {
    const now = ui.one('[data-live-watch]')?.dataset.liveWatch ?? '';
    if (source && now !== watched) open();
  });
  /* The browser knows at once what the silence of a stream tells after a while. */
  window.addEventListener('offline', () => offline(true));
  window.addEventListener('online', () => {
    pauseMs = retryMs;
    clearTimeout(retry);
    if (source || document.visibilityState === 'visible') open();
    else offline(false);
  });
  window.addEventListener('pagehide', close);
  window.addEventListener('pageshow', (event) => event.persisted && open());
  // Scripts behind this one have to hear the first news, too.
  document.addEventListener('DOMContentLoaded', () => {
    open();
    keep();
  });
})();

// @ts-check
'use strict';

/* The service worker: shows what is pushed, and what a page gives it while nobody looks at one. It keeps nothing. */
(() => {
  const worker = /** @type {NoticesWorker} */ (/** @type {unknown} */ (self));

  /** @param {ShownNotice} notice */
  async function show({ tag, title, body, href }) {
    const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
    const isLookedAt = pages.some((page) => page.visibilityState === 'visible');
    await worker.registration.showNotification(title, { tag, body, silent: isLookedAt, data: { href } });
    // Some browsers take the permission away from whoever shows nothing; the page that is looked at tells it already.
    if (isLookedAt) for (const shown of await worker.registration.getNotifications({ tag })) shown.close();
  }
  worker.addEventListener('push', (event) => event.waitUntil(event.data ? show(event.data.json()) : undefined));
  worker.addEventListener('message', (event) => event.waitUntil(show(event.data)));

  /* A page that shows the conversation already, else a new one: nothing that is typed somewhere is lost. */
  worker.addEventListener('notificationclick', (event) => {
    event.notification.close();
    const { pathname, href } = new URL(event.notification.data.href, worker.location.origin);
    if (!pathname.startsWith('/dashboard/')) return;
    const open = async () => {
      const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
      const there = pages.find((page) => new URL(page.url).pathname === pathname);
      await (there ? there.focus() : worker.clients.openWindow(href));
    };
    event.waitUntil(open());
  });
})();

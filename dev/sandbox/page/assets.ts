import { SCRIPT } from './script';
import { STYLE } from './style';
import type { Reply } from '../types';

const headers: Record<string, string> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src * data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
};

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Customers' phones · Msgdesk sandbox</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/_page/style.css">
</head>
<body>
<a class="skip" href="#text">Skip to the composer</a>
<header class="bar">
  <h1>Sandbox <span>the customers' phones</span></h1>
  <label class="number">Business number <select id="number"></select></label>
  <div class="delivery" id="delivery" role="status"></div>
  <button type="button" id="pause" class="quiet">Pause webhooks</button>
</header>
<main>
  <nav class="people" aria-label="Customers">
    <div class="tools">
      <label class="hidden" for="search">Search customers</label>
      <input id="search" type="search" placeholder="Search customers">
      <button type="button" id="new" aria-label="New customer">New</button>
    </div>
    <ul id="people"></ul>
  </nav>
  <section class="phone" aria-label="Phone of the chosen customer">
    <header id="head"></header>
    <ol id="chat" aria-live="polite" aria-label="Chat" tabindex="0"></ol>
    <form id="composer">
      <p id="quote" hidden></p>
      <label class="hidden" for="text">Message as this customer</label>
      <textarea id="text" rows="1" placeholder="Write as this customer" autocomplete="off"></textarea>
      <button type="submit">Send</button>
    </form>
  </section>
  <aside class="play" aria-label="Play events">
    <div class="tools"><label class="hidden" for="find">Find an event</label><input id="find" type="search" placeholder="Find an event"></div>
    <div id="play"></div>
  </aside>
</main>
<dialog id="dialog" aria-labelledby="dialog-title"><form method="dialog" id="ask"></form></dialog>
<p id="toast" role="alert" hidden></p>
<noscript>This page needs JavaScript; the control API under <code>/_control</code> does everything that it does.</noscript>
<script src="/_page/app.js"></script>
</body>
</html>
`;

/** The page and its two files; everything else is not found. */
export function pageAsset(path: string): Reply {
  if (path === '') return { status: 200, raw: html, contentType: 'text/html; charset=utf-8', headers };
  if (path === '_page/app.js')
    return { status: 200, raw: SCRIPT, contentType: 'text/javascript; charset=utf-8', headers };
  if (path === '_page/style.css') return { status: 200, raw: STYLE, contentType: 'text/css; charset=utf-8', headers };
  return { status: 404, raw: 'Not found', contentType: 'text/plain' };
}

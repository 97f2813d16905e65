/** The one stylesheet of all pages; served from our own origin, so that the policy needs no exception. */
export const stylesheet = `
:root {
  color-scheme: light;
  --ink: #16202e;
  --soft: #4a5768;
  --line: #c9d1dc;
  --field: #7b8798;
  --ground: #f3f5f9;
  --paper: #ffffff;
  --brand: #1f5fd0;
  --brand-dark: #184da9;
  --brand-pale: #eaf1fd;
  --bad: #a3151f;
  --bad-pale: #fdeeee;
  --warn: #6d4700;
  --warn-pale: #fff6e0;
  --round: 10px;
}
*, *::before, *::after { box-sizing: border-box; }
html { font-size: 100%; -webkit-text-size-adjust: 100%; }
body {
  margin: 0;
  min-height: 100vh;
  background: var(--ground);
  color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif;
}
a { color: var(--brand-dark); }
:focus-visible { outline: 3px solid var(--brand); outline-offset: 2px; border-radius: 4px; }
.center { display: flex; flex-direction: column; align-items: center; justify-content: center; min-height: 100vh; padding: 2rem 1rem; }
.brand { display: flex; align-items: center; gap: 0.6rem; margin: 0 0 1.25rem; font-weight: 650; letter-spacing: -0.01em; font-size: 1.15rem; }
.brand-mark { width: 1.9rem; height: 1.9rem; border-radius: 9px 9px 9px 3px; background: var(--brand); position: relative; }
.brand-mark::after { content: ''; position: absolute; left: 0.5rem; right: 0.5rem; top: 0.62rem; height: 0.62rem; border-top: 2px solid #fff; border-bottom: 2px solid #fff; }
.card { width: 100%; max-width: 26rem; background: var(--paper); border: 1px solid var(--line); border-radius: 14px; padding: 1.75rem; box-shadow: 0 1px 2px rgb(22 32 46 / 6%), 0 12px 32px rgb(22 32 46 / 8%); }
.card-wide { max-width: 33rem; }
h1 { margin: 0 0 0.35rem; font-size: 1.4rem; line-height: 1.25; letter-spacing: -0.015em; overflow-wrap: anywhere; }
h2 { margin: 1.5rem 0 0.25rem; font-size: 1rem; }
p { margin: 0 0 1rem; }
.soft { color: var(--soft); }
.small { font-size: 0.875rem; }
.whole { white-space: nowrap; }
.note { border: 1px solid var(--line); border-left: 4px solid var(--soft); border-radius: var(--round); padding: 0.7rem 0.9rem; margin: 0 0 1rem; background: var(--ground); }
.note p:last-child { margin: 0; }
.note-bad { border-color: #e3a5a9; border-left-color: var(--bad); background: var(--bad-pale); color: var(--bad); }
.note-warn { border-color: #e5c986; border-left-color: #a86f00; background: var(--warn-pale); color: var(--warn); }
.field { margin: 0 0 1rem; }
.field label { display: block; margin: 0 0 0.3rem; font-weight: 600; font-size: 0.925rem; }
.field input { width: 100%; min-height: 2.75rem; padding: 0.5rem 0.75rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--field); border-radius: var(--round); }
.field input[aria-invalid='true'] { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
.field input:focus-visible { outline-offset: 0; border-radius: var(--round); }
.actions { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1.5rem; }
.actions > * { flex: 1 1 9rem; }
.button { display: inline-flex; align-items: center; justify-content: center; min-height: 2.85rem; padding: 0.5rem 1.1rem; font: inherit; font-weight: 600; text-align: center; text-decoration: none; border-radius: var(--round); border: 1px solid var(--field); background: var(--paper); color: var(--ink); cursor: pointer; }
.button:hover { background: var(--ground); }
.button:focus-visible { border-radius: var(--round); }
.button-main { border-color: var(--brand); background: var(--brand); color: #fff; }
.button-main:hover { background: var(--brand-dark); border-color: var(--brand-dark); }
.facts { margin: 1rem 0; padding: 0.75rem 0.9rem; border: 1px solid var(--line); border-radius: var(--round); display: grid; grid-template-columns: minmax(6.5rem, auto) 1fr; gap: 0.35rem 1rem; font-size: 0.925rem; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
fieldset { border: 0; margin: 1.25rem 0 0; padding: 0; min-width: 0; }
h1 + .note, fieldset + .note { margin-top: 1rem; }
legend { padding: 0; font-weight: 650; }
.choices { list-style: none; margin: 0.6rem 0 0; padding: 0; border: 1px solid var(--line); border-radius: var(--round); overflow: hidden; }
.choices li + li { border-top: 1px solid var(--line); }
.choice { display: grid; grid-template-columns: 1.35rem 1fr; gap: 0.1rem 0.75rem; align-items: start; padding: 0.7rem 0.9rem; cursor: pointer; }
.choice:hover { background: var(--brand-pale); }
.choice:focus-within { background: var(--brand-pale); }
.choice input { width: 1.2rem; height: 1.2rem; margin: 0.15rem 0 0; accent-color: var(--brand); }
.choice-name { grid-column: 2; }
.choice-detail { grid-column: 2; color: var(--soft); font-size: 0.85rem; }
.choice-off { cursor: not-allowed; color: var(--soft); background: var(--ground); }
.choice-off:hover { background: var(--ground); }
code { font: 0.85em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
@media (max-width: 30rem) {
  .card { padding: 1.25rem; }
  .facts { grid-template-columns: 1fr; gap: 0; }
  .facts dd { margin-bottom: 0.5rem; }
}
@media (prefers-reduced-motion: no-preference) { .button, .choice { transition: background-color 0.12s; } }
`;

/** Styles of the page; plain CSS, light and dark. */
export const STYLE = `
:root { color-scheme: light dark; --bg: #eef1f0; --panel: #fff; --line: #d9dfdd; --ink: #14211d; --soft: #52625c; --brand: #0b6b50; --on-brand: #fff;
  --wall: #e8e1d6; --mine: #d5f5c6; --theirs: #fff; --blue: #0a78b5; --bad: #b3261e; --hover: #f0f5f3; --chosen: #ddeee8; }
@media (prefers-color-scheme: dark) { :root { --bg: #0e1513; --panel: #17201d; --line: #2b3733; --ink: #e8efec; --soft: #a3b3ad; --brand: #4cc59d; --on-brand: #06231a;
  --wall: #0b1411; --mine: #0f5140; --theirs: #202c28; --blue: #6cc4f5; --bad: #ff8f86; --hover: #1d2925; --chosen: #1f3a31; } }
* { box-sizing: border-box; }
html, body { height: 100%; margin: 0; }
body { display: flex; flex-direction: column; background: var(--bg); color: var(--ink); font: 15px/1.45 system-ui, "Segoe UI", Roboto, sans-serif; }
[hidden] { display: none !important; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.skip { position: absolute; left: -999px; } .skip:focus { left: 8px; top: 8px; z-index: 9; background: var(--panel); padding: 8px; }
:focus-visible { outline: 2px solid var(--brand); outline-offset: 1px; }
button, input, select, textarea { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 7px 11px; }
button { cursor: pointer; } button:hover { background: var(--hover); }
button.main, #composer button, #new { background: var(--brand); color: var(--on-brand); border-color: var(--brand); font-weight: 600; }
.bar { display: flex; gap: 16px; align-items: center; padding: 10px 18px; background: var(--panel); border-bottom: 1px solid var(--line); }
.bar h1 { font-size: 17px; margin: 0; margin-right: auto; } .bar h1 span { font-weight: 400; color: var(--soft); margin-left: 6px; }
.bar label { color: var(--soft); font-size: 13px; } .bar select { color: var(--ink); margin-left: 6px; max-width: 300px; }
.delivery { font-size: 13px; color: var(--soft); min-width: 150px; text-align: right; } .delivery.bad { color: var(--bad); }
main { flex: 1; min-height: 0; display: grid; grid-template-columns: 290px minmax(360px, 1fr) 320px; gap: 14px; padding: 14px; max-width: 1500px; width: 100%; margin: 0 auto; }
main > * { background: var(--panel); border: 1px solid var(--line); border-radius: 14px; min-height: 0; overflow: hidden; display: flex; flex-direction: column; }
.tools { display: flex; gap: 8px; padding: 12px; border-bottom: 1px solid var(--line); } .tools input { flex: 1; min-width: 0; } .tools button { white-space: nowrap; }
#people { list-style: none; margin: 0; padding: 6px; overflow: auto; flex: 1; }
#people button { width: 100%; text-align: left; border: 0; background: none; display: grid; grid-template-columns: 40px 1fr auto; column-gap: 10px; align-items: center; padding: 9px 8px; border-radius: 10px; }
#people button:hover { background: var(--hover); } #people button[aria-current="true"] { background: var(--chosen); }
.face { grid-row: span 2; width: 40px; height: 40px; border-radius: 50%; display: grid; place-items: center; font-weight: 600; color: #fff; background: #597a6e; }
.c1 { background: #7c6aa8; } .c2 { background: #a8653f; } .c3 { background: #3f77a8; } .c4 { background: #8a7a2b; }
.who { font-weight: 600; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; } .when { font-size: 12px; color: var(--soft); }
.last { grid-column: 2 / 4; font-size: 13px; color: var(--soft); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.phone > header { display: flex; gap: 12px; align-items: center; padding: 10px 16px; border-bottom: 1px solid var(--line); min-height: 62px; }
.phone > header .face { grid-row: auto; flex: none; } .phone > header strong { display: block; } .phone > header small { color: var(--soft); }
.tags { margin-left: auto; display: flex; gap: 6px; flex-wrap: wrap; justify-content: flex-end; }
.tag { font-size: 12px; padding: 2px 9px; border-radius: 99px; border: 1px solid var(--line); color: var(--soft); white-space: nowrap; }
.tag.good { color: var(--brand); border-color: var(--brand); } .tag.bad { color: var(--bad); border-color: var(--bad); }
#chat { flex: 1; overflow: auto; list-style: none; margin: 0; padding: 16px; background: var(--wall); display: flex; flex-direction: column; gap: 7px; }
#chat > li { position: relative; max-width: min(78%, 480px); display: flex; flex-direction: column; align-items: flex-start; align-self: flex-start; }
#chat > li.mine { align-self: flex-end; align-items: flex-end; } #chat > li.note { align-self: center; max-width: 92%; }
.bubble { background: var(--theirs); border-radius: 12px; padding: 7px 11px 5px; box-shadow: 0 1px 1px #0002; overflow-wrap: anywhere; min-width: 90px; max-width: 100%; }
.mine .bubble { background: var(--mine); } .lost .bubble { opacity: .72; border: 1px dashed var(--bad); }
.note .bubble { background: var(--panel); color: var(--soft); font-size: 13px; text-align: center; }
.bubble .label { font-size: 12px; text-transform: uppercase; letter-spacing: .04em; color: var(--soft); } .bubble h3 { font-size: 15px; margin: 0 0 3px; } .bubble p { margin: 0; white-space: pre-wrap; } .bubble .foot, .bubble .detail { color: var(--soft); font-size: 13px; margin-top: 3px; }
.bubble .quoted { border-left: 3px solid var(--brand); background: #0000000d; border-radius: 6px; padding: 3px 8px; font-size: 13px; color: var(--soft); margin-bottom: 4px; }
.bubble img { display: block; max-width: 100%; width: 240px; border-radius: 8px; margin: 2px 0 5px; } .file { display: block; padding: 8px 10px; border-radius: 8px; background: #0000000f; margin: 2px 0 4px; color: inherit; }
.meta { font-size: 11.5px; color: var(--soft); text-align: right; margin-top: 2px; } .ticks { letter-spacing: -3px; margin-left: 5px; margin-right: 3px; } .ticks.read { color: var(--blue); }
.failure { color: var(--bad); font-size: 12.5px; } .react { align-self: flex-end; background: var(--panel); border: 1px solid var(--line); border-radius: 99px; padding: 0 7px; margin-top: -5px; font-size: 14px; }
.choices { display: grid; gap: 4px; width: 100%; margin-top: 4px; } .choices button, .choices a { text-align: center; color: var(--blue); font-weight: 600; background: var(--theirs); border: 0; border-radius: 10px; padding: 8px; box-shadow: 0 1px 1px #0002; text-decoration: none; }
.act { position: absolute; left: 100%; top: 2px; display: flex; gap: 2px; padding: 0 6px; opacity: 0; } .mine > .act { left: auto; right: 100%; } li:hover > .act, li:focus-within > .act { opacity: 1; } .act button { border: 0; background: none; padding: 1px 7px; font-size: 12px; color: var(--soft); }
#composer { display: grid; grid-template-columns: 1fr auto; gap: 8px; padding: 12px; border-top: 1px solid var(--line); }
#composer textarea { resize: none; max-height: 140px; } #quote { grid-column: 1 / 3; margin: 0; font-size: 13px; color: var(--soft); border-left: 3px solid var(--brand); padding-left: 8px; }
#play { overflow: auto; flex: 1; } #play details { border-bottom: 1px solid var(--line); } #play summary { cursor: pointer; padding: 11px 14px; list-style: none; display: flex; align-items: center; gap: 8px; }
#play summary::-webkit-details-marker { display: none; } #play summary::before { content: '▸'; color: var(--soft); } #play details[open] > summary::before { content: '▾'; } #play summary:hover { background: var(--hover); }
#play h2 { font-size: 14px; margin: 0; } #play h3 { font-size: 12px; font-weight: 600; color: var(--soft); margin: 12px 0 6px; } #play .events { padding: 0 14px 14px; }
.grid { display: grid; grid-template-columns: 1fr 1fr; gap: 6px; } .grid button { font-size: 13.5px; text-align: left; padding: 7px 9px; } .chosen { display: block; font-size: 12px; color: var(--soft); margin-bottom: 8px; } .chosen select { display: block; width: 100%; margin-top: 4px; font-size: 13.5px; color: var(--ink); }
.empty { margin: auto; color: var(--soft); text-align: center; padding: 30px; max-width: 340px; }
dialog { border: 1px solid var(--line); border-radius: 14px; background: var(--panel); color: var(--ink); padding: 20px; width: min(420px, 92vw); } dialog::backdrop { background: #0007; }
dialog h2 { margin: 0 0 12px; font-size: 17px; } dialog label { display: block; margin: 10px 0; font-size: 13px; color: var(--soft); } dialog label input:not([type=checkbox]), dialog label textarea, dialog label select { display: block; width: 100%; margin-top: 4px; color: var(--ink); font-size: 15px; }
dialog .row { display: flex; gap: 8px; justify-content: flex-end; margin-top: 16px; } dialog .option { display: block; width: 100%; text-align: left; margin: 5px 0; }
#toast { position: fixed; top: 70px; left: 50%; transform: translateX(-50%); background: var(--ink); color: var(--panel); padding: 9px 16px; border-radius: 10px; margin: 0; max-width: 80vw; }
@media (max-width: 1050px) { main { grid-template-columns: 240px 1fr; overflow: auto; } main > .play { grid-column: 1 / 3; overflow: visible; } #play { overflow: visible; } .phone { height: 75vh; } .people { max-height: 75vh; } }
@media (max-width: 680px) { main { grid-template-columns: minmax(0, 1fr); } main > .play { grid-column: 1; } .bar { flex-wrap: wrap; } .bar .number, .bar select { max-width: 100%; } .people { height: 220px; } }
@media (prefers-reduced-motion: no-preference) { .act, button { transition: background .12s, opacity .12s; } }
`;

import { Html } from "./sections.ts";

/** Light and dark as the browser wants it. */
export const STYLE = new Html(`
:root { color-scheme: light dark; --text: #1c2330; --muted: #566074; --line: #d9dee7; --paper: #fff; --ground: #f4f6f9; --link: #0b57b0; --problem: #b3261e; --good: #1b6b2f; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e8ef; --muted: #a2adbf; --line: #323b4a; --paper: #1b212b; --ground: #12161d; --link: #8ab8ff; --problem: #ff8a80; --good: #7fd493; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
header, main { max-width: 60rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2rem; }
h1 { margin: 0; font-size: 1.6rem; }
h2 { margin: 0 0 .75rem; font-size: 1.1rem; }
header p { margin: .25rem 0 1.25rem; color: var(--muted); }
main { padding-bottom: 3rem; }
section { margin-bottom: 1rem; padding: 1.25rem; background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; }
dl { margin: 0; }
dl div { display: grid; grid-template-columns: 12rem 1fr; gap: .25rem 1rem; padding: .3rem 0; }
dl div + div { border-top: 1px solid var(--line); }
dt { color: var(--muted); }
dd { margin: 0; overflow-wrap: anywhere; }
code, pre { font: .9em/1.6 ui-monospace, Menlo, Consolas, monospace; }
pre { margin: .75rem 0; padding: .75rem 1rem; overflow-x: auto; background: var(--ground); border-radius: .375rem; }
p { margin: .5rem 0; }
a { color: var(--link); }
.problem { color: var(--problem); }
.counts { display: grid; grid-template-columns: repeat(auto-fill, minmax(8rem, 1fr)); gap: 1rem; margin: 0; padding: 0; list-style: none; }
.counts strong { display: block; font-size: 1.5rem; line-height: 1.2; }
.counts span { display: block; color: var(--muted); font-size: .9rem; }
@media (max-width: 40rem) { dl div { grid-template-columns: 1fr; } }
`);

/** Of the time line. */
export const TIMELINE_STYLE = new Html(`
.muted { color: var(--muted); }
.unseen { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.controls { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; }
.controls select { max-width: 14rem; }
.controls select, .controls button { padding: .25rem .75rem; font: inherit; color: var(--text); background: var(--ground); border: 1px solid var(--muted); border-radius: .375rem; }
.controls button[aria-pressed="true"] { color: var(--paper); background: var(--text); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
#connection { color: var(--muted); }
#connection[data-state="lost"] { color: var(--problem); font-weight: bold; }
.groups, .path, .entries { margin: 0; padding: 0; list-style: none; }
.groups { max-height: 40rem; margin: 0 -.3rem; padding: 0 .3rem; overflow-y: auto; }
.group { padding: .75rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.group p, .group h3 { margin: 0; }
.group p.muted { font-size: .9rem; }
.head { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; justify-content: space-between; }
h3 { font-size: 1rem; }
.status { padding: 0 .5rem; color: var(--muted); border: 1px solid currentColor; border-radius: 1rem; font-size: .9rem; }
.status[data-mood="good"], .path [data-mood="good"] { color: var(--good); }
.status[data-mood="bad"], .path [data-mood="bad"] { color: var(--problem); }
.path { display: flex; flex-wrap: wrap; gap: 0 .4rem; color: var(--muted); font-size: .9rem; }
.path li + li::before { content: "\\2192" / ""; margin-right: .4rem; }
.group [hidden], .path[hidden] { display: none; }
details summary { width: fit-content; cursor: pointer; color: var(--link); font-size: .9rem; }
.entries { font-size: .85rem; }
.entries li { padding: .2rem 0 .2rem 1rem; }
`);

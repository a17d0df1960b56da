import { Html } from "./html.ts";

/** Light and dark as the browser wants it. */
export const STYLE = new Html(`
:root { color-scheme: light dark; --text: #1c2330; --muted: #566074; --line: #d9dee7; --paper: #fff; --ground: #f4f6f9; --link: #0b57b0; --problem: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e8ef; --muted: #a2adbf; --line: #323b4a; --paper: #1b212b; --ground: #12161d; --link: #8ab8ff; --problem: #ff8a80; }
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

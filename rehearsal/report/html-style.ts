import { Html } from "./html-text.ts";

/** Light and dark as the browser wants it; on paper, black on white with all that is open. */
export const STYLE = new Html(`
:root { color-scheme: light dark; --text: #1c2330; --muted: #566074; --line: #d9dee7; --paper: #fff; --ground: #f4f6f9; --link: #0b57b0; --bad: #b3261e; --good: #1b6b2f; --plain: #4a5a78; --warn: #8a5a00; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e8ef; --muted: #a2adbf; --line: #323b4a; --paper: #1b212b; --ground: #12161d; --link: #8ab8ff; --bad: #ff8a80; --good: #7fd493; --plain: #9fb3d9; --warn: #f0c06a; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
header, main { max-width: 64rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2rem; padding-bottom: .5rem; }
h1 { margin: 0; font-size: 1.6rem; line-height: 1.25; }
h2 { margin: 0 0 .75rem; font-size: 1.15rem; }
h3 { margin: 1.25rem 0 .25rem; font-size: 1rem; }
header p, .muted { color: var(--muted); }
header p { margin: .25rem 0; }
main { padding-bottom: 3rem; }
section { margin-bottom: 1rem; padding: 1.25rem; background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; }
p { margin: .5rem 0; }
ul, ol { margin: 0; padding: 0; list-style: none; }
a { color: var(--link); }
bdi { unicode-bidi: isolate; }
.counts { display: grid; grid-template-columns: repeat(auto-fill, minmax(7.5rem, 1fr)); gap: 1rem; }
.counts strong { display: block; font-size: 1.5rem; line-height: 1.2; }
.lane { display: grid; grid-template-columns: 11rem minmax(0, 1fr); gap: .25rem 1rem; align-items: center; padding: .3rem 0; border-top: 1px solid var(--line); }
.lane svg { display: block; width: 100%; height: 2rem; }
.lane rect { fill: var(--plain); }
.alert rect, .error rect { fill: var(--bad); }
.resolved rect { fill: var(--good); }
.suppressed rect { fill: var(--warn); }
.lane .base { fill: var(--line); }
.axis { display: flex; justify-content: space-between; margin-left: 12rem; color: var(--muted); font-size: .85rem; }
.scroll { overflow-x: auto; }
table { width: 100%; min-width: 34rem; border-collapse: collapse; }
th, td { padding: .35rem .75rem .35rem 0; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--muted); font-weight: normal; font-size: .9rem; }
td.number, th.number { text-align: right; padding-right: 1.5rem; font-variant-numeric: tabular-nums; }
.outcomes > li { border-top: 1px solid var(--line); padding: .35rem 0; }
summary { cursor: pointer; }
summary time { white-space: nowrap; color: var(--muted); font-variant-numeric: tabular-nums; font-size: .9rem; margin-right: .5rem; }
summary .why { color: var(--warn); }
summary h2, summary h3 { display: inline; }
details + details, ul + details { display: block; margin-top: .5rem; }
details > :not(summary) { margin-left: 1.1rem; }
.path { display: flex; flex-wrap: wrap; gap: 0 .4rem; }
.path li + li::before { content: "\\2192"; margin-right: .4rem; color: var(--muted); }
dl { display: grid; grid-template-columns: fit-content(14rem) minmax(0, 1fr); gap: .15rem 1rem; margin: .5rem 0; }
dt { color: var(--muted); }
dd { margin: 0; }
pre { margin: .5rem 0; padding: .75rem 1rem; overflow-x: auto; background: var(--ground); border-radius: .375rem; font: .85em/1.5 ui-monospace, Menlo, Consolas, monospace; white-space: pre-wrap; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
@media (max-width: 40rem) {
  section { padding: 1rem; }
  .lane { grid-template-columns: minmax(0, 1fr); }
  .axis { margin-left: 0; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dd { margin-bottom: .35rem; }
}
@media print {
  :root { --text: #000; --muted: #444; --line: #bbb; --paper: #fff; --ground: #fff; color-scheme: light; }
  body { font-size: 11px; }
  header, main { max-width: none; padding: 0; }
  section { border: 0; padding: .5rem 0; }
  .lane, .outcomes > li, tr { break-inside: avoid; }
  rect { print-color-adjust: exact; }
}
`);

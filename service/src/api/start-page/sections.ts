import type { Following } from "../../chain/ticker.ts";
import type { SkippedLogs } from "../../lifecycles/logs/skipped.ts";
import type { Executions } from "../../store/chain-progress.ts";

/** Text that is HTML already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Part[] | undefined;

/** HTML in which every value is escaped. */
export function html(strings: TemplateStringsArray, ...values: Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(rendered)));
}

function rendered(part: Part): string {
  if (part === undefined) return "";
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return part.map(rendered).join("");
  return String(part).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A name, and what the page says under it. */
export type Row = [name: string, value: Html];

export function section(id: string, title: string, rows: Row[]): Html {
  return html`<section aria-labelledby="${id}" data-renew="${id}">
<h2 id="${id}">${title}</h2>
<dl>
${rows.map(
  ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>
`,
)}</dl>
</section>`;
}

export function code(text: string): Html {
  return html`<code>${text}</code>`;
}

const SHOWN_LOST = 5;

/** Confirmed operations that a reset of the chain has removed from it. */
export function lostOperations(executions: Executions): Row[] {
  const { missing, gone } = executions.lost();
  const rows: Row[] = [];
  if (missing > 0) {
    rows.push([
      "Sent again",
      html`<strong class="problem">${operations(missing)} that the chain may have lost</strong>`,
    ]);
  }
  if (gone > 0) {
    const newest = executions.gone(SHOWN_LOST);
    rows.push([
      "Lost",
      html`<strong class="problem">${operations(gone)} ${gone === 1 ? "is" : "are"} not on the chain any more and cannot be
executed again. Submit a new operation if you still need it.</strong><br>
${newest.map(({ operationId, reason }) => html`${reason}: ${code(operationId)}<br>`)}`,
    ]);
  }
  return rows;
}

function operations(count: number): string {
  return `${count} confirmed ${count === 1 ? "operation" : "operations"}`;
}

/** That events of the chain are not reported now, or were not. */
export function notFollowed({ problem, passedOver }: Following): Row[] {
  const rows: Row[] = [];
  if (problem !== undefined) {
    rows.push(["Followed", html`<strong class="problem">No new events are reported: ${problem}</strong>`]);
  }
  if (passedOver > 0) {
    const what = passedOver === 1 ? "block that the node lacks was" : "blocks that the node lacks were";
    rows.push([
      "Passed over",
      html`<strong class="problem">${passedOver} ${what} passed over since the start</strong>`,
    ]);
  }
  return rows;
}

/** Logs that a watcher could not report. */
export function skippedLogs({ count }: SkippedLogs): Row[] {
  if (count === 0) return [];
  const what = count === 1 ? "log of a contract was" : "logs of contracts were";
  return [
    [
      "Skipped",
      html`<strong class="problem">${count} ${what} skipped since the start: the service's log says why</strong>`,
    ],
  ];
}

/** Whether the page shows the time line; otherwise why not. */
export type TimelineAccess = "open" | "needs key" | "disabled";

/** Loads the time line. */
export const TIMELINE_SCRIPT = html`<script type="module" src="/local/page/timeline.mjs"></script>`;

/** The part of the page that `page/timeline.mjs` fills. */
export function timelineSection(access: TimelineAccess, baseUrl: string): Html {
  return html`<section aria-labelledby="timeline">
<h2 id="timeline">Time line</h2>
${access === "open" ? live() : ""}
${access === "needs key" ? withKey(baseUrl) : ""}
${
  access === "disabled"
    ? html`<p>Start the service with <code>--local</code> to see here what happens in its channels.</p>`
    : ""
}
</section>`;
}

function live(): Html {
  return html`<p class="muted">Channels, operations and events, newest first. All steps of one thing are together.</p>
<noscript><p>The time line needs JavaScript. Everything else on this page does not.</p></noscript>
<p class="controls"><label>Channel <select id="channel" autocomplete="off"><option value="">all</option></select></label>
<button type="button" id="pause" aria-pressed="false">Pause</button>
<span id="connection" role="status">Connecting.</span></p>
<p id="news" class="unseen" aria-live="polite"></p>
<div id="empty" hidden>
<p>Nothing has happened yet. In Node-RED, open the tab <em>Quickstart</em>:</p>
<ol>
<li>Press the button of <strong>Set up</strong>: a channel, a wallet and a watcher appear here.</li>
<li>Press <strong>Send 1 token</strong>: follow the operation from <em>accepted</em> to <em>confirmed</em>, and the
event that it causes.</li>
<li>Press <strong>Read balance</strong>: a query appears, with the proof of its answer.</li>
</ol>
<p>Without Node-RED, use a command from <a href="#use">How to use it</a>.</p>
</div>
<p id="nothing" hidden>Nothing has happened in this channel yet. Choose another one, or all.</p>
<ol id="groups" class="groups"></ol>`;
}

function withKey(baseUrl: string): Html {
  return html`<p>The service has an API key of its own, and the time line shows data of its channels. So it is shown only
with the key:</p>
<pre tabindex="0">curl -H 'Authorization: Apikey &lt;key>' ${baseUrl}/local/timeline
curl -N -H 'Authorization: Apikey &lt;key>' ${baseUrl}/local/timeline/stream</pre>`;
}

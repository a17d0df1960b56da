import { type Html, html } from "./html.ts";

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

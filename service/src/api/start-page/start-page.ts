import {
  OPERATION_STATUSES,
  QUERY_STATUSES,
  WALLET_STATUSES,
  WATCHER_STATUSES,
} from "../../../../src/protocol/index.ts";
import type { Heads } from "../../chain/chain-data.ts";
import type { Context } from "../../context.ts";
import { originOf } from "../../errors.ts";
import { clockProblem } from "../../lifecycles/chain-health.ts";
import type { Routes } from "../routes.ts";
import {
  code,
  type Html,
  html,
  lostOperations,
  notFollowed,
  type Row,
  section,
  skippedLogs,
  TIMELINE_SCRIPT,
  type TimelineAccess,
  timelineSection,
} from "./sections.ts";
import { STYLE, TIMELINE_STYLE } from "./style.ts";

/** Facts on the page that are not in the context. */
export type PageFacts = {
  /** Undefined unless it is the default key, which is public. */
  apiKey: string | undefined;
  orgId: string;
  creTenantId: string;
  workflowOwner: string;
  graphqlPath: string;
  local: boolean;
};

/** In the order of the lifecycles. */
const STATUSES: readonly string[] = [
  ...new Set([...OPERATION_STATUSES, ...WATCHER_STATUSES, ...WALLET_STATUSES, ...QUERY_STATUSES]),
];
const REFRESH_SECONDS = 10;
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  // The script of the time line, and what it asks for.
  "content-security-policy":
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** The page at `/`: what runs here, and how to use it. For browsers, which send no key. */
export function startPageRoute(app: Routes, context: Context, facts: PageFacts): void {
  const startedAt = new Date();
  app.get("/", { schema: { hide: true } }, async (request, reply) => {
    const heads = await context.chain.heads().catch(() => undefined);
    reply.headers(HEADERS);
    return page(context, facts, {
      baseUrl: new URL(`http://${request.headers.host}`).origin,
      startedAt,
      heads,
    }).text;
  });
}

/** It shows data of channels: without a key only where the key is public. */
function timelineAccess({ local, apiKey }: PageFacts): TimelineAccess {
  if (!local) return "disabled";
  return apiKey === undefined ? "needs key" : "open";
}

type Moment = { baseUrl: string; startedAt: Date; heads: Heads | undefined };

function page(context: Context, facts: PageFacts, moment: Moment): Html {
  const access = timelineAccess(facts);
  const refresh = html`<meta http-equiv="refresh" content="${REFRESH_SECONDS}">`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${access === "open" ? html`<noscript>${refresh}</noscript>${TIMELINE_SCRIPT}` : refresh}
<title>Local channel service</title>
<style>${STYLE}${TIMELINE_STYLE}</style>
</head>
<body>
<header>
<h1>Local channel service</h1>
<p data-renew="running">Running since <time datetime="${moment.startedAt.toISOString()}">${shown(moment.startedAt)}</time>.
Updated ${shown(new Date())}, and again every ${REFRESH_SECONDS} seconds.</p>
</header>
<main>
${counts(context)}
${timelineSection(access, moment.baseUrl)}
${addresses(facts, moment)}
${chain(context, moment)}
${oracles(context, facts)}
${usage(facts, moment)}
${facts.local ? testing(context, facts, moment) : ""}
</main>
</body>
</html>
`;
}

const SINGULAR: Readonly<Record<string, string>> = {
  channels: "channel",
  watchers: "watcher",
  wallets: "wallet",
  operations: "operation",
  queries: "query",
};

function counts({ store }: Context): Html {
  const { events, ...kinds } = store.counts();
  return html`<section aria-labelledby="now" data-renew="now">
<h2 id="now">Now</h2>
<ul class="counts">
${Object.entries(kinds).map(([kind, byStatus]) => count(kind, byStatus))}
<li><strong>${events.toLocaleString("en")}</strong> ${events === 1 ? "event" : "events"}</li>
</ul>
</section>`;
}

function count(kind: string, byStatus: Record<string, number>): Html {
  const all = Object.values(byStatus).reduce((sum, number) => sum + number, 0);
  const statuses = STATUSES.filter((status) => byStatus[status] !== undefined);
  return html`<li><strong>${all.toLocaleString("en")}</strong> ${all === 1 ? (SINGULAR[kind] ?? kind) : kind}
${statuses.map((status) => html`<span>${byStatus[status]} ${status}</span>`)}</li>
`;
}

function addresses(facts: PageFacts, { baseUrl }: Moment): Html {
  return section("addresses", "Addresses", [
    ["Base URL", code(baseUrl)],
    ["GraphQL URL", code(`${baseUrl}${facts.graphqlPath}`)],
    ["OpenAPI", html`<a href="/openapi.json">openapi.json</a>`],
    [
      "API key",
      facts.apiKey === undefined ? html`the key that the service was started with` : code(facts.apiKey),
    ],
  ]);
}

function chain(context: Context, { heads }: Moment): Html {
  const { store, chain, contracts, relayer, finality, skipped, following } = context;
  const late = heads === undefined ? undefined : clockProblem(heads);
  return section("chain", "Chain", [
    ["Network", html`${chain.network.name}`],
    ["Chain id", code(chain.network.chain_id)],
    ["Chain selector", code(chain.network.chain_selector)],
    ["Node", code(originOf(chain.rpcUrl))],
    [
      "Blocks",
      heads === undefined
        ? html`<strong class="problem">The node does not answer.</strong>`
        : html`latest ${heads.latest.number}, safe ${heads.safe}, finalized ${heads.finalized}`,
    ],
    ...(finality.problem === undefined
      ? []
      : [["Confidence", html`<strong class="problem">${finality.problem}</strong>`] satisfies Row]),
    ...(late === undefined ? [] : [["Time", html`<strong class="problem">${late}</strong>`] satisfies Row]),
    [
      "The service's account",
      html`${code(relayer.address)}${relayer.funds.held === undefined ? "" : html`, holds ${relayer.funds.held}`}`,
    ],
    ...(relayer.funds.shortage === undefined
      ? []
      : [["Coins", html`<strong class="problem">${relayer.funds.shortage}</strong>`] satisfies Row]),
    ...notFollowed(following),
    ...skippedLogs(skipped),
    ...lostOperations(store.executions(chain.network.chain_selector)),
    ...Object.entries(contracts).map(([name, address]): Row => [name, code(address)]),
  ]);
}

function oracles({ oracles }: Context, facts: PageFacts): Html {
  const { signers, minRequiredSignatures } = oracles;
  return section("proofs", "Proofs", [
    ["Organization", code(facts.orgId)],
    ["Tenant", code(facts.creTenantId)],
    ["Workflow owner", code(facts.workflowOwner)],
    ["Signatures needed", html`${minRequiredSignatures} of ${signers.length}`],
    ["Oracle keys", html`${signers.map((signer) => html`${code(signer)}<br>`)}`],
  ]);
}

function usage({ apiKey = "<key>", local }: PageFacts, { baseUrl }: Moment): Html {
  return html`<section aria-labelledby="use">
<h2 id="use">How to use it</h2>
<p>In Node-RED: add a connection with the base URL and the API key above, and the organization and oracle keys from
<em>Proofs</em>. With <code>npm start</code>, the connection is already set up.
${local ? html`For the example flows, import the text at <a href="/local/node-red.json">${baseUrl}/local/node-red.json</a>, then the examples.` : ""}
From a shell:</p>
<pre tabindex="0">curl -H 'Authorization: Apikey ${apiKey}' ${baseUrl}/networks
curl -H 'Authorization: Apikey ${apiKey}' -H 'Content-Type: application/json' \\
  -d '{"name": "my channel"}' ${baseUrl}/channels</pre>
<p>To stop the service, press Ctrl-C where it was started. Its data is kept for the next start.</p>
</section>`;
}

function testing({ injected }: Context, { apiKey = "<key>" }: PageFacts, { baseUrl }: Moment): Html {
  const waiting = [
    ...injected.failures.list().map(({ kind, times }) => `${times} × ${kind} fails`),
    ...injected.deliveries.proofs.list().map(({ action, times }) => `${times} × proof: ${action}`),
    ...injected.deliveries.events.list().map(({ action, times }) => `${times} × event: ${action}`),
  ];
  return html`<section aria-labelledby="testing" data-renew="testing">
<h2 id="testing">For tests</h2>
<p>Under <code>/local</code>: <code>faucet</code>, <code>mine</code>, <code>reorg</code>, <code>speed</code>,
<code>traffic</code>, <code>guarded-token</code>, <code>dvp</code>, <code>dta</code>, <code>faults</code>, <code>failures</code>, <code>absences</code>, <code>proofs</code>, <code>deliveries</code>,
<code>status</code>, <code>timeline</code>. To see an event, send one token:</p>
<pre tabindex="0">curl -H 'Authorization: Apikey ${apiKey}' -H 'Content-Type: application/json' \\
  -d '{}' ${baseUrl}/local/faucet</pre>
${waiting.length === 0 ? "" : html`<p>Waiting injected failures: ${waiting.join("; ")}.</p>`}
</section>`;
}

/** To the second, in local time. */
function shown(time: Date): string {
  return time.toLocaleString("sv");
}

import { readFile } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import Type from "typebox";
import type { Context } from "../../context.ts";
import { conflict, forbidden, invalid } from "../../errors.ts";
import { nodeRedImport } from "../../flow-variables.ts";
import { ownFile } from "../../own-files.ts";
import { POSITION_PATTERN } from "../../store/timeline.ts";
import { TimelineEntry } from "../../timeline/entry.ts";
import { MAX_CLIENTS, TimelineFeed } from "../../timeline/feed.ts";
import { documented } from "../openapi.ts";
import type { Routes } from "../routes.ts";
import { wholeNumber } from "../schemas.ts";

/** The variables of the example flows, by the origin under which a client calls the service. */
export type FlowVariablesAt = (origin: string) => Record<string, string>;

/** The modules of the page's script. */
const SCRIPTS = ["timeline", "stream", "view", "words"] as const;

/** What the start page loads, without a key where the page is shown without one. */
export const PAGE_PATHS: ReadonlySet<string> = new Set([
  "/local/timeline",
  "/local/timeline/stream",
  ...SCRIPTS.map((name) => `/local/page/${name}.mjs`),
]);

/** The answer has the signing key of the examples. Like the time line, it needs no API key where that is public. */
export const NODE_RED_PATH = "/local/node-red.json";

/** No other origin may use these answers, not even without reading them. */
const HEADERS = {
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

const Newest = Type.Object(
  { entries: Type.Array(TimelineEntry, { description: "newest first" }) },
  { title: "Timeline", description: "the newest entries of the time line" },
);
const limit = wholeNumber(1, 500, 100);
/** A browser resumes with the header. The page does so with the parameter, which it can set. */
const Position = Type.Object({
  after: Type.Optional(Type.String({ pattern: POSITION_PATTERN, description: "the id of an entry" })),
});

/** What happened in the service: as JSON, as a stream of server-sent events, and the script that shows it. */
export function timelineRoutes(app: Routes, context: Context): void {
  let started: TimelineFeed | undefined;
  const feed = () => {
    started ??= new TimelineFeed(context);
    return started;
  };
  app.addHook("preClose", async () => started?.stop());

  app.get(
    "/timeline",
    documented("local", "getTimeline", {
      summary:
        "What happened last: channels, watchers, wallets, operations, queries, events, injected failures",
      querystring: Type.Object({ limit }),
      answers: { 200: Newest },
    }),
    (request, reply) => {
      reply.headers(HEADERS);
      return { entries: feed().newest(request.query.limit) };
    },
  );

  app.get("/timeline/stream", { schema: { hide: true, querystring: Position } }, async (request, reply) => {
    if (feed().isFull) {
      throw conflict(
        `${MAX_CLIENTS} programs read the time line already. Close a page or program that does, and try again.`,
      );
    }
    const header = request.headers["last-event-id"];
    const lastEventId = typeof header === "string" && header !== "" ? header : request.query.after;
    reply.hijack();
    reply.raw.writeHead(200, {
      ...HEADERS,
      "content-type": "text/event-stream; charset=utf-8",
      // At a stop, the connection ends with the stream.
      connection: "close",
    });
    feed().add(reply.raw, lastEventId);
  });

  for (const name of SCRIPTS) {
    const file = ownFile(`src/page/${name}.mjs`);
    app.get(`/page/${name}.mjs`, { schema: { hide: true } }, async (_request, reply) => {
      reply.headers({ ...HEADERS, "content-type": "text/javascript; charset=utf-8" });
      return await readFile(file, "utf8");
    });
  }
}

/**
 * Refuses requests without a key that pages of other origins make, such as an image with this address: they could
 * otherwise use up the streams.
 *
 * @throws ApiError 403
 */
export function refuseOtherPages(fetchSite: string | string[] | undefined): void {
  if (fetchSite === undefined || fetchSite === "same-origin" || fetchSite === "none") return;
  throw forbidden("Only the start page of this service may ask for this without a key.");
}

/** What a person imports into Node-RED, so that the example flows use this service. */
export function nodeRedRoute(app: Routes, variablesAt: FlowVariablesAt): void {
  app.get("/node-red.json", { schema: { hide: true } }, ({ headers }, reply) => {
    reply.headers({ ...HEADERS, "content-type": "application/json; charset=utf-8" });
    return JSON.stringify(nodeRedImport(variablesAt(originCalled(headers.host))), undefined, 2);
  });
}

/**
 * Whether a person opens this in a tab of a browser, perhaps by a link in a guide on the web. The page with the link
 * cannot read the tab. Scripts of pages cannot set these headers.
 */
export function isOpenedInTab(headers: IncomingHttpHeaders): boolean {
  return headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
}

/**
 * The origin under which a client calls the service: in a network, that is another one than the service listens on.
 *
 * @throws ApiError 400
 */
export function originCalled(host: string | undefined): string {
  const url = host === undefined ? null : URL.parse(`http://${host}`);
  if (url !== null) return url.origin;
  throw invalid("The header Host is missing or invalid. Send the address of this service in it.");
}

import { readFile } from "node:fs/promises";
import Type from "typebox";
import type { Context } from "../../context.ts";
import { conflict, forbidden } from "../../errors.ts";
import { ownFile } from "../../own-files.ts";
import { POSITION_PATTERN } from "../../store/timeline.ts";
import { TimelineEntry } from "../../timeline/entry.ts";
import { MAX_CLIENTS, TimelineFeed } from "../../timeline/feed.ts";
import type { Routes } from "../routes.ts";

/** The modules of the page's script. */
const SCRIPTS = ["timeline", "stream", "view", "words"] as const;

/** What the start page loads, without a key where the page is shown without one. */
export const PAGE_PATHS: ReadonlySet<string> = new Set([
  "/local/timeline",
  "/local/timeline/stream",
  ...SCRIPTS.map((name) => `/local/page/${name}.mjs`),
]);

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
const limit = Type.Integer({
  minimum: 1,
  maximum: 500,
  default: 100,
  description: "a whole number from 1 to 500",
});
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
    {
      schema: {
        tags: ["local"],
        operationId: "getTimeline",
        summary:
          "What happened last: channels, watchers, wallets, operations, queries, events, injected failures",
        querystring: Type.Object({ limit }),
        answers: { 200: Newest },
      },
    },
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

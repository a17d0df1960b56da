import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { EventEnvelope } from "../../src/protocol/index.ts";

export type EventServer = { baseUrl: string; close(): Promise<void> };

/**
 * Serves the JSON of stored events, of which the first has offset 1, as pages of every channel: fast, and nothing
 * else of the service.
 */
export async function startEventServer(texts: readonly string[]): Promise<EventServer> {
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://localhost");
    const limit = Number(searchParams.get("limit") ?? 200);
    const from = searchParams.get("offset");
    const start = from === null ? Math.max(0, texts.length - limit) : Math.max(0, Number(from) - 1);
    const page = texts.slice(start, start + limit);
    if (from === null) page.reverse();
    const hasMore = from === null ? start > 0 : start + limit < texts.length;
    response.setHeader("content-type", "application/json");
    response.end(`{"events":[${page.join(",")}],"has_more":${hasMore}}`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** An event of a size like that of a status. */
export function storedEvent(offset: number): EventEnvelope {
  return {
    event_id: `00000000-0000-4000-8000-${String(offset).padStart(12, "0")}`,
    headers: { type: "watcher.status", offset, proofs: [] },
    payload: { status: "active", watcher_id: "w", timestamp: 1_800_000_000 + offset },
  };
}

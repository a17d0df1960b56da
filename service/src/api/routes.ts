import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from "fastify";

/** Fastify with request types inferred from the routes' schemas. */
export type Routes = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse<IncomingMessage>,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Whether the caller has gone, so that a long search can end early. */
export function abandonment({ raw }: Pick<FastifyRequest, "raw">): () => boolean {
  return () => raw.socket.destroyed;
}

/** How long it writes before it yields. */
const SLICE_MS = 5;

/** A page as JSON, written item by item: writing a hundred large ones together would block all other requests. */
export async function pageText(page: { data: readonly object[]; has_more: boolean }): Promise<string> {
  const items: string[] = [];
  let start = performance.now();
  for (const item of page.data) {
    items.push(JSON.stringify(item));
    if (performance.now() - start < SLICE_MS) continue;
    await yieldToOthers();
    start = performance.now();
  }
  return `{"data":[${items.join(",")}],"has_more":${page.has_more}}`;
}

import type { IncomingMessage, ServerResponse } from "node:http";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from "fastify";
import { Yielder } from "../store/yielder.ts";

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

/** A page as JSON, written item by item: writing a hundred large ones together would block all other requests. */
export async function pageText(page: { data: readonly object[]; has_more: boolean }): Promise<string> {
  const yielder = new Yielder();
  const items: string[] = [];
  for (const item of page.data) {
    if (yielder.shouldYield()) await yielder.yield();
    items.push(JSON.stringify(item));
  }
  return `{"data":[${items.join(",")}],"has_more":${page.has_more}}`;
}

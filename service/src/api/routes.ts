import type { IncomingMessage, ServerResponse } from "node:http";
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

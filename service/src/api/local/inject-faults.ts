import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Fault, Faults } from "../../injected-failures/faults.ts";
import type { Routes } from "../routes.ts";

const UNAVAILABLE = 503;
/** Error types of statuses with their own type. */
const TYPES: Record<number, string> = {
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  409: "CONFLICT",
};

/** Applies faults to requests, except for /local and the start page. `onApplied` gets words for people. */
export function injectFaults(
  app: Routes,
  faults: Faults,
  onApplied: (what: string) => void = () => {},
): void {
  const met = new WeakMap<object, Fault>();
  const closing = new AbortController();
  app.addHook("preClose", async () => closing.abort());

  app.addHook("onRequest", async (request, reply) => {
    const path = request.url.split("?", 1)[0] ?? "";
    if (path.startsWith("/local") || path === "/") return;
    const fault = faults.take(request.method, path);
    if (fault === undefined) return;
    met.set(request, fault);
    const status = fault.status ?? UNAVAILABLE;
    const what = fault.action === "status" ? `answered with ${status}` : fault.action.replaceAll("_", " ");
    onApplied(`${request.method} ${path}: ${what}`);
    if (fault.action === "reset") cut(request, reply);
    if (fault.action === "status") {
      const type = TYPES[status] ?? (status < 500 ? "VALIDATION_ERROR" : "INTERNAL_ERROR");
      const body = fault.body ?? { type, message: "This answer was asked for under /local/faults." };
      reply.type("application/json; charset=utf-8");
      // As text, so that Fastify does not serialize it.
      await reply
        .code(status)
        .headers(fault.headers ?? {})
        .send(typeof body === "string" ? body : JSON.stringify(body));
    }
  });

  // After the request has arrived: the time for that is limited.
  app.addHook("preValidation", async (request, reply) => {
    const fault = met.get(request);
    if (fault?.action !== "delay") return;
    const waited = sleep(fault.delayMs ?? 1000, true, { signal: closing.signal }).catch(() => false);
    // The service is closing: there is no answer.
    if (!(await waited)) cut(request, reply);
  });

  app.addHook("onSend", async (request, reply, payload) => {
    const fault = met.get(request);
    if (fault?.action === "drop_answer") cut(request, reply);
    const isWhole = typeof payload === "string" || Buffer.isBuffer(payload);
    if (fault?.action === "truncate" && (isWhole || payload instanceof Readable)) {
      reply.hijack();
      const body = isWhole ? Buffer.from(payload) : Buffer.concat(await payload.toArray());
      reply.raw.writeHead(reply.statusCode, {
        "content-type": "application/json",
        "content-length": body.length,
      });
      reply.raw.write(body.subarray(0, body.length >> 1), () => request.raw.socket.destroy());
    }
    return payload;
  });
}

/** Cuts the connection without an answer. */
function cut(request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  request.raw.socket.destroy();
}

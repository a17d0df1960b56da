import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Fault, Faults } from "../../injected-failures/faults.ts";
import type { Routes } from "../routes.ts";

/** Error types that say more than client's or service's fault. */
const TYPES: Record<number, string> = {
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  409: "CONFLICT",
};

/** Lets requests meet their faults. Those under /local and the start page never do. */
export function injectFaults(app: Routes, faults: Faults): void {
  const met = new WeakMap<object, Fault>();
  const closing = new AbortController();
  app.addHook("preClose", async () => closing.abort());

  app.addHook("onRequest", async (request, reply) => {
    const path = request.url.split("?", 1)[0] ?? "";
    if (path.startsWith("/local") || path === "/") return;
    const fault = faults.take(request.method, path);
    if (fault === undefined) return;
    met.set(request, fault);
    if (fault.action === "reset") cut(request, reply);
    if (fault.action === "status") {
      const status = fault.status ?? 503;
      const type = TYPES[status] ?? (status < 500 ? "VALIDATION_ERROR" : "INTERNAL_ERROR");
      const body = fault.body ?? { type, message: "This answer was asked for under /local/faults." };
      reply.type("application/json; charset=utf-8");
      // As text: an answer of another content type is made into nothing else.
      await reply
        .code(status)
        .headers(fault.headers ?? {})
        .send(typeof body === "string" ? body : JSON.stringify(body));
    }
  });

  // Once the request has arrived: the time that takes is limited.
  app.addHook("preValidation", async (request, reply) => {
    const fault = met.get(request);
    if (fault?.action !== "delay") return;
    const waited = sleep(fault.delayMs ?? 1000, true, { signal: closing.signal }).catch(() => false);
    // Nobody waits for an answer any more, and nothing is there to do it with.
    if (!(await waited)) cut(request, reply);
  });

  app.addHook("onSend", async (request, reply, payload) => {
    const fault = met.get(request);
    if (fault?.action === "drop_answer") cut(request, reply);
    if (fault?.action === "truncate" && (typeof payload === "string" || Buffer.isBuffer(payload))) {
      reply.hijack();
      const body = Buffer.from(payload);
      reply.raw.writeHead(reply.statusCode, {
        "content-type": "application/json",
        "content-length": body.length,
      });
      reply.raw.write(body.subarray(0, body.length >> 1), () => request.raw.socket.destroy());
    }
    return payload;
  });
}

/** No answer any more, and no connection. */
function cut(request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  request.raw.socket.destroy();
}

import { validateHeaderName, validateHeaderValue } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type, { type Static } from "typebox";
import { messageOf } from "../problem.ts";
import { invalid } from "./errors.ts";
import type { Routes } from "./routes.ts";
import { milliseconds, oneOf, STRICT, times } from "./schemas.ts";

/**
 * Failures on request, for those who test a client. `status`: answers with `status` at once. `delay`: waits
 * `delayMs`, then goes on. `reset`: cuts the connection before anything is done. `drop_answer`: does everything,
 * then cuts the connection without a word. `truncate`: does everything, then sends half the answer.
 */
export const Fault = Type.Object(
  {
    match: Type.Optional(
      Type.Object(
        { method: Type.Optional(Type.String()), path: Type.Optional(Type.String()) },
        { description: "an object of method and path, or one of them", ...STRICT },
      ),
    ),
    times: times("requests it meets"),
    action: oneOf(["status", "delay", "reset", "drop_answer", "truncate"] as const),
    status: Type.Optional(
      Type.Integer({ minimum: 400, maximum: 599, description: "an HTTP status from 400 to 599" }),
    ),
    delayMs: Type.Optional(milliseconds(1000)),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: "an object of names and texts" }),
    ),
    body: Type.Optional(
      Type.String({
        description: "the body as a text; without it an error's. JSON, unless headers say otherwise",
      }),
    ),
  },
  {
    title: "Fault",
    description: "an object that says what goes wrong, with which of the next calls",
    ...STRICT,
  },
);
export type Fault = Static<typeof Fault>;

/** Headers that say where an answer ends, and so are not to be chosen. */
const FRAMING = ["content-length", "transfer-encoding", "trailer", "upgrade"];

/** @throws ApiError 400 when no answer can have these headers. */
export function refuseImpossibleHeaders({ headers = {} }: Fault): void {
  for (const [name, value] of Object.entries(headers)) {
    if (FRAMING.includes(name.toLowerCase())) {
      throw invalid(`headers must not have ${name}: it is set by what the answer is. Leave it out.`);
    }
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch (error) {
      throw invalid(
        `headers cannot be sent as they are: ${messageOf(error)}. Correct the header, or leave it out.`,
      );
    }
  }
}

/** The faults that wait for their requests, in the order they were asked for. */
export class Faults {
  #waiting: Fault[] = [];

  add(fault: Fault): void {
    this.#waiting.push({ ...fault });
  }

  clear(): void {
    this.#waiting = [];
  }

  list(): Fault[] {
    return this.#waiting;
  }

  /** The fault this request meets, counted. `path` matches as a part of the request's path. */
  take(method: string, path: string): Fault | undefined {
    const fault = this.#waiting.find(
      ({ match }) =>
        (match?.method === undefined || match.method.toUpperCase() === method) &&
        path.includes(match?.path ?? ""),
    );
    if (fault === undefined) return undefined;
    fault.times -= 1;
    if (fault.times <= 0) this.#waiting = this.#waiting.filter((other) => other !== fault);
    return fault;
  }
}

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
    const waited = delay(fault.delayMs ?? 1000, true, { signal: closing.signal }).catch(() => false);
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

import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../../context.ts";
import type { Fault, Faults } from "../../injected-failures/lists.ts";
import type { Routes } from "../routes.ts";

const UNAVAILABLE = 503;
/** Error types of statuses with their own type. */
const TYPES: Record<number, string> = {
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  409: "CONFLICT",
};

/** The lists of injected failures: paths under /local. */
const LISTS: ReadonlySet<string> = new Set(["faults", "failures", "absences", "proofs", "deliveries"]);
/** A path or a reason can be long. */
const MAX_DETAILS = 300;

/** Applies faults to requests, except for /local and the start page. `onApplied` gets words for people. */
export function injectFaults(
  app: Routes,
  faults: Faults,
  onApplied: (what: string) => void = () => {},
): void {
  const met = new WeakMap<object, Fault>();
  const closing = new AbortController();
  app.addHook("preClose", async () => closing.abort());

  app.addHook("onRequest", (request, reply, done) => {
    const path = request.url.split("?", 1)[0] ?? "";
    const isExempt = path.startsWith("/local") || path === "/";
    const fault = isExempt ? undefined : faults.take(request.method, path);
    if (fault === undefined) return done();
    met.set(request, fault);
    const status = fault.status ?? UNAVAILABLE;
    const what = fault.action === "status" ? `answered with ${status}` : fault.action.replaceAll("_", " ");
    onApplied(`${request.method} ${path}: ${what}`);
    if (fault.action === "reset") return cut(request, reply);
    if (fault.action !== "status") return done();
    const type = TYPES[status] ?? (status < 500 ? "VALIDATION_ERROR" : "INTERNAL_ERROR");
    const body = fault.body ?? { type, message: "This answer was asked for under /local/faults." };
    reply.type("application/json; charset=utf-8");
    // As text, so that Fastify does not serialize it.
    reply
      .code(status)
      .headers(fault.headers ?? {})
      .send(typeof body === "string" ? body : JSON.stringify(body));
  });

  // After the request has arrived: the time for that is limited.
  app.addHook("preValidation", (request, reply, done) => {
    const fault = met.get(request);
    if (fault?.action !== "delay") return done();
    sleep(fault.delayMs ?? 1000, true, { signal: closing.signal }).then(
      () => done(),
      // The service is closing: there is no answer.
      () => cut(request, reply),
    );
  });

  app.addHook("onSend", (request, reply, payload, done) => {
    const fault = met.get(request);
    if (fault?.action === "drop_answer") return cut(request, reply);
    const isWhole = typeof payload === "string" || Buffer.isBuffer(payload);
    if (fault?.action !== "truncate" || !(isWhole || payload instanceof Readable)) return done();
    reply.hijack();
    const all = isWhole ? [Buffer.from(payload)] : payload.toArray();
    Promise.resolve(all).then((parts) => sendHalf(reply, Buffer.concat(parts)), done);
  });
}

function sendHalf({ raw, statusCode }: FastifyReply, body: Buffer): void {
  raw.writeHead(statusCode, { "content-type": "application/json", "content-length": body.length });
  raw.write(body.subarray(0, body.length >> 1), () => raw.socket?.destroy());
}

/** Cuts the connection without an answer. */
function cut(request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  request.raw.socket.destroy();
}

/** Puts what a tester asks for into the time line, before the answer is sent. */
export function noteInjected(app: Routes, context: Context): void {
  app.addHook("onSend", async (request, reply) => {
    const list = request.url.split(/[/?]/)[2] ?? "";
    if (!LISTS.has(list) || reply.statusCode >= 300) return;
    if (request.method === "DELETE") note(context, list, "cleared");
    if (request.method === "POST") note(context, list, "asked", details(list, request.body));
  });
}

/** `details` are words for people. */
export function note(
  { store }: Pick<Context, "store">,
  list: string,
  state: "asked" | "applied" | "cleared",
  details?: string,
): void {
  const shown = details?.slice(0, MAX_DETAILS);
  store.timeline.add({
    kind: "injected",
    facts: { list, state, ...(shown === undefined ? {} : { details: shown }) },
  });
}

/** Without headers and bodies, which a tester chooses freely. */
function details(list: string, body: unknown): string {
  const { times, action, kind, status, delayMs, reason, match } = body as {
    times: number;
    action?: string;
    kind?: string;
    status?: number;
    delayMs?: number;
    reason?: string;
    match?: { method?: string; path?: string; type?: string };
  };
  const what = [
    (action === "status" ? `answer with ${status ?? 503}` : action?.replaceAll("_", " ")) ??
      (list === "failures" ? `${kind} fails` : `${kind ?? "any resource"} not found`),
    ...(delayMs === undefined || !["delay", "late", undefined].includes(action) ? [] : [`for ${delayMs} ms`]),
  ].join(" ");
  const where = [match?.method, match?.path, match?.type].filter((part) => part !== undefined).join(" ");
  return `${times} × ${what}${where === "" ? "" : ` (${where})`}${reason === undefined ? "" : `: ${reason}`}`;
}

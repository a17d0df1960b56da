import type { Context } from "../../context.ts";
import type { Routes } from "../routes.ts";

/** The lists of injected failures: paths under /local. */
const LISTS: ReadonlySet<string> = new Set(["faults", "failures", "absences", "proofs", "deliveries"]);
/** A path or a reason can be long. */
const MAX_DETAILS = 300;

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

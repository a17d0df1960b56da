import { randomBytes } from "node:crypto";
import { answerForms, fieldsOf, textIn } from "../../../nodes/common/admin/answer.ts";
import { dropOldest } from "../../../nodes/common/shared/collections.ts";
import type { MonitorContext } from "../context.ts";
import { type OpenAnswer, TOPICS } from "../types.ts";
import { Pusher, RENEW_MS } from "./pusher.ts";
import { allSections } from "./sections.ts";

/**
 * A message that a browser sent over the editor's web socket. Its data are not checked yet: an error that they cause
 * in a listener ends Node-RED.
 */
type FromBrowser = { session: string; data: unknown };

/**
 * Pushes what has changed to the sidebars that are open, over the editor's own web socket. That checks no permission of
 * ours: a sidebar asks for a ticket by a request, which needs `crec.read`, and asks again each minute.
 */
export function registerPush(monitor: MonitorContext): void {
  const { RED } = monitor;
  const now = () => performance.now();
  const tickets = new Tickets(now);
  const pusher = new Pusher({
    sections: () => allSections(monitor),
    send: (session, update) =>
      RED.events.emit("comms", { topic: TOPICS.update, data: update, retain: false, session }),
    onProblem: (section, error) =>
      RED.log.error(`The sidebar "CRE Connect" cannot show its ${section}: ${String(error)}`),
    now,
  });

  answerForms(RED, "post", "/crec/monitor/open", "crec.read", (): OpenAnswer => {
    return { ticket: tickets.issue(), renewMs: RENEW_MS };
  });
  RED.events.on(`comms:message:${TOPICS.open}`, ({ session, data }: FromBrowser) => {
    if (tickets.redeem(textIn(fieldsOf(data).ticket))) pusher.open(session);
  });
  RED.events.on(`comms:message:${TOPICS.seen}`, ({ session, data }: FromBrowser) => {
    pusher.acknowledge(session, Number(textIn(fieldsOf(data).number)));
  });
  RED.events.on(`comms:message:${TOPICS.close}`, ({ session }: FromBrowser) => pusher.close(session));
  RED.comms.publish(TOPICS.connected, true, true);
  RED.events.on("comms:connection-removed", ({ session }: { session: string }) => pusher.close(session));
}

/** A browser sends its ticket at once. */
const LIFE_MS = 30_000;
/** More than that many sidebars do not open within half a minute. */
const MOST = 200;

/**
 * Tickets that carry a permission from a request to a message of the editor's web socket: Node-RED checks permissions of
 * requests only. Each is valid once, for 30 seconds.
 */
export class Tickets {
  readonly #endOf = new Map<string, number>();
  readonly #now: () => number;

  /** @param now in milliseconds, of a clock that is never set */
  constructor(now: () => number) {
    this.#now = now;
  }

  issue(): string {
    const ticket = randomBytes(32).toString("base64url");
    this.#endOf.set(ticket, this.#now() + LIFE_MS);
    dropOldest(this.#endOf, MOST);
    return ticket;
  }

  /** Whether it was issued, and is neither used nor too old. */
  redeem(ticket: string): boolean {
    const end = this.#endOf.get(ticket);
    this.#endOf.delete(ticket);
    return end !== undefined && this.#now() < end;
  }
}

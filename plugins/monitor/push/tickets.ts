import { randomBytes } from "node:crypto";
import { dropOldest } from "../../../nodes/common/shared/drop-oldest.ts";

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

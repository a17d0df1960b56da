import type { Call } from "../../http/index.ts";
import { canonicalAddress, canonicalId, isAddress, isSameId } from "../../protocol/index.ts";
import { isObject } from "./checks.ts";

/** How late and how inexact the service may be, as far as this client bridges it. */

/** Milliseconds for which the service may answer 404 about what it has created, and leave it out of lists. */
export const SHOWN_WITHIN_MS = 30_000;
/** Milliseconds by which the clocks of two machines may differ. */
export const MAX_CLOCK_SKEW_MS = 60_000;

/** Of more ids and names than this, the oldest are forgotten. */
const MAX_ENTRIES = 1_000;

/** The part of a path before an id, and the first word of the code for an unknown id. */
const COLLECTIONS: ReadonlyMap<string, string> = new Map([
  ["channels", "CHANNEL"],
  ["wallets", "WALLET"],
  ["watchers", "WATCHER"],
  ["operations", "OPERATION"],
  ["queries", "QUERY"],
]);
/** The same for the fields of a query or a body. An operation has the address of its wallet. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ["status_channel_id", "CHANNEL"],
  ["wallet_id", "WALLET"],
  ["address", "WALLET"],
  ["watcher_id", "WATCHER"],
]);
/** The paths of the service. A 404 without a code for any other path means the path. */
const KNOWN_PATH =
  /^\/(?:wallets|channels)\/[^/]+(?:\/(?:(?:watchers|operations|queries)(?:\/[^/]+)?|events(?:\/search)?))?$/;

type Named = Pick<Call, "path" | "query" | "body">;

/** Remembers what was created in the last 30 s, by id and name. `now` is a steady clock, in milliseconds. */
export class JustCreated {
  readonly #now: () => number;
  /** When each id was created. */
  readonly #ids = new Map<string, number>();
  /** The id of each name under which something was created and not changed since. */
  readonly #names = new Map<string, string>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Remembers an id. The first time counts: to note it again does not make it younger. */
  note(id: string, ageMs = 0): void {
    const now = this.#now();
    for (const [old, at] of this.#ids) {
      if (now - at < SHOWN_WITHIN_MS && this.#ids.size < MAX_ENTRIES) break;
      this.#ids.delete(old);
    }
    const key = canonical(id);
    if (ageMs < SHOWN_WITHIN_MS && !this.#ids.has(key)) this.#ids.set(key, now - ageMs);
  }

  /** How many milliseconds ago an id was created; undefined when that was not in the last 30 s. */
  ageOf(id: string): number | undefined {
    const at = this.#ids.get(canonical(id));
    const age = at === undefined ? SHOWN_WITHIN_MS : this.#now() - at;
    return age < SHOWN_WITHIN_MS ? age : undefined;
  }

  /** For how many milliseconds the list at this path may still lack what was created under this name. */
  graceOfName(path: string, name: string): number {
    const id = this.#names.get(nameAt(path, name));
    const age = id === undefined ? undefined : this.ageOf(id);
    return age === undefined ? 0 : SHOWN_WITHIN_MS - age;
  }

  /** For how many milliseconds a 404 to this call may still be because what it names was just created. */
  graceOf(call: Named, code: string): number {
    const path = pathOf(call);
    const [, missing] = /^([A-Z]+)_NOT_FOUND$/.exec(code) ?? [];
    if (missing === undefined && !(code === "NOT_FOUND" && KNOWN_PATH.test(path))) return 0;
    const ages = namesIn(path, call).flatMap(([kind, id]) =>
      missing === undefined || missing === kind ? [this.ageOf(id) ?? SHOWN_WITHIN_MS] : [],
    );
    return SHOWN_WITHIN_MS - Math.min(SHOWN_WITHIN_MS, ...ages);
  }

  /**
   * Remembers what a call created, from its answer, and the address of a wallet once it has one. Other answers are not
   * read: they may be large, and would have to be parsed.
   */
  learn(call: Named & Pick<Call, "method">, answerOf: () => unknown): void {
    const path = pathOf(call);
    const created = call.method === "POST" ? COLLECTIONS.get(path.split("/").at(-1) ?? "") : undefined;
    const mayHaveAddress = path.startsWith("/wallets") && this.#ids.size > 0;
    if (created === undefined && call.method !== "PATCH" && !mayHaveAddress) return;
    const answer = answerOf();
    if (!isObject(answer)) return;
    if (created !== undefined) {
      const id = answer[`${created.toLowerCase()}_id`];
      if (typeof id === "string") {
        this.note(id);
        this.#noteName(call, id);
      }
    }
    if (call.method === "PATCH") {
      const changed = path.split("/").at(-1) ?? "";
      this.#forgetNames(changed);
      // For new queries, the service does not find an archived channel.
      if (answer.status === "archived") this.#ids.delete(canonical(changed));
    }
    if (this.#ids.size === 0 || !path.startsWith("/wallets")) return;
    for (const wallet of Array.isArray(answer.data) ? answer.data : [answer]) {
      const { wallet_id: id, address } = isObject(wallet) ? wallet : {};
      const age = typeof id === "string" ? this.ageOf(id) : undefined;
      if (age !== undefined && typeof address === "string" && address !== "") this.note(address, age);
    }
  }

  #noteName(call: Named, id: string): void {
    const name = isObject(call.body) ? call.body.name : undefined;
    if (typeof name !== "string") return;
    const [oldest] = this.#names.keys();
    if (oldest !== undefined && this.#names.size >= MAX_ENTRIES) this.#names.delete(oldest);
    this.#names.set(nameAt(pathOf(call), name), id);
  }

  /** A changed resource may have another name, or be archived. */
  #forgetNames(id: string): void {
    for (const [name, its] of this.#names) {
      if (isSameId(its, id)) this.#names.delete(name);
    }
  }
}

/** Wallets are remembered by their address, too. */
function canonical(idOrAddress: string): string {
  return isAddress(idOrAddress) ? canonicalAddress(idOrAddress) : canonicalId(idOrAddress);
}

function nameAt(path: string, name: string): string {
  return `${path.toLowerCase()} ${name}`;
}

function pathOf({ path }: Named): string {
  return path.replace(/[?].*$/s, "").replace(/\/+$/, "");
}

/** Every id in a call, with the kind of resource it belongs to. */
function namesIn(path: string, { query, body }: Named): Array<readonly [kind: string, id: string]> {
  const parts = path.split("/");
  const inPath = parts.flatMap((part, at) => {
    const [kind, id] = [COLLECTIONS.get(part), parts[at + 1]];
    return kind === undefined || id === undefined ? [] : [[kind, id] as const];
  });
  const fields = Object.entries({ ...query, ...(isObject(body) ? body : {}) });
  const inFields = fields.flatMap(([name, value]) => {
    const kind = FIELDS.get(name);
    return kind === undefined || typeof value !== "string" ? [] : [[kind, value] as const];
  });
  return [...inPath, ...inFields];
}

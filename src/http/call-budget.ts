import { retryAfterMs } from "./retry.ts";

/** A service may stop a client for so long by one answer, in milliseconds. Then one call asks it again. */
const LONGEST_HOLD_MS = 60_000;

const MINUTE_MS = 60_000;
/** What may be sent at once: the calls of five seconds, and no more than this. */
const BURSTS_PER_MINUTE = 12;
const LARGEST_BURST = 20;

/**
 * When the next request may be sent: a bucket of requests that fills evenly, and holds that the service asks for. In any
 * time, no more requests are sent than come in during that time, and one burst.
 */
export class CallBudget {
  /** Undefined: no limit. */
  readonly perMinute: number | undefined;
  readonly #now: () => number;
  #tokens: number;
  #filledAt: number;
  #heldUntil = Number.NEGATIVE_INFINITY;

  /** `now` is monotonic, in milliseconds. */
  constructor(perMinute: number | undefined, now: () => number) {
    this.perMinute = perMinute;
    this.#now = now;
    this.#tokens = this.burst;
    this.#filledAt = now();
  }

  /** How many requests may be sent at the same moment. */
  get burst(): number {
    if (this.perMinute === undefined) return Number.POSITIVE_INFINITY;
    return Math.min(LARGEST_BURST, Math.max(1, Math.floor(this.perMinute / BURSTS_PER_MINUTE)));
  }

  /** How much longer the service accepts no requests, in milliseconds. */
  get heldMs(): number {
    return Math.max(0, this.#heldUntil - this.#now());
  }

  /** How long until a request may be sent, in milliseconds. */
  get waitMs(): number {
    this.#fill();
    const perMs = (this.perMinute ?? 0) / MINUTE_MS;
    const missing = this.perMinute === undefined ? 0 : Math.max(0, 1 - this.#tokens);
    return Math.max(this.heldMs, missing === 0 ? 0 : missing / perMs);
  }

  /** Takes one request from the budget. */
  spend(): void {
    this.#fill();
    this.#tokens -= 1;
  }

  /** The service accepts no requests for `ms` milliseconds. Longer than a minute is cut. */
  hold(ms: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, this.#now() + Math.min(ms, LONGEST_HOLD_MS));
  }

  #fill(): void {
    const now = this.#now();
    const filled = this.#tokens + ((now - this.#filledAt) * (this.perMinute ?? 0)) / MINUTE_MS;
    this.#tokens = Math.min(this.burst, filled);
    this.#filledAt = now;
  }
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * How long the service accepts no more requests, in milliseconds, as an answer says; 0 where it says nothing of that. Read
 * are `RateLimit-Remaining` with `RateLimit-Reset`, `RateLimit` with `RateLimit-Policy`, and `Retry-After` of a 429 to a
 * GET: a call that acts may have a limit of its own. What cannot be read counts as not said.
 */
export function holdMsOf({ status, headers }: { status: number; headers: Headers }, method: string): number {
  const isHeld = status === 429 && method === "GET";
  const retryAfter = isHeld ? retryAfterMs(text(headers, "retry-after"), text(headers, "date")) : 0;
  return 1000 * Math.max((retryAfter ?? 0) / 1000, separate(headers), combined(headers));
}

/** Seconds. */
function separate(headers: Headers): number {
  const remaining = numberOf(text(headers, "ratelimit-remaining"));
  return remaining === undefined || remaining > 0 ? 0 : (numberOf(text(headers, "ratelimit-reset")) ?? 0);
}

/** Seconds: of the quotas that are used up, the one that lasts longest. */
function combined(headers: Headers): number {
  const policies = itemsOf(text(headers, "ratelimit-policy"));
  const quotas = itemsOf(text(headers, "ratelimit"));
  const windowOf = (name: string) => policies.find((policy) => policy.name === name)?.values.get("w");
  const resets = quotas.map(({ name, values }) => {
    const remaining = numberOf(values.get("r"));
    return remaining === undefined || remaining > 0 ? 0 : numberOf(values.get("t") ?? windowOf(name));
  });
  // An older form has no names: `limit=100, remaining=0, reset=5`.
  const flat = new Map(quotas.map(({ name }) => splitAt(name, "=")));
  const left = numberOf(flat.get("remaining"));
  const reset = left !== undefined && left <= 0 ? numberOf(flat.get("reset")) : 0;
  return Math.max(0, reset ?? 0, ...resets.map((seconds) => seconds ?? 0));
}

type Item = { name: string; values: Map<string, string> };

/** The items of `"a";r=1;t=2, "b";r=3`. */
function itemsOf(header: string): Item[] {
  return split(header, ",").map((item) => {
    const [name = "", ...values] = split(item, ";").map((part) => part.trim());
    return { name, values: new Map(values.map((value) => splitAt(value, "="))) };
  });
}

/** Splits where the separator is not inside quotes. */
function split(whole: string, separator: string): string[] {
  const parts = [""];
  let isQuoted = false;
  for (const character of whole) {
    if (character === '"') isQuoted = !isQuoted;
    if (character === separator && !isQuoted) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts;
}

function splitAt(whole: string, separator: string): [string, string] {
  const at = whole.indexOf(separator);
  return at < 0 ? [whole, ""] : [whole.slice(0, at).trim(), whole.slice(at + 1).trim()];
}

function numberOf(written: string | undefined): number | undefined {
  return written !== undefined && /^-?\d{1,15}$/.test(written.trim()) ? Number(written) : undefined;
}

/** At most so many characters are read of a header. */
const MOST_CHARACTERS = 1_000;

function text(headers: Headers, name: string): string {
  const value = headers[name];
  return (Array.isArray(value) ? value.join(",") : (value ?? "")).slice(0, MOST_CHARACTERS);
}

import type { ChannelEvent } from "../../../src/index.ts";

/**
 * Objects and lists inside one another. Node-RED copies a message for each further wire, and many nodes do so too,
 * by calls inside one another: at some thousand levels that ends with an error, at a node that has more on its
 * stack earlier.
 */
export const DEEPEST = 500;
/** What is left of a value that is deeper. */
const SHOWN = 50;

/** Whether a message with this value could not be copied. Takes a value of any depth. */
export function isTooDeep(value: unknown): boolean {
  let level = [value].filter(isNested);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return true;
    level = level.flatMap((one) => Object.values(one).filter(isNested));
  }
  return false;
}

/** A copy whose lowest levels are cut off, with … in their place. */
export function cutOff<T>(value: T, levels = SHOWN): T {
  if (!isNested(value)) return value;
  if (levels === 0) return "…" as T;
  const inner = (one: unknown) => cutOff(one, levels - 1);
  if (Array.isArray(value)) return value.map(inner) as T;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inner(one)])) as T;
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** More than these are a sender's play. */
const MOST = 10;
const LONGEST = 60;

/** Remembers the names of event types that this version does not know, for a person to read. */
export class UnknownTypes {
  readonly #isKnown: (event: ChannelEvent) => boolean;
  readonly #names = new Set<string>();

  constructor(isKnown: (event: ChannelEvent) => boolean) {
    this.#isKnown = isKnown;
  }

  get names(): string[] {
    return [...this.#names];
  }

  note(event: ChannelEvent): void {
    if (this.#names.size < MOST && !this.#isKnown(event))
      this.#names.add(visible(String(event.headers.type)));
  }
}

/** What cannot be seen, or looks like another letter, is written as its code: `watcher.event\u{200b}`. */
function visible(name: string): string {
  const written = name.replace(/[^ -~]/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);
  return written.length > LONGEST ? `${written.slice(0, LONGEST)}…` : written;
}

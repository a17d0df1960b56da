import type { ChannelEvent } from "../../src/index.ts";

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

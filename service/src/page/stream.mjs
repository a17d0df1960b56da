// @ts-check
// Reads the stream of entries, and connects again when it is lost.

/** @typedef {import("../timeline/entry.ts").TimelineEntry} Entry */
/**
 * @typedef {object} Listener
 * @property {(entry: Entry) => void} onEntry
 * @property {() => void} onReset entries are missing: everything is sent again
 * @property {(state: "connected" | "lost") => void} onState
 */

const STREAM = "/local/timeline/stream";
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 5000;

export class EntryStream {
  /** @type {Listener} */
  #listener;
  /** @type {EventSource | undefined} */
  #source;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retry;
  #delay = FIRST_DELAY_MS;
  /** The id of the last entry. It continues there. */
  #last = "";

  /** @param {Listener} listener */
  constructor(listener) {
    this.#listener = listener;
  }

  open() {
    this.close();
    const after = this.#last === "" ? "" : `?after=${encodeURIComponent(this.#last)}`;
    const source = new EventSource(`${STREAM}${after}`);
    this.#source = source;
    source.addEventListener("open", () => {
      this.#delay = FIRST_DELAY_MS;
      this.#listener.onState("connected");
    });
    source.addEventListener("reset", ({ lastEventId }) => {
      this.#last = lastEventId;
      this.#listener.onReset();
    });
    source.addEventListener("message", ({ data, lastEventId }) => {
      this.#last = lastEventId;
      this.#listener.onEntry(JSON.parse(data));
    });
    // The browser itself gives up when it gets another status, for example while the service starts.
    source.addEventListener("error", () => {
      this.close();
      this.#listener.onState("lost");
      this.#retry = setTimeout(() => this.open(), this.#delay);
      this.#delay = Math.min(this.#delay * 2, LONGEST_DELAY_MS);
    });
  }

  close() {
    clearTimeout(this.#retry);
    this.#source?.close();
    this.#source = undefined;
  }
}

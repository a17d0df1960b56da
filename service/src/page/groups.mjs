// @ts-check
// All entries about one thing together, such as the statuses of an operation.

/** @typedef {import("../timeline/entry.ts").TimelineEntry} Entry */
/**
 * @typedef {object} Group
 * @property {string} key
 * @property {Entry[]} entries oldest first
 * @property {Entry} newest
 * @property {Entry} [cause] of an event: the operation whose transaction emitted it
 */

/** More would make the page slow. */
const MAX_GROUPS = 100;
const MAX_ENTRIES = 30;

export class Groups {
  /** By key, the one that changed last at the end. @type {Map<string, Group>} */
  #groups = new Map();
  /** Operations by the hash of their transaction. @type {Map<string, Entry>} */
  #operations = new Map();

  /**
   * Adds an entry to its group.
   *
   * @param {Entry} entry
   * @returns {{ group: Group, removed: Group | undefined }} the changed group, and one that has no room any more
   */
  add(entry) {
    const key = `${entry.kind} ${entry.subject}`;
    const known = this.#groups.get(key);
    const entries = [...(known?.entries ?? []), entry].slice(-MAX_ENTRIES);
    const hash = entry.transaction_hash ?? "";
    if (entry.kind === "operation" && hash !== "") this.#operations.set(hash, entry);
    const cause = entry.kind === "event" ? this.#operations.get(hash) : undefined;
    const group = { key, entries, newest: entry, ...(cause === undefined ? {} : { cause }) };
    this.#groups.delete(key);
    this.#groups.set(key, group);
    return { group, removed: this.#withoutRoom() };
  }

  clear() {
    this.#groups.clear();
    this.#operations.clear();
  }

  /** Newest first. */
  get all() {
    return [...this.#groups.values()].reverse();
  }

  #withoutRoom() {
    if (this.#groups.size <= MAX_GROUPS) return undefined;
    const [oldest] = this.#groups.values();
    if (oldest === undefined) return undefined;
    this.#groups.delete(oldest.key);
    this.#operations.delete(oldest.newest.transaction_hash ?? "");
    return oldest;
  }
}

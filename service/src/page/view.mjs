// @ts-check
// Groups of entries, and how they are shown. Names are anyone's text: everything is put into the page as text, never as HTML.
import { contextOf, meaningOf, moodOf, proofOf, statusOf, titleOf } from "./words.mjs";

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

/** All entries about one thing together, such as the statuses of an operation. */
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

/** The list of groups, newest first. */
export class GroupList {
  /** @type {HTMLElement} */
  #list;
  /** By the key of the group. @type {Map<string, GroupItem>} */
  #items = new Map();
  /** The channel that is shown; all where it is empty. */
  #channelId = "";

  /** @param {HTMLElement} list */
  constructor(list) {
    this.#list = list;
  }

  /**
   * Shows a group as it is now, at the top.
   *
   * @param {Group} group
   */
  show(group) {
    const known = this.#items.get(group.key);
    const item = known ?? new GroupItem();
    this.#items.set(group.key, item);
    item.show(group);
    item.element.hidden = this.#isHidden(group.newest);
    // Moving it would take the focus from the reader.
    if (item.element.contains(document.activeElement)) return;
    if (this.#list.firstChild !== item.element) this.#list.prepend(item.element);
  }

  /** @param {string} key */
  remove(key) {
    this.#items.get(key)?.element.remove();
    this.#items.delete(key);
  }

  clear() {
    for (const { element } of this.#items.values()) element.remove();
    this.#items.clear();
  }

  /**
   * @param {string} channelId
   * @param {readonly Group[]} groups
   */
  filter(channelId, groups) {
    this.#channelId = channelId;
    for (const { key, newest } of groups) {
      const item = this.#items.get(key);
      if (item !== undefined) item.element.hidden = this.#isHidden(newest);
    }
  }

  /** How many groups the filter leaves. */
  get shown() {
    return [...this.#items.values()].filter(({ element }) => !element.hidden).length;
  }

  /** @param {Entry} entry */
  #isHidden({ channel_id }) {
    // What belongs to no channel, such as a reorganization, concerns all of them.
    return this.#channelId !== "" && channel_id !== undefined && channel_id !== this.#channelId;
  }
}

/** The elements of one group. They are kept, so that focus and opened details stay as they are. */
class GroupItem {
  element = part("li", "group");
  #title = part("h3");
  #status = part("span", "status");
  #meaning = part("p");
  #context = part("p", "muted");
  #path = part("ol", "path");
  #details = document.createElement("details");
  #table = part("ol", "entries");
  /** The entries that are in the elements, by id. @type {Set<string>} */
  #shown = new Set();

  constructor() {
    const head = part("div", "head");
    head.append(this.#title, this.#status);
    const summary = document.createElement("summary");
    summary.textContent = "Details";
    this.#details.append(summary, this.#table);
    this.element.append(head, this.#context, this.#meaning, this.#path, this.#details);
  }

  /** @param {Group} group */
  show({ entries, newest, cause }) {
    setText(this.#title, titleOf(newest));
    setText(this.#status, statusOf(newest));
    this.#status.dataset.mood = moodOf(newest);
    setText(this.#meaning, joined([meaningOf(newest), proofOf(newest), earlierChange(entries)], " "));
    const causedBy = cause === undefined ? "" : `caused by “${titleOf(cause)}”`;
    setText(this.#context, joined([time(newest), ...contextOf(newest), causedBy], " · "));
    for (const entry of entries) {
      if (this.#shown.has(entry.id)) continue;
      this.#shown.add(entry.id);
      if (statusOf(entry) !== "") this.#path.append(step(entry));
      this.#table.append(detail(entry));
    }
    while (this.#table.childElementCount > entries.length) this.#table.firstElementChild?.remove();
    while (this.#path.childElementCount > entries.length) this.#path.firstElementChild?.remove();
    this.#path.hidden = entries.length < 2;
  }
}

/**
 * What a tester did to the proof or the delivery of an entry before the newest one.
 *
 * @param {readonly Entry[]} entries
 */
function earlierChange(entries) {
  const changed = entries
    .slice(0, -1)
    .find((one) => one.proof?.change !== undefined || one.delivery !== undefined);
  return changed === undefined ? "" : `Earlier, with status ${statusOf(changed)}: ${proofOf(changed)}`;
}

/** @param {Entry} entry */
function step(entry) {
  const item = part("li");
  item.textContent = statusOf(entry);
  item.dataset.mood = moodOf(entry);
  return item;
}

/**
 * Everything an entry says, with ids.
 *
 * @param {Entry} entry
 */
function detail(entry) {
  const item = part("li");
  const facts = [
    joined([time(entry), statusOf(entry)], " "),
    entry.reason ?? "",
    proofOf(entry),
    entry.block_number === undefined ? "" : `block ${entry.block_number}`,
    entry.transaction_hash === undefined ? "" : `transaction ${entry.transaction_hash}`,
    entry.offset === undefined ? "" : `event ${entry.offset} of the channel`,
    ["injected", "reorganization", "event"].includes(entry.kind) ? "" : `id ${entry.subject}`,
  ];
  item.textContent = joined(facts, " · ");
  return item;
}

/**
 * In local time, with the day if it is not today.
 *
 * @param {Entry} entry
 */
function time({ at }) {
  const when = new Date(at);
  const isToday = when.toDateString() === new Date().toDateString();
  return isToday ? when.toLocaleTimeString("sv") : when.toLocaleString("sv");
}

/**
 * @param {readonly string[]} parts empty ones are left out
 * @param {string} between
 */
function joined(parts, between) {
  return parts.filter((text) => text !== "").join(between);
}

/**
 * @param {string} name
 * @param {string} [className]
 */
function part(name, className) {
  const element = document.createElement(name);
  if (className !== undefined) element.className = className;
  return element;
}

/**
 * @param {HTMLElement} element
 * @param {string} text
 */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
  element.hidden = text === "";
}

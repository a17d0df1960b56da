// @ts-check
// The time line of the start page.
import { EntryStream } from "./stream.mjs";
import { GroupList, Groups } from "./view.mjs";
import { statusOf, titleOf } from "./words.mjs";

/** @typedef {import("../timeline/entry.ts").TimelineEntry} Entry */

/** How often a screen reader announces what is new. */
const ANNOUNCE_MS = 5000;
/** How often the other sections are renewed. */
const RENEW_EVERY_MS = 10_000;

const groups = new Groups();
const list = new GroupList(byId("groups"));
const connection = byId("connection");
const news = byId("news");
const empty = byId("empty");
const nothing = byId("nothing");
const channel = /** @type {HTMLSelectElement} */ (byId("channel"));
const pause = byId("pause");

/** Entries that are not shown yet. @type {Entry[]} */
let waiting = [];
let isPaused = false;
let announcedAt = Number.NEGATIVE_INFINITY;

const stream = new EntryStream({
  onEntry(entry) {
    // Those that arrive together are drawn together.
    if (waiting.length === 0) requestAnimationFrame(draw);
    waiting.push(entry);
  },
  onReset() {
    waiting = [];
    groups.clear();
    list.clear();
    draw();
  },
  onState(state) {
    say(connection, state === "connected" ? "Connected: it updates itself." : LOST);
    connection.dataset.state = state;
  },
});
const LOST =
  "Not connected. It tries again every few seconds. If this stays, check whether the service runs, or close other tabs with this page.";

channel.addEventListener("change", () => {
  list.filter(channel.value, groups.all);
  showEmpty();
});
pause.addEventListener("click", () => {
  isPaused = !isPaused;
  pause.setAttribute("aria-pressed", String(isPaused));
  run();
});
// A hidden tab would keep one of the few connections that a browser has.
document.addEventListener("visibilitychange", run);
addEventListener("pagehide", () => stream.close());
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) run();
});
run();
renewFacts();

/** Reads the stream, unless nobody looks. What happens meanwhile is read later. */
function run() {
  if (!isPaused && !document.hidden) {
    stream.open();
    return;
  }
  stream.close();
  if (isPaused) say(connection, "Paused. What happens meanwhile is shown when you continue.");
}

function draw() {
  /** @type {Map<string, import("./view.mjs").Group>} */
  const changed = new Map();
  const entries = waiting;
  waiting = [];
  for (const entry of entries) {
    offerChannel(entry);
    const { group, removed } = groups.add(entry);
    changed.delete(group.key);
    changed.set(group.key, group);
    if (removed === undefined) continue;
    changed.delete(removed.key);
    list.remove(removed.key);
  }
  for (const group of changed.values()) list.show(group);
  showEmpty();
  const newest = entries.at(-1);
  if (newest !== undefined) announce(newest);
}

/** @param {Entry} entry */
function offerChannel({ channel_id, channel: name }) {
  if (channel_id === undefined || name === undefined) return;
  const known = [...channel.options].find((option) => option.value === channel_id);
  const option = known ?? new Option("", channel_id);
  if (option.text !== name) option.text = name;
  if (known === undefined) channel.add(option);
}

function showEmpty() {
  empty.hidden = groups.all.length > 0;
  nothing.hidden = groups.all.length === 0 || list.shown > 0;
}

/** @param {Entry} entry */
function announce(entry) {
  if (performance.now() - announcedAt < ANNOUNCE_MS) return;
  announcedAt = performance.now();
  say(news, [titleOf(entry), statusOf(entry)].filter((text) => text !== "").join(": "));
}

/**
 * @param {HTMLElement} element
 * @param {string} text
 */
function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @param {string} id */
function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no ${id}.`);
  return element;
}

/** Renews the other sections: replaces each that the service has made anew, unless the reader is in it. */
function renewFacts() {
  setInterval(async () => {
    if (document.hidden) return;
    const answer = await fetch("/").catch(() => undefined);
    // The time line says that the service does not answer.
    if (answer?.ok !== true) return;
    const renewed = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const section of document.querySelectorAll("[data-renew]")) {
      const name = section.getAttribute("data-renew");
      const next = renewed.querySelector(`[data-renew="${name}"]`);
      const isRead = section.contains(document.activeElement) || getSelection()?.containsNode(section, true);
      if (next !== null && !isRead && next.textContent !== section.textContent) section.replaceWith(next);
    }
  }, RENEW_EVERY_MS);
}

// @ts-check
import {
  OPERATION_TRANSITIONS,
  QUERY_TRANSITIONS,
  WALLET_TRANSITIONS,
  WATCHER_TRANSITIONS,
} from "../../src/protocol/statuses.ts";

/** @typedef {{ from: readonly string[], to: string, by: string, when: string }} Transition */

/**
 * docs/lifecycles.md, made from the tables that the local service moves its resources by.
 *
 * @returns {string}
 */
export function lifecyclesPage() {
  const parts = [
    '<!-- Made from src/protocol/statuses.ts by "npm run docs". Change the tables there. -->',
    "# Lifecycles",
    "Every way in which a status changes. The local service moves its resources by these tables, waits of the library and of the nodes know by them what can still be reached, and each change emits one event of the type named, written together with it. A status that is in no table comes from a newer service: it is passed on, and ends nothing.",
    section("Watcher", "watcher.status", WATCHER_TRANSITIONS),
    "The resource shows `archive_failed` as `failed`; the event names it. The reason of a failure is in the event.",
    section("Wallet", "wallet.status", WALLET_TRANSITIONS),
    "Its events appear where `status_channel_id` was given.",
    section("Operation", "operation.status", OPERATION_TRANSITIONS),
    "On a network where only `latest` is active, `confirmed_latest` is where an operation ends. Where the chain replaces the block of an operation, the same transaction is handed in again; the status never goes back.",
    section("Query", "query.status", QUERY_TRANSITIONS),
    "[All guides](README.md) · [Errors by code](errors.md)",
  ];
  return `${parts.join("\n\n")}\n`;
}

/**
 * @param {string} title
 * @param {string} event
 * @param {readonly Transition[]} transitions
 */
function section(title, event, transitions) {
  const ends = [...new Set(transitions.map(({ to }) => to))].filter(
    (status) => !transitions.some(({ from }) => from.includes(status)),
  );
  const rows = transitions.map(
    ({ from, to, by, when }) =>
      `| ${from.length > 0 ? names(from) : "(new)"} | ${names([to])} | ${by} | ${when} |`,
  );
  return [
    `## ${title}`,
    "",
    `Event: \`${event}\`. Ends: ${names(ends)}.`,
    "",
    "| from | to | moved by | when |",
    "| --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

/** @param {readonly string[]} statuses */
function names(statuses) {
  return statuses.map((status) => `\`${status}\``).join(", ");
}

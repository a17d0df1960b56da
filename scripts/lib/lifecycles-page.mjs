// @ts-check
import {
  OPERATION_TRANSITIONS,
  QUERY_TRANSITIONS,
  WALLET_TRANSITIONS,
  WATCHER_TRANSITIONS,
} from "../../src/protocol/statuses.ts";

/** @typedef {{ from: readonly string[], to: string, by: string, when: string }} Transition */

/**
 * docs/lifecycles.md, generated from the lifecycle tables that the local service uses.
 *
 * @returns {string}
 */
export function lifecyclesPage() {
  const parts = [
    '<!-- Made from src/protocol/statuses.ts by "npm run docs". Change the tables there. -->',
    "# Lifecycles",
    "All changes of a status. The local service checks each change against these tables, and appends one event of the given type in the same transaction. The library and the nodes use the tables to see which statuses can still be reached. A status that is in no table comes from a newer service: it is passed on, and does not end a wait.",
    section("Watcher", "watcher.status", WATCHER_TRANSITIONS),
    "The resource shows `archive_failed` as `failed`; the event names it. The reason of a failure is in the event.",
    section("Wallet", "wallet.status", WALLET_TRANSITIONS),
    "Its events appear where `status_channel_id` was given.",
    section("Operation", "operation.status", OPERATION_TRANSITIONS),
    "On a network where only `latest` is active, `confirmed_latest` is the last status of an operation. If the chain replaces the block of an operation, the same transaction is sent again; the status never goes back.",
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

import {
  OPERATION_TRANSITIONS,
  QUERY_TRANSITIONS,
  WALLET_TRANSITIONS,
  WATCHER_TRANSITIONS,
} from "../../src/protocol/statuses.ts";

type Transition = { from: readonly string[]; to: string; by: string; when: string };

/** docs/lifecycles.md, made from the tables of statuses that the local service uses. */
export function lifecyclesPage(): string {
  const parts = [
    '<!-- Made from src/protocol/statuses.ts by "npm run docs". Change the tables there. -->',
    "# Lifecycles",
    "All changes of a status. The local service changes the status of its resources by these tables, and the waits of the library and the nodes use them to find out which statuses can still be reached. Each change emits one event of the type below; both are stored in one transaction. A status that is in no table is from a newer service: it is passed on, and does not end a wait.",
    section("Watcher", "watcher.status", WATCHER_TRANSITIONS),
    "The resource shows `archive_failed` as `failed`; the event names it. The reason of a failure is in the event.",
    section("Wallet", "wallet.status", WALLET_TRANSITIONS),
    "Its events appear in the channel of `status_channel_id`, if that is set.",
    section("Operation", "operation.status", OPERATION_TRANSITIONS),
    "On a network that reports only `latest`, an operation ends at `confirmed_latest`. If the chain replaces the block of an operation, the same transaction is sent again; the status never goes back.",
    section("Query", "query.status", QUERY_TRANSITIONS),
    "[All guides](README.md) · [Errors by code](errors.md)",
  ];
  return `${parts.join("\n\n")}\n`;
}

function section(title: string, event: string, transitions: readonly Transition[]) {
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
    `Event: \`${event}\`. Final: ${names(ends)}.`,
    "",
    "| from | to | changed by | when |",
    "| --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

function names(statuses: readonly string[]) {
  return statuses.map((status) => `\`${status}\``).join(", ");
}

import type { Row, SectionName, Sections } from "../types.ts";

/** Longer texts are cut: what the service says has no limit. */
const MOST_CHARACTERS = 500;
/** Events rarely have more amounts. */
const MOST_ENTRIES = 20;

const ORIGIN = ["node", "flow", "type", "label"] as const;
const RESOURCE = [
  ...["id", "name", "status", "reason", "channelId", "address"],
  ...["chainSelector", "service", "seenAt", "origin"],
] as ReadonlyArray<keyof Sections["watchers"]>;

/** All that leaves the process: a field that is not listed here is never sent. */
const FIELDS: { readonly [S in SectionName]: ReadonlyArray<keyof Sections[S]> } = {
  connections: [
    ...ORIGIN,
    ...(["baseUrl", "state", "since", "problem", "callsLastMinute", "budget", "keyExpiresAt"] as const),
  ],
  readers: [
    ...ORIGIN,
    ...(["consumer", "channel", "channelId", "state", "position", "behind", "behindMs"] as const),
    ...(["inFlight", "delivered", "rejected", "late", "epoch", "problem"] as const),
  ],
  operations: [
    ...ORIGIN,
    ...(["channelId", "operationId", "walletOperationId", "wallet", "chainSelector", "status"] as const),
    ...(["isProven", "outcome", "reason", "startedAt", "changedAt"] as const),
  ],
  watchers: RESOURCE,
  wallets: RESOURCE,
  events: [
    ...ORIGIN,
    ...([
      "number",
      "seenAt",
      "createdAt",
      "consumer",
      "channelId",
      "offset",
      "name",
      "chainSelector",
    ] as const),
    ...(["contract", "confidence", "proof", "reason", "tokens", "isRedelivered", "isLate"] as const),
  ],
  approvals: [
    ...ORIGIN,
    ...(["operationId", "wallet", "chainSelector", "digest", "deadline", "madeAt", "operationKey"] as const),
    ...(["calls", "isWhole", "needed", "approvedBy", "isBusy", "isOff"] as const),
  ],
  issues: ["id", "check", "severity", "origin", "said", "what", "fix", "buttons", "isIgnored"],
};

/** The row of a report, with texts and lists of limited length. */
export function rowOf<S extends SectionName>(section: S, key: string, report: Sections[S]): Row<S> {
  const row: Record<string, unknown> = { key };
  for (const field of FIELDS[section]) {
    const value = report[field];
    if (value !== undefined) row[field as string] = limited(value);
  }
  return row as unknown as Row<S>;
}

/** Whether two rows say the same. */
export function isSameRow(one: object, other: object): boolean {
  const [ours, theirs] = [one, other] as Array<Record<string, unknown>>;
  const names = Object.keys(ours ?? {});
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => isSame(ours?.[name], theirs?.[name]));
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  const areObjects = typeof one === "object" && typeof other === "object";
  return areObjects && JSON.stringify(one) === JSON.stringify(other);
}

function limited(value: unknown): unknown {
  if (typeof value === "string") return cut(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.slice(0, MOST_ENTRIES).map(limited);
  const entries = Object.entries(value).slice(0, MOST_ENTRIES);
  return Object.fromEntries(entries.map(([name, inner]) => [cut(name), limited(inner)]));
}

function cut(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS - 1)}…`;
}

import { openDrafts } from "../../../nodes/common/approvals/open-drafts.ts";
import type { MonitorContext } from "../context.ts";
import type { Row, SectionName, Sections } from "../types.ts";

export type AllSections = { readonly [S in SectionName]: SectionRows<S> };

/** The sections of the sidebar in the order in which they are sent, which is that in which they are shown. */
export function allSections({ activity, issues }: Pick<MonitorContext, "activity" | "issues">): AllSections {
  const { connections, readers, underWay, ended, watchers, wallets, events } = activity;
  return {
    issues: new SectionRows("issues", {
      revision: () => issues.revision,
      reports: () => issues.all(),
      keyOf: ({ id }) => id,
    }),
    approvals: new SectionRows("approvals", {
      revision: () => openDrafts.revision,
      reports: () => openDrafts.all().map(({ report }) => report),
      keyOf: ({ key }) => key,
    }),
    connections: new SectionRows("connections", {
      revision: () => undefined,
      reports: () => connections.reports(),
      keyOf: ({ node }) => node,
    }),
    readers: new SectionRows("readers", {
      revision: () => undefined,
      reports: () => readers.reports(),
      keyOf: ({ node, flow, consumer }) => `${node} ${flow} ${consumer}`,
    }),
    operations: new SectionRows("operations", {
      revision: () => underWay.revision + ended.revision,
      reports: () => [...underWay.all(), ...ended.all()],
      keyOf: ({ key }) => key,
    }),
    watchers: new SectionRows("watchers", {
      revision: () => watchers.revision,
      reports: () => watchers.all(),
      keyOf: ({ id }) => id,
    }),
    wallets: new SectionRows("wallets", {
      revision: () => wallets.revision,
      reports: () => wallets.all(),
      keyOf: ({ id }) => id,
    }),
    events: new SectionRows("events", {
      revision: () => events.revision,
      reports: () => events.all(),
      keyOf: ({ number }) => String(number),
    }),
  };
}

/** Where the rows of a section come from. */
type SectionSource<S extends SectionName> = {
  /** The same as long as no report changes; undefined where it has none, and the reports are compared. */
  revision(): number | undefined;
  reports(): Array<Sections[S]>;
  /** Need not be unique: of a subflow, several instances have the same nodes. */
  keyOf(report: Sections[S]): string;
};

/**
 * The rows of a section, which all sidebars share. A row is the same object as long as it says the same, and `rows` is
 * the same map as long as no row changes: so each sidebar finds by identity what it has not been sent.
 */
class SectionRows<S extends SectionName> {
  readonly #name: S;
  readonly #source: SectionSource<S>;
  #revision: number | undefined;
  #reports = new Map<string, Sections[S]>();
  #rows: ReadonlyMap<string, Row<S>> = new Map();

  constructor(name: S, source: SectionSource<S>) {
    this.#name = name;
    this.#source = source;
  }

  get rows(): ReadonlyMap<string, Row<S>> {
    return this.#rows;
  }

  /** @throws what a source throws; the rows then stay as they are */
  refresh(): void {
    const revision = this.#source.revision();
    if (revision !== undefined && revision === this.#revision) return;
    const reports = new Map<string, Sections[S]>();
    const rows = new Map<string, Row<S>>();
    let isUnchanged = true;
    for (const report of this.#source.reports()) {
      const wanted = this.#source.keyOf(report);
      const key = rows.has(wanted) ? freeKey(wanted, rows) : wanted;
      const before = this.#rows.get(key);
      const row = this.#rowOf(key, report, before);
      isUnchanged &&= row === before;
      reports.set(key, report);
      rows.set(key, row);
    }
    isUnchanged &&= rows.size === this.#rows.size;
    this.#revision = revision;
    this.#reports = reports;
    if (!isUnchanged) this.#rows = rows;
  }

  #rowOf(key: string, report: Sections[S], before: Row<S> | undefined): Row<S> {
    // Pushed reports are never changed in place.
    if (before !== undefined && this.#reports.get(key) === report) return before;
    const row = rowOf(this.#name, key, report);
    return before !== undefined && isSameRow(before, row) ? before : row;
  }
}

function freeKey(wanted: string, taken: ReadonlyMap<string, unknown>): string {
  for (let number = 2, key = wanted; ; number += 1) {
    if (!taken.has(key)) return key;
    key = `${wanted} ${number}`;
  }
}

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
function rowOf<S extends SectionName>(section: S, key: string, report: Sections[S]): Row<S> {
  const row: Record<string, unknown> = { key };
  for (const field of FIELDS[section]) {
    const value = report[field];
    if (value !== undefined) row[field as string] = limited(value);
  }
  return row as unknown as Row<S>;
}

/** Whether two rows say the same. */
function isSameRow(one: object, other: object): boolean {
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

/** A setting as `showValue` shows it. */
type Shown = string | number | boolean;

export type Versions = {
  package: string;
  nodeRed: string;
  node: string;
  os: string;
  host: "flowfuse" | "kubernetes" | "container" | "machine";
};

/** Of the folder for cursors and waits. Its path can name a person. */
export type StateFolderReport = {
  chosenBy: string;
  isUserDirectory: boolean;
  access: "writable" | "not writable" | "no answer";
};

/** As `GET /crec/health` would say it, without its sentences. */
export type HealthReport = {
  status: string;
  /** Codes, the worst first. */
  reasons: string;
  /** Whether metrics and health are served. */
  monitoring: string;
};

/** A deployed node of ours. Its name can name a person, so it has a number instead. */
export type NodeEntry = {
  /** The type and a number, such as `events in #3`. */
  label: string;
  /** As the editor makes them, so that it can be searched for there. */
  id?: string;
  isDisabled?: true;
  settings: Record<string, Shown>;
  status?: { color: string; text: string };
};

export type Entry = Record<string, Shown | undefined>;

/** What support needs. Times are ISO 8601, in UTC. */
export type Diagnostics = {
  madeAt: string;
  versions: Versions;
  stateFolder: StateFolderReport;
  health: HealthReport;
  issues: Entry[];
  errors: Entry[];
  connections: Entry[];
  readers: Entry[];
  operationsUnderWay: Entry[];
  operationsEnded: Entry[];
  watchers: Entry[];
  wallets: Entry[];
  events: Entry[];
  nodes: NodeEntry[];
  /** How many entries of a section are left out, so that the answer is short. */
  leftOut: Record<string, number>;
};

/** The sections that can be long. */
export const LISTS = [
  "issues",
  "errors",
  "connections",
  "readers",
  "operationsUnderWay",
  "operationsEnded",
  "watchers",
  "wallets",
  "events",
  "nodes",
] as const satisfies ReadonlyArray<keyof Diagnostics>;

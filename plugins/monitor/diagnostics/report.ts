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
const LISTS = [
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

/** The same as text, for a bug report. */
export function diagnosticsText(diagnostics: Diagnostics): string {
  const { madeAt, ...sections } = diagnostics;
  const parts = Object.entries(sections).map(([name, section]) =>
    [titleOf(name), ...linesOf(section)].join("\n"),
  );
  return [`CRE Connect diagnostics, ${madeAt}`, ...parts].join("\n\n").concat("\n");
}

/** `operationsUnderWay` as `Operations under way`. */
function titleOf(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

function linesOf(section: object): string[] {
  const lines = Array.isArray(section)
    ? section.map((entry: object) => `- ${pairsOf(entry).join(", ")}`)
    : pairsOf(section).map((pair) => `- ${pair}`);
  return lines.length > 0 ? lines : ["- nothing"];
}

/** `status.color: red` for a value in a value. */
function pairsOf(entry: object, path = ""): string[] {
  return Object.entries(entry).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined) return [];
    return typeof value === "object" && value !== null
      ? pairsOf(value, `${path}${name}.`)
      : [`${path}${name}: ${String(value)}`];
  });
}

/** Of each list, before anything else is left out. */
const MOST_ENTRIES = 500;

/** The same with shorter lists, until it has at most `most` characters as JSON. Says what was left out. */
export function shorten(whole: Diagnostics, most: number): Diagnostics {
  const shorter: Diagnostics = { ...whole, leftOut: { ...whole.leftOut } };
  for (const list of LISTS) keep(shorter, whole, list, MOST_ENTRIES);
  while (JSON.stringify(shorter).length > most) {
    const [longest] = [...LISTS].sort((one, other) => sizeOf(shorter, other) - sizeOf(shorter, one));
    if (longest === undefined || shorter[longest].length === 0) break;
    keep(shorter, whole, longest, Math.floor(shorter[longest].length / 2));
  }
  return shorter;
}

function keep(shorter: Diagnostics, whole: Diagnostics, list: (typeof LISTS)[number], count: number): void {
  if (list === "nodes") shorter.nodes = shorter.nodes.slice(0, count);
  else shorter[list] = shorter[list].slice(0, count);
  const missing = whole[list].length - shorter[list].length;
  if (missing > 0) shorter.leftOut[list] = missing;
}

function sizeOf(diagnostics: Diagnostics, list: (typeof LISTS)[number]): number {
  return JSON.stringify(diagnostics[list]).length;
}

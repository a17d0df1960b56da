import type { DraftReport } from "../../nodes/common/approvals/types.ts";
import type {
  ConnectionReport,
  EventReport,
  OperationReport,
  Origin,
  ReaderReport,
  ResourceReport,
} from "../../nodes/common/telemetry/types.ts";

/** How an issue is fixed by a button. */
export type Fix =
  /** Opens the form of a node. */
  | { kind: "open"; node: string }
  /** Asks the service for what is shown again, and runs the checks. */
  | { kind: "refresh" }
  /** Forgets the open alerts of a deleted node, by its file. */
  | { kind: "closeAlerts"; file: string };

/** Something that is wrong, or will be, in what is deployed. */
export type Issue = {
  /** The same as long as it is the same issue: it may be ignored. */
  id: string;
  /** The name of the check that found it, such as `api-key`. */
  check: string;
  severity: "error" | "warning";
  /** The node that is to be changed, or that shows the effect. */
  origin: Origin;
  /** Which of its sentences these are, and what is put into them: for the sidebar, in the language of the editor. */
  said: { case: string; values: Readonly<Record<string, string | number>> };
  /** One sentence, in the language of Node-RED itself: for health, diagnostics and the log. */
  what: string;
  /** What to do about it, one sentence. */
  fix: string;
  buttons: readonly Fix[];
  isIgnored: boolean;
};

/** What the sidebar shows. Each row has a key that is unique in its section. */
export type Sections = {
  connections: ConnectionReport;
  readers: ReaderReport;
  operations: OperationReport;
  watchers: ResourceReport;
  wallets: ResourceReport;
  events: EventReport;
  issues: Issue;
  approvals: DraftReport;
};
export type SectionName = keyof Sections;
export type Row<S extends SectionName> = Sections[S] & { key: string };

/** What has changed in a section. */
export type SectionChange<S extends SectionName> = { set: Array<Row<S>>; gone: string[] };

/** What is pushed to an open sidebar, and acknowledged by it before the next one is sent. */
export type Update = {
  /** Counts the updates of a session, from 1. */
  number: number;
  /** The sidebar drops what it has: all rows are sent from here on. */
  isFirst: boolean;
  /** Whether the sidebar has all rows now. False while there are more than fit into one update. */
  isComplete: boolean;
  /** The clock of Node-RED, for ages. Unix milliseconds. */
  now: number;
  changes: { [S in SectionName]?: SectionChange<S> };
};

/** What `POST /crec/monitor/open` answers. */
export type OpenAnswer = {
  /** Valid once, for some seconds. */
  ticket: string;
  /** After which time the sidebar asks again: updates end where it does not. */
  renewMs: number;
};

/** Topics of the editor's web socket. The first three come from the browser, the others go to it. */
export const TOPICS = {
  open: "crec/monitor/open",
  seen: "crec/monitor/seen",
  close: "crec/monitor/close",
  update: "crec/monitor/update",
  /** Retained: a browser gets it as soon as it subscribes over a connection that is logged in. */
  connected: "crec/monitor/connected",
} as const;

// What a flow would have done. The same input gives the same report, byte for byte: it holds nothing of the machine, of
// today, or of chance. All times are Unix milliseconds.

/** Of a whole report, as JSON. `Outcomes` keeps less. */
export const MAX_REPORT_BYTES = 48 * 2 ** 20;

/** Characters of a sentence in it: a text of an outcome, or a reason. */
export const LONGEST_SENTENCE = 1_024;
/** Wires of a path in it. A message that goes round in a flow has no end. */
export const LONGEST_PATH = 200;

/** How a node took part. */
export type Handling =
  /** It ran as it does always. */
  | "runs"
  /** It was replaced: what it was given is noted, and nothing leaves. */
  | "recorded"
  /** One of ours that would act: it ran up to its request, which was noted and not sent. */
  | "withheld"
  /** As recorded or withheld, and it answered with a test reply. */
  | "replied"
  /** A source that sends nothing in a rehearsal, such as http in. */
  | "silent";

export type NodeReport = {
  id: string;
  type: string;
  name: string;
  /** The tab or subflow. Of a node in a subflow, the id is that of the subflow's own node. */
  tab: string;
  handling: Handling;
  received: number;
  /** By output. */
  sent: number[];
  /** Outcomes of each kind. Kinds without outcomes are left out. */
  outcomes: Partial<Record<OutcomeKind, number>>;
  /** Of suppressed alerts: how many for each reason. */
  reasons: Record<string, number>;
};

export type WireReport = { from: string; port: number; to: string; count: number };

export const OUTCOME_KINDS = [
  /** An alert left an alert node. */
  "alert",
  /** An alert recovered, ended, or was taken back. */
  "resolved",
  /** An event matched the conditions of an alert node, and no alert left. `why` says the reason. */
  "suppressed",
  /** A message reached a node that would have sent it somewhere: MQTT, HTTP, mail, a file. */
  "sent",
  /** An operation would have been submitted, finalized or cancelled. */
  "operation",
  /** A watcher would have been created or changed. */
  "watcher",
  /** A query would have been run. */
  "query",
  /** Any other call that changes something at the service. */
  "call",
  /** An event was acknowledged, refused, or rejected. */
  "ack",
  /** A node reported an error. */
  "error",
] as const;
export type OutcomeKind = (typeof OUTCOME_KINDS)[number];

export type Outcome = {
  kind: OutcomeKind;
  at: number;
  /** The id of the node. */
  node: string;
  /** A sentence or a few words: the title of an alert, the topic of a message, the reason of an error. */
  text: string;
  /** Of the event that it comes from; without, for what only the time led to. */
  event?: { channelId: string; offset: number };
  /** Of a suppressed alert. A word of the alert node, such as `cooldown`. */
  why?: string;
  /** The message, or what would be sent, as plain JSON, cut where it is long. */
  message: unknown;
  isCut?: boolean;
  /** Index in `paths`. */
  path?: number;
};

/** The wires that a message took, from its source. */
export type Path = ReadonlyArray<{ from: string; port: number; to: string }>;

export type Note = {
  /**
   * `silent-source`: it sent nothing. `recorded`: it was not run. `withheld`: it ran, and its requests were not sent.
   * `variables`: names that were handed over. `cut`: not all is in the report. `not-found`: something that the flow
   * names is not in the snapshot. `stopped`: the rehearsal ended early. `waiting`: messages that were still in a node at
   * the end.
   */
  kind: "silent-source" | "recorded" | "withheld" | "variables" | "cut" | "not-found" | "stopped" | "waiting";
  /** The id of the node that it is about. */
  node?: string;
  text: string;
};

export type Report = {
  format: "crec-rehearsal";
  version: 1;
  span: { from: number; to: number };
  seed: number;
  timeZone: string;
  tabs: Array<{ id: string; label: string }>;
  channels: Array<{ id: string; name: string; events: number; firstOffset?: number; lastOffset?: number }>;
  events: { read: number; delivered: number };
  nodes: NodeReport[];
  /** Only wires that a message took. */
  wires: WireReport[];
  /** In the order in which they happened. */
  outcomes: Outcome[];
  paths: Path[];
  notes: Note[];
};

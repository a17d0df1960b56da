import type { FlowNode, TestReplies } from "../../rehearsal/shared/job.ts";
import type { Outcome, OutcomeKind, Report } from "../../rehearsal/shared/report.ts";

/** What crosses between the dialog in the browser and the run time. All times are Unix milliseconds. */

/** Which events are rehearsed. */
export type AskedSpan =
  /** Hours, up to now. */
  | { last: number }
  | { from: number; to: number }
  /** The first and the last one. */
  | { offsets: [number, number] }
  /** A file of events that was uploaded. */
  | { upload: string };

/** What `POST /crec/rehearsal/start` is asked. */
export type StartQuestion = {
  /** All that the editor has, also what is not deployed. Without credentials. */
  flows: readonly FlowNode[];
  /** The ids of the chosen tabs. */
  tabs: readonly string[];
  span: AskedSpan;
  copyContext: boolean;
  askQueries: boolean;
  /** Names of palettes whose nodes run. */
  modules: readonly string[];
  seed: number;
  /** How long flows go on after the last event of a file or of offsets, so that windows and recoveries end. Minutes. */
  goOn: number;
  /** What nodes that are not run answer. */
  replies: TestReplies;
  /** The number of a rehearsal whose events this one is given, too, so that a comparison differs by the flow alone. */
  again?: number;
};

/** What `GET /crec/rehearsal/progress` answers. `number` counts the rehearsals since Node-RED started. */
export type RehearsalState =
  | { state: "none" }
  /** Without `at`: nothing has happened yet. */
  | {
      state: "running";
      number: number;
      at?: number;
      span?: { from: number; to: number };
      timeZone?: string;
      events: number;
      alerts: number;
    }
  | { state: "done"; number: number; hasBefore: boolean }
  | { state: "failed"; number: number; why: string; code: string };

/** A report without its messages: the editor asks for the one that a person looks at. */
export type ShownReport = Omit<Report, "outcomes"> & { outcomes: ShownOutcome[] };
export type ShownOutcome = Omit<Outcome, "message">;

/** What a rehearsal has otherwise than the one before it. As `Differences`, without messages. */
export type ShownDifferences = {
  /** What the rehearsals were not given alike: sentences. */
  inputs: string[];
  outcomes: Array<{
    kind: OutcomeKind;
    node: string;
    before: number;
    after: number;
    appeared: ShownOutcome[];
    gone: ShownOutcome[];
    changed: ShownOutcome[];
  }>;
  nodes: Array<{ node: string; name: string; before: number; after: number }>;
};

/** A file for the browser to save. */
export type SavedFile = { name: string; type: string; text: string };

/** The most characters of one part of a file of events, and of all of it. */
export const UPLOAD = { part: 1_000_000, most: 64_000_000 };

/** What `POST /crec/rehearsal/upload` is asked: parts in their order. */
export type UploadQuestion = { upload: string; index: number; text: string };

/** Minutes after the last event, where nobody chooses others, and at most: four weeks. */
export const GO_ON = 60;
export const GO_ON_MOST = 40_320;

import type { ConsumerState, LeaseState, ReadErrorKind } from "../../../src/index.ts";
import type { FolderState } from "../../common/folder/folder-lock.ts";
import type { CodedError } from "../../common/shared/errors.ts";
import type { Problem, ReaderReport } from "../../common/telemetry/types.ts";
import type { Reader } from "../reader/reader.ts";

/** What a node that reads nothing yet waits for. `waitMs`: until its next attempt. */
export type WaitsFor = { error: CodedError; kind: ReadErrorKind | "given-up"; waitMs?: number };

/** What the states of a reader are told from. */
export type ShownReader = Pick<
  Reader,
  "outputs" | "started" | "lower" | "epoch" | "watcherCheck" | "copies"
> & {
  consumer: Pick<Reader["consumer"], "state">;
};

/** All that decides the state of a node. */
export type Standing<R extends ShownReader = ShownReader> = {
  /** Set while another node with the same consumer name reads. */
  taken: CodedError | undefined;
  folder: FolderState | undefined;
  lease: LeaseState | undefined;
  reader: R | undefined;
  waitsFor: WaitsFor | undefined;
};

/** Another process has the folder, or it cannot be used. */
export type FolderProblem = Extract<FolderState, { kind: "elsewhere" | "error" }>;

/** What a node does, or the first thing that keeps it from reading. Its status and its report are made from this. */
export type ReaderState =
  | { kind: "taken"; error: CodedError }
  | { kind: "folder"; folder: FolderProblem }
  | { kind: "lease"; lease: Exclude<LeaseState, { kind: "held" }> }
  | { kind: "reader"; reader: ShownReader }
  | { kind: "waits"; waitsFor: WaitsFor }
  | { kind: "opening" };

export function readerState({ taken, folder, lease, reader, waitsFor }: Standing): ReaderState {
  if (taken) return { kind: "taken", error: taken };
  if (folder?.kind === "elsewhere" || folder?.kind === "error") return { kind: "folder", folder };
  if (lease && lease.kind !== "held") return { kind: "lease", lease };
  if (reader) return { kind: "reader", reader };
  return waitsFor ? { kind: "waits", waitsFor } : { kind: "opening" };
}

export type ReportedState = Pick<ReaderReport, "state" | "problem">;

/** The state in the words of the report: for the sidebar, the issues, the metrics and the diagnostics. */
export function reportedState(state: ReaderState): ReportedState {
  switch (state.kind) {
    case "taken":
      return withProblem("waiting", state.error);
    case "folder":
      return state.folder.kind === "error"
        ? withProblem("retrying", state.folder.error)
        : { state: "standby" };
    case "lease":
      return stateOfLease(state.lease);
    case "reader":
      return stateOfConsumer(state.reader.consumer.state);
    case "waits":
      return withProblem(WAITS[state.waitsFor.kind], state.waitsFor.error);
    case "opening":
      return { state: "waiting" };
  }
}

const WAITS = {
  missing: "waiting",
  refused: "refused",
  retry: "retrying",
  final: "stopped",
  "given-up": "stopped",
} as const;

function stateOfLease(lease: LeaseState): ReportedState {
  if (lease.kind === "elsewhere" || lease.kind === "waiting_for_share") return { state: "standby" };
  return lease.kind === "error" ? withProblem("retrying", lease.error) : { state: "waiting" };
}

function stateOfConsumer(state: ConsumerState): ReportedState {
  switch (state.kind) {
    case "connected":
      return { state: state.behind ? "behind" : "reading" };
    case "connecting":
    case "waiting_for_channel":
      return { state: "waiting" };
    case "retrying":
      return withProblem(state.error.code === "WATCHER_NOT_FOUND" ? "waiting" : "retrying", state.error);
    case "beyond_end":
      return withProblem("retrying", state.error);
    case "refused":
      return withProblem("refused", state.error);
    case "paused":
      return { state: "paused" };
    case "stopped":
      return state.error ? withProblem("stopped", state.error) : { state: "stopped" };
  }
}

function withProblem(state: ReaderReport["state"], { code, message }: Problem): ReportedState {
  return { state, problem: { code, message } };
}

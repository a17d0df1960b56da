import type { ConsumerState, LeaseState, ReadErrorKind } from "../../../src/index.ts";
import type { FolderState } from "../../common/folder/folder-lock.ts";
import type { CodedError } from "../../common/shared/errors.ts";
import type { Problem, ReaderReport } from "../../common/telemetry/types.ts";

/** What a node that reads nothing yet waits for. */
export type WaitsFor = { error: CodedError; kind: ReadErrorKind | "given-up" };

/** All that decides the state of a node. */
export type Standing = {
  /** Set while another node with the same consumer name reads. */
  taken: CodedError | undefined;
  folder: FolderState | undefined;
  lease: LeaseState | undefined;
  consumer: ConsumerState | undefined;
  waitsFor: WaitsFor | undefined;
};

export type ShownState = Pick<ReaderReport, "state" | "problem">;

/** The state of a node in the words of its report. */
export function readerState(standing: Standing): ShownState {
  const { taken, folder, lease, consumer, waitsFor } = standing;
  if (taken) return withProblem("waiting", taken);
  if (folder?.kind === "elsewhere") return { state: "standby" };
  if (folder?.kind === "error") return withProblem("retrying", folder.error);
  if (lease && lease.kind !== "held") return stateOfLease(lease);
  if (consumer) return stateOfConsumer(consumer);
  return waitsFor ? stateOfWait(waitsFor) : { state: "waiting" };
}

function stateOfLease(lease: LeaseState): ShownState {
  if (lease.kind === "elsewhere" || lease.kind === "waiting_for_share") return { state: "standby" };
  return lease.kind === "error" ? withProblem("retrying", lease.error) : { state: "waiting" };
}

function stateOfWait({ error, kind }: WaitsFor): ShownState {
  const states = {
    missing: "waiting",
    refused: "refused",
    retry: "retrying",
    final: "stopped",
    "given-up": "stopped",
  } as const;
  return withProblem(states[kind], error);
}

function stateOfConsumer(state: ConsumerState): ShownState {
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

function withProblem(state: ReaderReport["state"], { code, message }: Problem): ShownState {
  return { state, problem: { code, message } };
}

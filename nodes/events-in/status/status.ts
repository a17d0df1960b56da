import type { ConsumerState } from "../../../src/index.ts";
import type { Translate } from "../../common/context.ts";
import {
  errorStatus,
  type StatusKind,
  type StatusText,
  showStatus,
  statusOfKind,
  statusText,
} from "../../common/status/status.ts";
import type { EventsInContext } from "../context.ts";
import { showLease } from "../fleet/lease-status.ts";
import { startedStatus } from "../start-text.ts";
import { heldBy } from "./notes.ts";
import type { FolderProblem, ReaderState, ShownReader, WaitsFor } from "./reader-state.ts";

type StatusContext = Pick<EventsInContext, "RED" | "node" | "t">;

type Countdown = {
  /** When the wait ends, by `performance.now()`. */
  until: number;
  /** The status while this many seconds are left. */
  said: (seconds: number) => StatusText;
};

const SECOND_MS = 1000;

/** When each state of a consumer began: it may be shown several times. */
const since = new WeakMap<ConsumerState, number>();

/**
 * Shows as the node's status what it does, or what keeps it from reading. Returns the function that stops a countdown, or
 * what keeps the status up to date.
 */
export function showState(context: StatusContext, state: ReaderState): () => void {
  const { RED, node } = context;
  if (state.kind === "lease" && node.leaseReading) return showLease(RED, node, node.leaseReading);
  const countdown = countdownOf(context.t, state);
  if (countdown) return showCountdown(context, countdown);
  showStatus(node, ...statusOf(context.t, state));
  return () => undefined;
}

function statusOf(t: Translate, state: ReaderState): [StatusKind, StatusText] {
  switch (state.kind) {
    case "taken":
      return ["error", errorStatus(state.error)];
    case "folder":
      return statusOfFolder(t, state.folder);
    case "waits":
      return statusOfWait(t, state.waitsFor);
    case "reader":
      return statusOfReader(t, state.reader);
    case "lease":
    case "opening":
      return ["waiting", statusText(t, "events-in.status.connecting")];
  }
}

function statusOfFolder(t: Translate, folder: FolderProblem): [StatusKind, StatusText] {
  if (folder.kind === "error") return ["error", errorStatus(folder.error)];
  const { isAlive } = folder;
  const key = `events-in.status.${isAlive ? "folder-in-use" : "folder-silent"}`;
  return [isAlive ? "stopped" : "waiting", statusText(t, key, heldBy(folder))];
}

function statusOfWait(t: Translate, { error, kind }: WaitsFor): [StatusKind, StatusText] {
  if (kind === "missing") return ["waiting", statusText(t, "events-in.status.waiting-for-channel")];
  if (kind === "refused") return ["error", statusText(t, "events-in.status.key-refused")];
  return ["error", errorStatus(error)];
}

function statusOfReader(t: Translate, shown: ShownReader): [StatusKind, StatusText] {
  const { started, outputs, lower } = shown;
  const { state } = shown.consumer;
  const { unwatched } = shown.watcherCheck;
  const { dropped, givenUp, inFlow, undecoded } = outputs;
  // Until the first event, so that a person sees it who has deployed and looks.
  const isNew = state.kind === "connected" && state.delivered === 0 && started?.from === "start";
  const isShared = shown.epoch !== undefined;
  const says = (
    kind: StatusKind,
    key: string,
    values?: Record<string, string | number>,
  ): [StatusKind, StatusText] => [kind, statusText(t, `events-in.status.${key}`, values)];
  const atEnd = (what: "given-up" | "dropped" | "lower", count: number) =>
    says(isShared ? "working" : "done", `${isShared ? "reading-" : ""}${what}`, { count });
  switch (state.kind) {
    case "connecting":
      return says("waiting", "connecting");
    case "waiting_for_channel":
      return says("waiting", "waiting-for-channel");
    case "connected":
      if (state.repeating) return says("working", "repeating", state.repeating);
      if (inFlow.holdsUp) return says("working", "in-flow", { count: inFlow.count });
      if (state.waitingForAcks) {
        return says("working", "waiting-for-acks", { count: state.waitingForAcks });
      }
      if (state.behind) return says("working", "behind", { count: state.behind });
      if (shown.copies.isNoted) return says("waiting", "copies");
      if (givenUp) return atEnd("given-up", givenUp);
      if (undecoded) {
        return says("waiting", `${isShared ? "reading-" : ""}undecoded`, { count: undecoded });
      }
      if (unwatched) {
        const key = `unwatched${unwatched.names.length > 0 ? "-names" : ""}`;
        return says("waiting", key, { names: unwatched.names.join(", ") });
      }
      if (dropped) return atEnd("dropped", dropped);
      if (lower) return atEnd("lower", lower);
      if (isNew) return says(isShared ? "working" : "done", ...startedStatus(started));
      if (isShared) return says("working", "reading");
      return says("done", "connected");
    // Everything else of these two counts down.
    case "retrying":
    case "beyond_end":
      return says("waiting", "waiting-for-watcher");
    case "refused":
      return says("error", "key-refused");
    case "paused":
      return says("stopped", "paused");
    case "stopped":
      if (state.error?.code === "CURSOR_LOST") return says("waiting", "cursor-lost");
      if (state.error) return ["error", errorStatus(state.error)];
      return ["stopped", statusText(t, "common.status.stopped")];
  }
}

/** Undefined in a state that does not wait for its next attempt. */
function countdownOf(t: Translate, shown: ReaderState): Countdown | undefined {
  if (shown.kind === "waits") {
    const { error, kind, waitMs } = shown.waitsFor;
    if (waitMs === undefined || kind === "missing" || kind === "refused") return undefined;
    return { until: performance.now() + waitMs, said: (seconds) => retryStatus(t, error, seconds) };
  }
  if (shown.kind !== "reader") return undefined;
  const { state } = shown.reader.consumer;
  if (!since.has(state)) since.set(state, performance.now());
  if (state.kind !== "retrying" && state.kind !== "beyond_end") return undefined;
  if (state.error.code === "WATCHER_NOT_FOUND") return undefined;
  const until = (since.get(state) ?? 0) + state.inMs;
  if (state.kind === "beyond_end")
    return { until, said: (seconds) => statusText(t, "events-in.status.beyond-end", { seconds }) };
  const { error } = state;
  return { until, said: (seconds) => retryStatus(t, error, seconds) };
}

/**
 * Shows a wait as the node's status and counts it down each second. Only the editor gets each second: status nodes of
 * the flow get one message for each wait. Returns the function that stops it.
 */
function showCountdown(context: StatusContext, { until, said }: Countdown): () => void {
  const { RED, node } = context;
  let left = Math.max(1, Math.round((until - performance.now()) / SECOND_MS));
  showStatus(node, "error", said(left));
  const timer = setInterval(() => {
    if (left === 1) return clearInterval(timer);
    left -= 1;
    RED.events.emit("node-status", { id: node.id, status: statusOfKind("error", said(left)) });
  }, SECOND_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** An error after which the node tries again. */
function retryStatus(t: Translate, thrown: unknown, seconds: number): StatusText {
  const { code, text: error } = errorStatus(thrown);
  return { ...statusText(t, "events-in.status.retrying", { error, seconds }), code };
}

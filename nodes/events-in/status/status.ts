import type { Node, NodeAPI } from "node-red";
import {
  errorStatus,
  type StatusKind,
  type StatusText,
  showStatus,
  statusOfKind,
  statusText,
} from "../../common/status/status.ts";
import type { Reader } from "../reader/reader.ts";
import { startedStatus } from "../start-text.ts";

export type Shown = Pick<Reader, "outputs" | "started" | "lower" | "epoch" | "watcherCheck" | "copies"> & {
  consumer: Pick<Reader["consumer"], "state">;
};

type Countdown = {
  /** When the wait ends, by `performance.now()`. */
  until: number;
  /** The status while this many seconds are left. */
  said: (seconds: number) => StatusText;
};

const SECOND_MS = 1000;

/** When each state began: it may be shown several times. */
const since = new WeakMap<Shown["consumer"]["state"], number>();

/**
 * Shows what the consumer is doing as the node's status, and how many events were dropped for their proof. Returns the
 * function that stops a countdown.
 */
export function showState(RED: NodeAPI, node: Node, reader: Shown): () => void {
  const { state } = reader.consumer;
  if (!since.has(state)) since.set(state, performance.now());
  const countdown = countdownOf(RED, state);
  if (countdown) return showCountdown(RED, node, countdown);
  showStatus(node, ...statusOf(RED, reader));
  return () => undefined;
}

function statusOf(RED: NodeAPI, shown: Shown): [StatusKind, StatusText] {
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
  ): [StatusKind, StatusText] => [kind, statusText(RED._, `events-in.status.${key}`, values)];
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
      return ["stopped", statusText(RED._, "common.status.stopped")];
  }
}

/** Undefined in a state that does not wait for its next attempt. */
function countdownOf(RED: NodeAPI, state: Shown["consumer"]["state"]): Countdown | undefined {
  if (state.kind !== "retrying" && state.kind !== "beyond_end") return undefined;
  if (state.error.code === "WATCHER_NOT_FOUND") return undefined;
  const until = (since.get(state) ?? 0) + state.inMs;
  if (state.kind === "beyond_end")
    return { until, said: (seconds) => statusText(RED._, "events-in.status.beyond-end", { seconds }) };
  const { error } = state;
  return { until, said: (seconds) => retryStatus(RED, error, seconds) };
}

/**
 * Shows a wait as the node's status and counts it down each second. Only the editor gets each second: status nodes of
 * the flow get one message for each wait. Returns the function that stops it.
 */
export function showCountdown(RED: NodeAPI, node: Node, { until, said }: Countdown): () => void {
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
export function retryStatus(RED: NodeAPI, thrown: unknown, seconds: number): StatusText {
  const { code, text: error } = errorStatus(thrown);
  return { ...statusText(RED._, "events-in.status.retrying", { error, seconds }), code };
}

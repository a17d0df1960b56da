import type { Node, NodeAPI } from "node-red";
import type { ConsumerStart } from "../../src/index.ts";
import { shortText } from "../lib/runtime/error-texts.ts";
import { type StatusKind, showStatus } from "../lib/runtime/status.ts";
import { type Countdown, showCountdown } from "./countdown.ts";
import type { Reader } from "./reader.ts";
import { startedStatus, startText } from "./start-text.ts";

const CONNECTED = "node-red:common.status.connected";

export type Shown = Pick<Reader, "outputs" | "started" | "lower" | "epoch" | "watcherCheck" | "copies"> & {
  consumer: Pick<Reader["consumer"], "state">;
};

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
  const [kind, text] = statusOf(RED, reader);
  showStatus(node, kind, text);
  return () => undefined;
}

/** Undefined in a state that does not wait for its next attempt. */
function countdownOf(RED: NodeAPI, state: Shown["consumer"]["state"]): Countdown | undefined {
  if (state.kind !== "retrying" && state.kind !== "beyond_end") return undefined;
  if (state.error.code === "WATCHER_NOT_FOUND") return undefined;
  const until = (since.get(state) ?? 0) + state.inMs;
  if (state.kind === "beyond_end")
    return { until, text: (seconds) => RED._("events-in.status.beyond-end", { seconds }) };
  const error = shortText(state.error);
  return { until, text: (seconds) => RED._("events-in.status.retrying", { error, seconds }) };
}

function statusOf(RED: NodeAPI, shown: Shown): [StatusKind, string] {
  const { started, outputs, lower } = shown;
  const { state } = shown.consumer;
  const { unwatched } = shown.watcherCheck;
  const { dropped, givenUp, inFlow } = outputs;
  // Until the first event, so that a person sees it who has deployed and looks.
  const isNew = state.kind === "connected" && state.delivered === 0 && started?.from === "start";
  const isShared = shown.epoch !== undefined;
  const atEnd = (what: "given-up" | "dropped" | "lower", count: number): [StatusKind, string] => [
    isShared ? "working" : "done",
    RED._(`events-in.status.${isShared ? "reading-" : ""}${what}`, { count }),
  ];
  switch (state.kind) {
    case "connecting":
      return ["waiting", "node-red:common.status.connecting"];
    case "waiting_for_channel":
      return ["waiting", "events-in.status.waiting-for-channel"];
    case "connected":
      if (state.repeating) return ["working", RED._("events-in.status.repeating", state.repeating)];
      if (inFlow.holdsUp) return ["working", RED._("events-in.status.in-flow", { count: inFlow.count })];
      if (state.waitingForAcks) {
        return ["working", RED._("events-in.status.waiting-for-acks", { count: state.waitingForAcks })];
      }
      if (state.behind) return ["working", RED._("events-in.status.behind", { count: state.behind })];
      if (shown.copies.isNoted) return ["waiting", "events-in.status.copies"];
      if (givenUp) return atEnd("given-up", givenUp);
      if (unwatched) {
        const key = `events-in.status.unwatched${unwatched.names.length > 0 ? "-names" : ""}`;
        return ["waiting", RED._(key, { names: unwatched.names.join(", ") })];
      }
      if (dropped) return atEnd("dropped", dropped);
      if (lower) return atEnd("lower", lower);
      if (isShared) return ["working", readingStatus(RED._, isNew ? started : undefined)];
      if (isNew) return ["done", startedStatus(RED._, started)];
      return ["done", CONNECTED];
    // Everything else of these two counts down.
    case "retrying":
    case "beyond_end":
      return ["waiting", "events-in.status.waiting-for-watcher"];
    case "refused":
      return ["error", "events-in.status.key-refused"];
    case "paused":
      return ["stopped", "events-in.status.paused"];
    case "stopped":
      if (state.error?.code === "CURSOR_LOST") return ["waiting", "events-in.status.cursor-lost"];
      return state.error ? ["error", shortText(state.error)] : ["stopped", "common.status.stopped"];
  }
}

/** Of the copy that reads, while others stand by. */
function readingStatus(translate: NodeAPI["_"], started: ConsumerStart | undefined): string {
  if (!started) return "events-in.status.reading";
  return translate("events-in.status.reading-started", { where: startText(translate, started) });
}

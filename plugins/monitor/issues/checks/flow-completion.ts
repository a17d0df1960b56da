import type { FlowNode } from "../../../../nodes/common/flows/flows.ts";
import type { Origin } from "../../../../nodes/common/telemetry/types.ts";
import type { Check, CheckContext, Finding } from "../check-context.ts";

/** How many events a reader has in flight, and when it sends one again; milliseconds. */
type Limits = { inFlight: number; ackTimeoutMs: number };
/** What is wrong with a node behind a reader. */
type Fault = { case: "early" | "too-many" | "too-slow"; values: Record<string, number> };
/** What the consumer of a running reader offers. */
type Running = {
  reader?: {
    consumer: { state: { kind: string; repeating?: { attempt: number; offset: number; reason?: string } } };
    outputs?: { silentNodes: readonly string[] };
  };
};

const EVENTS = 0;
/** From this attempt on, an event is an issue. */
const MANY_ATTEMPTS = 3;
const UNITS: Readonly<Record<string, number>> = {
  ...{ milliseconds: 1, seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 },
  ...{ second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 },
};
/** Nodes of this package that wait: their field Timeout, in seconds. */
const WAITING = new Set(["crec-operation", "crec-submit-operation", "crec-run-query", "crec-create-watcher"]);
const TIMER = /\bset(?:Timeout|Interval)\s*\(/;
/** A function that waits for its timer is done after it. */
const WAITS = /\bnode\s*\.\s*done\s*\(|\bawait\b/;
/** Rules of a switch that hold parts of a sequence. */
const SEQUENCE_RULES = new Set(["head", "index", "tail"]);

/** Nodes behind events in that do not work with when it takes an event for done. */
export const flowCompletion: Check = {
  name: "flow-completion",
  find: (context) =>
    context.flows.ofType("crec-events-in").flatMap((reader) => faultsBehind(context, reader)),
};

function faultsBehind(context: CheckContext, reader: FlowNode): Finding[] {
  const { flows, paths } = context;
  const origin = flows.originOf(reader);
  const behind = paths.workingOn(reader, EVENTS);
  const leading = reader.commit === "on-ack" ? paths.leadingTo(flows.ofType("crec-ack")) : behind;
  const limits = limitsOf(reader);
  const found = [...behind].flatMap((node): Finding[] => {
    if (!leading.has(node)) return [];
    const fault = faultOf(context, node, reader, limits);
    if (fault === undefined) return [];
    const own = flows.originOf(node);
    const values = { node: own.label, reader: origin.label, ...fault.values };
    const severity = fault.case === "too-many" ? "error" : "warning";
    return [{ case: fault.case, severity, origin: own, detail: reader.id, values }];
  });
  return [...found, ...silentOf(context, reader, origin), ...repeatedOf(context, reader, origin)];
}

function faultOf(
  context: CheckContext,
  node: FlowNode,
  { commit }: FlowNode,
  limits: Limits,
): Fault | undefined {
  if (commit !== "on-ack" && isEarly(context, node)) return { case: "early", values: {} };
  if (commit !== "on-ack" && commit !== "on-complete") return undefined;
  const count = countOf(node);
  if (count > limits.inFlight) return { case: "too-many", values: { count, most: limits.inFlight } };
  const holdsMs = holdsMsOf(node, limits);
  if (!(holdsMs > limits.ackTimeoutMs)) return undefined;
  return {
    case: "too-slow",
    values: { seconds: holdsMs / 1_000, timeout: limits.ackTimeoutMs / 1_000 },
  };
}

/** Whether a node says that it is done while it still works on a message. */
function isEarly(context: CheckContext, node: FlowNode): boolean {
  const { flows } = context;
  const { type, func } = node;
  if (type === "trigger") return true;
  if (type === "function") return TIMER.test(String(func)) && !WAITS.test(String(func));
  // A switch says nothing, and events in knows how it works.
  if (type === "switch") return holdsSequences(node);
  // The nodes of a subflow are looked at themselves.
  if (flows.template(type.replace("subflow:", "")) || !node.wires?.some(({ length }) => length > 0))
    return false;
  return flows.runningIds(node).some((id) => {
    const running = context.running<{ _expectedDoneCount: number }>(id);
    return running?._expectedDoneCount === 0;
  });
}

function holdsSequences({ repair, rules }: FlowNode): boolean {
  const isSequence = (rule: { t?: unknown }) => SEQUENCE_RULES.has(String(rule.t));
  return repair === true || (Array.isArray(rules) && rules.some(isSequence));
}

/** How many messages a node waits for; 0 where that is not known. */
function countOf({ type, mode, count }: FlowNode): number {
  const isCounting = (type === "join" && mode === "custom") || (type === "batch" && mode === "count");
  return isCounting ? Number(count) || 0 : 0;
}

/** How long a node may hold a message; 0 where that is not known. */
function holdsMsOf(node: FlowNode, limits: Limits): number {
  const { type, mode, timeout, interval } = node;
  // People may take until the deadline, which is in minutes.
  const people = node.mode === "draft" && node.approve === true ? Number(node.deadline) * 60 : 0;
  if (WAITING.has(type)) return waits(node) ? (Number(timeout ?? 0) + people) * 1_000 || 0 : 0;
  if (type === "batch") return mode === "interval" ? Number(interval) * 1_000 || 0 : 0;
  // It sends what it has after its time-out, without its count too.
  if (type === "join" && mode === "custom") return Number(timeout ?? 0) * 1_000 || 0;
  return type === "delay" ? delayMsOf(node, limits) : 0;
}

/** How long a *delay* holds a message: the last one of those that may be in it. */
function delayMsOf(node: FlowNode, { inFlight }: Limits): number {
  const { pauseType, timeout, timeoutUnits, randomLast, randomUnits, rate, rateUnits, drop } = node;
  // A message may have its own delay, which is not known.
  if (pauseType === "delay" || pauseType === "delayv") return Number(timeout) * unitMs(timeoutUnits) || 0;
  if (pauseType === "random") return Number(randomLast) * unitMs(randomUnits) || 0;
  const nbRateUnits = Number(node.nbRateUnits);
  const intervalMs = ((nbRateUnits > 0 ? nbRateUnits : 1) * unitMs(rateUnits)) / Number(rate) || 0;
  // What arrives in between is let go of at once.
  if (pauseType === "rate" && drop !== true) return intervalMs * inFlight;
  // One topic at each interval: each message may have another one.
  if (pauseType === "queue") return intervalMs * inFlight;
  return pauseType === "timed" ? intervalMs : 0;
}

/** Milliseconds of a unit of Node-RED's, which takes what it does not know for seconds. */
function unitMs(unit: unknown): number {
  return UNITS[String(unit)] ?? 1_000;
}

function waits({ type, action, mode, approve }: FlowNode): boolean {
  if (type === "crec-operation") return action === "finalize" || action === "wait";
  return type !== "crec-submit-operation" || mode === "send" || approve === true;
}

function limitsOf({ inFlight, ackTimeout }: FlowNode): Limits {
  // Empty fields have their defaults.
  return { inFlight: Number(inFlight || 1), ackTimeoutMs: Number(ackTimeout || 60) * 1_000 };
}

/** Nodes that have not reported what they were given, and that nothing else names. */
function silentOf(context: CheckContext, reader: FlowNode, origin: Origin): Finding[] {
  const { flows } = context;
  return flows.runningIds(reader).flatMap((id) => {
    const running = context.running<Running>(id);
    return (running?.reader?.outputs?.silentNodes ?? []).map((silent): Finding => {
      const stored = flows.get(silent);
      const { name, type } = context.running(silent) ?? {};
      const own = stored ? flows.originOf(stored) : origin;
      const values = { node: stored ? own.label : name || type || silent, reader: origin.label };
      return { case: "silent", severity: "warning", origin: own, detail: silent, values };
    });
  });
}

/** An event that fails again and again. */
function repeatedOf(context: CheckContext, reader: FlowNode, origin: Origin): Finding[] {
  const { flows } = context;
  return flows.runningIds(reader).flatMap((id): Finding[] => {
    const running = context.running<Running>(id);
    const { attempt = 0, offset = 0, reason } = running?.reader?.consumer.state.repeating ?? {};
    // Without a reason, another check is about it.
    if (attempt < MANY_ATTEMPTS || !reason) return [];
    const values = { reader: origin.label, attempt, offset, reason };
    return [{ case: "failing", severity: "error", origin, detail: id, values }];
  });
}

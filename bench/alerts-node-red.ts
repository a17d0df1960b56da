import { type FlowNode, freshId, NodeRed, UserDir } from "../test/support/node-red.ts";
import { BENCH_EVENT_CODE, EVENTS, KEYS, RULE } from "./alerts-events.ts";
import { type Measured, median, perSecond } from "./measured.ts";
import { sized } from "./sized.ts";

const ROUNDS = sized(3, 1);
const TAB = "bench-tab";
const WITHIN_MS = RULE.when.withinMs;

/**
 * The alert node in a real Node-RED, against the same rule drawn with core nodes, which remembers nothing over a
 * restart, takes the time of arrival and counts a log at each of its levels; and against a function node that does
 * nothing. In turns.
 */
export async function benchAlertsInNodeRed(): Promise<Measured[]> {
  const userDir = await UserDir.make();
  const nodeRed = await NodeRed.start(userDir);
  try {
    const flows = { ours: alertFlow(), drawn: drawnFlow(), empty: emptyFlow() };
    const times: Record<keyof typeof flows, number[]> = { ours: [], drawn: [], empty: [] };
    const names = Object.keys(flows) as Array<keyof typeof flows>;
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const name of names) times[name].push(await run(nodeRed, flows[name]));
    }
    const [ours, drawn, empty] = [median(times.ours), median(times.drawn), median(times.empty)];
    return [
      { what: `alert, ${EVENTS} events, ${KEYS} keys`, value: perSecond(EVENTS, ours, "events") },
      { what: "switch → function → trigger", value: perSecond(EVENTS, drawn, "events") },
      { what: "an empty function", value: perSecond(EVENTS, empty, "events") },
      { what: "alert, of the drawn flow", value: (drawn / ours).toFixed(2) },
      { what: "alert, of the empty function", value: (empty / ours).toFixed(2) },
    ];
  } finally {
    await nodeRed.kill();
    await userDir.remove();
  }
}

/** Milliseconds from the press of the button until the last event has left. */
async function run(nodeRed: NodeRed, flow: FlowNode[]): Promise<number> {
  const name = freshId();
  await nodeRed.deploy([{ id: TAB, type: "tab" }, ...source(), ...flow, ...counting(name)]);
  await nodeRed.press("start");
  const { value } = await nodeRed.showing(name, () => true, 300_000);
  const { startedAt, at } = value as { startedAt: number; at: number };
  return at - startedAt;
}

/** Sends all events, in parts, so that other nodes get their turn. */
function source(): FlowNode[] {
  const send = `
    const eventOf = (index) => {${BENCH_EVENT_CODE}};
    flow.set("startedAt", Date.now());
    let index = 0;
    const sendSome = () => {
      for (const end = index + 200; index < end && index < ${EVENTS}; index += 1) node.send(eventOf(index));
      if (index < ${EVENTS}) setTimeout(sendSome, 0);
    };
    sendSome();`;
  return [
    { id: "start", z: TAB, type: "inject", x: 1, y: 1, props: [], repeat: "", wires: [["send"]] },
    functionNode("send", send, [["rule"]]),
  ];
}

/** Its memory is its own each time. */
function alertFlow(): FlowNode[] {
  const rule = {
    ...{ type: "crec-alert", version: 1, z: TAB, x: 1, y: 1, match: "all", takenBack: false },
    conditions: [{ kind: "field", field: "params.value", is: "atLeast", value: "500" }],
    ...{ when: "count", times: "3", within: "10m", forEach: "field", forEachField: "params.from" },
    ...{ quiet: "10m", slack: "0s", maxKeys: String(KEYS) },
    wires: [["count"], ["count"], ["count"]],
  };
  return [{ id: "rule", ...rule }];
}

function drawnFlow(): FlowNode[] {
  const count = `
    const times = context.get("times") || new Map();
    context.set("times", times);
    const now = Date.now();
    const recent = (times.get(msg.topic) || []).filter((at) => at > now - ${WITHIN_MS});
    recent.push(now);
    times.set(msg.topic, recent);
    return recent.length >= 3 ? [msg, null] : [null, msg];`;
  return [
    {
      ...{
        id: "rule",
        z: TAB,
        type: "switch",
        x: 1,
        y: 1,
        property: "payload.params.value",
        propertyType: "msg",
      },
      rules: [{ t: "gte", v: "500", vt: "num" }, { t: "else" }],
      ...{ checkall: "false", outputs: 2, wires: [["window"], ["count"]] },
    },
    functionNode("window", count, [["quiet", "count"], ["count"]]),
    {
      ...{
        id: "quiet",
        z: TAB,
        type: "trigger",
        x: 1,
        y: 1,
        op1: "",
        op1type: "pay",
        op2: "",
        op2type: "nul",
      },
      ...{
        duration: "10",
        units: "min",
        extend: false,
        bytopic: "topic",
        topic: "topic",
        outputs: 1,
        wires: [[]],
      },
    },
  ];
}

function emptyFlow(): FlowNode[] {
  return [functionNode("rule", "return msg;", [["count"]])];
}

/** Counts messages, and says when the last one came. */
function counting(name: string): FlowNode[] {
  const count = `
    const count = (context.get("count") || 0) + 1;
    context.set("count", count);
    if (count < ${EVENTS}) return null;
    return { payload: { startedAt: flow.get("startedAt"), at: Date.now() } };`;
  const shows = { active: true, tosidebar: true, complete: "payload", targetType: "msg" };
  return [
    functionNode("count", count, [["counted"]]),
    { id: "counted", z: TAB, type: "debug", x: 1, y: 1, name, ...shows, wires: [] },
  ];
}

function functionNode(id: string, func: string, wires: string[][]): FlowNode {
  return { id, z: TAB, type: "function", x: 1, y: 1, func, outputs: wires.length, libs: [], wires };
}

import { functionNode } from "./flow-harness.ts";
import type { FlowNode } from "./node-red.ts";

/** The tab that all these nodes are on. */
export const TAB = "harness-tab";

/** A node of a flow under test; the last one leads to "out". */
export const node = (
  id: string,
  type: string,
  more: Record<string, unknown> = {},
  to: string[] = ["out"],
): FlowNode => ({
  ...{ id, z: TAB, type, x: 1, y: 1, wires: [to] },
  ...more,
});

export const slow = (id: string, ms: number, to: string[] = ["out"]): FlowNode =>
  node(id, "delay", { pauseType: "delay", timeout: String(ms), timeoutUnits: "milliseconds" }, to);

/**
 * Flows that begin with the node "first" and take so long with each message, by what a person would call them. `url`
 * answers after that time.
 */
export const slowFlows = (url: string, ms: number): Record<string, FlowNode[]> => ({
  delay: [slow("first", ms)],
  "rate limit": [
    node("first", "delay", {
      ...{ pauseType: "rate", rate: "4", nbRateUnits: "1", rateUnits: "second", drop: false },
    }),
  ],
  exec: [
    node("first", "exec", { command: "sleep", addpay: "", append: String(ms / 1000), useSpawn: "false" }),
  ],
  "http request": [node("first", "http request", { method: "GET", ret: "txt", url })],
  "split and join": [
    node("first", "split", { splt: ",", spltType: "str", property: "topic" }, ["slow"]),
    slow("slow", ms, ["joined"]),
    node("joined", "join", { mode: "auto" }),
  ],
  "link out and link in": [
    node("first", "link out", { mode: "link", links: ["there"] }, []),
    node("there", "link in", { links: ["first"] }, ["slow"]),
    slow("slow", ms),
  ],
  "link call": [
    node("first", "link call", { links: ["called"], linkType: "static", timeout: "30" }),
    node("called", "link in", { links: [] }, ["slow"]),
    slow("slow", ms, ["back"]),
    node("back", "link out", { mode: "return", links: [] }, []),
  ],
  subflow: [
    {
      ...{ id: "sub", type: "subflow", name: "slow" },
      in: [{ x: 1, y: 1, wires: [{ id: "inside" }] }],
      out: [{ x: 1, y: 1, wires: [{ id: "inside", port: 0 }] }],
    },
    { ...slow("inside", ms, []), z: "sub" },
    node("first", "subflow:sub"),
  ],
  "a function that makes a message anew, later": [
    functionNode("first", `setTimeout(() => { node.send({ made: "anew" }); node.done(); }, ${ms}); return;`, [
      "slow",
    ]),
    slow("slow", ms),
  ],
  "an error that Catch takes": [
    functionNode("first", "if (!msg.crec.attempt) throw new Error('not the first time'); return msg;", [
      "slow",
    ]),
    slow("slow", ms),
  ],
  switch: [
    node("first", "switch", { property: "topic", rules: [{ t: "else" }], outputs: 1 }, ["slow"]),
    slow("slow", ms),
  ],
  "switch by an expression": [
    node(
      "first",
      "switch",
      { property: "$length(topic) > 0", propertyType: "jsonata", rules: [{ t: "true" }], outputs: 1 },
      ["slow"],
    ),
    slow("slow", ms),
  ],
});

/** The same nodes with ids of their own, so that several flows fit on one tab. */
export function asOwnFlow(prefix: string, nodes: readonly FlowNode[]): FlowNode[] {
  const ids = new Set(["out", ...nodes.map(({ id }) => id)]);
  const own = (_key: string, value: unknown): unknown => {
    if (typeof value !== "string") return value;
    const [, before = "", id = value] = /^(subflow:)(.*)$/.exec(value) ?? [];
    return ids.has(id) ? `${before}${prefix}${id}` : value;
  };
  return JSON.parse(JSON.stringify(nodes), own) as FlowNode[];
}

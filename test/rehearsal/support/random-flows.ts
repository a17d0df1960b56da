import fc from "fast-check";
import type { FlowNode } from "../../../rehearsal/shared/job.ts";
import { type MadeEvent, TOKENS } from "./signed-events.ts";

/**
 * A flow of random nodes without timers. All nodes have a sink at each output, so that everything is compared.
 * `isTree`: each node has one wire in, so that messages of several events cannot overtake each other. Else the next event
 * comes when the one before is completed.
 */
export type RandomSource = {
  channel: number;
  isTree: boolean;
  events: Partial<FlowNode>;
  nodes: readonly RandomNode[];
};

/** `from`, `other`: outputs of earlier nodes. */
type RandomNode = { kind: Kind; from: number; other: number; value: number; choice: number };

const KINDS = [
  ...["switch", "change", "function", "several", "rbe", "json", "parts", "count", "link", "call"],
  ...["junction", "subflow", "alert", "throws", "template", "complete"],
] as const;
type Kind = (typeof KINDS)[number];

const KIND: fc.Arbitrary<Kind> = fc.oneof(fc.constantFrom(...KINDS), fc.constant("alert" as const));

export const randomEvents: fc.Arbitrary<MadeEvent[]> = fc
  .array(
    fc.record({
      at: fc.nat(60),
      blockAge: fc.nat(30),
      value: fc.nat(9),
      name: fc.constantFrom("Transfer" as const, "Transfer" as const, "Approval" as const),
      token: fc.constantFrom(0 as const, 1 as const),
      confidence: fc.constantFrom("latest" as const, "finalized" as const),
      isForged: fc.nat(9).map((one) => one === 9),
      isStatus: fc.nat(9).map((one) => one === 9),
      isAgain: fc.nat(4).map((one) => one === 4),
    }),
    { minLength: 1, maxLength: 12 },
  )
  // Seconds since the event before.
  .map((events) => {
    let last = 0;
    return events.map((event) => {
      last += event.at;
      return { ...event, at: last };
    });
  });

export const randomSources: fc.Arbitrary<RandomSource[]> = fc.array(
  fc.record({
    channel: fc.nat(1),
    isTree: fc.boolean(),
    events: fc.record({
      types: fc.constantFrom([], [], ["watcher.event"], ["watcher.status"]),
      contractEvent: fc.constantFrom("", "", "Transfer"),
      address: fc.constantFrom("", "", TOKENS[0]),
      confidence: fc.constantFrom("", "", "highest", "latest", "finalized"),
      verify: fc.boolean(),
      unverified: fc.constantFrom("port", "drop"),
      commit: fc.constantFrom("on-send", "on-complete"),
    }) as fc.Arbitrary<Partial<FlowNode>>,
    nodes: fc.array(
      fc.record({ kind: KIND, from: fc.nat(20), other: fc.nat(20), value: fc.nat(9), choice: fc.nat(11) }),
      { maxLength: 7 },
    ),
  }),
  { minLength: 1, maxLength: 3 },
);

/** An output, and the nodes that it is wired to. */
type Output = string[];
/** Nodes of one kind: where a message goes in, and where it leaves. */
type Part = { nodes: FlowNode[]; input: string; outputs: Output[] };

/** The flows of the sources, each on a tab of its own. Ids begin with the prefix. */
export function flowsOf(prefix: string, sources: readonly RandomSource[]): FlowNode[] {
  const other = { id: `${prefix}other`, type: "tab", label: "Other" };
  const flows: FlowNode[] = [other, ...subflow(prefix)];
  for (const [index, source] of sources.entries()) flows.push(...tabOf(`${prefix}s${index}`, prefix, source));
  return flows;
}

function tabOf(tab: string, prefix: string, { channel, isTree, events, nodes }: RandomSource): FlowNode[] {
  const settings = nodes.some(({ kind }) => kind === "throws" || kind === "count")
    ? { ...events, commit: "on-send" }
    : events;
  const outputs: Output[] = [[], [], []];
  const source = {
    ...{ id: `${tab}-events`, type: "crec-events-in", z: tab, channel: `${prefix}channel${channel}` },
    ...{ consumer: tab, start: "beginning", startValue: "", pollMin: "0.1", pollMax: "0.2" },
    ...{ ...settings, unfinished: isTree ? "100" : "1", inFlight: isTree ? "10" : "1", ackTimeout: "60" },
    wires: outputs,
  };
  const flows: FlowNode[] = [{ id: tab, type: "tab", label: tab }, source];
  // In a graph, what is rejected or a notice goes to sinks only: the events do not wait for it.
  const open = isTree ? [...outputs] : outputs.slice(0, 1);
  const closed = isTree ? [] : outputs.slice(1);
  for (const [index, node] of nodes.entries()) {
    // In a graph, a group that waits for a message would stop the events.
    if (node.kind === "count" && !isTree) continue;
    const id = `${tab}-n${index}`;
    const part = partOf(id, tab, prefix, node);
    const from = isTree ? [node.from] : [node.from, node.other];
    for (const one of new Set(from.map((at) => open[at % open.length]))) one?.push(part.input);
    flows.push(...part.nodes);
    // An alert node writes to a file: when it has done so, compared with another way of the event, is chance.
    (node.kind === "alert" && !isTree ? closed : open).push(...part.outputs);
  }
  const ends = [...open, ...closed];
  for (const [index, output] of ends.entries()) {
    const id = `${tab}-sink-${index}`;
    output.push(id);
    flows.push({ id, type: "mqtt out", z: tab, x: 1, y: 1, wires: [], topic: "", broker: "broker" });
  }
  return flows;
}

function partOf(id: string, z: string, prefix: string, { kind, value, choice }: RandomNode): Part {
  const one = (type: string, count: number, more: Partial<FlowNode>): Part => {
    const outputs: Output[] = Array.from({ length: count }, () => []);
    return { nodes: [{ id, type, z, x: 1, y: 1, wires: outputs, ...more }], input: id, outputs };
  };
  const code = (count: number, func: string) => one("function", count, { func, outputs: count, libs: [] });
  switch (kind) {
    case "switch":
      return one("switch", 3, {
        ...{ property: "payload.params.value", propertyType: "msg", checkall: String(choice % 2 === 0) },
        rules: [
          { t: "gte", v: String(value), vt: "num" },
          choice % 3 === 0
            ? { t: "jsonata_exp", v: "payload.params.value = '3'", vt: "jsonata" }
            : { t: "lt", v: "3", vt: "num" },
          { t: "else" },
        ],
        outputs: 3,
      });
    case "change":
      return one("change", 1, {
        rules: [
          {
            t: "set",
            p: "topic",
            pt: "msg",
            to: "payload.name & $string(payload.params.value)",
            tot: "jsonata",
          },
          { t: "move", p: "payload.params.from", pt: "msg", to: "payload.sender", tot: "msg" },
        ],
      });
    case "function":
      return code(
        2,
        `const n = (context.get("n") || 0) + 1; context.set("n", n); flow.set("last", n);
        msg.payload = { ...msg.payload, n }; return n % 2 ? [msg, null] : [null, msg];`,
      );
    case "several":
      return code(
        1,
        `for (let i = 0; i < ${choice % 3}; i += 1) node.send({ ...RED.util.cloneMessage(msg), topic: "t" + i });
        return [[msg, { ...RED.util.cloneMessage(msg), topic: "again" }]];`,
      );
    case "rbe":
      return one("rbe", 1, {
        ...{ func: ["rbe", "rbei", "deadband", "narrowband"][choice % 4], gap: "2", start: "", inout: "out" },
        ...{ septopics: choice % 3 === 0, property: "payload.params.value", topi: "topic" },
      });
    case "json": {
      const [text, value] = [`${id}-text`, `${id}-value`];
      const output: Output = [];
      const json = { type: "json", z, property: "payload", pretty: false, x: 1, y: 1 };
      const nodes = [
        { ...json, id: text, action: "str", wires: [[value]] },
        { ...json, id: value, action: "obj", wires: [output] },
      ];
      return { nodes, input: text, outputs: [output] };
    }
    case "parts": {
      const [make, split, change, join] = ["make", "split", "change", "join"].map(
        (name) => `${id}-${name}`,
      ) as [string, string, string, string];
      const output: Output = [];
      const func = `msg.payload = Array.from({ length: ${1 + (choice % 4)} }, (_, i) => i + Number(msg.payload?.params?.value ?? 0)); return msg;`;
      const at = { z, x: 1, y: 1 };
      const nodes = [
        { ...at, id: make, type: "function", func, outputs: 1, libs: [], wires: [[split]] },
        {
          ...at,
          id: split,
          type: "split",
          arraySplt: 1,
          arraySpltType: "len",
          splt: "\\n",
          spltType: "str",
          stream: false,
          addname: "",
          property: "payload",
          wires: [[change]],
        },
        {
          ...at,
          id: change,
          type: "change",
          rules: [{ t: "set", p: "payload", pt: "msg", to: "payload * 2", tot: "jsonata" }],
          wires: [[join]],
        },
        {
          ...at,
          id: join,
          type: "join",
          mode: "auto",
          build: "array",
          property: "payload",
          propertyType: "msg",
          key: "topic",
          joiner: "",
          joinerType: "str",
          accumulate: false,
          timeout: "",
          count: "",
          wires: [output],
        },
      ];
      return { nodes, input: make, outputs: [output] };
    }
    case "count":
      return one("join", 1, {
        ...{
          mode: "custom",
          build: "array",
          property: "payload.params.value",
          propertyType: "msg",
          key: "topic",
        },
        ...{
          joiner: "",
          joinerType: "str",
          useparts: false,
          accumulate: choice % 2 === 0,
          timeout: "",
          count: String(1 + (value % 3)),
        },
      });
    case "link": {
      const [out, into, back] = [`${id}-out`, `${id}-in`, `${id}-on`];
      const output: Output = [];
      const nodes = [
        { id: out, type: "link out", z, mode: "link", links: [into], x: 1, y: 1, wires: [] },
        { id: into, type: "link in", z: `${prefix}other`, links: [out], x: 1, y: 1, wires: [[back]] },
        {
          id: back,
          type: "change",
          z: `${prefix}other`,
          x: 1,
          y: 1,
          rules: [{ t: "set", p: "topic", pt: "msg", to: id.slice(-2), tot: "str" }],
          wires: [output],
        },
      ];
      return { nodes, input: out, outputs: [output] };
    }
    case "call": {
      const [call, into, work, back] = ["call", "in", "work", "back"].map((name) => `${id}-${name}`) as [
        string,
        string,
        string,
        string,
      ];
      const output: Output = [];
      const other = `${prefix}other`;
      const nodes = [
        {
          id: call,
          type: "link call",
          z,
          links: [into],
          linkType: "static",
          timeout: "30",
          x: 1,
          y: 1,
          wires: [output],
        },
        { id: into, type: "link in", z: other, links: [], x: 1, y: 1, wires: [[work]] },
        {
          id: work,
          type: "function",
          z: other,
          x: 1,
          y: 1,
          func: "msg.called = true; msg.topic += '!'; return msg;",
          outputs: 1,
          libs: [],
          wires: [[back]],
        },
        { id: back, type: "link out", z: other, mode: "return", links: [], x: 1, y: 1, wires: [] },
      ];
      return { nodes, input: call, outputs: [output] };
    }
    case "junction":
      return one("junction", 1, {});
    case "subflow":
      return one(`subflow:${prefix}sub`, 2, { env: [{ name: "LIMIT", type: "num", value: String(value) }] });
    case "alert": {
      // What has no time of a block counts at the time of its arrival, and live these events arrive an hour later.
      const guard = `${id}-timed`;
      const func = "return typeof msg.payload?.blockTime === 'number' ? msg : null;";
      const part = one("crec-alert", 3, alertOf(value, choice));
      const timed = { id: guard, type: "function", z, x: 1, y: 1, func, outputs: 1, libs: [], wires: [[id]] };
      return { ...part, nodes: [timed, ...part.nodes], input: guard };
    }
    case "throws": {
      const output: Output = [];
      const part = code(
        1,
        `if (Number(msg.payload?.params?.value) > ${value}) throw new Error("above"); return msg;`,
      );
      const caught = {
        id: `${id}-catch`,
        type: "catch",
        z,
        scope: [id],
        uncaught: false,
        x: 1,
        y: 1,
        wires: [output],
      };
      return { ...part, nodes: [...part.nodes, caught], outputs: [...part.outputs, output] };
    }
    case "template":
      return one("template", 1, {
        ...{ field: "topic", fieldType: "msg", format: "handlebars", syntax: "mustache", output: "str" },
        template: "{{payload.name}} {{payload.params.value}} {{topic}}",
      });
    case "complete": {
      const output: Output = [];
      const part = code(1, "if (msg.payload?.params?.value > 4) node.status({ text: 'many' }); return msg;");
      const completed = {
        id: `${id}-complete`,
        type: "complete",
        z,
        scope: [id],
        uncaught: false,
        x: 1,
        y: 1,
        wires: [output],
      };
      return { ...part, nodes: [...part.nodes, completed], outputs: [...part.outputs, output] };
    }
  }
}

const TIMES = ["0s", "10s", "1m", "5m"] as const;

function alertOf(value: number, choice: number): Partial<FlowNode> {
  const when = ["each", "each", "count", "sum"][choice % 4];
  const condition = {
    kind: "field",
    field: "params.value",
    is: "atLeast",
    value: String(value),
    type: "str",
  };
  return {
    ...{
      version: 1,
      match: "all",
      conditions: value === 0 ? [] : [condition],
      when,
      times: String(1 + (choice % 3)),
    },
    ...{
      within: TIMES[1 + (value % 3)],
      sumField: "params.value",
      limit: String(3 * value),
      limitUnit: "smallest",
    },
    ...{
      quiet: TIMES[(value + choice) % 4],
      recovers: when === "each" && choice % 3 === 0,
      takenBack: false,
    },
    // Nothing is late: what time alone leads to is compared elsewhere.
    ...{
      slack: "1d",
      severity: "warning",
      title: choice % 2 ? "{{count}} of {{params.value}} {{suppressed}}" : "",
    },
    ...{ forEach: ["", "contract", "field"][(value + choice) % 3], forEachField: "params.to" },
  };
}

/** Two outputs: at least the limit of the use, and less. */
function subflow(prefix: string): FlowNode[] {
  const [id, inner, mark] = [`${prefix}sub`, `${prefix}sub-switch`, `${prefix}sub-mark`];
  const definition = {
    ...{
      id,
      type: "subflow",
      name: "Sub",
      info: "",
      category: "",
      env: [{ name: "LIMIT", type: "num", value: "5" }],
    },
    in: [{ x: 1, y: 1, wires: [{ id: inner }] }],
    out: [
      { x: 1, y: 1, wires: [{ id: mark, port: 0 }] },
      { x: 1, y: 1, wires: [{ id: inner, port: 1 }] },
    ],
  };
  return [
    definition,
    {
      ...{
        id: inner,
        type: "switch",
        z: id,
        x: 1,
        y: 1,
        property: "payload.params.value",
        propertyType: "msg",
      },
      ...{
        rules: [{ t: "gte", v: "LIMIT", vt: "env" }, { t: "else" }],
        checkall: "true",
        outputs: 2,
        wires: [[mark], []],
      },
    },
    {
      ...{ id: mark, type: "change", z: id, x: 1, y: 1, wires: [[]] },
      rules: [{ t: "set", p: "topic", pt: "msg", to: "marked", tot: "str" }],
    },
  ];
}

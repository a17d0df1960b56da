import should from "should";
import type { FlowNode } from "../../rehearsal/shared/job.ts";
import type { Report } from "../../rehearsal/shared/report.ts";
import { jobOf, rehearse, SPAN } from "../support/rehearsal.ts";
import { itWide } from "../support/wide.ts";

const TAB = { id: "tab", type: "tab", label: "Tab" };

/** A node on the tab. */
function on(id: string, type: string, wires: string[][], properties: Partial<FlowNode> = {}): FlowNode {
  return { id, type, z: "tab", x: 1, y: 1, wires, ...properties };
}

function inject(id: string, to: string, properties: Partial<FlowNode> = {}): FlowNode {
  return on(id, "inject", [[to]], {
    props: [{ p: "payload" }],
    payload: id,
    payloadType: "str",
    repeat: "",
    crontab: "",
    once: false,
    onceDelay: "0.1",
    ...properties,
  });
}

function code(id: string, to: string[][], func: string, properties: Partial<FlowNode> = {}): FlowNode {
  return on(id, "function", to, { func, outputs: to.length, libs: [], ...properties });
}

/** Notes what reaches it, and when. */
function sink(id: string): FlowNode {
  return on(id, "mqtt out", [], { topic: id, broker: "broker" });
}

/** Seconds of the span at which something reached a sink. */
function times({ outcomes }: Report, node: string): number[] {
  return outcomes.filter((one) => one.node === node).map(({ at }) => (at - SPAN.from) / 1000);
}

function payloads({ outcomes }: Report, node: string): unknown[] {
  return outcomes
    .filter((one) => one.node === node && one.kind === "sent")
    .map(({ message }) => (message as { payload: unknown }).payload);
}

function nodeOf({ nodes }: Report, id: string): Report["nodes"][number] {
  const found = nodes.find((node) => node.id === id);
  if (found === undefined) throw new Error(`The report has no node ${id}.`);
  return found;
}

const READ_CLOCKS = `
const { hrtime, performance } = Buffer.constructor("return { hrtime: process.hrtime, performance }")();
const clocks = () => [Date.now(), performance.now(), Number(hrtime.bigint() / 1000000n)];
const before = clocks();
setTimeout(() => {
  msg.payload = clocks().map((now, index) => Math.round(now - before[index]));
  msg.local = new Date().toTimeString().slice(0, 8);
  msg.formatted = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" }).format();
  node.send(msg);
}, 2500);`;

const TIMERS: FlowNode[] = [
  TAB,
  inject("interval", "interval-sink", { repeat: "1200", once: true }),
  sink("interval-sink"),
  // 09:30 in Berlin is 08:30 UTC: half an hour into the span.
  inject("cron", "cron-sink", { crontab: "30 9 * * 1" }),
  sink("cron-sink"),
  inject("once", "delay", { once: true, onceDelay: "10" }),
  on("delay", "delay", [["delay-sink"]], { pauseType: "delay", timeout: "5", timeoutUnits: "seconds" }),
  sink("delay-sink"),
  inject("five", "split", { once: true, onceDelay: "60", payload: "[1,2,3,4,5]", payloadType: "json" }),
  on("split", "split", [["rate", "trigger", "batch", "loose"]], { arraySplt: 1, arraySpltType: "len" }),
  on("rate", "delay", [["rate-sink"]], {
    pauseType: "rate",
    rate: "1",
    nbRateUnits: "1",
    rateUnits: "minute",
  }),
  sink("rate-sink"),
  on("trigger", "trigger", [["trigger-sink"]], {
    ...{ op1: "first", op1type: "str", op2: "then", op2type: "str" },
    ...{ duration: "90", units: "s", extend: false, overrideDelay: false, reset: "", bytopic: "all" },
    outputs: 1,
  }),
  sink("trigger-sink"),
  on("batch", "batch", [["batch-sink"]], { mode: "interval", interval: "30", allowEmptySequence: false }),
  sink("batch-sink"),
  code("loose", [["join"]], "delete msg.parts; return msg;"),
  on("join", "join", [["join-sink"]], {
    ...{ mode: "custom", build: "array", property: "payload", propertyType: "msg" },
    ...{ accumulate: false, count: "", timeout: "45", joiner: "", joinerType: "str", key: "topic" },
  }),
  sink("join-sink"),
  inject("ask-clocks", "clocks", { once: true, onceDelay: "1" }),
  code("clocks", [["clocks-sink"]], READ_CLOCKS),
  sink("clocks-sink"),
  inject("chance", "random", { repeat: "600", once: true }),
  code(
    "random",
    [["jitter"]],
    `const { crypto } = Buffer.constructor("return globalThis")();
     msg.payload = [Math.random(), RED.util.generateId(), crypto.randomUUID(), Date.now()];
     return msg;`,
  ),
  on("jitter", "delay", [["random-sink"]], {
    ...{ pauseType: "random", randomFirst: "1", randomLast: "60", randomUnits: "seconds" },
  }),
  sink("random-sink"),
  inject("late", "keep", { once: true, onceDelay: "3590" }),
  on("keep", "delay", [["kept"]], { pauseType: "delay", timeout: "1", timeoutUnits: "minutes" }),
  sink("kept"),
];

/** A flow runs in a process of its own, on the time of its events. */
describe("a rehearsal", () => {
  describe("of nodes that wait", () => {
    let report: Report;
    before(async () => {
      report = await rehearse(jobOf(TIMERS));
    });

    it("runs inject by interval, by cron in its time zone, and once", () => {
      should(times(report, "interval-sink")).deepEqual([0.1, 1200.1, 2400.1]);
      should(times(report, "cron-sink")).deepEqual([1800]);
    });

    it("runs delays, limits, triggers and groups on the simulated time", () => {
      should(times(report, "delay-sink")).deepEqual([15]);
      should(times(report, "rate-sink").map(Math.round)).deepEqual([60, 120, 180, 240, 300]);
      should(times(report, "trigger-sink")).deepEqual([60, 150]);
      should(payloads(report, "trigger-sink")).deepEqual(["first", "then"]);
      should(payloads(report, "batch-sink")).deepEqual([1, 2, 3, 4, 5]);
      should(new Set(times(report, "batch-sink"))).have.size(1);
      should(times(report, "join-sink")).deepEqual([105]);
      should(payloads(report, "join-sink")).deepEqual([[1, 2, 3, 4, 5]]);
    });

    it("shows functions one time by all clocks, in the time zone", () => {
      const [outcome] = report.outcomes.filter(({ node }) => node === "clocks-sink");
      should(outcome?.message).match({
        payload: [2500, 2500, 2500],
        local: "09:00:03",
        formatted: "09:00:03",
      });
    });

    it("says what still waits at the end", () => {
      should(times(report, "kept")).deepEqual([]);
      should(report.notes).containEql({
        kind: "waiting",
        node: "keep",
        text: "Messages still in this node: 1.",
      });
    });

    // The core of it is in same-each-time.test.ts.
    itWide("gives the same report again, and another one for another seed", async () => {
      should(payloads(report, "random-sink")).have.length(6);
      const again = await rehearse(jobOf(TIMERS));
      should(JSON.stringify(again)).equal(JSON.stringify(report));
      const other = await rehearse(jobOf(TIMERS, { seed: 2 }));
      should(payloads(other, "random-sink")).not.deepEqual(payloads(report, "random-sink"));
    });
  });

  describe("of subflows, links and nodes that report", () => {
    const SUBFLOW: FlowNode[] = [
      {
        id: "sub",
        type: "subflow",
        name: "Doubler",
        in: [{ x: 1, y: 1, wires: [{ id: "inner" }] }],
        out: [
          { x: 1, y: 1, wires: [{ id: "inner", port: 0 }] },
          { x: 1, y: 1, wires: [{ id: "inner", port: 1 }] },
        ],
      },
      { ...code("inner", [[], []], "return [msg, { payload: 'second' }];"), z: "sub" },
    ];
    const FLOWS: FlowNode[] = [
      TAB,
      ...SUBFLOW,
      { id: "box", type: "group", z: "tab", nodes: ["start"] },
      inject("start", "use", { once: true, g: "box" }),
      on("use", "subflow:sub", [["corner"], ["out"]]),
      on("corner", "junction", [["sink"]]),
      sink("sink"),
      on("out", "link out", [], { mode: "link", links: ["in"] }),
      on("in", "link in", [["call"]], { links: ["out"] }),
      on("call", "link call", [["fails"]], { links: ["service"], linkType: "static", timeout: "30" }),
      on("service", "link in", [["return"]], { links: [] }),
      on("return", "link out", [], { mode: "return", links: [] }),
      code("fails", [["nothing"]], "node.status({ text: 'bad' }); throw new Error('does not work');"),
      sink("nothing"),
      on("catch", "catch", [["caught"]], { scope: ["fails"], uncaught: false }),
      sink("caught"),
      on("status", "status", [["seen"]], { scope: ["fails"] }),
      sink("seen"),
      on("complete", "complete", [["completed"]], { scope: ["start-late"] }),
      sink("completed"),
      inject("again", "start-late", { once: true, onceDelay: "5" }),
      code("start-late", [[]], "return null;"),
      inject("stray", "strays", { once: true, onceDelay: "9" }),
      code(
        "strays",
        [["survived"]],
        `Promise.reject(new Error("nobody waits"));
         Buffer.constructor("return setTimeout")()(() => { throw new Error("nobody catches"); }, 10);
         setTimeout(() => { throw new Error("in a timer"); }, 20);
         setTimeout(() => node.send(msg), 30);`,
      ),
      sink("survived"),
    ];
    let report: Report;
    before(async () => {
      report = await rehearse(jobOf(FLOWS));
    });

    const pathTo = (id: string) => {
      const { path = -1 } = report.outcomes.find(({ node }) => node === id) ?? {};
      return report.paths[path]?.map(({ from, port, to }) => `${from}:${port} ${to}`);
    };

    it("names the wires as the editor shows them, and counts them", () => {
      should(pathTo("sink")).deepEqual(["start:0 use", "use:-1 inner", "use:0 corner", "corner:0 sink"]);
      should(report.wires).containEql({ from: "use", port: 1, to: "out", count: 1 });
      should(nodeOf(report, "use")).match({ received: 1, sent: [1, 1] });
      should(nodeOf(report, "inner")).match({ tab: "sub", received: 1, sent: [1, 1] });
    });

    it("follows messages over links, catch, status and complete nodes", () => {
      should(pathTo("fails")?.slice(-4)).deepEqual([
        "call:-1 service",
        "service:0 return",
        "return:-1 call",
        "call:0 fails",
      ]);
      should(pathTo("caught")?.slice(-2)).deepEqual(["fails:-1 catch", "catch:0 caught"]);
      should(pathTo("seen")?.slice(-2)).deepEqual(["fails:-1 status", "status:0 seen"]);
      should(pathTo("completed")).deepEqual([
        "again:0 start-late",
        "start-late:-1 complete",
        "complete:0 completed",
      ]);
      should(payloads(report, "caught")).deepEqual(["second"]);
    });

    it("notes errors with their message, also those that nobody waits for", () => {
      const errors = report.outcomes.filter(({ kind }) => kind === "error");
      should(errors.map(({ node, text }) => [node, text])).match([
        ["fails", /does not work/],
        ["strays", "nobody waits"],
        ["strays", "nobody catches"],
        ["strays", "in a timer"],
      ]);
      should(errors[0]?.message).match({ payload: "second" });
      should(nodeOf(report, "strays").outcomes).deepEqual({ error: 3 });
      should(times(report, "survived")).deepEqual([9.03]);
    });
  });

  it("copies context and variables, save the time zone, and takes odd names and modules of functions", async () => {
    const flows = [
      TAB,
      inject("start", "reads", { once: true }),
      code(
        "reads",
        [["sink"]],
        `msg.payload = [global.get("g"), flow.get("f"), context.get("n").deep, typeof os.EOL, typeof missing, env.get("GIVEN"), new Date().getHours()];
         return msg;`,
        {
          name: 7 as unknown as string,
          libs: [
            { var: "os", module: "os" },
            { var: "missing", module: "is-odd" },
          ],
        },
      ),
      sink("sink"),
    ];
    const context = { global: { g: 1 }, flows: { tab: { f: 2 } }, nodes: { reads: { n: { deep: 3 } } } };
    const report = await rehearse(
      jobOf(flows, { context, environment: { GIVEN: "value", TZ: "Asia/Tokyo" } }),
    );
    should(payloads(report, "sink")).deepEqual([[1, 2, 3, "string", "undefined", "value", 9]]);
    should(nodeOf(report, "reads").name).equal("7");
    should(report.notes.filter(({ kind }) => kind === "not-found")).match([
      { node: "reads", text: /is-odd/ },
    ]);
  });

  it("records every node of core that would act, and answers for it where there is a reply", async () => {
    const recorded = [
      ...["http request", "exec", "file", "file in", "http response", "mqtt out", "tcp out", "udp out"],
      ...["tcp request", "websocket out", "a type that nobody has"],
    ].map((type, index) => on(`r${index}`, type, [["answers"]], { topic: type }));
    const sources = ["http in", "mqtt in", "tcp in", "udp in", "websocket in", "watch"].map((type, index) =>
      on(`s${index}`, type, [["answers"]]),
    );
    const pure: FlowNode[] = [
      on("switch", "switch", [["change"]], {
        property: "payload",
        propertyType: "msg",
        rules: [{ t: "else" }],
        outputs: 1,
      }),
      on("change", "change", [["range"]], {
        rules: [{ t: "set", p: "payload", pt: "msg", to: "5", tot: "num" }],
      }),
      on("range", "range", [["template"]], { minin: 0, maxin: 10, minout: 0, maxout: 100, action: "scale" }),
      on("template", "template", [["json"]], {
        field: "payload",
        syntax: "mustache",
        template: '{"value":{{payload}}}',
        output: "str",
      }),
      on("json", "json", [["yaml"]], { property: "payload", action: "" }),
      on("yaml", "yaml", [["rbe"]], { property: "payload" }),
      on("rbe", "rbe", [["pure-sink"]], {
        func: "rbe",
        property: "payload",
        gap: "",
        start: "",
        inout: "out",
        septopics: false,
      }),
      on("csv", "csv", [[]], { sep: ",", hdrin: "", temp: "a" }),
      on("html", "html", [[]], { property: "payload", tag: "p", ret: "html", as: "single" }),
      on("xml", "xml", [[]], { property: "payload" }),
      on("sort", "sort", [[]], { target: "payload", targetType: "msg", order: "ascending" }),
      on("debug", "debug", [], { active: true, tosidebar: true, complete: "false" }),
      on("comment", "comment", []),
      sink("pure-sink"),
    ];
    const configuration = [
      "mqtt-broker",
      "tls-config",
      "http proxy",
      "websocket-listener",
      "websocket-client",
    ].map((type, index) => ({ id: `c${index}`, type }));
    const flows = [
      TAB,
      inject("start", "switch", {
        once: true,
        wires: [["switch", "debug", ...recorded.map(({ id }) => id)]],
      }),
      ...[...recorded, ...sources, ...pure, ...configuration],
      code("answers", [[]], "node.warn(msg.payload); return null;"),
    ];
    const replies = { r0: [[{ payload: "answer", statusCode: 200 }]] };
    const report = await rehearse(jobOf(flows, { replies }));
    should(
      recorded.map(({ id }) => nodeOf(report, id)).map(({ received, handling }) => [received, handling]),
    ).deepEqual(recorded.map((_, index) => [1, index === 0 ? "replied" : "recorded"]));
    should(report.outcomes.filter(({ node }) => node === "r1")).match([
      { kind: "sent", text: "exec", at: SPAN.from + 100, message: { payload: "start" } },
    ]);
    should(sources.map(({ id }) => nodeOf(report, id).handling)).matchEach("silent");
    should(report.notes.filter(({ kind }) => kind === "silent-source")).have.length(sources.length);
    should(nodeOf(report, "answers").received).equal(1);
    should(payloads(report, "pure-sink")).deepEqual(["value: 50\n"]);
    should(report.nodes.filter(({ outcomes }) => outcomes.error)).deepEqual([]);
  });
});

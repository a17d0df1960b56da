import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { memoryOf } from "../../rehearsal/parent/child-process.ts";
import { nodeRedOf } from "../../rehearsal/parent/installed-node-red.ts";
import { startRehearsal } from "../../rehearsal/parent/run.ts";
import { htmlOf } from "../../rehearsal/report/html.ts";
import type { FlowNode, Job } from "../../rehearsal/shared/job.ts";
import type { Report } from "../../rehearsal/shared/report.ts";
import { root } from "../../scripts/lib/paths.mjs";
import { jobOf, rehearse } from "../support/rehearsal.ts";

const REALM = `const { process, JSON } = Buffer.constructor("return globalThis")();`;

/** Messages and errors that no code can look at without care. */
const ODD: Readonly<Record<string, string>> = {
  "a getter that throws":
    "Object.defineProperty(msg, 'x', { enumerable: true, get() { throw new Error('x'); } });",
  "a proxy that throws": "msg.payload = new Proxy({}, { ownKeys() { throw 1; }, get() { throw 1; } });",
  "a toJSON that throws": "msg.payload = { toJSON() { throw new Error('x'); } };",
  "no text at all":
    "msg.toJSON = msg.toString = () => { throw new Error('x'); }; msg.payload = { toJSON: msg.toJSON, toString: msg.toString };",
  "a circle": "msg.payload = { msg }; msg.payload.self = msg.payload;",
  depth: "let all = {}; for (let at = 0; at < 1e5; at += 1) all = { all }; msg.payload = all;",
  "a long text": "msg.payload = 'x'.repeat(2 ** 24); msg.topic = msg.payload;",
  "a long error": "node.error('x'.repeat(2 ** 24), msg);",
  "an error that throws": "node.error({ get message() { throw new Error('x'); } }, msg);",
  "an error that is a circle": "const all = {}; all.all = all; node.error(all, msg);",
  "an error of big numbers": "node.error({ message: { n: 1n } }, msg);",
  "thrown null": "node.send(msg); throw null;",
  "a late send": "node.on('close', () => { node.send(msg); });",
  markup: "msg.payload = msg.topic = '</script><script>alert(1)</script><img src=x onerror=alert(1)>';",
};

const MARKUP = "<img src=x onerror=alert(1)>";
const NAMES = ["__proto__", "constructor", "toString", MARKUP];

describe("rehearsal: a hostile flow", function () {
  this.timeout(180_000);

  it("is reported, whatever its messages and errors are", async () => {
    const entries = Object.entries(ODD);
    const made = entries.map(([name, code], at) => ({
      ...{ id: `odd-${at}`, type: "function", z: "tab", name },
      ...{ func: `${code}\nreturn msg;`, outputs: 1, wires: [["sink"]] },
    }));
    const ids = made.map(({ id }) => id);
    const all = await rehearse(jobOf([TAB, inject("in", ids), ...made, sink("sink")]));
    const silent = all.nodes.filter(({ id, sent, outcomes }) => {
      return ids.includes(id) && sent[0] === 0 && !outcomes.error;
    });
    should(silent).eql([]);
    const sunk = all.outcomes.filter((one) => one.node === "sink" && one.kind === "sent");
    // A proxy that throws is not copied by Node-RED.
    should(sunk.length).aboveOrEqual(entries.length - 2);
    should(JSON.stringify(all).length).below(200_000);
    should(htmlOf(all)).not.match(/<script>alert|<img/);
  });

  it("is reported under any names", async () => {
    const nodes = NAMES.map((name, at) => ({ ...sink(`${at}${MARKUP}`), name }));
    const ids = nodes.map(({ id }) => id);
    const all = await rehearse(jobOf([TAB, inject("in", ids), ...nodes]));
    const found = all.nodes.filter(({ id }) => ids.includes(id));
    should(found.map(({ name, received }) => [name, received])).eql(NAMES.map((name) => [name, 1]));
    should(htmlOf(all)).not.match(/<img/);
  });

  it("fails where Node-RED cannot start it", async () => {
    const found = await attempt("", { timeMs: 40_000 }, [
      TAB,
      inject("in", ["constructor"]),
      sink("constructor"),
    ]);
    should(found.error).match({ code: "REHEARSAL_FAILED", message: /Rehearse fewer tabs/ });
  });

  it("keeps a report of many long messages small", async () => {
    const func =
      "for (let at = 0; at < 8_000; at += 1) { msg.payload = at + 'x'.repeat(4_000); node.error(at, msg); }";
    const many = Array.from({ length: 9 }, (_, at) => ({
      ...{ id: `f${at}`, type: "function", z: "tab", func, outputs: 1, wires: [[]] },
    }));
    const limits = { outcomesPerNode: 8_000, messageBytes: 5_000, paths: 10 };
    const ids = many.map(({ id }) => id);
    const all = await rehearse(jobOf([TAB, inject("in", ids), ...many], { limits }));
    should(all.nodes.map(({ outcomes }) => outcomes.error ?? 0)).eql([0, ...ids.map(() => 8_000)]);
    should(JSON.stringify(all).length).within(2 ** 24, 2 ** 25);
    should(all.notes.map(({ kind }) => kind)).containEql("cut");
  });

  it("reads no settings of the Node-RED that started it", async () => {
    const code = `${REALM}
      const found = Object.keys(process.env).filter((name) => !["TZ", "SystemRoot"].includes(name));
      const { settings } = Object.values(process.mainModule?.require?.cache ?? {})
        .map(({ exports }) => exports).find((each) => each?.settings?.nodesExcludes) ?? {};
      msg.payload = [found, global.keys(), flow.keys(), context.keys(), global.get("process") ?? null,
        settings?.adminAuth ?? null, settings?.credentialSecret ?? null, node.credentials ?? null,
        env.get("HOME") ?? null];
      return msg;`;
    const all = await rehearse(jobOf(flowOf(code)));
    const { message } = all.outcomes.find((one) => one.node === "sink") ?? {};
    should((message as { payload: unknown }).payload).eql([[], [], [], [], null, null, null, null, null]);
  });

  it("has its memory looked at on Linux and macOS", async function () {
    if (process.platform === "win32") return this.skip();
    const own = process.memoryUsage.rss() / 2 ** 20;
    for (const platform of [process.platform, "darwin"] as const)
      should(await memoryOf(process.pid, platform)).within(own / 2, own * 2);
  });
});

const TAB: FlowNode = { id: "tab", type: "tab", label: "Hostile" };

function inject(id: string, to: string[]): FlowNode {
  const once = { once: true, onceDelay: 1, payload: "x", payloadType: "str" };
  return { id, type: "inject", z: "tab", ...once, wires: [to] };
}

function sink(id: string): FlowNode {
  return { id, type: "mqtt out", z: "tab", topic: "", wires: [] };
}

function flowOf(func: string): FlowNode[] {
  const code: FlowNode = { id: "f", type: "function", z: "tab", func, outputs: 1, wires: [["sink"]] };
  return [TAB, inject("in", ["f"]), code, sink("sink")];
}

/** `late`: how long the event loop of this process waited, in ms. `most`: its memory, in bytes. */
type Attempted = { report?: Report; error?: unknown; late: number; most: number };

async function attempt(code: string, limits: { timeMs: number }, flows = flowOf(code)): Promise<Attempted> {
  const workRoot = await mkdtemp(join(tmpdir(), "crec-hostile-flow-"));
  const found: Attempted = { late: 0, most: 0 };
  let last = performance.now();
  const look = setInterval(() => {
    found.late = Math.max(found.late, performance.now() - last);
    found.most = Math.max(found.most, process.memoryUsage.rss());
    last = performance.now();
  }, 10);
  const job: Job = jobOf(flows, { askQueries: true });
  const events = (async function* () {})();
  const ask = () => Promise.resolve({ result: "0x" });
  const options = { nodeRed: nodeRedOf(root), packageFolder: root, job, events, ask, workRoot, limits };
  try {
    found.report = await startRehearsal(options).report;
  } catch (error) {
    found.error = error;
  } finally {
    clearInterval(look);
    await rm(workRoot, { recursive: true, force: true, maxRetries: 3 });
  }
  return found;
}

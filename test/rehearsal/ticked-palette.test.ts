import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import should from "should";
import { tickedModules } from "../../plugins/rehearsal/run/start.ts";
import type { FlowNode, TickedModule } from "../../rehearsal/shared/job.ts";
import type { Report } from "../../rehearsal/shared/report.ts";
import { jobOf, rehearse } from "../support/rehearsal.ts";
import { Reachable, SECRET } from "./support/hostile.ts";

const NAME = "node-red-contrib-little";

/** A palette in a user directory, as `npm install` puts it there: its code acts when it is loaded, and when it runs. */
describe("rehearsal: a palette that the person ticked", function () {
  this.timeout(180_000);
  let to: Reachable;
  let modules: TickedModule[];

  before(async () => {
    to = await Reachable.open();
    const user = join(to.folder, "user");
    await writePalette(join(user, "node_modules"));
    await writeFile(join(user, "settings.js"), SECRET);
    modules = tickedModules([NAME], [user]);
  });

  after(() => to.close());

  const flows = (): FlowNode[] => {
    const z = "tab";
    const { target } = to;
    const settings = join(to.folder, "user", "settings.js");
    const once = {
      once: true,
      onceDelay: 1,
      payload: JSON.stringify({ target, settings }),
      payloadType: "json",
    };
    return [
      { id: z, type: "tab", label: "Palette" },
      { id: "in", type: "inject", z, ...once, wires: [["p", "f"]] },
      { id: "p", type: "little", z, wires: [["out"]] },
      { id: "f", type: "function", z, func: IS_LOADED, outputs: 1, wires: [["loaded"]] },
      { id: "loaded", type: "mqtt out", z, topic: "x", wires: [] },
      { id: "out", type: "mqtt out", z, topic: "x", wires: [] },
    ];
  };

  it("runs, with the packages that it needs, and reaches nothing", async () => {
    const report = await rehearse(jobOf(flows(), { modules }));
    should(nodeOf(report)).match({ handling: "runs", received: 1, sent: [1], outcomes: {} });
    should(payloadAt("loaded", report)).be.true();
    const { atLoad, atRun, doubled } = payloadAt("out", report) as Record<string, unknown>;
    should(doubled).equal(42);
    const closed = { connect: "REHEARSAL_CLOSED", program: "REHEARSAL_CLOSED", write: "REHEARSAL_CLOSED" };
    should(atLoad).eql(closed);
    should(atRun).eql({ ...closed, settings: "ERR_ACCESS_DENIED" });
    should(JSON.stringify(report)).not.containEql(SECRET);
    should(to.seen).eql({ tcp: 0, udp: 0, dns: 0, pipe: 0, signal: 0 });
    should(await to.written()).eql([]);
  });

  it("is recorded when it is not ticked, and its code is not loaded", async () => {
    const report = await rehearse(jobOf(flows()));
    should(nodeOf(report)).match({ handling: "recorded", received: 1, sent: [0], outcomes: { sent: 1 } });
    should(payloadAt("loaded", report)).be.false();
  });
});

function nodeOf({ nodes }: Report) {
  return nodes.find(({ id }) => id === "p");
}

function payloadAt(id: string, { outcomes }: Report): unknown {
  const { message } = outcomes.find(({ node }) => node === id) ?? {};
  return (message as { payload?: unknown } | undefined)?.payload;
}

async function writePalette(packages: string): Promise<void> {
  const folder = join(packages, NAME);
  await mkdir(folder, { recursive: true });
  await mkdir(join(packages, "doubling"));
  await writeFile(join(packages, "doubling", "index.js"), "module.exports = (n) => 2 * n;");
  const manifest = { name: NAME, version: "1.0.0", "node-red": { nodes: { little: "little.js" } } };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(
    join(folder, "little.html"),
    '<script type="text/html" data-template-name="little"></script>',
  );
  await writeFile(join(folder, "little.js"), PALETTE);
}

const IS_LOADED = `msg.payload = Buffer.constructor("return globalThis")().littleIsLoaded === true; return msg;`;

const PALETTE = `
globalThis.littleIsLoaded = true;
const { writeFileSync, readFileSync } = require("node:fs");
const double = require("doubling");
const codeOf = (act) => {
  try { act(); } catch (error) { return error.code; }
};
const act = (port, file) => ({
  connect: codeOf(() => require("node:net").connect(port, "127.0.0.1")),
  program: codeOf(() => require("node:child_process").execFileSync(process.execPath, ["--version"])),
  write: codeOf(() => writeFileSync(file, "x")),
});
const atLoad = act(1, __filename + ".written");
module.exports = (RED) => {
  RED.nodes.registerType("little", function (config) {
    RED.nodes.createNode(this, config);
    this.on("input", (msg, send, done) => {
      const { target, settings } = msg.payload;
      const atRun = act(target.tcp, target.outside + "/palette");
      atRun.settings = codeOf(() => readFileSync(settings));
      send({ ...msg, payload: { atLoad, atRun, doubled: double(21) } });
      done();
    });
  });
};
`;

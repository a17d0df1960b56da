import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import should from "should";
import { arrivals, collectingFlow } from "../support/collector.ts";
import { eventually } from "../support/eventually.ts";
import type { FlowNode } from "../support/node-red.ts";
import { NodeRedWithChannel } from "../support/node-red-with-channel.ts";
import { sized } from "../support/variants.ts";

const EVENTS = 12;
const POISON = 5;
/** Where the form says nothing. */
const DEFAULT_CRASHES = 5;

describe("an event at which Node-RED ends", function () {
  this.timeout(300_000);
  let stage: NodeRedWithChannel;

  before(async () => {
    stage = await NodeRedWithChannel.prepare(EVENTS);
  });
  after(() => stage?.close());

  /** Writes each event down behind a node that ends the process at one of them, and rejected ones into another file. */
  const deadlyFlow = (files: { all: string; rejected: string }, settings: Record<string, unknown>) => {
    const flow = collectingFlow(files.all, stage.service.channelName, settings);
    const write = flow.find(({ id }) => id === "collect-write");
    const deadly: FlowNode = {
      ...{ id: "deadly", z: "collect-tab", type: "function", outputs: 1, wires: [["collect-line"]] },
      func: `if (msg.crec.offset === ${POISON}) process.exit(1);\nreturn msg;`,
      libs: [{ var: "process", module: "process" }],
    };
    const why: FlowNode = {
      ...{ id: "why", z: "collect-tab", type: "change", wires: [["write-rejected"]] },
      rules: [{ t: "set", p: "payload", pt: "msg", to: "crec.rejection", tot: "msg" }],
    };
    const rejected = { ...write, id: "write-rejected", type: "file", filename: files.rejected, wires: [] };
    const wired = flow.map((one) =>
      one.id === "collect-in" ? { ...one, d: true, wires: [["deadly"], ["why"]] } : one,
    );
    return [...wired, deadly, why, rejected];
  };

  /** Has the reader there from the next start on, for it may end Node-RED before a deploy has ended. */
  const enable = async () => {
    const file = join(stage.userDir.path, "flows.json");
    const flows = JSON.parse(await readFile(file, "utf8")) as FlowNode[];
    await writeFile(file, JSON.stringify(flows.map(({ d, ...node }) => node)));
  };

  for (const { commit, crashes } of [
    { commit: "on-send", crashes: sized(2, DEFAULT_CRASHES) },
    { commit: "on-complete", crashes: 2 },
  ]) {
    it(`leaves by the second output after ${crashes} restarts, and those behind it come (${commit})`, async () => {
      const files = {
        all: join(stage.userDir.path, `${commit}.txt`),
        rejected: join(stage.userDir.path, `${commit}-rejected.txt`),
      };
      const settings = {
        commit,
        consumer: commit,
        inFlight: "3",
        ...(crashes === DEFAULT_CRASHES ? {} : { crashes }),
      };
      await (await stage.launch()).deploy(deadlyFlow(files, settings));
      await stage.nodeRed?.stop();
      await enable();
      const rejections = () => readFile(files.rejected, "utf8").catch(() => "");
      const isOver = async () =>
        (await arrivals(files.all)).at(-1)?.offset === EVENTS && (await rejections()).endsWith("\n");
      let starts = 0;
      for (; !(await isOver()); starts += 1) {
        should(starts).be.below(10);
        // It may end before it is ready.
        await stage.launch().catch(() => {});
        await eventually(
          "the end of Node-RED or of the channel",
          async () => !stage.nodeRed?.running || isOver(),
        );
      }
      // The first time it was not known which event it is.
      should(starts).equal(crashes + 2);
      const told = `Node-RED ended ${crashes} times while this event was in the flow.`;
      should(await rejections()).equal(`${told}\n`);
      const offsets = new Set((await arrivals(files.all)).map(({ offset }) => offset));
      // On send, a crash may lose what is in the flow.
      const least = commit === "on-send" ? POISON + 1 : 1;
      for (let offset = least; offset <= EVENTS; offset += 1)
        should(offsets.has(offset)).equal(offset !== POISON, `event ${offset}`);
      should(stage.nodeRed?.log).match(/Node-RED ended unexpectedly.* one at a time/);
      should(stage.nodeRed?.log).containEql(
        `The event at offset 5 was rejected: Node-RED ended ${crashes} times`,
      );
      await stage.nodeRed?.kill();
    });
  }
});

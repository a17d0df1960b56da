import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { cursorStored } from "../support/cursor-file.ts";
import { type Arrival, EventHarness } from "../support/event-harness.ts";
import { NodeRed, type NodeRedOptions } from "../support/node-red.ts";
import { eventsInNode } from "../support/nodes.ts";

const EVENTS = 6;
const CONNECTED = "connected";
const info = { define: ["logging.console.level=info"] };
const flowfuse: NodeRedOptions = {
  ...info,
  settings: fileURLToPath(new URL("../nodes/flowfuse-settings.cjs", import.meta.url)),
};

/** Hosts that keep only some of the files. */
describe("the state folder of a real Node-RED", function () {
  this.timeout(180_000);

  let harness: EventHarness;
  let elsewhere: string;
  let last = EVENTS;

  before(async () => {
    elsewhere = await mkdtemp(join(tmpdir(), "crec-elsewhere-"));
    harness = await EventHarness.start(EVENTS, info);
  });
  after(async () => {
    await harness?.close();
    await rm(elsewhere, { recursive: true, force: true });
  });

  const inUserDir = (...path: string[]) => join(harness.userDir.path, ...path);
  const restart = async (
    env: Record<string, string>,
    options: NodeRedOptions,
    meanwhile = async () => {},
  ) => {
    await harness.nodeRed.stop();
    await meanwhile();
    harness.nodeRed = await NodeRed.start(harness.userDir, env, options);
  };
  const sent = () => harness.arrivals("reader").map((arrival: Arrival) => arrival.crec.offset);
  const context = () => ({ CREC_TEST_CONTEXT: elsewhere });

  it("is FlowFuse's storage: a cursor of before is moved there, and it goes on where it was", async () => {
    await harness.deploy([
      [eventsInNode({ id: "reader", consumer: "reader", verify: false, start: "now" }), 2],
    ]);
    await harness.nodeRed.status("reader", /after offset/);
    await harness.addEvents("first");
    await harness.arrived("reader", 2);
    last += 2;
    await cursorStored(harness.userDir, "reader", harness.service.ready);
    await mkdir(inUserDir("storage"));
    await restart(context(), flowfuse);
    await harness.nodeRed.status("reader", CONNECTED);
    should(harness.nodeRed.log).match(
      /Moved to the state folder: 1 file with state, from \S+ to \S+storage\./,
    );
    should(await readdir(inUserDir("storage/crec-cursors"))).containEql("reader.json");
    await harness.addEvents("second");
    await harness.arrived("reader", 2);
    should(sent()).deepEqual([last + 1, last + 2]);
    last += 2;
  });

  it("survives a restart that keeps nothing but the storage", async () => {
    await restart(context(), flowfuse, async () => {
      for (const name of ["crec-cursors", "crec-started"])
        await rm(inUserDir(name), { recursive: true, force: true });
    });
    await harness.nodeRed.status("reader", CONNECTED);
    should(harness.nodeRed.log).not.match(/Moved to/);
    await harness.addEvents("third");
    await harness.arrived("reader", 2);
    should(sent()).deepEqual([last + 1, last + 2]);
    last += 2;
  });

  it("where the storage is lost but the context is kept, it asks where to continue", async () => {
    await restart(context(), flowfuse, async () => {
      for (const name of ["storage/crec-cursors", "storage/crec-started", "crec-started"])
        await rm(inUserDir(name), { recursive: true, force: true });
    });
    await harness.nodeRed.status("reader", "cursor-lost");
    await harness.panel("reader", "/seek", { to: "now" });
    await harness.nodeRed.status("reader", CONNECTED);
  });

  it("is the one of CREC_STATE_DIR; one that cannot be written is a red status with what to do", async () => {
    const file = join(elsewhere, "file");
    await writeFile(file, "");
    await restart({ CREC_STATE_DIR: file }, info);
    await harness.nodeRed.status("reader", /^The state folder cannot be written \(ENOTDIR\)/);
    await restart({ CREC_STATE_DIR: join(elsewhere, "state") }, info, async () => {
      await mkdir(join(elsewhere, "state"));
    });
    // The storage is no former place without FlowFuse's key, so the cursor is not there.
    await harness.nodeRed.status("reader", "cursor-lost");
  });

  it("where FlowFuse runs two copies with nothing shared, it says so", async () => {
    await restart({ ...context(), CREC_TEST_REPLICAS: "2" }, flowfuse, async () => {
      await rm(inUserDir("storage"), { recursive: true, force: true });
    });
    await harness.nodeRed.status("reader", "cursor-lost");
    await harness.panel("reader", "/seek", { to: "now" });
    await harness.nodeRed.status("reader", ({ fill, code }) => fill === "yellow" && code === "copies");
    should(harness.nodeRed.log).match(
      /2 copies read the channel of "reader", or more: FlowFuse runs several copies/,
    );
  });
});

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import should from "should";
import { EventHarness } from "../support/event-harness.ts";
import { eventsInNode } from "../support/nodes.ts";

const EVENTS = 4;

/** What takes the right to write away from a running Node-RED, and gives it back. */
type Obstacle = { needs: string; begin: () => void; end: () => void };

const run = (program: string, ...args: readonly string[]) => execFileSync(program, args, { stdio: "pipe" });

/** Files of a real system: a quota of zero bytes, and a folder that is mounted read-only. */
describe("a state folder that cannot be written for a time", function () {
  this.timeout(120_000);

  let harness: EventHarness;
  let sent = EVENTS;

  before(function () {
    if (process.platform !== "linux") this.skip();
  });
  beforeEach(async () => {
    harness = await EventHarness.start(EVENTS, {});
    sent = EVENTS;
  });
  afterEach(() => harness?.close());

  const obstacles: Record<string, () => Obstacle> = {
    "no byte may be added to a file": () => {
      const limit = (size: string) => () =>
        run("prlimit", `--pid=${harness.nodeRed.pid}`, `--fsize=${size}:unlimited`);
      return { needs: "prlimit of util-linux", begin: limit("0"), end: limit("unlimited") };
    },
    "the folder is read-only": () => {
      const folder = join(harness.userDir.path, "crec-cursors");
      return {
        needs: "the right to mount",
        begin: () => {
          run("mount", "--bind", folder, folder);
          run("mount", "-o", "remount,ro,bind", folder);
        },
        end: () => run("umount", folder),
      };
    },
  };

  for (const [what, obstacle] of Object.entries(obstacles))
    it(`is reported, and nothing is lost: ${what}`, async function () {
      const reader = eventsInNode({ id: "reader", consumer: "reader", verify: false });
      await harness.deploy([[reader, 2]]);
      await harness.arrived("reader", EVENTS);
      const { needs, begin, end } = obstacle();
      try {
        begin();
      } catch (error) {
        if (process.env.CI !== undefined) throw new Error(`This test needs ${needs}.`, { cause: error });
        process.stdout.write(`    skipped: it needs ${needs}\n`);
        this.skip();
      }
      try {
        await harness.addEvents("while it cannot be written");
        await harness.nodeRed.status("reader", /cannot be written|The cursor file/);
      } finally {
        end();
      }
      sent += 2;
      const offsets = () => new Set(harness.arrivals("reader").map(({ crec }) => crec.offset)).size;
      await harness.nodeRed.shows(() => offsets() === sent);
      await harness.nodeRed.status("reader", "connected");
      await harness.nodeRed.kill();
      await harness.restart();
      await harness.addEvents("after a crash");
      const all = () => harness.arrivals("reader").map(({ crec }) => Number(crec.offset));
      await harness.nodeRed.shows(() => all().includes(sent + 2));
      // What was sent and stored before the crash may come again, and then says so.
      for (const { crec } of harness.arrivals("reader"))
        if (Number(crec.offset) <= sent) should(crec.redelivered).be.true();
    });
});

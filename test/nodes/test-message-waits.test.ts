import { EventEmitter } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import should from "should";
import type { Connection } from "../../nodes/common/fields/config-nodes.ts";
import type { CrecMessage } from "../../nodes/common/messages/message.ts";
import type { Run, Wait } from "../../nodes/common/tasks/durable-task.ts";
import { DurableTasks } from "../../nodes/common/tasks/durable-tasks.ts";

const ID = "0f8fad5b-d9cb-469f-a165-70867728950e";

/** A test message and a real one can wait for the same operation: each goes on for itself. */
describe("the wait of a test message", () => {
  let userDir: string;

  before(async () => {
    userDir = await mkdtemp(join(tmpdir(), "crec-waits-"));
  });

  after(async () => {
    await rm(userDir, { recursive: true, force: true });
  });

  const wait: Wait = {
    id: ID,
    connection: { baseUrl: "http://service.test" } as Connection,
    about: { operation: ID },
  };
  const run = (crec: CrecMessage["crec"], more: Partial<Run> = {}): Run => ({
    msg: { _msgid: "1", crec } as CrecMessage,
    ...{ arrivedAt: 1, controller: new AbortController() },
    ...{ id: undefined, kept: undefined, file: undefined, unsaved: undefined, isOver: false },
    ...more,
  });
  /** A node as it is after a deploy, at work on these messages; `resumed` when it is given one again. */
  const deployed = (...runs: Run[]) => {
    const received = Promise.withResolvers<CrecMessage>();
    const events = new EventEmitter();
    const RED = { events, settings: { userDir }, nodes: { eachNode: () => undefined } } as unknown as NodeAPI;
    const node = { id: "wait", warn: received.reject, error: received.reject, receive: received.resolve };
    const waits = new DurableTasks(RED, node as unknown as Node, new Set(runs), () => true);
    return { waits, resumed: received.promise, start: () => events.emit("flows:started") };
  };

  it("leaves a real one that was resumed, and a real one leaves a test", async () => {
    for (const [first, second, isTaken] of [
      [{}, { test: true }, false],
      [{ test: true }, {}, false],
      [{}, {}, true],
      [{ test: true }, { test: true }, true],
    ] as const) {
      const resumed = run(first, { kept: { id: ID, service: "s", about: {} } });
      const { waits } = deployed(resumed);
      const again = run(second);
      await waits.keep(again, wait);
      should(resumed.controller.signal.aborted).equal(isTaken, JSON.stringify([first, second]));
      await waits.end(again);
      await waits.close(false);
    }
  });

  it("does not keep a real one from being resumed", async () => {
    const before = deployed();
    await before.waits.keep(run({ keep: "me" }), wait);
    await before.waits.close(false);
    const { waits, resumed, start } = deployed(run({ test: true }, { id: ID }));
    start();
    should((await resumed).crec).deepEqual({ keep: "me", resumed: true });
    await waits.close(false);
  });
});

import { EventEmitter } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import should from "should";
import type { CrecMessage } from "../../nodes/lib/runtime/message.ts";
import { WaitStore } from "../../nodes/lib/runtime/waits/wait-store.ts";
import { type Run, Waits } from "../../nodes/lib/runtime/waits/waits.ts";

/** A message at work that waits for this operation, and that was not resumed. */
function runOf(id: string): Run {
  return {
    ...{ id, msg: { _msgid: id }, controller: new AbortController(), isOver: false },
    ...{ kept: undefined, file: undefined, unsaved: undefined },
  };
}

describe("a kept wait when the flows start", () => {
  let userDir: string;

  beforeEach(async () => {
    userDir = await mkdtemp(join(tmpdir(), "crec-waits-"));
  });
  afterEach(() => rm(userDir, { recursive: true }));

  /** Starts the flows of a node that has a file of the operation `kept`; gives what became of it. */
  async function start(runs: readonly Run[]): Promise<{ resumed: CrecMessage[]; files: number }> {
    const resumed: CrecMessage[] = [];
    const events = new EventEmitter();
    const RED = { events, settings: { userDir }, _: (key: string) => key } as unknown as NodeAPI;
    const store = new WaitStore(RED, "node");
    const msg = { _msgid: "old" };
    await store.save(store.nameFor("kept"), { version: 1, id: "kept", service: "", about: {}, msg, cut: [] });
    const { promise: isDone, resolve: done } = Promise.withResolvers<void>();
    const receive = (msg: CrecMessage) => {
      resumed.push(msg);
      done();
    };
    const node = { id: "node", receive, warn: done, error: done };
    new Waits(RED, node as unknown as Node, new Set(runs), () => true);
    events.emit("flows:started");
    const isRemoved = async () => {
      while ((await store.list()).length > 0 && resumed.length === 0)
        await new Promise((resolve) => setImmediate(resolve));
    };
    await Promise.race([isDone, isRemoved()]);
    return { resumed, files: (await store.list()).length };
  }

  it("is resumed, and its file stays until the message is done", async () => {
    const { resumed, files } = await start([runOf("other")]);
    should(resumed).match([{ _msgid: "old", crec: { resumed: true } }]);
    should(files).equal(1);
  });

  it("is dropped if its message was delivered again and waits already", async () => {
    should(await start([runOf("kept")])).deepEqual({ resumed: [], files: 0 });
  });
});

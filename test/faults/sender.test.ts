import { EventEmitter } from "node:events";
import { createRequire } from "node:module";
import { setImmediate as turn } from "node:timers/promises";
import should from "should";
import type { BatchResult } from "./batch-result.ts";

type Done = () => void;
type Post = (request: { body: object }, response: object) => Promise<void>;

const register: (red: object) => void = createRequire(import.meta.url)("./hostile-nodes/hostile-sender.js");
const COUNT = 40;

describe("the sender of odd messages", () => {
  const before = process.listeners("unhandledRejection");
  after(() => {
    for (const listener of process.listeners("unhandledRejection")) {
      if (!before.includes(listener)) process.off("unhandledRejection", listener);
    }
  });

  it("finds nothing in a node that ends each message once", async () => {
    const result = await sentTo((done) => void turn().then(done));
    should(result).containDeep({ lost: [], twice: [], thrown: [], polluted: false, unhandled: [] });
    should(result.longestMs).be.below(100);
    should(grownMb(result)).be.below(20);
  });

  it("finds a message that does not end, and one that ends twice", async () => {
    const { lost, twice } = await sentTo((done, index) => {
      if (index !== 3) done();
      if (index === 5) void turn().then(done);
    });
    should({ lost, twice }).deepEqual({ lost: [3], twice: [5] });
  });

  it("finds what is thrown, and a turn that is too long", async () => {
    const { thrown, longestMs, longestAt } = await sentTo((done, index) => {
      done();
      if (index === 4) throw new Error("thrown by a node");
      if (index === 7) compute(150);
    });
    should(thrown).have.length(1);
    should(thrown[0]).startWith("4: Error: thrown by a node");
    should(longestMs).be.above(100);
    should(longestAt).equal(7);
  });

  it("finds memory that a node keeps", async () => {
    const kept: unknown[] = [];
    const result = await sentTo((done) => {
      kept.push(new Array(100_000).fill(0));
      done();
    });
    should(kept).have.length(COUNT);
    should(grownMb(result)).be.above(20);
  });
});

/** Sends into a node that does this with each message, in place of Node-RED. */
async function sentTo(handle: (done: Done, index: number) => void): Promise<BatchResult> {
  const node = new EventEmitter();
  let post: Post | undefined;
  let completed: ((event: { msg: unknown }) => void) | undefined;
  register({
    nodes: { registerType: () => {}, getNode: () => node },
    hooks: { add: (_name: string, hook: typeof completed) => (completed = hook) },
    httpAdmin: { post: (_path: string, handler: Post) => (post = handler) },
  });
  let next = 0;
  node.on("input", (msg: unknown) => {
    next += 1;
    handle(() => completed?.({ msg }), next - 1);
  });
  let result: BatchResult | undefined;
  const response = { json: (value: BatchResult) => (result = value), status: () => response };
  await post?.({ body: { id: "node", seed: 1, count: COUNT, sample: { payload: 1 }, endMs: 200 } }, response);
  if (!result) throw new Error("The sender did not answer.");
  return result;
}

function grownMb({ heapBefore, heapAfter }: BatchResult): number {
  return (heapAfter - heapBefore) / 1e6;
}

/** For so much processor time. */
function compute(ms: number): void {
  const before = process.threadCpuUsage();
  const used = () => process.threadCpuUsage(before).user / 1000;
  while (used() < ms) Math.hypot(used(), 1);
}

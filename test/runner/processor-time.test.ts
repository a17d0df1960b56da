import should from "should";
import { LIMIT_S, notWaitedFor, Slowness, verdict } from "../../scripts/test/processor-time.mjs";

const usages = (...all: Array<[pid: number, parent: number, own: number, ofChildren: number]>) =>
  new Map(all.map(([pid, parent, own, ofChildren]) => [pid, { pid, parent, own, ofChildren }]));

describe("the processor time of a run", () => {
  const before = usages([1, 0, 1, 10], [2, 1, 3, 0], [3, 2, 5, 2], [4, 3, 7, 0]);

  it("has nothing twice of a process that its parent waited for", () => {
    should(notWaitedFor(before, usages([1, 0, 1, 27]))).equal(0);
    should(notWaitedFor(before, usages([1, 0, 1, 10], [2, 1, 3, 14], [3, 2, 5, 2]))).equal(7);
  });

  it("has nothing twice of a process that its parent waited for while processes were read", () => {
    const now = usages([1, 0, 1, 10], [2, 1, 3, 0], [3, 2, 5, 2]);
    const later = usages([2, 1, 3, 0], [3, 2, 5, 9]);
    should(notWaitedFor(before, now, (pid) => later.get(pid))).equal(0);
    should(notWaitedFor(before, now)).equal(7);
  });

  it("has the children of a browser that was killed with them, and orphans", () => {
    // The one that waited got the time of process 2 alone.
    should(notWaitedFor(before, usages([1, 0, 1, 13]))).equal(14);
    should(notWaitedFor(usages([1, 0, 1, 0], [9, 8, 4, 1]), usages([1, 0, 1, 0]))).equal(5);
  });

  it("is judged by what a piece of work takes beside it", async () => {
    const slowness = new Slowness();
    const times = await slowness.end();
    should(times).be.within(0.1, 20);
    should(await slowness.end()).equal(times);
  });

  it("fails above the limit, on a slower machine above more", () => {
    should(verdict(LIMIT_S + 1, 1, 1).isWithin).be.false();
    should(verdict(LIMIT_S - 1, 1, 1).isWithin).be.true();
    should(verdict(LIMIT_S + 1, 1, 1.5).isWithin).be.true();
    should(verdict(9_999, 1, undefined).isWithin).be.true();
  });
});

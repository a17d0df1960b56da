import { getEventListeners } from "node:events";
import should from "should";
import { Semaphore } from "../../src/http/semaphore.ts";

describe("the queue of calls", () => {
  const never = new AbortController().signal;

  it("runs only so many at the same time, and the others in order", async () => {
    const semaphore = new Semaphore(2);
    const begun: number[] = [];
    const ends = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
    const runs = ends.map(({ promise }, index) =>
      semaphore.run(never, () => {
        begun.push(index);
        return promise;
      }),
    );
    await Promise.resolve();
    should(begun).deepEqual([0, 1]);
    ends[1]?.resolve();
    await runs[1];
    should(begun).deepEqual([0, 1, 2]);
    for (const { resolve } of ends) resolve();
    await Promise.all(runs);
    should(begun).deepEqual([0, 1, 2, 3]);
  });

  it("frees the slot when the work fails", async () => {
    const semaphore = new Semaphore(1);
    const failing = semaphore.run(never, () => Promise.reject(new Error("no")));
    await should(failing).be.rejectedWith("no");
    should(await semaphore.run(never, async () => "next")).equal("next");
  });

  it("may be left while waiting, for the signal's reason, and leaves nothing on a signal", async () => {
    const semaphore = new Semaphore(1);
    const first = Promise.withResolvers<void>();
    const running = semaphore.run(never, () => first.promise);
    const leaving = new AbortController();
    const staying = new AbortController();
    const left = semaphore.run(leaving.signal, async () => "too late");
    const stayed = semaphore.run(staying.signal, async () => "well");
    leaving.abort(new Error("enough"));
    await should(left).be.rejectedWith("enough");
    first.resolve();
    await running;
    should(await stayed).equal("well");
    for (const { signal } of [leaving, staying]) should(getEventListeners(signal, "abort")).be.empty();
    await should(semaphore.run(leaving.signal, async () => "never")).be.rejectedWith("enough");
  });
});

import fc from "fast-check";
import { movedBack, stuckPages } from "./broken.ts";
import { onAck } from "./on-ack.ts";
import { onSend } from "./on-send.ts";

const numRuns = Number(process.env.CONSUMER_RUNS ?? 150);

describe("a consumer on a service of unknown habits", function () {
  this.timeout(120_000);

  it("delivers every event at least once, in order, and marks what it repeats", () =>
    fc.assert(onSend(), { numRuns }));

  it("does so until an event is acknowledged, and repeats it for a reason only", () =>
    fc.assert(onAck(), { numRuns }));

  it("waits while a channel ends below its place, and asks a person when its events are others", () =>
    fc.assert(movedBack(), { numRuns: Math.ceil(numRuns / 3) }));

  it("says so when pages do not advance, and goes on when they do", () =>
    fc.assert(stuckPages(), { numRuns: Math.ceil(numRuns / 3) }));
});

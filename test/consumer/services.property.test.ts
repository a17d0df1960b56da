import fc from "fast-check";
import { sized } from "../support/variants.ts";
import { movedBack, stuckPages } from "./broken-services.ts";
import { onAck } from "./on-ack.ts";
import { onSend } from "./on-send.ts";

const numRuns = Number(process.env.CONSUMER_RUNS ?? sized(50, 150));
const TIMEOUT_MS = 120_000;
/** Ends in time to print the example that fails, smaller or not. */
const inTime = { interruptAfterTimeLimit: 0.8 * TIMEOUT_MS, markInterruptAsFailure: true };

describe("a consumer on a service of unknown behaviour", function () {
  this.timeout(TIMEOUT_MS);

  it("delivers every event at least once, in order, and marks what it repeats", () =>
    fc.assert(onSend(), { ...inTime, numRuns }));

  it("does so until an event is acknowledged, and repeats it for a reason only", () =>
    fc.assert(onAck(), { ...inTime, numRuns }));

  it("waits while a channel ends below the cursor, and stops when its events were replaced", () =>
    fc.assert(movedBack(), { ...inTime, numRuns: Math.ceil(numRuns / 3) }));

  it("reports pages that do not advance, and continues when they do", () =>
    fc.assert(stuckPages(), { ...inTime, numRuns: Math.ceil(numRuns / 3) }));
});

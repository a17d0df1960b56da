import type { NodeAPI } from "node-red";
import should from "should";
import { KeptRehearsals } from "../../plugins/rehearsal/run/kept.ts";
import { readBefore, type Started, spanAgain } from "../../plugins/rehearsal/run/start.ts";
import type { StartQuestion } from "../../plugins/rehearsal/types.ts";
import type { PastEvent } from "../../rehearsal/shared/job.ts";
import type { Report } from "../../rehearsal/shared/report.ts";
import { eventually } from "../support/eventually.ts";

const span = { from: 1_000, to: 9_000 };
const channels = [
  { id: "read", name: "", events: 2, firstOffset: 4, lastOffset: 5 },
  { id: "empty", name: "", events: 0 },
];
const at = (channelId: string, offset: number) =>
  ({ channelId, event: { headers: { offset } }, at: 5_000 }) as unknown as PastEvent;

describe("a rehearsal that is repeated", () => {
  it("is of the same times, where the last hours were chosen", () => {
    should(spanAgain({ last: 24 }, { span })).deepEqual(span);
    for (const asked of [{ from: 5, to: 6 }, { offsets: [4, 5] as [number, number] }, { upload: "file" }])
      should(spanAgain(asked, { span })).deepEqual(asked);
  });

  it("gets the events of the first one, and none that came since", async () => {
    const batches = async function* () {
      yield [at("read", 4), at("empty", 0), at("read", 5)];
      yield [at("read", 6)];
      yield [at("of a new tab", 7)];
    };
    const given: PastEvent[] = [];
    for await (const batch of readBefore(batches(), { channels })) given.push(...batch);
    should(given).deepEqual([at("read", 4), at("read", 5), at("of a new tab", 7)]);
  });

  it("knows the report that was shown when it was asked for, and no other", async () => {
    const report = { span, channels, notes: [] } as unknown as Report;
    const asked: Array<Report | undefined> = [];
    const kept = new KeptRehearsals({} as NodeAPI["log"], async (_question, _signal, again) => {
      asked.push(again);
      const rehearsal = {
        onProgress: () => undefined,
        cancel: () => undefined,
        report: Promise.resolve(report),
      };
      return { rehearsal, job: { span, timeZone: "UTC" }, notes: [] } as unknown as Started;
    });
    for (const again of [undefined, 1, 7]) {
      kept.begin({ ...(again === undefined ? {} : { again }) } as StartQuestion);
      await eventually("the report", () => kept.state.state === "done");
    }
    should(asked.map((one) => one?.span)).deepEqual([undefined, span, undefined]);
  });
});

import { EventEmitter } from "node:events";
import { mock } from "node:test";
import type { NodeAPI } from "node-red";
import should from "should";
import { Activity } from "../../../nodes/common/telemetry/activity.ts";
import { checkWhenNeeded } from "../../../plugins/monitor/issues/register.ts";
import { call, event } from "../metrics/facts.ts";

describe("the checks for issues", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout", "setInterval"] }));
  afterEach(() => mock.timers.reset());

  const counting = () => {
    const events = new EventEmitter();
    const activity = new Activity();
    const counts = { checks: 0, starts: 0 };
    const issues = {
      check: async () => {
        counts.checks += 1;
      },
      noteStart: () => {
        counts.starts += 1;
      },
    };
    checkWhenNeeded({ events } as unknown as NodeAPI, { issues, activity });
    return { counts, activity, start: () => events.emit("flows:started") };
  };

  it("run twice after a deploy, and then once a minute: a reader may stop without a fact", () => {
    const { counts, start } = counting();
    start();
    mock.timers.tick(20_000);
    should(counts).deepEqual({ checks: 2, starts: 1 });
    mock.timers.tick(40_000);
    should(counts.checks).equal(3);
    mock.timers.tick(600_000);
    should(counts.checks).equal(13);
  });

  it("run as often after many deploys as after one", () => {
    const { counts, start } = counting();
    for (let deploy = 0; deploy < 50; deploy += 1) start();
    mock.timers.tick(60_000);
    should(counts).deepEqual({ checks: 3, starts: 50 });
  });

  it("run once soon after facts that may be an issue", () => {
    const { counts, activity } = counting();
    activity.note({ kind: "event", event: event() });
    activity.note({ kind: "call", call: call() });
    mock.timers.tick(10_000);
    should(counts.checks).equal(0);
    activity.note({ kind: "event", event: event({ proof: "rejected" }) });
    activity.note({ kind: "call", call: call({ status: 401 }) });
    mock.timers.tick(10_000);
    should(counts.checks).equal(1);
  });
});

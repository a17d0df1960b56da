import { mock } from "node:test";
import should from "should";
import type { FlowWork } from "../../nodes/events-in/outputs/flow-work.ts";
import { InFlow } from "../../nodes/events-in/outputs/in-flow.ts";
import { Work, type WorkListener } from "../../nodes/events-in/outputs/work.ts";
import type { Delivery } from "../../src/index.ts";

describe("the events in the flow", () => {
  afterEach(() => {
    mock.restoreAll();
    mock.timers.reset();
  });

  it("count as done in a silent flow, also those that an earlier reader sent", () => {
    let now = 0;
    mock.method(performance, "now", () => now);
    mock.timers.enable({ apis: ["setTimeout"] });
    const flowWork = {
      follow: (_msg: object, listener: WorkListener) => new Work(1, listener),
      forget: () => {},
    } as unknown as FlowWork;
    const done: string[] = [];
    const consumer = {
      ack: (eventId: string) => done.push(eventId) > 0,
      refuse: () => true,
      resend: () => true,
      isHeldUp: true,
      isInFlight: () => true,
      setWaiting: () => undefined,
    };
    const told: Array<[count: number, why: string]> = [];
    const onSilence = (...given: [count: number, why: string]) => told.push(given);
    const options = { flowWork, consumer: () => consumer, commit: "on-send" as const, onSilence };
    const delivery = { event: { event_id: "event" }, redelivered: true, restored: false } as Delivery;
    const sent: string[] = [];
    const send = (reader: string) => ({ send: () => sent.push(reader), isWired: true });

    const first = new InFlow(options);
    first.send({}, delivery, send("first"));
    const second = new InFlow({ ...options, left: first.close() });
    second.send({}, delivery, send("second"));
    should(sent).eql(["first"]);
    now = 10_000;
    mock.timers.tick(10_000);
    should(done).eql(["event"]);
    should(told).eql([[1, "silent"]]);
    should(second.size).equal(0);
  });
});

import should from "should";
import { ackingNode, ackNode, EventHarness } from "../support/event-harness.ts";
import { ask } from "../support/flow-harness.ts";

const EVENTS = 3;

describe("an event that events in gives up", function () {
  this.timeout(120_000);
  let harness: EventHarness;
  const does = ackNode({ id: "does-ack" });
  const rejects = ackNode({ id: "rejects", action: "reject", reason: "broken", reasonType: "str" });

  before(async () => {
    harness = await EventHarness.start(EVENTS);
  });
  after(() => harness?.close());
  afterEach(() => harness.nodeRed.clear());

  it("is counted in the status, and told once, where nothing is wired to the second output", async () => {
    await harness.deploy([[ackingNode({ id: "unwired", ackTimeout: "0.2", attempts: "1" }), 1]]);
    await harness.nodeRed.status("unwired", `connected, ${EVENTS} undelivered`);
    should(await harness.report("unwired", ({ cursor }) => cursor === EVENTS)).have.property(
      "givenUp",
      EVENTS,
    );
    const told = harness.nodeRed.log.match(/The event at offset \d+ was rejected/g);
    should(told).deepEqual(["The event at offset 1 was rejected"]);
  });

  it("is none as long as nobody says so: it is sent again and again, and the status says how often", async () => {
    await harness.deploy([[ackingNode({ id: "patient", ackTimeout: "0.1", attempts: "" }), 2]]);
    // Counts are told once a second.
    await harness.nodeRed.status("patient", /^attempt ([7-9]|\d\d+) of event 1$/);
    should(harness.arrivals("patient", 1)).be.empty();
  });

  it("is waited for like any other where the form says so, and sent again until it is acknowledged", async () => {
    const reader = ackingNode({ id: "careful", ackTimeout: "1", attempts: "", ackRejected: true });
    await harness.deploy([
      [reader, 2],
      [does, 1],
      [rejects, 1],
    ]);
    const [msg] = await harness.arrived("careful", 1);
    if (!msg) throw new Error("It has arrived.");
    await ask(harness.nodeRed, "rejects", msg);
    const [, again] = await harness.arrived("careful", 2, 1);
    should(again?.crec).have.properties({ offset: 1, rejection: "broken" });
    should(harness.arrivals("careful").map(({ crec }) => crec.offset)).not.containEql(2);
    if (again) await ask(harness.nodeRed, "does-ack", again);
    await harness.arrival("careful", ({ crec }) => crec.offset === 2);
  });
});

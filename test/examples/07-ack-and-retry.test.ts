import should from "should";
import { RunningExample } from "../support/example.ts";

type Done = { tokens: number; attempt: number };
type GivenUp = { payload: { params: { value: string } }; crec: { rejection: string; attempt: number } };

describe("the example process with ack and retry", function () {
  this.timeout(120_000);

  let flow: RunningExample;
  before(async () => {
    flow = await RunningExample.start("07-ack-and-retry");
    should(await flow.pressed("Set up", "ready")).have.property("status", "active");
  });
  after(() => flow?.close());

  it("works an order off", async () => {
    should(await flow.pressed<Done>("Succeeds", "processed")).deepEqual({ tokens: 1, attempt: 1 });
  });

  it("works off at the second attempt what failed at the first", async () => {
    const done = await flow.pressed<Done>("Succeeds at the second attempt", "processed");
    should(done).deepEqual({ tokens: 2, attempt: 2 });
    should(flow.values("retried")).deepEqual(["Error: The printer is out of paper."]);
  });

  it("gives up what fails every time, and goes on with the next order", async () => {
    const givenUp = await flow.pressed<GivenUp>("Always fails", "rejected");
    should(givenUp.payload.params.value).equal("3000000000000000000");
    should(givenUp.crec.rejection).be.a.String().and.not.be.empty();
    should(flow.values("retried")).have.length(4);
    should(await flow.pressed<Done>("Succeeds", "processed")).deepEqual({ tokens: 1, attempt: 1 });
  });

  it("delivers what was not acknowledged again after Node-RED was killed", async () => {
    // Refused for the first time, and not processed yet: this moment is the one that must not lose it.
    await flow.pressed("Succeeds at the second attempt", "retried");
    await flow.restart();
    const { value } = await flow.nodeRed.showing("processed", (done) => (done as Done).tokens === 2);
    should(value).have.property("tokens", 2);
  });

  it("met no other error", () => {
    should(flow.values("error")).be.empty();
  });
});

import should from "should";
import { RunningExample } from "../support/example.ts";
import type { FlowNode } from "../support/node-red.ts";

type Paid = { tokens: number; order: string; attempt: number; status: string };
type Failure = { code: string; message: string };

describe("the example errors, Catch and retry", function () {
  this.timeout(120_000);

  let flow: RunningExample;
  let channelId: string;
  before(async () => {
    // Delays a hundred times shorter.
    const change = (flows: FlowNode[]) =>
      JSON.parse(JSON.stringify(flows).replace("1000 * $power", "10 * $power")) as FlowNode[];
    flow = await RunningExample.start("10-errors-and-retry", { change });
    await flow.pressed("Set up", "ready");
    channelId = await flow.channelId();
  });
  after(() => flow?.close());

  const operations = async () =>
    (await flow.call<{ data: unknown[] }>("GET", `/channels/${channelId}/operations`)).data.length;

  it("pays an order", async () => {
    const paid = await flow.pressed<Paid>("Pay an order", "paid");
    should(paid).have.properties({ tokens: 1, attempt: 1, status: "confirmed_latest" });
  });

  it("retries after a temporary error, and pays once", async () => {
    const [before, retried] = [await operations(), flow.values("retry").length];
    const paid = await flow.pressed<Paid>("Pay while the service is down", "paid");
    should(paid).have.properties({ tokens: 2, attempt: 2 });
    should(flow.values("retry").slice(retried)).deepEqual([{ attempt: 2, because: "SERVICE_ERROR" }]);
    should(await operations()).equal(before + 1);
  });

  it("sends a permanent error to a person", async () => {
    const retried = flow.values("retry").length;
    const failure = await flow.pressed<Failure>("Pay more than the balance", "for a person");
    should(failure.code).equal("OPERATION_FAILED");
    should(failure.message).match(/InsufficientBalance/);
    should(flow.values("retry")).have.length(retried);
  });

  it("pays once when the response of the first attempt is lost", async () => {
    const before = await operations();
    const broken = { method: "POST", path: "/operations" };
    await flow.call("POST", "/local/faults", { match: broken, action: "drop_answer" });
    await flow.call("POST", "/local/faults", { match: broken, action: "status", status: 503, times: 3 });
    const looking = { method: "GET", path: "/events/search" };
    await flow.call("POST", "/local/faults", { match: looking, action: "status", status: 503, times: 12 });
    const paid = await flow.pressed<Paid>("Pay an order", "paid");
    should(paid).have.property("status", "confirmed_latest");
    should(paid.attempt).be.above(1);
    should(await operations()).equal(before + 1);
  });

  it("stops after five attempts", async () => {
    const before = flow.values("retry").length;
    const match = { method: "POST", path: "/operations" };
    await flow.call("POST", "/local/faults", { match, action: "status", status: 503, times: 100 });
    const failure = await flow.pressed<Failure>("Pay an order", "no attempts left");
    await flow.call("DELETE", "/local/faults");
    should(failure.code).equal("SERVICE_ERROR");
    should(flow.values("retry")).have.length(before + 4);
  });

  it("reported no other error", () => {
    should(flow.values("error")).be.empty();
  });
});

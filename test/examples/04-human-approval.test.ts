import should from "should";
import { RunningExample } from "../support/example.ts";

type Request = {
  question: string;
  calls: Array<{ to: string; function: string; args: unknown }>;
  digest: string;
  operation: string;
  until: string;
};
type Logged = { operation: string; status: string };

describe("the example operation with human approval", function () {
  this.timeout(120_000);

  let flow: RunningExample;
  before(async () => {
    flow = await RunningExample.start("04-human-approval", {
      // Two minutes are too long for a test.
      change: (flows) => flows.map((node) => (node.deadline === "2" ? { ...node, deadline: "0.03" } : node)),
    });
    should(await flow.pressed("Set up", "ready")).match(/^0x[0-9a-fA-F]{40}$/);
  });
  after(() => flow?.close());

  it("pays what a person approves, and nothing that is declined, expired or not answered", async () => {
    // Shows the decoded request to a person.
    const request = await flow.pressed<Request>("Request 25 tokens", "to approve");
    should(request.digest).match(/^0x[0-9a-f]{64}$/);
    should(request.calls).have.length(1);
    const [call] = request.calls;
    should(call?.to.toLowerCase()).equal(flow.service.ready.contracts.DemoToken?.toLowerCase());
    should(call?.function).equal("transfer(address,uint256)");
    should(JSON.stringify(call?.args)).containEql("25000000000000000000");
    should(request.question).equal("Pay 25 tokens to 0x0000000000000000000000000000000000000D04?");
    should(Date.parse(request.until)).be.above(Date.now());

    // Does nothing until a person answers.
    const waiting = await flow.pressed<Logged[]>("Open requests", "waiting");
    should(waiting).have.length(1);
    should(flow.values("log")).be.empty();

    // Pays after the approval.
    const paid = await flow.pressed<{ status: string; transactionHash: string }>("Approve", "paid");
    should(paid.status).equal("confirmed_latest");
    should(await flow.pressed("Open requests", "waiting")).be.empty();
    await flow.nodeRed.showing("log", (entry) => (entry as Logged).status === "confirmed");

    // Does not pay after a decline, even if it is approved later.
    const { operation } = await flow.pressed<Request>("Request 25 tokens", "to approve");
    const declined = await flow.pressed("Decline", "declined");
    should(declined).have.properties({ operation_id: operation, status: "cancelled" });
    const refused = await flow.pressed<{ code: string }>("Approve", "error");
    should(refused.code).equal("OPERATION_NOT_FINALIZABLE");

    // Lets a request without an answer expire.
    const { operation: late } = await flow.pressed<Request>("Request with a short deadline", "to approve");
    await flow.nodeRed.showing(
      "log",
      (entry) => (entry as Logged).operation === late && (entry as Logged).status === "expired",
    );

    // Logs the result of each request.
    should(flow.values<Logged>("log").map(({ status }) => status)).deepEqual([
      "confirmed",
      "cancelled",
      "expired",
    ]);
    should(flow.values("rejected")).be.empty();
    should(flow.values("error")).have.length(1);
  });
});

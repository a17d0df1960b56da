import should from "should";
import { OperationHarness, RECEIVER } from "../support/operation-harness.ts";
import { submitNode } from "../support/operation-nodes.ts";

/** An operation that the service has accepted, and whose deadline passes before it is executed. */
describe("a deadline that passes while the service relays", function () {
  this.timeout(120_000);

  let harness: OperationHarness;
  before(async () => {
    harness = await OperationHarness.start();
    // Two to three seconds.
    await harness.deploy([[submitNode({ deadline: "0.05" }), 2]]);
  });
  after(() => harness?.close());

  for (const crec of [{}, { operationKey: "late" }]) {
    const isKeyed = "operationKey" in crec;
    it(`is one error, and nothing is executed later, ${isKeyed ? "under" : "without"} a key`, async () => {
      const before = await harness.executions();
      const from = harness.proxy.passed.length;
      await harness.relays(false);
      const { probe, error } = await harness.refuse("submit", { to: RECEIVER, payload: "1", crec });
      should(error).have.property("code", "OPERATION_EXPIRED");
      should(error?.message).match(/expired: the deadline passed/i);
      should(error?.message).match(
        isKeyed ? /under the same key, with a later deadline/ : /Check the chain before you send it again/,
      );
      should(error?.message).not.match(/clock/);
      await harness.relays(true);
      // A later one passes, and the relayer has had its turn with the first.
      await harness.ask("submit", { to: RECEIVER, payload: "2" });
      should(await harness.executions()).equal(before + 1);
      should(harness.seenAt("submit:0", probe)).be.empty();
      const posts = harness.proxy.passed
        .slice(from)
        .filter(({ method, path }) => method === "POST" && path.endsWith("/operations"));
      should(posts).have.length(2);
    });
  }

  it("lets the same key be sent again, once", async () => {
    const again = { to: RECEIVER, payload: "1", crec: { operationKey: "late" } };
    for (const found of [false, true])
      should((await harness.ask("submit", again)).crec).match({ found, status: /^confirmed/ });
    should(await harness.executions("late")).equal(1);
  });
});

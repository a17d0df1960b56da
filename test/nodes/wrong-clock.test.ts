import should from "should";
import { childEnvironment } from "../faults/names.ts";
import { functionNode } from "../support/flow-harness.ts";
import { OperationHarness, RECEIVER } from "../support/operation-harness.ts";
import { operationNode, submitNode, value } from "../support/operation-nodes.ts";
import type { Passing } from "../support/proxy.ts";

const MINUTES = 10;
const MESSAGES = 5;

/** The clock of the computer of Node-RED is wrong; service and chain have the right time. */
for (const [minutes, way] of [
  [-MINUTES, "behind"],
  [MINUTES, "ahead of"],
] as const) {
  describe(`submit operation on a clock ${MINUTES} minutes ${way} that of the service`, function () {
    this.timeout(120_000);

    let harness: OperationHarness;
    before(async () => {
      harness = await OperationHarness.start(childEnvironment(minutes * 60_000));
      await harness.deploy([
        [submitNode({ keepOrder: true, version: 2 }), 2],
        [submitNode({ id: "soon", deadline: "5" }), 2],
        [submitNode({ id: "edge", deadline: "10.05" }), 2],
        [submitNode({ id: "coins", keepOrder: true, version: 2, calls: [coins] }), 2],
        [submitNode({ id: "draft", mode: "draft", deadline: "10.5" }), 2],
        [operationNode("finalize"), 1],
        [functionNode("burst", burst, ["coins"]), 0],
      ]);
    });
    after(() => harness?.close());

    const coins = { kind: "raw", to: value(RECEIVER), amount: value("payload", "msg") };
    const burst = `for (let payload = 1; payload <= ${MESSAGES}; payload += 1) node.send({ ...msg, payload }); return null;`;
    const isPost = ({ method, path }: Passing) => method === "POST" && path.endsWith("/operations");
    const good = { to: RECEIVER, payload: "1" };

    it("sends each message once, in order, and proves it", async () => {
      const before = await harness.executions();
      const from = harness.proxy.passed.length;
      const probe = "of the burst";
      await harness.nodeRed.press("press-burst", { probe });
      await harness.nodeRed.shows(() => harness.seenAt("coins:0", probe).length === MESSAGES);
      for (const { crec } of harness.seenAt("coins:0", probe))
        should(crec).match({ status: "confirmed_latest", verification: { verified: true } });
      const posts = harness.proxy.passed.slice(from).filter(isPost);
      const sent = posts.map(({ body }) => JSON.parse(body).transactions[0].value);
      should(sent).deepEqual(["1", "2", "3", "4", "5"]);
      should(await harness.executions()).equal(before + MESSAGES);
    });

    if (minutes < 0) {
      it("says which way it is wrong where the deadline has passed before it was sent", async () => {
        const before = await harness.executions();
        const { error } = await harness.refuse("soon", good);
        should(error).have.property("code", "VALIDATION_ERROR");
        should(error?.message).match(
          /The clock of this machine is (599|600|601) s behind that of the service: check both\. It said: deadline has passed already\./,
        );
        should(await harness.executions()).equal(before);
      });

      it("says so where a draft is too close to its deadline", async () => {
        const { crec } = await harness.ask("draft", good);
        const { error } = await harness.refuse("finalize", { crec: { ...crec } });
        should(error).have.property("code", "OPERATION_DEADLINE_ELAPSED");
        should(error?.message).match(/is (599|600|601) s behind that of the service: check both\./);
      });

      it("says so where an accepted operation has expired", async () => {
        await harness.relays(false);
        const { error } = await harness.refuse("edge", good);
        await harness.relays(true);
        should(error).have.property("code", "OPERATION_EXPIRED");
        should(error?.message).match(
          /Its deadline is in \d{3} s by the clock of this machine: check that clock\./,
        );
      });
    } else {
      it("executes also what is to be done soon", async () => {
        should((await harness.ask("soon", good)).crec).have.property("status", "confirmed_latest");
        const { crec } = await harness.ask("draft", good);
        should((await harness.ask("finalize", { crec: { ...crec } })).crec?.status).match(
          /^(accepted|sen|broad|confirmed)/,
        );
      });
    }
  });
}

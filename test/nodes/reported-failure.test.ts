import should from "should";
import { eventually } from "../support/eventually.ts";
import type { Message } from "../support/flow-harness.ts";
import { freshId } from "../support/node-red.ts";
import { OperationHarness, RECEIVER } from "../support/operation-harness.ts";
import { operationNode, submitNode } from "../support/operation-nodes.ts";
import { itWide } from "../support/wide.ts";

/** A relay can say of any operation that it failed: that status has no proof. */
describe("an operation of which the service reports that it was not executed", function () {
  this.timeout(120_000);

  let harness: OperationHarness;
  const deploy = () =>
    harness.deploy([
      [submitNode({ resume: true }), 2],
      [submitNode({ id: "draft", mode: "draft" }), 2],
      [operationNode("finalize", { resume: true, waitFor: "confirmed_latest" }), 1],
      [operationNode("cancel"), 1],
      [operationNode("wait"), 1],
    ]);

  before(async () => {
    harness = await OperationHarness.start();
    await deploy();
  });
  afterEach(() => {
    harness.proxy.harm = () => undefined;
  });
  after(() => harness?.close());

  const issues = async () => {
    const headers = { "content-type": "application/json" };
    await harness.nodeRed.fetch("crec/monitor/issues/run", { method: "POST", headers, body: "{}" });
    return (await harness.nodeRed.fetch("crec/diagnostics")).text();
  };
  const checkTold = async ({ probe, crec }: Message) => {
    const told = await harness.toldAt("submit:1", probe, "confirmed_latest");
    const last = told.find((one) => one.crec?.status === "confirmed_latest");
    should(last?.crec).match({ operationId: crec?.operationId, verification: { verified: true } });
    should(last?.topic).equal("operation.status/confirmed_latest");
    should(harness.seenAt("submit:0", probe)).be.empty();
  };

  for (const status of ["failed", "expired", "cancelled"]) {
    const test = status === "failed" ? it : itWide;
    test(`as ${status}: the error says that it is a report, and a proven execution is told later`, async () => {
      harness.lie(status);
      const caught = await harness.refuse("submit", { to: RECEIVER, payload: "1" });
      should(caught.error?.code).equal(`OPERATION_${status.toUpperCase()}`);
      should(caught.error?.message).match(
        /The service reports that the operation was not executed.*check the chain before you send it again/i,
      );
      harness.proxy.harm = () => undefined;
      await checkTold(caught);
      should(harness.nodeRed.log).match(
        /reported that operation .* was not executed, and the chain has executed it/,
      );
      should(await issues()).match(/executed-after-all/);
    });
  }

  it("may be sent again under its key at once: it is executed once", async () => {
    const operationKey = freshId();
    const message = { to: RECEIVER, payload: "1", crec: { operationKey } };
    harness.lie("failed");
    const caught = await harness.refuse("submit", message);
    should(caught.error?.message).match(/then send it again under the same key\./);
    harness.proxy.harm = () => undefined;
    await harness.ask("submit", message);
    await checkTold(caught);
    should(await harness.executions(operationKey)).equal(1);
  });

  itWide("is looked for by operation, too, before and after a deploy", async () => {
    const warned = () => harness.nodeRed.log.match(/and the chain has executed it/g)?.length ?? 0;
    for (const again of [async () => {}, deploy]) {
      const draft = await harness.ask("draft", { to: RECEIVER, payload: "1" });
      const before = warned();
      harness.lie("failed");
      const caught = await harness.refuse("finalize", { crec: draft.crec ?? {} });
      should(caught.error?.message).match(/check the chain before you send it again/);
      await again();
      harness.proxy.harm = () => undefined;
      await eventually("a warning", () => warned() > before);
      should(harness.seenAt("finalize:0", caught.probe)).be.empty();
    }
  });

  it("is a fact where a person cancelled the draft: nobody has signed it", async () => {
    const draft = await harness.ask("draft", { to: RECEIVER, payload: "1" });
    await harness.ask("cancel", { crec: draft.crec ?? {} });
    const caught = await harness.refuse("wait", { crec: draft.crec ?? {} });
    should(caught.error?.message).match(
      /the operation was not executed\. Create a new one if it is still needed\./,
    );
  });

  itWide("is looked for after a deploy, too, without another error", async () => {
    harness.lie("failed");
    const caught = await harness.refuse("submit", { to: RECEIVER, payload: "1" });
    await deploy();
    harness.proxy.harm = () => undefined;
    await checkTold(caught);
    should(harness.seenAt("error", caught.probe)).have.length(1);
  });
});

import should from "should";
import { AlertExample } from "../support/alert-example.ts";
import type { FlowNode } from "../support/node-red.ts";

describe("the example of a settlement", function () {
  this.timeout(180_000);

  let example: AlertExample;

  before(async () => {
    example = await AlertExample.start("23-dvp-settlement", { change: (flows) => flows.map(sooner) });
  });
  after(() => example?.close());

  const textsOf = (wanted: string) =>
    example.told.filter(({ severity }) => severity === wanted).map(({ text }) => text);

  it("tells each step of a settlement in plain words, its end, and that one is not settled in time", async () => {
    const done = example.flow.next<string>("done");
    should(await example.pressed("Open")).match(
      /^DvP settlement: Settlement \d+ was proposed\. It waits for the other party$/,
    );
    should(await example.pressed("Accept")).match(/ was accepted\. It can be settled now$/);
    const operation = example.flow.next<string>("operation");
    const settled = example.flow.next<string>("told", (text) => /is settled/.test(text));
    await example.flow.press("Settle");
    should(await operation).equal("confirmed_latest");
    should(await settled).match(/ is settled\. The asset and the payment were delivered$/);
    const id = await done;
    const steps = textsOf("info");
    should(steps).have.length(4);
    should(steps).matchEach((text: string) => should(text).startWith(`Settlement ${id} `));
    should(steps[2]).endWith(" is being settled");

    // The next one is not settled in time.
    const inOrder = example.flow.next<string>("in order");
    const late = example.flow.next<string>("told", (text) => text.startsWith("Not settled in time: "));
    const second = example.flow.next<string>("done");
    await example.flow.press("Open");
    should(await inOrder).equal(id);
    const open = `Settlement ${await second} has had no next step for ten minutes. It is open`;
    should(await late).equal(`Not settled in time: ${open}`);
    should(textsOf("warning")).have.length(1);

    const canceled = example.flow.next<string>("told", (text) => /was canceled/.test(text));
    await example.flow.press("Cancel");
    should(await canceled).match(/ was canceled\. Nothing was delivered$/);
    should(example.flow.values("error")).be.empty();
    should(example.flow.values("rejected")).be.empty();
  });
});

/** Ten minutes are too long for a test. */
function sooner(node: FlowNode): FlowNode {
  return node.absentFor === "10m" ? { ...node, absentFor: "5s" } : node;
}

import should from "should";
import { AlertExample } from "../support/alert-example.ts";
import { eventually } from "../support/eventually.ts";

/** What the test cannot wait for. */
const SHORTER: Readonly<Record<string, object>> = {
  "no transfer": { absentFor: "8s" },
  burst: { times: "5" },
};

describe("the example alert on a drain, a burst or silence", function () {
  this.timeout(180_000);

  let example: AlertExample;

  before(async () => {
    example = await AlertExample.start("26-drain-and-silence", {
      change: (flows) => flows.map((node) => ({ ...node, ...SHORTER[String(node.name)] })),
    });
  });
  after(() => example?.close());

  it("tells of a wallet that is drained in small parts, of a burst, and of silence until the next transfer", async () => {
    for (const skipped of [1, 2, 3]) {
      await example.flow.press("Send 80 tokens");
      await example.skipped(skipped);
    }
    should(example.flow.values("skipped")).eql(["counted", "counted", "counted"]);
    // At the sum that is the limit.
    should(await example.pressed("Send 80 tokens", "A wallet is drained")).match(
      /^A wallet is drained: 320 tokens left 0x\w{40} in small parts within 1h$/,
    );

    should(await example.pressed("Send 80 tokens", "Burst")).match(
      /^Burst of transfers: 5 transfers from 0x\w{40} within 1m$/,
    );

    // On a busy machine, there was silence before, too.
    const toldLast = (kind: string) =>
      eventually(
        `"No transfer of demo token" as ${kind}`,
        () => example.told.filter(({ title }) => title.includes("No transfer of demo token")),
        (told) => told.at(-1)?.kind === kind,
      );
    await toldLast("alert");
    await example.flow.press("Send 80 tokens");
    await toldLast("recovered");
    const alerts = example.told.filter(({ kind }) => kind === "alert").map(({ title }) => title);
    should([...new Set(alerts)]).have.length(3);
    should(example.flow.values("error")).be.empty();
    should(example.flow.values("rejected")).be.empty();
  });
});

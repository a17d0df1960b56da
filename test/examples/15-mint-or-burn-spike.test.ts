import should from "should";
import { AlertExample } from "../support/alert-example.ts";
import { eventually } from "../support/eventually.ts";

/** Ten minutes are too long to wait for the end of alerts. */
const SHORT = { within: "2s" };

describe("the example alert on mints and burns out of the ordinary", function () {
  this.timeout(180_000);

  let example: AlertExample;

  before(async () => {
    example = await AlertExample.start("15-mint-or-burn-spike", { alone: true });
  });
  after(() => example?.close());

  it("tells of mints and of burns whose sum is over the limit, also after a crash, and of their end", async () => {
    const { flow } = example;
    await flow.press("Mint 6,000 tokens");
    await example.skipped(1);
    await flow.press("Burn 6,000 tokens");
    await example.skipped(2);
    should(flow.values("skipped")).containEql("counted");
    should(example.told).be.empty();

    await flow.restart();
    await example.reading();
    should(await example.pressed("Mint 6,000 tokens")).match(
      /^Many tokens of guarded token \(.*\) minted: 12000 tokens within 10m, the last 6000 to 0x0{37}d15$/i,
    );
    should(example.told).have.length(1);
    // Burns are counted separately.
    should(await example.pressed("Burn 6,000 tokens")).match(
      /^Many tokens of guarded token \(.*\) burned: 12000 tokens within 10m, the last 6000 by 0x\w{40}$/,
    );
    should(example.told).have.length(2);

    await flow.deploy(flow.flows.map((node) => (node.type === "crec-alert" ? { ...node, ...SHORT } : node)));
    const { alert } = ids();
    const { recovered } = await eventually("both ends", ids, ({ recovered }) => recovered.length >= 2);
    should(recovered.sort()).deepEqual(alert.sort());
    should(example.told).have.length(4);
    should(flow.values("error")).be.empty();
    should(flow.values("rejected")).be.empty();
  });

  /** Of what was told, by kind. */
  function ids(): { alert: string[]; recovered: string[] } {
    const of = (kind: string) => example.told.filter((one) => one.kind === kind).map(({ id }) => id);
    return { alert: of("alert"), recovered: of("recovered") };
  }
});

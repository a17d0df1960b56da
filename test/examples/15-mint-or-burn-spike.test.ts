import should from "should";
import { AlertExample } from "../support/alert-example.ts";
import { eventually } from "../support/eventually.ts";

/** Ten minutes are too long for a test: the windows of its alerts. */
const WITHIN = "40s";

describe("the example alert on mints and burns out of the ordinary", function () {
  this.timeout(180_000);

  let example: AlertExample;

  before(async () => {
    example = await AlertExample.start("15-mint-or-burn-spike", {
      alone: true,
      change: (flows) =>
        flows.map((node) => (node.type === "crec-alert" ? { ...node, within: WITHIN } : node)),
    });
  });
  after(() => example?.close());

  it("does not tell of a mint and a burn below the limit", async () => {
    await example.flow.press("Mint 6,000 tokens");
    await example.skipped(1);
    await example.flow.press("Burn 6,000 tokens");
    await example.skipped(2);
    should(example.flow.values("skipped")).containEql("counted");
    should(example.told).be.empty();
  });

  it("tells of mints whose sum is over the limit, in tokens, and keeps it over a crash", async () => {
    await example.flow.restart();
    await example.reading();
    should(await example.pressed("Mint 6,000 tokens")).match(
      /^Many tokens of guarded token \(.*\) minted: 12000 tokens within 40s, the last 6000 to 0x0{37}d15$/i,
    );
    should(example.told).have.length(1);
  });

  it("counts burns separately", async () => {
    should(await example.pressed("Burn 6,000 tokens")).match(
      /^Many tokens of guarded token \(.*\) burned: 12000 tokens within 40s, the last 6000 by 0x\w{40}$/,
    );
  });

  it("tells that each has ended when the time is over", async () => {
    const ended = () => example.told.filter(({ kind }) => kind === "recovered");
    await eventually("the ends of two alerts", ended, (alerts) => alerts.length >= 2);
    should(
      ended()
        .map(({ id }) => id)
        .sort(),
    ).deepEqual(
      example.told
        .slice(0, 2)
        .map(({ id }) => id)
        .sort(),
    );
    should(example.told).have.length(4);
    should(example.flow.values("error")).be.empty();
    should(example.flow.values("rejected")).be.empty();
  });
});

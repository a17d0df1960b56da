import should from "should";
import { AlertExample } from "../support/alert-example.ts";

const SPENDER = `0x${"0".repeat(37)}E16`;

describe("the example alert on an allowance for an unknown spender", function () {
  this.timeout(120_000);

  let example: AlertExample;

  before(async () => {
    example = await AlertExample.start("16-unknown-spender");
  });
  after(() => example?.close());

  it("tells of unknown spenders, of none that are known or get zero, and of a list that cannot be used", async () => {
    // Tells of a spender that is not in the list, and of the amount.
    should(await example.pressed("An unknown spender")).match(
      /^Allowance for an unknown spender: 0x0{37}E16 may take 5 tokens of 0x\w{40}, contract guarded token \(.*\)$/i,
    );
    should(await example.pressed("Without limit")).containEql("may take all tokens of ");

    // Does not tell of a spender that is known, and of an allowance of zero.
    await example.flow.press("A known spender");
    await example.skipped(1);
    await example.flow.press("Back to zero");
    await example.skipped(2);
    should(example.flow.values("skipped")).deepEqual(["no_match", "no_match"]);
    should(example.told).have.length(2);

    // Tells a person when the list cannot be used.
    await example.flow.pressed("Add it to the list", "known", { payload: "0x16" });
    should(await example.pressed("Without limit")).match(/^Allowance not checked: Approval: .+/);
    should(example.told.at(-1)).have.property("severity", "critical");

    // No longer tells of a spender that was added to the list.
    should(await example.flow.pressed<string[]>("Add it to the list", "known")).containEql(SPENDER);
    await example.flow.press("An unknown spender");
    await example.skipped(3);
    should(example.told).have.length(3);

    should(example.flow.values("error")).be.empty();
    should(example.flow.values("rejected")).be.empty();
  });
});

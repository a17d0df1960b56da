import should from "should";
import { AlertExample } from "../support/alert-example.ts";

describe("the example alert on a pause or an upgrade", function () {
  this.timeout(120_000);

  let example: AlertExample;

  before(async () => {
    example = await AlertExample.start("14-paused-or-upgraded");
  });
  after(() => example?.close());

  it("tells of an upgrade, with the new code", async () => {
    should(await example.pressed("Upgrade")).match(
      /^guarded token \(0x\w{4}…\w{4}\) upgraded: The code is at 0x0{37}d14 now$/i,
    );
  });

  it("tells of a pause, and by whom", async () => {
    should(await example.pressed("Pause")).match(
      /^guarded token \(.*\) paused: Nothing can be transferred. It was paused by 0x\w{40}$/,
    );
  });

  it("tells that it has ended when the contract is unpaused, with the same id", async () => {
    // An upgrade ends no pause.
    should(await example.pressed("Upgrade")).containEql("upgraded");
    should(await example.pressed("Unpause")).match(/^Recovered: guarded token \(.*\) paused: /);
    const [upgraded, paused, again, ended] = example.told;
    should(ended).have.properties({ kind: "recovered", id: paused?.id });
    should(again?.id).not.equal(upgraded?.id);
  });

  it("tells of the next pause", async () => {
    should(await example.pressed("Pause")).match(/^guarded token \(.*\) paused: /);
    should(await example.pressed("Unpause")).match(/^Recovered: /);
  });

  it("tells nothing else, also when the same logs are reported as final", async () => {
    // Six logs at two levels; the two that ended a pause at their first one, too.
    await example.skipped(8);
    should(example.told).have.length(6);
    should(example.flow.values("error")).be.empty();
    should(example.flow.values("rejected")).be.empty();
  });
});

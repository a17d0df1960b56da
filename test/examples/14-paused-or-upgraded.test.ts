import should from "should";
import { AlertExample } from "../support/alert-example.ts";

describe("the example alert on a pause or an upgrade", function () {
  this.timeout(120_000);

  let example: AlertExample;

  before(async () => {
    example = await AlertExample.start("14-paused-or-upgraded");
  });
  after(() => example?.close());

  it("tells of upgrades and pauses and of their end, and nothing again when the logs are final", async () => {
    // Tells of an upgrade, with the new code.
    should(await example.pressed("Upgrade")).match(
      /^guarded token \(0x\w{4}…\w{4}\) upgraded: The code is at 0x0{37}d14 now$/i,
    );

    // Tells of a pause, and by whom.
    should(await example.pressed("Pause")).match(
      /^guarded token \(.*\) paused: Nothing can be transferred. It was paused by 0x\w{40}$/,
    );

    // Tells that it has ended when the contract is unpaused, with the same id.
    // An upgrade ends no pause.
    should(await example.pressed("Upgrade")).containEql("upgraded");
    should(await example.pressed("Unpause")).match(/^Recovered: guarded token \(.*\) paused: /);
    const [upgraded, paused, again, ended] = example.told;
    should(ended).have.properties({ kind: "recovered", id: paused?.id });
    should(again?.id).not.equal(upgraded?.id);

    // Tells of the next pause.
    should(await example.pressed("Pause")).match(/^guarded token \(.*\) paused: /);
    should(await example.pressed("Unpause")).match(/^Recovered: /);

    // Tells nothing else, also when the same logs are reported as final.
    // Six logs at two levels; the two that ended a pause at their first one, too.
    await example.skipped(8);
    should(example.told).have.length(6);
    should(example.flow.values("error")).be.empty();
    should(example.flow.values("rejected")).be.empty();
  });
});

import { survivesKillsOfTheChain } from "./chain-kills.ts";

describe("the local service, its chain and its watchdog, killed under traffic", function () {
  this.timeout(180_000);

  it("go on from what was saved", () => survivesKillsOfTheChain({ rounds: 4 }));
});

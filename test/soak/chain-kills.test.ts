import { survivesKillsOfTheChain } from "../../service/test/chain-kills.ts";

describe("the local service, its chain and its watchdog, killed very often under traffic", function () {
  this.timeout(3_600_000);

  it("go on from what was saved", () => survivesKillsOfTheChain({ rounds: 50 }));
});

import { survivesKills } from "./burst.ts";

describe("the local service, killed while it processes a burst", function () {
  this.timeout(300_000);

  it("loses nothing and does nothing twice", () =>
    survivesKills({ operations: 200, callsEach: 10, kills: 3 }));
});

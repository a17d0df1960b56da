import { survivesKills } from "../../service/test/burst.ts";

describe("the local service, killed very often while it works off a burst", function () {
  this.timeout(3_600_000);

  it("loses nothing and does nothing twice", () =>
    survivesKills({ operations: 200, callsEach: 10, kills: 20 }));
});

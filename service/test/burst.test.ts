import { sized } from "../../test/support/variants.ts";
import { type Burst, survivesKills } from "./burst.ts";

/** Each kill finds operations under way, in both sizes. */
const BURST: Burst = sized(
  { operations: 100, callsEach: 5, kills: 3 },
  { operations: 200, callsEach: 10, kills: 3 },
);

describe("the local service, killed while it processes a burst", function () {
  this.timeout(300_000);

  it("loses nothing and does nothing twice", () => survivesKills(BURST));
});

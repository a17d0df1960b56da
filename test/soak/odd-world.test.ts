import { describeOddControls, describeOddWorlds } from "../consumer/odd-suite.ts";
import { killsOfNodeRed } from "../support/odd-node-red.ts";

describeOddWorlds({ worlds: 40, kills: 25 });
describeOddControls();

describe("events in on services of odd habits", function () {
  this.timeout(3_600_000);
  killsOfNodeRed({ worlds: 5, kills: 20 });
});

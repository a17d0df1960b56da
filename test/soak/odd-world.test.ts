import { describeChaosControls, describeChaosRuns } from "../consumer/chaos-suite.ts";
import { killsOfNodeRed } from "../support/odd-node-red.ts";

describeChaosRuns({ worlds: 40, kills: 25 });
describeChaosControls();

describe("events in on services of odd habits", function () {
  this.timeout(3_600_000);
  killsOfNodeRed({ worlds: 5, kills: 20 });
});

import { testsOfThePromise } from "../support/killing.ts";
import { sized } from "../support/variants.ts";

describe("events in, killed at random moments while it drains a channel", function () {
  this.timeout(600_000);
  testsOfThePromise({ events: sized(150, 2_000), nodeRedKills: sized(1, 6), serviceKills: sized(1, 3) });
});

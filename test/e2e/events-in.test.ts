import { testsOfThePromise } from "../support/killing.ts";

describe("events in, killed at random moments while it drains a channel", function () {
  this.timeout(600_000);
  testsOfThePromise({ events: 2_000, nodeRedKills: 6, serviceKills: 3 });
});

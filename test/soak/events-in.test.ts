import { testsOfThePromise } from "../support/killing.ts";

describe("events in, killed very often while it drains a channel", function () {
  this.timeout(3_600_000);
  testsOfThePromise({ events: 20_000, nodeRedKills: 200, serviceKills: 20 });
});

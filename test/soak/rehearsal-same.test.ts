import should from "should";
import { eventsOfFile } from "../../rehearsal/parent/events/index.ts";
import type { PastEvent } from "../../rehearsal/shared/job.ts";
import type { ScenarioName } from "../../service/src/scenarios/index.ts";
import { rehearse } from "../support/rehearsal.ts";
import { exampleJob } from "../support/rehearsed-example.ts";
import { scenarioOf } from "../support/scenario-files.ts";

const RUNS = 30;
/** More at once than most machines have processors: that the clock is not the machine's must show under load. */
const AT_ONCE = 5;

const CASES: ReadonlyArray<readonly [example: string, scenario: ScenarioName]> = [
  ["02-large-transfer-alert", "drain"],
  ["13-ownership-or-role-changed", "role"],
  ["15-mint-or-burn-spike", "mint"],
  ["17-pause-guardian", "role"],
];

describe("many rehearsals of the same events, on a busy machine", function () {
  this.timeout(3_600_000);

  for (const [example, scenario] of CASES) {
    it(`give one report: ${example}`, async () => {
      const file = await scenarioOf(scenario, 1);
      const job = await exampleJob(example, file);
      const past: PastEvent[] = [];
      for await (const batch of eventsOfFile(file).batches) past.push(...batch);
      const reports = new Set<string>();
      for (let run = 0; run < RUNS; run += AT_ONCE) {
        const some = Array.from({ length: AT_ONCE }, () => rehearse(job, past));
        for (const report of await Promise.all(some)) {
          should(report.events.read).equal(past.length);
          should(report.outcomes).not.be.empty();
          reports.add(JSON.stringify(report));
        }
      }
      should(reports.size).equal(1);
    });
  }
});

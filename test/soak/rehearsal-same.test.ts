import { type ChildProcess, spawn } from "node:child_process";
import should from "should";
import { eventsOfFile } from "../../rehearsal/parent/events/event-file.ts";
import type { PastEvent } from "../../rehearsal/shared/job.ts";
import type { ScenarioName } from "../../service/src/scenarios/stories.ts";
import { rehearse } from "../support/rehearsal.ts";
import { exampleJob } from "../support/rehearsed-example.ts";
import { scenarioOf } from "../support/scenario-files.ts";

const RUNS = 30;
/** Busy loops beside some of the runs: more than most machines have processors. */
const MOST_BUSY = 5;
/** Loops for about a second, then ends if its parent has ended. */
const BUSY =
  "for (;;) { const end = Date.now() + 1000; while (Date.now() < end); process.kill(process.ppid, 0); }";

const CASES: ReadonlyArray<readonly [example: string, scenario: ScenarioName]> = [
  ["02-large-transfer-alert", "drain"],
  ["13-ownership-or-role-changed", "role"],
  ["15-mint-or-burn-spike", "mint"],
  ["17-pause-guardian", "role"],
];

describe("many rehearsals of the same events, on a machine that is idle or busy", function () {
  this.timeout(3_600_000);

  let loops: ChildProcess[] = [];

  const endLoops = () => {
    for (const loop of loops) loop.kill("SIGKILL");
    loops = [];
  };
  afterEach(endLoops);

  for (const [example, scenario] of CASES) {
    it(`give one report: ${example}`, async () => {
      const file = await scenarioOf(scenario, 1);
      const job = await exampleJob(example, file);
      const past: PastEvent[] = [];
      for await (const batch of eventsOfFile(file).batches) past.push(...batch);
      const reports = new Set<string>();
      for (let run = 0; run < RUNS; run += 1) {
        endLoops();
        const count = run % (MOST_BUSY + 1);
        loops = Array.from({ length: count }, () => spawn(process.execPath, ["-e", BUSY]));
        const report = await rehearse(job, past);
        should(report.events.read).equal(past.length);
        should(report.outcomes).not.be.empty();
        reports.add(JSON.stringify(report));
      }
      should(reports.size).equal(1);
    });
  }
});

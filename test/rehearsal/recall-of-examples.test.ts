import { readFileSync } from "node:fs";
import { join } from "node:path";
import should from "should";
import { root } from "../../scripts/lib/paths.mjs";
import type { ScenarioName } from "../../service/src/scenarios/stories.ts";
import { type Measured, recallOfExamples } from "../support/example-recall.ts";
import { scenarioOf } from "../support/scenario-files.ts";
import { sized, withVariants } from "../support/variants.ts";

/** All of them take seven minutes. */
const SEEDS = sized([1], [1, 2, 3]);
const OF_DEMO_TOKEN = ["02-large-transfer-alert", "26-drain-and-silence"];
const OF_GUARDED_TOKEN = [
  ...["13-ownership-or-role-changed", "14-paused-or-upgraded", "15-mint-or-burn-spike"],
  ...["16-unknown-spender", "17-pause-guardian"],
];

/** The flows that read the events of each scenario. */
const FLOWS: Readonly<Record<ScenarioName, readonly string[]>> = {
  drain: OF_DEMO_TOKEN,
  mint: OF_GUARDED_TOKEN,
  role: OF_GUARDED_TOKEN,
  "stale-price": OF_DEMO_TOKEN,
  burst: OF_DEMO_TOKEN,
  silence: OF_DEMO_TOKEN,
};

/** Those of the other contract have tests of their own in test/examples. */
const IN_WIDE: readonly string[] = ["drain"];

const PAGE = "docs/alerts.md";
const MINUTE_MS = 60_000;
const DAY_HOURS = 24;

/** A row of the page. Cells are text, as there. */
type Row = { noticed: string; after: string; falseAlarms: string };

describe("the recall and the false alarms of the alert examples on the scenarios", function () {
  this.timeout(600_000);

  const stated = statedRows();

  for (const [name, flows] of Object.entries(FLOWS) as Array<[ScenarioName, readonly string[]]>) {
    if (!IN_WIDE.includes(name) && !withVariants) continue;
    const seeds = name === "burst" ? [1] : SEEDS;

    it(`${name}: are as ${PAGE} states them`, async () => {
      const runs: Array<Map<string, Measured>> = [];
      for (const seed of seeds)
        runs.push((await recallOfExamples(flows, await scenarioOf(name, seed))).measured);
      for (const flow of flows) {
        const measured = runs.flatMap((run) => run.get(flow) ?? []);
        const row = stated.get(`${flow} ${name}`);
        // All seeds are the numbers of the page; one seed is within them.
        if (withVariants) should(row).eql(rowOf(measured), `${flow} on ${name}`);
        else for (const one of measured) checkWithin(row, one, `${flow} on ${name}`);
      }
      const isNoticed = runs.every((run) =>
        [...run.values()].some(
          ({ incidents }) => incidents.length > 0 && incidents.every((one) => one.isNoticed),
        ),
      );
      should(isNoticed).be.true(`No flow notices ${name} with each seed.`);
    });
  }

  it("are stated for each of these flows, and for no other", () => {
    const expected = Object.entries(FLOWS).flatMap(([name, flows]) => flows.map((flow) => `${flow} ${name}`));
    should([...stated.keys()].toSorted()).eql(expected.toSorted());
  });
});

function rowOf(measured: readonly Measured[]): Row {
  const incidents = measured.flatMap((one) => one.incidents);
  const noticed = incidents.filter((one) => one.isNoticed);
  const minutes = noticed.map(({ after = 0 }) => Math.round(after / MINUTE_MS));
  const [first, last] = [Math.min(...minutes), Math.max(...minutes)];
  const alarms = measured.reduce((sum, one) => sum + one.falseAlarms.length, 0);
  const hours = measured.reduce((sum, one) => sum + one.hours, 0);
  return {
    noticed: `${noticed.length} of ${incidents.length}`,
    after: noticed.length === 0 ? "–" : first === last ? `${first} min` : `${first}–${last} min`,
    falseAlarms: String(Math.round(((alarms * DAY_HOURS) / hours) * 10) / 10),
  };
}

function checkWithin(row: Row | undefined, { incidents, falseAlarms }: Measured, what: string): void {
  const [noticed = 0, all = 0] = (row?.noticed ?? "").split(" of ").map(Number);
  should(all).be.above(0, `${what} is not in ${PAGE}.`);
  if (noticed === 0 || noticed === all) {
    for (const { isNoticed } of incidents) should(isNoticed).equal(noticed > 0, what);
  }
  const [first = 0, last = first] = (row?.after ?? "").replace(" min", "").split("–").map(Number);
  for (const { after } of incidents) {
    if (after !== undefined) should(Math.round(after / MINUTE_MS)).be.within(first, last, what);
  }
  if (row?.falseAlarms === "0") should(falseAlarms.map(({ text }) => text)).be.empty();
}

/** By flow and scenario. */
function statedRows(): Map<string, Row> {
  const text = readFileSync(join(root, PAGE), "utf8");
  const rows = text.matchAll(
    /^\| \*\*(\d\d-[\w-]+)\*\* \| `([\w-]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm,
  );
  return new Map(
    [...rows].map(([, flow, name, noticed = "", after = "", falseAlarms = ""]): [string, Row] => [
      `${flow} ${name}`,
      { noticed: noticed.trim(), after: after.trim(), falseAlarms: falseAlarms.trim() },
    ]),
  );
}

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import should from "should";
import { BENCHES } from "../../bench/benches.ts";
import { optional, problemOf, smallest } from "../../bench/figures.ts";
import type { Measured } from "../../bench/measured.ts";
import { median, perSecond } from "../../bench/measured.ts";
import { quickly } from "../../bench/quick.ts";
import { root } from "../../scripts/lib/paths.mjs";
import { bench } from "./command.ts";

const FIGURES = ["rate", "delay", smallest("added"), optional("in C")];
const GOOD: readonly Measured[] = [
  { what: "rate, 20 events", value: "12,345 events/s (2 ms)" },
  { what: "delay of the loop", value: "p99 0.4 ms, longest 0.7 ms" },
  { what: "  added", value: "-0.3 MB, 0.0 MB of it heap" },
  { what: "in C", value: "skipped: needs libsecp256k1" },
];

describe("the figures of a benchmark", () => {
  /** What is wrong when one line has another value. */
  const problemWith = (what: string, value: string) =>
    problemOf(
      "the part",
      FIGURES,
      GOOD.map((row) => (row.what.includes(what) ? { ...row, value } : row)),
    );

  it("are all there and finite", () => {
    should(problemOf("the part", FIGURES, GOOD)).be.undefined();
    should(problemWith("in C", "0.62 times")).be.undefined();
  });

  it("are refused where one is not finite, however it is written", () => {
    const noNumbers = [
      ...[perSecond(20, median([]), "events"), perSecond(20, 0, "events"), (0 / 0).toFixed(2)],
      ...[(-1 / 0).toFixed(1), "2 ms, NaN ms", `${undefined} MiB`, "", "none"],
    ];
    for (const value of noNumbers) {
      const problem = `The figure "rate, 20 events" of the part is not a finite number: ${value}`;
      should(problemWith("rate", value)).equal(problem);
    }
    should(problemWith("added", "NaN MB")).match(/^The figure "added" of the part is not a finite number/);
  });

  it("are refused where one is 0, except for a difference", () => {
    for (const value of ["0 events/s (4 ms)", "0.00", "-1 MiB"])
      should(problemWith("rate", value)).equal(
        `The figure "rate, 20 events" of the part says that nothing was measured: ${value}`,
      );
    should(problemWith("delay", "p99 0.0 ms")).match(/says that nothing was measured: p99 0\.0 ms$/);
    should(problemWith("added", "0.0 MB")).be.undefined();
  });

  it("are refused where one is missing or not known", () => {
    for (const [index, words] of ["rate", "delay", "added", "in C"].entries()) {
      const others = GOOD.filter((_, other) => other !== index);
      should(problemOf("the part", FIGURES, others)).equal(`The figure "${words}" of the part is missing.`);
    }
    should(problemOf("the part", ["rate"], GOOD)).match(
      /^The figure "delay of the loop" of the part is not in/,
    );
  });

  it("are refused where one is skipped that needs nothing, or without saying what it needs", () => {
    should(problemWith("rate", "skipped: needs luck")).match(/^The figure "rate, 20 events" .* was skipped/);
    should(problemWith("in C", "skipped")).match(/^The figure "in C" of the part was skipped/);
  });
});

describe("npm run bench -- <name> --quick", () => {
  it("checks every part, and names the one that fails and the figures that were skipped", async () => {
    const lines: string[] = [];
    const parts = {
      Good: { run: async () => [...GOOD], figures: FIGURES },
      Empty: { run: async () => [], figures: ["rate"] },
      Failing: { run: () => Promise.reject(new Error("There is no chain.")), figures: ["rate"] },
    };
    const { problems, skipped } = await quickly("speed", { parts }, (line) => lines.push(line));
    should(problems.sort()).eql([
      'The figure "rate" of the part "Empty" of speed is missing.',
      'The part "Failing" of speed failed: There is no chain.',
    ]);
    should(skipped).eql(['"in C" of "Good"']);
    should(lines.join("\n")).match(/Good, [\d.]+ s: 4 of 4 figures\n {2}rate, 20 events +12,345 events/);
  });

  it("ends with 1 and a sentence where a figure is not finite", async () => {
    const benches = pathToFileURL(join(root, "bench/benches.ts"));
    const parts = `{ Made: { run: async () => [{ what: "rate", value: "NaN" }], figures: ["rate"] } }`;
    const change = `import { BENCHES } from "${benches}"; BENCHES.proofs.parts = ${parts};`;
    const { code, out } = await bench(
      ["proofs", "--quick"],
      ["--import", `data:text/javascript,${encodeURIComponent(change)}`],
    );
    should(code).equal(1);
    should(out).containEql('The figure "rate" of the part "Made" of proofs is not a finite number: NaN\n');
  });

  it("does not go with --write", async () => {
    const { code, out } = await bench(["proofs", "--quick", "--write"]);
    should(code).equal(1);
    should(out).match(/^--quick measures nothing that may go to docs\/benchmarks\.md: .*\.\n$/);
  });

  it("is known to have figures for each part", () => {
    for (const { parts } of Object.values(BENCHES))
      for (const { figures } of Object.values(parts)) should(figures).not.be.empty();
  });
});

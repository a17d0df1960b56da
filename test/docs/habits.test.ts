import { readFileSync } from "node:fs";
import should from "should";
import { assumptions } from "../consumer/assumptions.ts";
import { tolerated } from "../consumer/tolerated.ts";

const page = readFileSync(new URL("../../docs/architecture.md", import.meta.url), "utf8");

/** The first column of the table under a heading, down to the next heading. */
function rowsUnder(heading: string): string[] {
  const [text = ""] = (page.split(`\n${heading}\n`)[1] ?? "").split(/\n#+ /);
  const cells = [...text.matchAll(/^\| ([^|]+?) \|/gm)].map(([, cell = ""]) => cell);
  // Below the head and its line.
  return cells.slice(2);
}

describe("the list of what the reader assumes of the service", () => {
  for (const [heading, tests] of [
    ["### Not assumed", tolerated],
    ["### Assumed", assumptions],
  ] as const) {
    it(`has a test for each row, and a row for each test: ${heading}`, () => {
      const rows = rowsUnder(heading);
      should(rows).deepEqual(
        Object.keys(tests),
        "docs/architecture.md and test/consumer/{tolerated,assumptions}.ts name other habits, or in another order.",
      );
    });
  }
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { differences, explained } from "../../scripts/lib/api/compare.ts";
import { changesOf, LIBRARY_REPORTS, REPORTS } from "../../scripts/lib/api/reports.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");

describe("what users rely on", function () {
  this.timeout(60_000);

  for (const report of REPORTS) {
    it(`is what ${report.file} says; "npm run api:update" writes it again`, async () => {
      const changes = await changesOf(report);
      if (changes !== "") throw new Error(changes);
    });
  }

  for (const [report, { source }] of Object.entries(LIBRARY_REPORTS))
    it(`has the names that ${source} exports; npm run check:api compares their types`, () => {
      const index = read(source).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
      const exported = [...index.matchAll(/export (type )?\{([^}]*)\}/g)].flatMap(
        ([, , names = ""]) => names.match(/\w+(?=\s*(?:,|$))/g) ?? [],
      );
      // A name that a global has too is exported as "{ EventSource_2 as EventSource }".
      const names = /^export (?:(?:declare )?(?:abstract )?\w+ (\w+)|\{ \w+ as (\w+) \})/gm;
      const kept = [...read(report).matchAll(names)].map(([, plain, renamed]) => plain ?? renamed ?? "");
      const before = Object.fromEntries(kept.map((name) => [name, ""]));
      const now = Object.fromEntries(exported.map((name) => [name, ""]));
      const changes = explained(report, differences(before, now));
      if (changes !== "") throw new Error(changes);
      should(exported.length).be.above(source === "src/index.ts" ? 100 : 3);
    });
});

describe("a change of a report", () => {
  const BEFORE = { "crec-x property name": 'text, default ""', "crec-x output 1 label": "done" };
  const { "crec-x output 1 label": _label, ...WITHOUT_LABEL } = BEFORE;

  /** What differs, which of it breaks flows, and what is said of it. */
  const CHANGES: Record<string, [after: Record<string, string>, breaking: boolean[], said: RegExp]> = {
    "that takes something away is breaking, and says so first": [
      { "crec-x output 1 label": "done", "crec-x property new": "text" },
      [true, false],
      /- BREAKING {2}removed: crec-x property name: text, .*\n.*\+ fine {6}added: crec-x property new: text(?:.|\n)*next major version/,
    ],
    "that changes a type or a default is breaking, and shows both": [
      { ...BEFORE, "crec-x property name": 'number, default "1"' },
      [true],
      /~ BREAKING {2}changed: crec-x property name: text, default "" → number, default "1"/,
    ],
    "of a text for people is not breaking": [
      { ...BEFORE, "crec-x output 1 label": "reached" },
      [false],
      /Additions only/,
    ],
    "that loses a text for people is breaking": [WITHOUT_LABEL, [true], /BREAKING/],
    "is nothing where nothing changed": [{ ...BEFORE }, [], /^$/],
  };
  for (const [title, [after, breaking, said]] of Object.entries(CHANGES)) {
    it(title, () => {
      const found = differences(BEFORE, after, / label$/);
      should(found.map(({ isBreaking }) => isBreaking)).deepEqual(breaking);
      should(explained("nodes.json", found)).match(said);
    });
  }
});

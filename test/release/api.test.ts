import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { declarations, differences, explained, libraryDifferences } from "../../scripts/lib/api/compare.ts";
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

describe("a change of the library", () => {
  const report = (code: string) => `# Report\n\n\`\`\`ts\n\n${code}\n\n\`\`\`\n`;
  const OPTIONS = "// @public\nexport type Options = {\n    name: string;\n};";
  const breaking = (before: string, after: string) =>
    libraryDifferences(report(before), report(after)).map(({ isBreaking }) => isBreaking);

  it("that adds an optional field is an addition; a required one, another type and a loss are breaking", () => {
    const optional = OPTIONS.replace("string;", "string;\n    age?: number;");
    should(breaking(OPTIONS, optional)).deepEqual([false]);
    should(breaking(OPTIONS, optional.replace("?:", ":"))).deepEqual([true]);
    should(breaking(OPTIONS, OPTIONS.replace("string", "number"))).deepEqual([true]);
    should(breaking(OPTIONS, "")).deepEqual([true]);
    // A comment does not count.
    should(breaking(OPTIONS, OPTIONS.replace("@public", "@public (undocumented)"))).be.empty();
  });

  it("is found in one of two objects with the same lines", () => {
    const object = (...lines: string[]) =>
      ["{", ...lines.map((line) => `        ${line}`), "    };"].join("\n");
    const both = (one: string, two: string) => `export type Both = {\n    one: ${one}\n    two: ${two}\n};`;
    const [id, idAndAt] = [object("id: string;"), object("id: string;", "at: number;")];
    const before = both(id, idAndAt);
    should(breaking(before, both(object(), idAndAt))).deepEqual([true]);
    should(breaking(before, both(idAndAt, id))).deepEqual([true]);
    // The order of lines means nothing, and what is in a new optional object is new as well.
    should(breaking(before, both(id, object("at: number;", "id: string;")))).deepEqual([false]);
    const more = object("id: string;", "at: number;", "by?: {", "    name: string;", "};");
    should(breaking(before, both(id, more))).deepEqual([false]);
    const parts = "export type Parts = {\n    a: 1;\n} | {\n    b: 1;\n};";
    should(breaking(parts, parts.replace("} | {\n    b: 1;", "    b: 1;\n} | {"))).deepEqual([true]);
  });

  it("that adds a member to a class is an addition, unless it takes something from its users", () => {
    const before = "export class Box {\n    open(): void;\n}";
    for (const [member, isBreaking] of [
      ["close(): void;", false],
      ["readonly size: number;", false],
      ["private constructor();", true],
      ["constructor(size: number);", true],
      ["abstract close(): void;", true],
    ] as const)
      should(breaking(before, before.replace("\n}", `\n    ${member}\n}`))).deepEqual([isBreaking]);
  });

  it("is found in each declaration of the kept report", () => {
    const kept = read("release/api/library.api.md");
    const names = Object.keys(declarations(kept));
    should(names.filter((name) => name.includes("\n"))).be.empty();
    should(names.length).be.aboveOrEqual((kept.match(/^export /gm) ?? []).length);
  });
});

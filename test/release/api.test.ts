import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { declarations, differences, explained, libraryDifferences } from "../../scripts/lib/api/compare.mjs";
import { documentedCodes, runtimeSources, thrownCodes } from "../../scripts/lib/api/error-codes.mjs";
import { changesOf, LIBRARY_REPORT, REPORTS } from "../../scripts/lib/api/reports.mjs";

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

  it("of the library has the names that it exports; npm run check:api compares their types", () => {
    const index = read("src/index.ts").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
    const exported = [...index.matchAll(/export (type )?\{([^}]*)\}/g)].flatMap(
      ([, , names = ""]) => names.match(/\w+(?=\s*(?:,|$))/g) ?? [],
    );
    // A name that a global has too is exported as "{ EventSource_2 as EventSource }".
    const names = /^export (?:(?:declare )?(?:abstract )?\w+ (\w+)|\{ \w+ as (\w+) \})/gm;
    const kept = [...read(LIBRARY_REPORT).matchAll(names)].map(
      ([, plain, renamed]) => plain ?? renamed ?? "",
    );
    const before = Object.fromEntries(kept.map((name) => [name, ""]));
    const now = Object.fromEntries(exported.map((name) => [name, ""]));
    const changes = explained(LIBRARY_REPORT, differences(before, now));
    if (changes !== "") throw new Error(changes);
    should(exported.length).be.above(100);
  });

  it("of errors is each code that can be thrown", () => {
    const kept = JSON.parse(read("release/api/errors.json")) as Record<string, string>;
    const known = new Set(Object.keys(kept).map((key) => key.split(" ")[1]));
    should([...thrownCodes(runtimeSources())].filter((code) => !known.has(code))).be.empty();
    should(documentedCodes().length).be.above(known.size - 1);
  });
});

describe("a change of a report", () => {
  const BEFORE = { "crec-x property name": 'text, default ""', "crec-x output 1 label": "done" };

  it("that takes something away is breaking, and says so first", () => {
    const found = differences(BEFORE, { "crec-x output 1 label": "done", "crec-x property new": "text" });
    should(found.map(({ key, isBreaking }) => [key, isBreaking])).deepEqual([
      ["crec-x property name", true],
      ["crec-x property new", false],
    ]);
    const text = explained("nodes.json", found);
    should(text).match(/- BREAKING {2}removed: crec-x property name: text, default ""/);
    should(text).match(/\+ fine {6}added: crec-x property new: text/);
    should(text)
      .match(/next major version/)
      .and.match(/npm run api:update/)
      .and.match(/CHANGELOG/);
  });

  it("that changes a type or a default is breaking, and shows both", () => {
    const after = { ...BEFORE, "crec-x property name": 'number, default "1"' };
    const text = explained("nodes.json", differences(BEFORE, after));
    should(text).match(/~ BREAKING {2}changed: crec-x property name: text, default "" → number, default "1"/);
  });

  it("of a text for people is not breaking, but its loss is", () => {
    const reworded = differences(BEFORE, { ...BEFORE, "crec-x output 1 label": "reached" }, / label$/);
    should(reworded.map(({ isBreaking }) => isBreaking)).deepEqual([false]);
    should(explained("nodes.json", reworded)).match(/Additions only/);
    const { "crec-x output 1 label": _gone, ...without } = BEFORE;
    should(differences(BEFORE, without, / label$/).map(({ isBreaking }) => isBreaking)).deepEqual([true]);
  });

  it("is nothing where nothing changed", () => {
    should(explained("nodes.json", differences(BEFORE, { ...BEFORE }))).equal("");
  });
});

describe("a change of the library", () => {
  const report = (code: string) => `# Report\n\n\`\`\`ts\n\n${code}\n\n\`\`\`\n`;
  const OPTIONS = "// @public\nexport type Options = {\n    name: string;\n};";
  const breaking = (before: string, after: string) =>
    libraryDifferences(report(before), report(after)).map(({ key, isBreaking }) => [key, isBreaking]);

  it("that adds an optional field is an addition, a required one is not", () => {
    const optional = OPTIONS.replace("string;", "string;\n    age?: number;");
    should(breaking(OPTIONS, optional)).deepEqual([["type Options", false]]);
    should(breaking(OPTIONS, optional.replace("?:", ":"))).deepEqual([["type Options", true]]);
  });

  it("that changes a type, or removes a name, is breaking; both lines are shown", () => {
    const changed = OPTIONS.replace("string", "number");
    should(breaking(OPTIONS, changed)).deepEqual([["type Options", true]]);
    const text = explained("library", libraryDifferences(report(OPTIONS), report(changed)));
    should(text).match(/- name: string;\n\s+\+ name: number;/);
    should(breaking(OPTIONS, "")).deepEqual([["type Options", true]]);
  });

  it("is found in one of two objects with the same lines", () => {
    const object = (...lines: string[]) =>
      ["{", ...lines.map((line) => `        ${line}`), "    };"].join("\n");
    const both = (one: string, two: string) => `export type Both = {\n    one: ${one}\n    two: ${two}\n};`;
    const before = both(object("id: string;"), object("id: string;", "at: number;"));
    should(breaking(before, both(object(), object("id: string;", "at: number;")))).deepEqual([
      ["type Both", true],
    ]);
    const moved = both(object("id: string;", "at: number;"), object("id: string;"));
    should(breaking(before, moved)).deepEqual([["type Both", true]]);
    // The order of lines means nothing, and what is in a new optional object is new as well.
    const turned = both(object("id: string;"), object("at: number;", "id: string;"));
    should(breaking(before, turned)).deepEqual([["type Both", false]]);
    const more = both(
      object("id: string;"),
      object("id: string;", "at: number;", "by?: {", "    name: string;", "};"),
    );
    should(breaking(before, more)).deepEqual([["type Both", false]]);
    const parts = "export type Parts = {\n    a: 1;\n} | {\n    b: 1;\n};";
    should(breaking(parts, parts.replace("} | {\n    b: 1;", "    b: 1;\n} | {"))).deepEqual([
      ["type Parts", true],
    ]);
  });

  it("that adds a member to a class is an addition, unless it takes something from its users", () => {
    const before = "export class Box {\n    open(): void;\n}";
    const withMember = (member: string) => before.replace("\n}", `\n    ${member}\n}`);
    for (const member of ["close(): void;", "readonly size: number;"])
      should(breaking(before, withMember(member))).deepEqual([["class Box", false]]);
    for (const member of ["private constructor();", "constructor(size: number);", "abstract close(): void;"])
      should(breaking(before, withMember(member))).deepEqual([["class Box", true]]);
  });

  it("in a comment does not count", () => {
    should(breaking(OPTIONS, OPTIONS.replace("@public", "@public (undocumented)"))).be.empty();
  });

  it("is found in each declaration of the kept report", () => {
    const kept = read(LIBRARY_REPORT);
    const names = Object.keys(declarations(kept));
    const exported = kept.match(/^export /gm) ?? [];
    should(names.filter((name) => name.includes("\n"))).be.empty();
    should(names.length).be.aboveOrEqual(exported.length);
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (...path: string[]) => readFileSync(join(root, ...path), "utf8");

/** Every text that a form can show. */
function texts(): Set<string> {
  const catalogs = readdirSync(join(root, "nodes"), { recursive: true, encoding: "utf8" }).filter((file) =>
    /en-US\/[\w-]+\.json$/.test(file),
  );
  const valuesOf = (value: unknown): string[] =>
    typeof value === "string" ? [value] : Object.values(value as object).flatMap(valuesOf);
  return new Set(catalogs.flatMap((file) => valuesOf(JSON.parse(read("nodes", file)))));
}

/** What the tables "field, value" of a guide name in their first column; in bold where there is more in it. */
function fieldsOf(page: string): string[] {
  const tables = page.matchAll(/^\| field \|.*\n\|.*\n((?:\|.*\n)+)/gm);
  const rows = [...tables].flatMap((table) => (table[1] ?? "").trim().split("\n"));
  return rows.flatMap((row) => {
    const cell = (row.split("|")[1] ?? "").trim();
    const bold = [...cell.matchAll(/\*\*(.+?)\*\*/g)].map((match) => match[1] ?? "");
    return bold.length > 0 ? bold : [cell];
  });
}

describe("the guides", () => {
  for (const guide of ["first-flow.md", "public-service.md", "custody.md"]) {
    it(`call each field what its form calls it: ${guide}`, () => {
      const [fields, known] = [fieldsOf(read("docs", guide)), texts()];
      should(fields.length).be.above(8);
      should(fields.filter((field) => !known.has(field))).be.empty();
    });
  }
});

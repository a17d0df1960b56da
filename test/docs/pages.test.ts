import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import {
  lifecyclesPage,
  PAGES_WITH_CONTACT,
  pages as pagesOfNodes,
  withContacts,
} from "../../scripts/docs.ts";
import { documentedCodes, runtimeSources, thrownCodes } from "../../scripts/lib/api/error-codes.ts";
import { readOwner } from "../../scripts/lib/owner.mjs";
import { VERIFY_REASONS } from "../../src/index.ts";
import {
  EXTENSIONS,
  QUERY_ERROR_CODES,
  REQUEST_STATUSES,
  REQUEST_TYPES,
  SETTLEMENT_STATUSES,
} from "../../src/protocol/index.ts";
import { assumptions } from "../consumer/assumptions.ts";
import { tolerated } from "../consumer/tolerated.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");

describe("the pages that are made from the sources", () => {
  it('say what the help, the tables and the owner say; "npm run docs" makes them again', async () => {
    const ofNodes = await pagesOfNodes();
    should(readdirSync(join(root, "docs/nodes")).sort()).deepEqual([...ofNodes.keys()].sort());
    const owner = await readOwner();
    const wanted = [
      ...[...ofNodes].map(([file, text]) => [`docs/nodes/${file}`, text] as const),
      ["docs/lifecycles.md", lifecyclesPage()] as const,
      ...PAGES_WITH_CONTACT.map((file) => [file, withContacts(read(file), owner)] as const),
    ];
    const stale = wanted.filter(([file, text]) => read(file) !== text).map(([file]) => file);
    should(stale).deepEqual([], 'run "npm run docs"');
  });
});

/** The codes in the first column of the tables: those of errors, of failed queries, of rejected proofs. */
describe("the page of errors", () => {
  const all = documentedCodes();
  const codesOf = (wanted: string) => all.filter(({ kind }) => kind === wanted).map(({ code }) => code);
  const [codes, queryReasons, verifyReasons] = [codesOf("error"), codesOf("query"), codesOf("proof")];

  it("has every code that can be thrown, once, and none that cannot", () => {
    const known = thrownCodes(runtimeSources());
    const missing = [...known].filter((code) => ![...codes, ...queryReasons].includes(code));
    should(missing.sort()).deepEqual([], "not in docs/errors.md");
    const wrong = codes.filter((code, index) => !known.has(code) || codes.indexOf(code) !== index);
    should(wrong).deepEqual([], "gone, or twice");
  });

  it("has every reason for which a query fails, or a proof or an expectation is not met", () => {
    should(QUERY_ERROR_CODES.filter((code) => ![...codes, ...queryReasons].includes(code))).be.empty();
    should(VERIFY_REASONS.filter((reason) => !verifyReasons.includes(reason))).be.empty();
    const text = runtimeSources();
    should(verifyReasons.filter((reason) => !text.includes(`"${reason}"`))).be.empty();
  });
});

describe("the page about extensions", () => {
  it("has every event with its parameters and its meaning, and the words for each number", () => {
    const page = read("docs/extensions.md");
    const rows = EXTENSIONS.flatMap(({ events, contracts }) =>
      events.map(({ name, inputs, meaning, emitters }) => {
        const names = inputs.split(", ").map((input) => `\`${input.split(" ").at(-1)}\``);
        const contract = Object.keys(contracts).length > 1 ? `${emitters.join(", ")} | ` : "";
        return `| \`${name}\` | ${contract}${names.join(", ")} | ${meaning} |`;
      }),
    );
    should(rows.filter((row) => !page.includes(row))).deepEqual([]);
    for (const words of [REQUEST_STATUSES, REQUEST_TYPES, SETTLEMENT_STATUSES]) {
      should(page).containEql(words.map((word, number) => `${number} ${word}`).join(", "));
    }
  });
});

describe("the page about the architecture", () => {
  it("says of the service what tests show that the reader assumes, and does not assume", () => {
    for (const [heading, tests] of [
      ["### Not assumed", tolerated],
      ["### Assumed", assumptions],
    ] as const) {
      const [text = ""] = (read("docs/architecture.md").split(`\n${heading}\n`)[1] ?? "").split(/\n#+ /);
      const cells = [...text.matchAll(/^\| ([^|]+?) \|/gm)].map(([, cell]) => cell);
      // Below the head and its line.
      should(cells.slice(2)).deepEqual(Object.keys(tests), "test/consumer/{tolerated,assumptions}.ts");
    }
  });
});

describe("the guides", () => {
  /** Every text that a form can show. */
  const texts = new Set(
    readdirSync(join(root, "nodes"), { recursive: true, encoding: "utf8" })
      .filter((file) => /en-US[\\/][\w-]+\.json$/.test(file))
      .flatMap((file) => valuesOf(JSON.parse(read(join("nodes", file))))),
  );

  it("call each field what its form calls it", () => {
    for (const guide of ["first-flow.md", "public-service.md", "custody.md"]) {
      const fields = fieldsOf(read(`docs/${guide}`));
      should(fields.length).be.above(8);
      should(fields.filter((field) => !texts.has(field))).be.empty();
    }
  });
});

function valuesOf(value: unknown): string[] {
  return typeof value === "string" ? [value] : Object.values(value as object).flatMap(valuesOf);
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

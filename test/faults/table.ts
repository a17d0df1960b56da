import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import should from "should";
import type { Cell } from "./cell.ts";

/** What all calls of one column do when they meet one fault. */
export type Summary = { codes: string[]; least: number; most: number; retried: "yes" | "no" | "some" };

/** Of one table: by fault, then by column. */
export type Rows = ReadonlyMap<string, ReadonlyMap<string, Summary>>;

/** The parts of docs/faults.md that a run writes. */
export type Part = "every request" | "acting requests" | "clock" | "nodes" | "clock of nodes";

const PAGE = fileURLToPath(new URL("../../docs/faults.md", import.meta.url));
/** Where a call succeeds in spite of the fault. */
const ANSWERED = "answered";
/** Where the number of requests depends on how long a wait lasts. */
const MANY = "many";

/** Collects cells, and makes a table of them. */
export class Collected {
  readonly #rows = new Map<string, Map<string, Summary>>();

  add(fault: string, column: string, { code, requests, retried }: Cell): void {
    const row = this.#rows.get(fault) ?? new Map<string, Summary>();
    this.#rows.set(fault, row);
    const told = retried ? "yes" : "no";
    const known = row.get(column) ?? { codes: [], least: requests, most: requests, retried: told };
    row.set(column, {
      codes: [...new Set([...known.codes, code ?? ANSWERED])].sort(),
      least: Math.min(known.least, requests),
      most: Math.max(known.most, requests),
      retried: known.retried === told ? told : "some",
    });
  }

  get rows(): Rows {
    return this.#rows;
  }
}

/** Whether a run does everything and writes the page, or a sample that has to agree with it. */
export const isWhole: boolean = process.env.CREC_FAULTS === "all";

/** Which sample `npm run test:wide` takes: the same one each time, unless another is wanted. */
export const SAMPLE_NUMBER = Number(process.env.FAULTS_SAMPLE ?? 0);

/** Writes a part of the page, or checks that it has what the sample showed. */
export async function settle(part: Part, rows: Rows, columns: readonly string[]): Promise<void> {
  if (isWhole) await write(part, rows, columns);
  else await compare(part, rows);
}

async function write(part: Part, rows: Rows, columns: readonly string[]): Promise<void> {
  const head = ["fault", ...columns];
  const lines = [...rows].map(([fault, row]) => [
    fault,
    ...columns.map((column) => {
      const summary = row.get(column);
      return summary === undefined ? "" : isAboutClock(part) ? namesOf(summary) : cellOf(summary);
    }),
  ]);
  const table = [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  const page = await readFile(PAGE, "utf8");
  const [begin, end] = marksOf(part);
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/faults.md has no place for "${part}".`);
  await writeFile(PAGE, `${page.slice(0, from + begin.length)}\n\n${table}\n\n${page.slice(to)}`);
}

async function compare(part: Part, rows: Rows): Promise<void> {
  const written = parsed(part, await readFile(PAGE, "utf8"));
  for (const [fault, row] of rows) {
    for (const [column, seen] of row) {
      const known = written.get(fault)?.get(column);
      const where = `docs/faults.md, "${part}", ${fault}, ${column}. Run npm run test:faults.`;
      if (known === undefined) throw new Error(`There is no cell in ${where}`);
      // What depends on the time is not compared.
      const isTimed = isAboutClock(part) || Number.isNaN(known.most) || Number.isNaN(seen.most);
      const isKnown =
        seen.codes.every((code) => known.codes.includes(code)) &&
        (isTimed ||
          (seen.least >= known.least &&
            seen.most <= known.most &&
            (known.retried === "some" || known.retried === seen.retried)));
      should(isKnown).be.true(`It was ${cellOf(seen)}, not ${cellOf(known)} as in ${where}`);
    }
  }
}

/** Only codes: nothing is lost that could be repeated. */
function isAboutClock(part: Part): boolean {
  return part.startsWith("clock");
}

function marksOf(part: Part): [string, string] {
  return [`<!-- ${part} -->`, `<!-- end of ${part} -->`];
}

/** `KEY_REFUSED`, 1–4, retried, recovered. */
function cellOf({ codes, least, most, retried }: Summary): string {
  const words = { yes: "retried", no: "not retried", some: "some retried" }[retried];
  const isCounted = !Number.isNaN(most);
  const requests = !isCounted ? MANY : least === most ? String(most) : `${least}–${most}`;
  const told = isCounted || retried !== "no" ? `${requests}, ${words}` : "not counted";
  return `${namesOf({ codes })}, ${told}, recovered`;
}

function namesOf({ codes }: Pick<Summary, "codes">): string {
  return codes.map((code) => (code === ANSWERED ? code : `\`${code}\``)).join(" or ");
}

function parsed(part: Part, page: string): Map<string, Map<string, Summary>> {
  const [begin, end] = marksOf(part);
  const lines = page
    .slice(page.indexOf(begin), page.indexOf(end))
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.slice(2, -2).split(" | "));
  const [[, ...columns] = [], , ...rows] = lines;
  return new Map(
    rows.map(([fault = "", ...cells]) => [
      fault,
      new Map(cells.flatMap((cell, index) => (cell === "" ? [] : [[columns[index] ?? "", summaryOf(cell)]]))),
    ]),
  );
}

function summaryOf(cell: string): Summary {
  const [names = "", requests = "", words = ""] = cell.split(", ");
  const [least = "", most = least] = requests.split("–");
  const retried = words === "retried" ? "yes" : words === "not retried" ? "no" : "some";
  return {
    ...{ codes: names.replaceAll("`", "").split(" or "), retried },
    ...{ least: Number(least), most: Number(most) },
  };
}

/**
 * `npm run bench -- <name>`: runs a benchmark and prints its figures with what they were measured on. With `--write` the
 * figures replace the earlier ones in docs/benchmarks.md. With `--quick` it has little to do, and only shows that each
 * part still runs and gives its figures.
 */
import { readFile, writeFile } from "node:fs/promises";
import { arch, cpus, loadavg, platform, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BENCHES } from "./benches.ts";
import { type Results, withResults } from "./page.ts";
import { hurry, quickly } from "./quick.ts";
import { QUICK } from "./sized.ts";

const ALL = "all";

const PAGE = join(import.meta.dirname, "../docs/benchmarks.md");

const { positionals, values: given } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "boolean", default: false }, quick: { type: "boolean", default: false } },
});
const [name] = positionals;
const chosen = Object.entries(BENCHES).filter(([one]) => name === ALL || name === one);
if (chosen.length === 0) {
  if (name !== undefined) print(`There is no benchmark "${name}".\n`);
  print("npm run bench -- <name>");
  print("npm run bench -- <name> --write    the figures also go to docs/benchmarks.md");
  print("npm run bench -- <name> --quick    only checks in seconds that each part still gives its figures\n");
  for (const [one, { about }] of Object.entries(BENCHES)) print(`  ${one.padEnd(10)}${about}`);
  print(`  ${ALL.padEnd(10)}all of them, one after the other`);
  process.exit(name === undefined ? 0 : 1);
}
if (given.quick && given.write) {
  print("--quick measures nothing that may go to docs/benchmarks.md: leave out --quick or --write.");
  process.exit(1);
}
// Nothing but the option makes the sizes small.
delete process.env[QUICK];
if (given.quick) await hurry(chosen.map(([, bench]) => bench));
let hasProblem = false;
for (const [one, bench] of given.quick ? chosen : []) {
  print(`${one}, --quick: with little to do, so the figures say nothing about speed`);
  const { problems, skipped } = await quickly(one, bench, print);
  if (skipped.length > 0) print(`\nskipped: ${skipped.join(", ")}`);
  print(`\n${problems.join("\n") || `${one}: each part still gives its figures`}\n`);
  hasProblem ||= problems.length > 0;
}
// A part that has failed may have left something open.
if (hasProblem) process.exit(1);
for (const [one, { about, parts }] of given.quick ? [] : chosen) {
  const results = { name: one, about, date: new Date().toISOString().slice(0, 10), machine: await machine() };
  print(`${one}, ${results.date}`);
  print(results.machine);
  const done: Array<Results["parts"][number]> = [];
  for (const [title, { run }] of Object.entries(parts)) {
    print(`\n${title}`);
    const measured = await run();
    for (const { what, value } of measured) print(`  ${what.padEnd(56)}${value}`);
    done.push({ title, measured });
  }
  print("");
  // Only when all its parts have run: a page never has half of one run and half of another.
  if (given.write)
    await writeFile(PAGE, withResults(await readFile(PAGE, "utf8"), { ...results, parts: done }));
}

async function machine(): Promise<string> {
  const [cpu] = cpus();
  const cores = `${cpus().length} × ${cpu?.model.trim() ?? "?"}`;
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const versions = await Promise.all(
    ["undici", "ox", "viem", "ethers", "@noble/curves", "node-red"].map(versionOf),
  );
  // Of a machine that is busy otherwise, only ratios say something. Windows does not tell.
  const busy = platform() === "win32" ? "" : `, load ${(loadavg()[0] ?? 0).toFixed(1)} before`;
  return `${cores}${busy}, ${memory}, ${platform()} ${arch()}\nNode.js ${process.versions.node}, ${versions.join(", ")}`;
}

async function versionOf(name: string): Promise<string> {
  const file = join(import.meta.dirname, "..", "node_modules", name, "package.json");
  const { version } = JSON.parse(await readFile(file, "utf8"));
  return `${name} ${version}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

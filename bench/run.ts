/**
 * `npm run bench -- <name>`: runs a benchmark and prints its figures with what they were measured on. With `--write` the
 * figures replace the earlier ones in docs/benchmarks.md.
 */
import { readFile, writeFile } from "node:fs/promises";
import { arch, cpus, loadavg, platform, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Measured } from "./measured.ts";
import { type Results, withResults } from "./page.ts";

type Bench = { about: string; parts: Record<string, () => Promise<Measured[]>> };

/** Loaded when asked for: each needs other parts of the project. */
const BENCHES: Record<string, Bench> = {
  alerts: {
    about: "events a second through a rule with 10,000 keys, against the same rule drawn with core nodes",
    parts: {
      "A rule in the library": async () => (await import("./alerts.ts")).benchAlerts(),
      "Node-RED": async () => (await import("./alerts-node-red.ts")).benchAlertsInNodeRed(),
    },
  },
  events: {
    about: "events a second through the client, the consumer and Node-RED, against a bare loop",
    parts: {
      "Client and consumer": async () => (await import("./events.ts")).benchEvents(),
      "Node-RED": async () => (await import("./events-node-red.ts")).benchEventsInNodeRed(),
    },
  },
  fleet: {
    about:
      "several copies: hand-over times, commits, calls of one channel and of 1,000, memory of idle readers",
    parts: {
      "Hand-over, PostgreSQL": async () => (await import("./fleet-faults.ts")).benchHandOvers("postgres"),
      "Hand-over, Redis": async () => (await import("./fleet-faults.ts")).benchHandOvers("redis"),
      Commits: async () => (await import("./fleet-commits.ts")).benchCommits(),
      "Calls of one channel": async () => (await import("./fleet-calls.ts")).benchCallsOfOneChannel(),
      "1,000 channels": async () => (await import("./fleet-budget.ts")).benchBudget(),
      "Idle readers": async () => (await import("./fleet-memory.ts")).benchIdleReaders(),
    },
  },
  idle: {
    about: "bytes a day and calls a minute of a consumer with nothing to read, plain and compressed",
    parts: { "One consumer, nothing new": async () => (await import("./idle.ts")).benchIdle() },
  },
  load: {
    about: "start, memory and first message of Node-RED with the package, against Node-RED alone",
    parts: { "Node-RED": async () => (await import("./load.ts")).benchLoad() },
  },
  proofs: {
    about: "proofs a second, against viem, ethers, noble and C; delay of the event loop",
    parts: {
      "Proofs of 4 signatures": async () => (await import("./proofs.ts")).benchProofs(),
      "Delay of the event loop": async () => (await import("./proofs.ts")).benchLoopDelay(),
    },
  },
  rehearsal: {
    about:
      "past events a second through a rehearsed flow, against a bare loop; start and memory of its process",
    parts: {
      "20,000 past events": async () => (await import("./rehearsal.ts")).benchRehearsal(),
    },
  },
  sidebar: {
    about: "milliseconds a second that an open sidebar costs Node-RED, with 200 readers and 1,000 operations",
    parts: { "Main thread": async () => (await import("./sidebar.ts")).benchSidebar() },
  },
  service: {
    about: "pages, operations and logs a second of the local service; its memory; growth to 1,000,000 events",
    parts: {
      Pages: async () => (await import("./service.ts")).benchPages(),
      Operations: async () => (await import("./service.ts")).benchOperations(),
      Logs: async () => (await import("./service.ts")).benchLogs(),
      Memory: async () => (await import("./service.ts")).benchMemory(),
      Growth: async () => (await import("./service-growth.ts")).benchGrowth(),
    },
  },
};
const ALL = "all";

const PAGE = join(import.meta.dirname, "../docs/benchmarks.md");

const { positionals, values: given } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "boolean", default: false } },
});
const [name] = positionals;
const chosen = Object.entries(BENCHES).filter(([one]) => name === ALL || name === one);
if (chosen.length === 0) {
  if (name !== undefined) print(`There is no benchmark "${name}".\n`);
  print("npm run bench -- <name>");
  print("npm run bench -- <name> --write    the figures also go to docs/benchmarks.md\n");
  for (const [one, { about }] of Object.entries(BENCHES)) print(`  ${one.padEnd(10)}${about}`);
  print(`  ${ALL.padEnd(10)}all of them, one after the other`);
  process.exit(name === undefined ? 0 : 1);
}
for (const [one, { about, parts }] of chosen) {
  const results = { name: one, about, date: new Date().toISOString().slice(0, 10), machine: await machine() };
  print(`${one}, ${results.date}`);
  print(results.machine);
  const done: Array<Results["parts"][number]> = [];
  for (const [title, run] of Object.entries(parts)) {
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

/** `npm run bench -- <name>`: runs a benchmark and prints its figures with what they were measured on. */
import { readFile } from "node:fs/promises";
import { arch, cpus, platform, totalmem } from "node:os";
import { join } from "node:path";
import type { Measured } from "./measured.ts";

/** Loaded when asked for: each needs other parts of the project. */
const BENCHES: Record<string, Record<string, () => Promise<Measured[]>>> = {
  events: {
    "Client and consumer": async () => (await import("./events.ts")).benchEvents(),
    "Node-RED": async () => (await import("./events-node-red.ts")).benchEventsInNodeRed(),
  },
  proofs: {
    "Proofs of 4 signatures": async () => (await import("./proofs.ts")).benchProofs(),
    "Delay of the event loop": async () => (await import("./proofs.ts")).benchLoopDelay(),
  },
  service: {
    Pages: async () => (await import("./service.ts")).benchPages(),
    Operations: async () => (await import("./service.ts")).benchOperations(),
    Logs: async () => (await import("./service.ts")).benchLogs(),
    Memory: async () => (await import("./service.ts")).benchMemory(),
  },
};

const [name = ""] = process.argv.slice(2);
const bench = BENCHES[name];
if (bench === undefined) {
  print(`Say which: npm run bench -- ${Object.keys(BENCHES).join(" | ")}`);
  process.exit(1);
}
print(`${name}, ${new Date().toISOString().slice(0, 10)}`);
print(await machine());
for (const [title, run] of Object.entries(bench)) {
  print(`\n${title}`);
  for (const { what, value } of await run()) print(`  ${what.padEnd(56)}${value}`);
}

async function machine(): Promise<string> {
  const [cpu] = cpus();
  const cores = `${cpus().length} × ${cpu?.model.trim() ?? "?"}`;
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const versions = await Promise.all(
    ["undici", "ox", "viem", "ethers", "@noble/curves", "node-red"].map(versionOf),
  );
  return `${cores}, ${memory}, ${platform()} ${arch()}\nNode.js ${process.versions.node}, ${versions.join(", ")}`;
}

async function versionOf(name: string): Promise<string> {
  const file = join(import.meta.dirname, "..", "node_modules", name, "package.json");
  const { version } = JSON.parse(await readFile(file, "utf8"));
  return `${name} ${version}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

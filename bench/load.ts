import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Measured, median } from "./measured.ts";
import { config, madeEvents } from "./proofs-made.ts";
import { sized } from "./sized.ts";

const ROUNDS = sized(9, 1);
const AIM_START_MS = 50;
const AIM_MB = 15;
const SETTINGS = fileURLToPath(new URL("load-settings.cjs", import.meta.url));
const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** What an installed package consists of. */
const PACKED = ["package.json", "dist", "resources", "examples"];

/** Nothing is called. */
const ENVIRONMENT = { CREC_API_KEY: "a key", CREC_BASE_URL: "http://127.0.0.1:9" };

const EVENT_IN_PAYLOAD = { event: "payload", eventType: "msg" };

type Node = Record<string, unknown> & { id: string; type: string };
/** What a Node-RED reported: at its first message, and after one that passed the node in between. */
type Report = { atMs: number; processorMs: number; bytes: number; heap: number };
type Run = { first: Report; second: Report };

/**
 * How long a Node-RED takes from the start of its process to its first message, and how much memory it has then: plain,
 * with the package installed, and with a flow that verifies an event, in turns.
 */
export async function benchLoad(): Promise<Measured[]> {
  const folder = await mkdtemp(join(tmpdir(), "crec-bench-load-"));
  try {
    const plain = await userDir(join(folder, "plain"), { isInstalled: false, nodes: drawn() });
    const unused = await userDir(join(folder, "unused"), { isInstalled: true, nodes: drawn() });
    const used = await userDir(join(folder, "used"), { isInstalled: true, nodes: verifying() });
    const runs = { plain: [] as Run[], unused: [] as Run[], used: [] as Run[] };
    // The first start of each reads the files from the disk.
    for (const path of sized([plain, unused, used], [])) await start(path);
    for (let round = 0; round < ROUNDS; round += 1) {
      runs.plain.push(await start(plain));
      runs.unused.push(await start(unused));
      runs.used.push(await start(used));
    }
    return rowsOf(runs);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function rowsOf({ plain, unused, used }: Record<"plain" | "unused" | "used", Run[]>): Measured[] {
  const startMs = (all: Run[]) => median(all.map(({ first }) => first.atMs));
  const processorMs = (all: Run[]) => median(all.map(({ first }) => first.processorMs));
  const betweenMs = (all: Run[]) => median(all.map(({ first, second }) => second.atMs - first.atMs));
  const megabytes = (all: Run[]) => median(all.map(({ second }) => second.bytes)) / 2 ** 20;
  const heap = (all: Run[]) => median(all.map(({ second }) => second.heap)) / 2 ** 20;
  const [addedMs, addedMb] = [startMs(unused) - startMs(plain), megabytes(unused) - megabytes(plain)];
  const ms = (value: number) => `${Math.round(value)} ms`;
  const mb = (value: number) => `${value.toFixed(1)} MB`;
  return [
    { what: "start to first message, Node-RED alone", value: ms(startMs(plain)) },
    { what: "the same with the package installed", value: ms(startMs(unused)) },
    { what: "  added", value: ms(addedMs) },
    { what: `  of the aim of ${AIM_START_MS} ms`, value: (addedMs / AIM_START_MS).toFixed(2) },
    { what: "  added in processor time", value: ms(processorMs(unused) - processorMs(plain)) },
    { what: "memory (RSS), Node-RED alone", value: mb(megabytes(plain)) },
    { what: "the same with the package installed", value: mb(megabytes(unused)) },
    { what: "  added", value: `${mb(addedMb)}, ${mb(heap(unused) - heap(plain))} of it heap` },
    { what: `  of the aim of ${AIM_MB} MB`, value: (addedMb / AIM_MB).toFixed(2) },
    { what: "first message through a function node, Node-RED alone", value: ms(betweenMs(plain)) },
    { what: "first message through verify event, with its proof", value: ms(betweenMs(used)) },
    {
      what: "memory added by a flow that verifies events",
      value: `${mb(megabytes(used) - megabytes(plain))}, ${mb(heap(used) - heap(plain))} of it heap`,
    },
  ];
}

async function userDir(
  path: string,
  { isInstalled, nodes }: { isInstalled: boolean; nodes: Node[] },
): Promise<string> {
  await mkdir(path, { recursive: true });
  await writeFile(join(path, "flows.json"), JSON.stringify(nodes));
  const credentials = { connection: { apiKey: "${CREC_API_KEY}" } };
  await writeFile(join(path, "flows_cred.json"), JSON.stringify(credentials));
  if (!isInstalled) return path;
  const { name, version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const installed = join(path, "node_modules", name);
  for (const file of PACKED) await cp(join(ROOT, file), join(installed, file), { recursive: true });
  await writeFile(join(path, "package.json"), JSON.stringify({ dependencies: { [name]: version } }));
  return path;
}

/** A message that is reported, passes a node, and is reported again. */
function drawn(
  between: Node = { ...at("between"), type: "function", func: "return msg;", outputs: 1 },
): Node[] {
  const report = { type: "function", func: 'global.get("report")(); return msg;', outputs: 1 };
  return [
    { id: "tab", type: "tab", label: "load" },
    {
      ...at("start", "first"),
      ...{ type: "inject", once: true, onceDelay: 0.001 },
      props: [{ p: "payload", v: JSON.stringify(madeEvents(1)[0]), vt: "json" }],
    },
    { ...at("first", "between"), ...report },
    { ...between, wires: [["second"]] },
    { ...at("second"), ...report },
  ];
}

function verifying(): Node[] {
  const connection: Node = {
    id: "connection",
    type: "crec-connection",
    baseUrl: "${CREC_BASE_URL}",
    workflowOwner: config.workflowOwner,
    validSigners: config.validSigners.join("\n"),
    minRequiredSignatures: String(config.minRequiredSignatures),
  };
  return [
    ...drawn({ ...at("between"), type: "crec-verify-event", connection: connection.id, ...EVENT_IN_PAYLOAD }),
    connection,
  ];
}

function at(id: string, ...to: string[]): Pick<Node, "id"> & Record<string, unknown> {
  return { id, z: "tab", x: 1, y: 1, wires: [to] };
}

/** Ends Node-RED after the second report. */
async function start(path: string): Promise<Run> {
  const child = spawn(
    process.execPath,
    [
      ...["--expose-gc", join(ROOT, "node_modules/node-red/red.js")],
      ...["--settings", SETTINGS, "--userDir", path, "--port", "0"],
    ],
    { stdio: ["ignore", "pipe", "pipe", "ipc"], env: { ...process.env, ...ENVIRONMENT } },
  );
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      log += chunk.toString();
    });
  }
  const reports: Report[] = [];
  child.on("message", (report: Report) => {
    reports.push(report);
    if (reports.length === 2) child.kill("SIGKILL");
  });
  const late = setTimeout(() => child.kill("SIGKILL"), 60_000);
  await once(child, "exit");
  clearTimeout(late);
  const [first, second] = reports;
  if (!first || !second) throw new Error(`Node-RED sent no messages:\n${log}`);
  return { first, second };
}

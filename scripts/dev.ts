// npm run dev: like `npm start`, and restarts Node-RED or the service when their sources change. An error in the sources is
// printed with file and line, and running processes continue: Node.js' own watch mode ends them before it reads the sources,
// and that of esbuild knows neither catalogs nor icons. chokidar watches, esbuild finds errors and what a process runs from.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { watch } from "chokidar";
import type { ReadyInfo } from "../service/src/start/types.ts";
import { flowEnvironment } from "./lib/flow-environment.ts";
import { checkStart, launch, tellReady } from "./lib/launch.ts";
import { SERVICE, startLocalService } from "./lib/local-service.ts";
import { NODE_RED, startNodeRed } from "./lib/node-red.ts";
import { root } from "./lib/paths.mjs";
import { readJson } from "./lib/read-json.mjs";
import { StartError, say } from "./lib/say.mjs";

const NODE_RED_SOURCES = ["nodes", "plugins", "rehearsal", "src", "icons", "package.json"];
const SERVICE_SOURCES = ["src", "service/src", "service/contracts"];
/** A batch of saves ends when nothing was saved for this long. */
const QUIET_MS = 80;
/** Temporary files of editors. */
const NOT_SOURCE = /(?:^|[\\/])\.[^\\/]*$|~$|\.(?:swp|tmp)$/;

type Part = {
  name: string;
  /** Files and folders that it may use. */
  sources: readonly string[];
  /** Of what it would run from now; rejects, with file and line, when it could not run. */
  fingerprint: () => Promise<string>;
  start: () => Promise<void>;
  /** The fingerprint of the running process; empty until it runs. */
  running: string;
};

await launch(async (children) => {
  let { editorPort, servicePort } = await checkStart();
  let chainPort = process.env.CREC_CHAIN_PORT || "0";
  let editorUrl = "";
  let flowEnv: NodeJS.ProcessEnv = {};
  let ready: ReadyInfo | undefined;
  // Starts before the first build, so that no save is missed.
  const nextBatch = await watchFiles([...new Set([...NODE_RED_SOURCES, ...SERVICE_SOURCES])]);
  const { build } = await import("./build.ts");
  const { stop: stopEsbuild } = await import("esbuild");
  const { filesOf, hashOf } = await import("./lib/build-stamp.ts");
  const dist = join(root, "dist");

  const service: Part = {
    name: SERVICE,
    sources: SERVICE_SOURCES,
    fingerprint: serviceFingerprint,
    async start() {
      const args = ["--local", "--chain-port", chainPort];
      ready = await startLocalService(children, { port: servicePort, args });
      flowEnv = flowEnvironment(ready);
      // The next one listens on the same ports.
      servicePort = portOf(ready.base_url);
      if (!process.env.CREC_RPC_URL) chainPort = String(portOf(ready.rpc_url));
    },
    running: "",
  };
  const nodeRed: Part = {
    name: NODE_RED,
    sources: NODE_RED_SOURCES,
    /** What Node-RED reads from the package when it starts, source maps included. It reads icons at each request. */
    async fingerprint() {
      await build({ sourceMaps: true });
      const { "node-red": list } = await readJson(join(root, "package.json"));
      const files = (await filesOf(dist)).filter((file) => !/[\\/]icons[\\/][^\\/]+$/.test(file));
      return JSON.stringify([hashOf(dist, files), list, flowEnv]);
    },
    async start() {
      const flags = ["--enable-source-maps"];
      editorUrl = await startNodeRed(children, { port: editorPort, env: flowEnv, flags });
      editorPort = portOf(editorUrl);
    },
    running: "",
  };

  /** A process that does not run may always need a start. */
  const isAffected = ({ name, sources, running }: Part, files: readonly string[]) =>
    !children.runs(name) ||
    running === "" ||
    files.some((file) => sources.some((source) => file === source || file.startsWith(`${source}/`)));

  /** If the new sources cannot run, the old process continues. @returns whether it was started */
  async function update(part: Part): Promise<boolean> {
    const current = await part.fingerprint().catch(({ message }: Error) => {
      throw new StartError(message);
    });
    if (children.runs(part.name) && part.running === current) return false;
    part.running = "";
    await children.stop(part.name);
    await part.start();
    part.running = current;
    return true;
  }

  say("Starting the chain and the local service …");
  await update(service);
  say("Building, then starting Node-RED …");
  await update(nodeRed);
  if (ready) tellReady(editorUrl, ready);

  children.onLost = (name, how) => say(`${name} ended by itself (${how}). It restarts at the next save.`);
  for (;;) {
    const { files, since } = await nextBatch();
    const started: string[] = [];
    let failed = false;
    const trying = async (part: Part) => {
      try {
        if (await update(part)) started.push(part.name);
      } catch (error) {
        failed = true;
        if (!children.ending) say(error instanceof Error ? error.message : String(error));
      }
    };
    const envBefore = JSON.stringify(flowEnv);
    await Promise.all([service, nodeRed].filter((part) => isAffected(part, files)).map(trying));
    // Flows read the service's data from their environment, which only a restart can change.
    if (JSON.stringify(flowEnv) !== envBefore) await trying(nodeRed);
    if (children.ending) return;

    const what = files.length > 1 ? `${files[0]} and ${files.length - 1} more` : files[0];
    const seconds = ((performance.now() - since) / 1000).toFixed(1);
    if (failed) say(`${what}: failed, see above. Fix it and save again.`);
    else if (started.length > 0) say(`${what}: restarted in ${seconds} s: ${started.join(", ")}.`);
    else say(`${what}: nothing to restart, checked in ${seconds} s.`);
    // If esbuild's own process caused the failure, the next build needs a new one.
    if (failed) await stopEsbuild();
  }
});

/** @returns waits for saved files, by their paths from the root, after which nothing else was saved for a moment */
async function watchFiles(paths: readonly string[]) {
  const files = new Set<string>();
  let since = 0;
  let last = 0;
  let wake = () => {};
  const watcher = watch([...paths], {
    cwd: root,
    ignoreInitial: true,
    ignored: (path) => NOT_SOURCE.test(path),
  });
  watcher.on("all", (_event, file) => {
    last = performance.now();
    if (files.size === 0) since = last;
    files.add(file.replaceAll("\\", "/"));
    wake();
  });
  await new Promise<void>((resolve) => watcher.once("ready", resolve));
  return async () => {
    if (files.size === 0)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    for (let left = QUIET_MS; left > 0; left = last + QUIET_MS - performance.now()) await sleep(left);
    const batch = { files: [...files], since };
    files.clear();
    return batch;
  };
}

/** It runs from its sources: the bundle only finds its files, and errors in them. */
async function serviceFingerprint(): Promise<string> {
  const { build } = await import("esbuild");
  const { hashOf } = await import("./lib/build-stamp.ts");
  const { metafile } = await build({
    ...{ absWorkingDir: root, bundle: true, packages: "external", platform: "node", format: "esm" },
    entryPoints: ["cli.ts", "chain/watchdog.ts"].map((file) => join(root, "service/src", file)),
    ...{ outdir: "unwritten", write: false, metafile: true, logLevel: "silent" },
  });
  const artifacts = await readdir(join(root, "service/contracts/artifacts"));
  return hashOf(root, [
    ...Object.keys(metafile.inputs).map((file) => join(root, file)),
    ...artifacts.map((name) => join(root, "service/contracts/artifacts", name)),
  ]);
}

function portOf(url: string) {
  return Number(new URL(url).port);
}

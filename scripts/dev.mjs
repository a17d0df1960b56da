// @ts-check
// npm run dev: like `npm start`, and restarts Node-RED or the service when their sources change. An error in the
// sources is printed with file and line, and running processes continue.

import { Changes } from "./lib/changes.ts";
import { nodesFingerprint, serviceFingerprint } from "./lib/fingerprints.ts";
import { flowEnvironment } from "./lib/flow-environment.mjs";
import { launch } from "./lib/launch.mjs";
import { SERVICE, startLocalService } from "./lib/local-service.mjs";
import { NODE_RED, startNodeRed } from "./lib/node-red.mjs";
import { say } from "./lib/say.mjs";
import { checkStart, tellReady } from "./lib/start-up.mjs";
import { WatchedProcess } from "./lib/watched-process.ts";

const NODE_RED_SOURCES = ["nodes", "plugins", "rehearsal", "src", "icons", "package.json"];
const SERVICE_SOURCES = ["src", "service/src", "service/contracts"];

await launch(async (children) => {
  let { editorPort, servicePort } = await checkStart();
  let chainPort = process.env.CREC_CHAIN_PORT || "0";
  let editorUrl = "";
  /** @type {NodeJS.ProcessEnv} */
  let flowEnv = {};
  /** @type {import("./lib/local-service.mjs").Ready | undefined} */
  let ready;
  // Starts before the first build, so that no save is missed.
  const changes = new Changes([...new Set([...NODE_RED_SOURCES, ...SERVICE_SOURCES])]);
  const { build } = await import("./build.ts");
  const { stop: stopEsbuild } = await import("esbuild");

  const service = new WatchedProcess(children, {
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
  });
  const nodeRed = new WatchedProcess(children, {
    name: NODE_RED,
    sources: NODE_RED_SOURCES,
    async fingerprint() {
      await build({ sourceMaps: true });
      return `${await nodesFingerprint()} ${JSON.stringify(flowEnv)}`;
    },
    async start() {
      const flags = ["--enable-source-maps"];
      editorUrl = await startNodeRed(children, { port: editorPort, env: flowEnv, flags });
      editorPort = portOf(editorUrl);
    },
  });

  say("Starting the chain and the local service …");
  await service.update();
  say("Building, then starting Node-RED …");
  await nodeRed.update();
  if (ready) tellReady(editorUrl, ready);

  children.onLost = (name, how) => say(`${name} ended by itself (${how}). It restarts at the next save.`);
  for (;;) {
    const { files, since } = await changes.next();
    /** @type {string[]} */
    const started = [];
    let failed = false;
    /** @param {WatchedProcess} part */
    const update = async (part) => {
      try {
        if (await part.update()) started.push(part.name);
      } catch (error) {
        failed = true;
        if (!children.ending) say(error instanceof Error ? error.message : String(error));
      }
    };
    const envBefore = JSON.stringify(flowEnv);
    await Promise.all([service, nodeRed].filter((part) => part.isAffected(files)).map(update));
    // Flows read the service's data from their environment, which only a restart can change.
    if (JSON.stringify(flowEnv) !== envBefore) await update(nodeRed);
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

/** @param {string} url */
function portOf(url) {
  return Number(new URL(url).port);
}

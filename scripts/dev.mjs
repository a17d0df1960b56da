// @ts-check
// npm run dev: like `npm start`, and follows the sources. What runs is started again when what it runs from has
// changed; a mistake in the sources is said with its place, and what ran before goes on.

import { Changes } from "./lib/changes.mjs";
import { nodesFingerprint, serviceFingerprint } from "./lib/fingerprints.mjs";
import { flowEnvironment } from "./lib/flow-environment.mjs";
import { Kept } from "./lib/kept.mjs";
import { launch } from "./lib/launch.mjs";
import { SERVICE, startLocalService } from "./lib/local-service.mjs";
import { NODE_RED, startNodeRed } from "./lib/node-red.mjs";
import { say } from "./lib/say.mjs";
import { checkStart, tellReady } from "./lib/start-up.mjs";

const NODE_RED_SOURCES = ["nodes", "src", "icons", "package.json"];
const SERVICE_SOURCES = ["src", "service/src", "service/contracts"];

await launch(async (children) => {
  let { editorPort, servicePort } = await checkStart();
  let chainPort = process.env.CREC_CHAIN_PORT || "0";
  let editorUrl = "";
  /** @type {NodeJS.ProcessEnv} */
  let flowEnv = {};
  /** @type {import("./lib/local-service.mjs").Ready | undefined} */
  let ready;
  // From here on no save is missed.
  const changes = new Changes([...new Set([...NODE_RED_SOURCES, ...SERVICE_SOURCES])]);
  const { build } = await import("./build.mjs");

  const service = new Kept(children, {
    name: SERVICE,
    sources: SERVICE_SOURCES,
    fingerprint: serviceFingerprint,
    async start() {
      const args = ["--local", "--chain-port", chainPort];
      ready = await startLocalService(children, { port: servicePort, args });
      flowEnv = flowEnvironment(ready);
      // The next one listens where this one does, for all who use it.
      servicePort = portOf(ready.base_url);
      if (!process.env.CREC_RPC_URL) chainPort = String(portOf(ready.rpc_url));
    },
  });
  const nodeRed = new Kept(children, {
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
  await service.renew();
  say("Building, and starting Node-RED …");
  await nodeRed.renew();
  if (ready) tellReady(editorUrl, ready);

  children.onLost = (name, how) => say(`${name} ended by itself (${how}). The next save starts it again.`);
  for (;;) {
    const { files, since } = await changes.next();
    /** @type {string[]} */
    const started = [];
    let failed = false;
    /** @param {Kept} part */
    const renew = async (part) => {
      try {
        if (await part.renew()) started.push(part.name);
      } catch (error) {
        failed = true;
        if (!children.ending) say(error instanceof Error ? error.message : String(error));
      }
    };
    const envBefore = flowEnv;
    await Promise.all([service, nodeRed].filter((part) => part.concerns(files)).map(renew));
    // The service may have something new to say to flows.
    if (JSON.stringify(flowEnv) !== JSON.stringify(envBefore)) await renew(nodeRed);
    if (children.ending) return;

    const what = files.length > 1 ? `${files[0]} and ${files.length - 1} more` : files[0];
    const seconds = ((performance.now() - since) / 1000).toFixed(1);
    if (failed) say(`${what}: not in use for the reason above; save again.`);
    else if (started.length > 0) say(`${what}: ${started.join(" and ")} started again, ${seconds} s.`);
    else say(`${what}: nothing had to be started again, ${seconds} s.`);
  }
});

/** @param {string} url */
function portOf(url) {
  return Number(new URL(url).port);
}

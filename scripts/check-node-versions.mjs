// @ts-check
// npm run check:node-versions: runs both packages as users have them. npx starts the packed local service in an empty
// folder. The packed nodes are installed into Node-RED 4.1 on Node.js 20 and 22 and into Node-RED 5 on Node.js 22 and 24.
// There it imports the settings that the service shows and the quickstart, presses the buttons, and waits for what they
// lead to. The lowest versions are those that the manifests allow. On an older Node.js, the service and each node must
// report that. On each version, flows of rehearsals try to change files. Needs the registry; takes one to two minutes, and
// removes all that it installs.

import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { fail, messageOf } from "./lib/check.mjs";
import { Children } from "./lib/children.mjs";
import { InstalledNodeRed, versionOf, writeSettings } from "./lib/installed-node-red.mjs";
import { installedNode, installInto, installNode } from "./lib/installed-versions.mjs";
import { PackedService } from "./lib/packed-service.mjs";
import { root } from "./lib/paths.mjs";
import { readJson } from "./lib/read-json.mjs";
import { finishQuickstart, importedFlows, runQuickstart } from "./lib/run-quickstart.mjs";
import { packBuilt } from "./packing/pack-built.mjs";

/** @typedef {{ nodeRed: string, node: string, isTooOld?: true }} Combination */

const run = promisify(execFile);

const lowest = await lowestNode("package.json");
const lowestOfService = await lowestNode("service/package.json");

/** @param {string} file @returns {Promise<string>} */
async function lowestNode(file) {
  return (await readJson(join(root, file))).engines.node.replace(/^>=/, "");
}

/** @type {readonly Combination[]} */
const COMBINATIONS = [
  { nodeRed: "4.1", node: "18", isTooOld: true },
  { nodeRed: "4.1", node: lowest },
  { nodeRed: "4.1", node: "22" },
  { nodeRed: "5", node: "22" },
  { nodeRed: "5", node: "24" },
];

/** npm warns of its own settings. */
const NPM_LINE = /^npm warn/;

const folder = await mkdtemp(join(tmpdir(), "crec-node-versions-"));
/** @type {PackedService[]} */
const running = [];
/** @type {Map<string, Promise<import("./lib/local-service.mjs").Ready>>} by the version of Node.js */
const services = new Map();
const children = new Children((name, how) => process.stderr.write(`${name} ended by itself (${how}).\n`));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => void cleanUp().then(() => process.exit(1)));
}

try {
  await checkAll();
} catch (error) {
  fail(`The package could not be tried: ${messageOf(error)}`);
} finally {
  await cleanUp();
}

async function checkAll() {
  const [packed] = await Promise.all([packBuilt(folder, ["nodes", "service"]), installAll()]);
  // They start while older versions are checked. A run that needs one reports why it did not start.
  for (const combination of COMBINATIONS) {
    if (!combination.isTooOld) serviceFor(combination, packed.service).catch(() => {});
  }
  await checkOldNode(packed.service);
  await checkRehearsals();
  const settings = await writeSettings(folder);
  for (const combination of COMBINATIONS) {
    const { red, node, title } = await installed(combination);
    const userDir = join(folder, `user-${combination.nodeRed}-${combination.node}`);
    const nodeRed = new InstalledNodeRed(children, { name: title, node, red, settings, userDir, env: {} });
    const begun = performance.now();
    try {
      await installInto(userDir, [packed.nodes]);
      await nodeRed.start();
      const what = combination.isTooOld
        ? await refusal(nodeRed)
        : await quickstart(nodeRed, await serviceFor(combination, packed.service));
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      process.stdout.write(`${title}: ${what} (${seconds} s)\n`);
    } catch (error) {
      fail(`${title}: the quickstart does not run: ${messageOf(error)}\n${nodeRed.log.slice(-4_000)}`);
    }
    await nodeRed.stop();
  }
}

/** What a rehearsed flow must not be able to do, tried on each version. */
async function checkRehearsals() {
  const tests = ["files", "cannot-act"].map((name) => join(root, `test/rehearsal/${name}.test.ts`));
  const mocha = join(root, "node_modules/mocha/bin/mocha.js");
  for (const version of new Set(COMBINATIONS.filter(({ isTooOld }) => !isTooOld).map(({ node }) => node))) {
    const env = { ...process.env, CI: "1", CREC_OTHER_NODE: nodeOf(version) };
    try {
      await run(process.execPath, [mocha, "--grep", "another version of Node", ...tests], { cwd: root, env });
      process.stdout.write(`A rehearsed flow writes no file on Node.js ${version}\n`);
    } catch (error) {
      const { stdout = "" } = /** @type {{ stdout?: string }} */ (error);
      fail(`A rehearsal is not closed on Node.js ${version}: ${messageOf(error)}\n${stdout.slice(-4_000)}`);
    }
  }
}

/**
 * As a person does who has the nodes from the palette: imports the settings that the service shows, then the example.
 *
 * @param {InstalledNodeRed} nodeRed
 * @param {import("./lib/local-service.mjs").Ready} service
 */
async function quickstart(nodeRed, service) {
  const response = await fetch(`${service.base_url}/local/node-red.json`);
  const settings = /** @type {import("./lib/run-quickstart.mjs").FlowNode[]} */ (await response.json());
  return [await runQuickstart(nodeRed, settings), await finishQuickstart(nodeRed)].join("; ");
}

/**
 * The packed service, on the Node.js of this Node-RED where that is new enough, otherwise on the lowest that it allows.
 *
 * @param {Combination} combination
 * @param {string} tarball
 */
function serviceFor({ node }, tarball) {
  const version = Number.parseInt(node, 10) > Number.parseInt(lowestOfService, 10) ? node : lowestOfService;
  const known = services.get(version);
  if (known !== undefined) return known;
  const started = startPacked(version, tarball);
  services.set(version, started);
  return started;
}

/**
 * @param {string} version of Node.js
 * @param {string} tarball
 */
async function startPacked(version, tarball) {
  const begun = performance.now();
  const service = await PackedService.in({
    tarball,
    folder: join(folder, `service-${version}`),
    node: nodeOf(version),
  });
  running.push(service);
  const ready = await service.ready();
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  const warnings = service.log.split("\n").filter((line) => /warn/i.test(line) && !NPM_LINE.test(line));
  if (warnings.length > 0) fail(`The packed service warns on Node.js ${version}: ${warnings.join("\n")}`);
  process.stdout.write(`The packed service runs on Node.js ${version} (npx: ${seconds} s)\n`);
  return ready;
}

/**
 * On an older Node.js, the service says which one it needs, in one sentence.
 *
 * @param {string} tarball
 */
async function checkOldNode(tarball) {
  for (const version of ["18", lowest]) {
    const service = await PackedService.in({
      tarball,
      folder: join(folder, `service-${version}`),
      node: nodeOf(version),
    });
    running.push(service);
    const code = await service.end();
    const said = service.log.includes(
      `The local service needs Node.js ${lowestOfService} or newer; this is `,
    );
    if (code === 1 && said && !/^\s+at /m.test(service.log)) {
      process.stdout.write(`The packed service says on Node.js ${version} what it needs\n`);
    } else {
      fail(`The packed service on Node.js ${version} ended with ${code} and said:\n${service.log}`);
    }
  }
}

async function installAll() {
  for (const version of new Set(COMBINATIONS.map(({ nodeRed }) => nodeRed))) {
    await installInto(join(folder, `node-red-${version}`), [`node-red@${version}`]);
  }
  for (const version of new Set([lowestOfService, ...COMBINATIONS.map(({ node }) => node)])) {
    await installNode(folder, version);
  }
}

/** @param {Combination} combination */
async function installed({ nodeRed, node }) {
  const redFolder = join(folder, `node-red-${nodeRed}`, "node_modules/node-red");
  return {
    red: join(redFolder, "red.js"),
    node: nodeOf(node),
    title: `Node-RED ${await versionOf(redFolder)} on Node.js ${await versionOf(installedNode(folder, node).folder)}`,
  };
}

/** @param {string} version as it was asked for */
function nodeOf(version) {
  return installedNode(folder, version).program;
}

/** @param {InstalledNodeRed} nodeRed */
async function refusal(nodeRed) {
  const flows = await importedFlows();
  await nodeRed.deploy(flows);
  const sentence = `These nodes need Node.js ${lowest} or newer`;
  for (const { id, type } of flows.filter((node) => node.type.startsWith("crec-"))) {
    await nodeRed.status(id, (text) => text.startsWith(sentence));
    if (!nodeRed.log.includes(`[${type}:`)) throw new Error(`the log does not name ${type}`);
  }
  if (/^\s+at /m.test(nodeRed.log)) throw new Error("the log contains a stack trace");
  return `each node says "${sentence}"`;
}

async function cleanUp() {
  await children.end();
  await Promise.all(running.map((service) => service.stop()));
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

// @ts-check
// npm run check:node-versions: runs the packed package in the versions that users have. Installs it into Node-RED 4.1
// on Node.js 20 and 22 and into Node-RED 5 on Node.js 22 and 24, presses the quickstart's buttons, and waits until verify
// event sends the verified event. Node.js 20 is the lowest version that package.json allows. On Node.js 18, which is
// too old, each node must report that. Needs the registry; takes about a minute, and removes all that it installs.

import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { fail, messageOf } from "./lib/check.mjs";
import { Children } from "./lib/children.mjs";
import { flowEnvironment } from "./lib/flow-environment.mjs";
import { InstalledNodeRed, versionOf, writeSettings } from "./lib/installed-node-red.mjs";
import { startLocalService } from "./lib/local-service.mjs";
import { root } from "./lib/paths.mjs";
import { readJson } from "./lib/read-json.mjs";
import { importedFlows, runQuickstart } from "./lib/run-quickstart.mjs";

/** @typedef {{ nodeRed: string, node: string, isTooOld?: true }} Combination */

const { engines } = await readJson(join(root, "package.json"));
const lowest = engines.node.replace(/^>=/, "");

/** @type {readonly Combination[]} */
const COMBINATIONS = [
  { nodeRed: "4.1", node: "18", isTooOld: true },
  { nodeRed: "4.1", node: lowest },
  { nodeRed: "4.1", node: "22" },
  { nodeRed: "5", node: "22" },
  { nodeRed: "5", node: "24" },
];

/** npm's name for the Node.js package of this platform. */
const PLATFORM = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), "crec-node-versions-"));
process.env.CREC_DATA_DIR = join(folder, "data");
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
  const [tarball, ready] = await Promise.all([
    pack(),
    startLocalService(children, { port: 0, args: ["--local"] }),
    installAll(),
  ]);
  const settings = await writeSettings(folder);
  // All runs use one key: the wallet that the first one created belongs to it.
  const env = { ...flowEnvironment(ready), CREC_SIGNER_KEY: randomBytes(32).toString("hex") };
  for (const combination of COMBINATIONS) {
    const { red, node, title } = await installed(combination);
    const userDir = join(folder, `user-${combination.nodeRed}-${combination.node}`);
    const nodeRed = new InstalledNodeRed(children, { name: title, node, red, settings, userDir, env });
    const begun = performance.now();
    try {
      await install(userDir, [tarball]);
      await nodeRed.start();
      const what = combination.isTooOld ? await refusal(nodeRed) : await runQuickstart(nodeRed);
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      process.stdout.write(`${title}: ${what} (${seconds} s)\n`);
    } catch (error) {
      fail(`${title}: the quickstart does not run: ${messageOf(error)}\n${nodeRed.log.slice(-4_000)}`);
    }
    await nodeRed.stop();
  }
}

/** @returns {Promise<string>} the packed package */
async function pack() {
  // `prepack` builds it first.
  const { stdout } = await run("npm", ["pack", "--json", "--loglevel=error", "--pack-destination", folder], {
    cwd: root,
    maxBuffer: 2 ** 26,
  });
  // npm 12 prints an object by name, older versions a list. The output of the build comes before it.
  const [packed] = Object.values(JSON.parse(stdout.slice(stdout.search(/^[[{]/m))));
  return join(folder, packed.filename);
}

async function installAll() {
  for (const version of new Set(COMBINATIONS.map(({ nodeRed }) => nodeRed))) {
    await install(join(folder, `node-red-${version}`), [`node-red@${version}`]);
  }
  for (const version of new Set(COMBINATIONS.map(({ node }) => node))) {
    await install(join(folder, `node-${version}`), [`node-${PLATFORM}@${version}`]);
  }
}

/**
 * @param {string} target
 * @param {readonly string[]} packages
 */
async function install(target, packages) {
  await mkdir(target, { recursive: true });
  await writeFile(join(target, "package.json"), '{ "private": true }\n');
  const quiet = ["--loglevel=error", "--no-audit", "--no-fund", "--no-update-notifier", "--ignore-scripts"];
  await run("npm", ["install", ...packages, ...quiet], { cwd: target, shell: process.platform === "win32" });
}

/** @param {Combination} combination */
async function installed({ nodeRed, node }) {
  const [redFolder, nodeFolder] = [
    join(folder, `node-red-${nodeRed}`, "node_modules/node-red"),
    join(folder, `node-${node}`, "node_modules", `node-${PLATFORM}`),
  ];
  return {
    red: join(redFolder, "red.js"),
    node: join(nodeFolder, process.platform === "win32" ? "bin/node.exe" : "bin/node"),
    title: `Node-RED ${await versionOf(redFolder)} on Node.js ${await versionOf(nodeFolder)}`,
  };
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
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

// @ts-check
// npm run check:evm-nodes: runs the local service on the development nodes that users have. Installs Hardhat and
// Ganache from npm and geth with Go, starts each of them and anvil, starts the service with --rpc-url on it, presses
// the quickstart's buttons in Node-RED, and waits until verify event sends the verified event. Needs the registries;
// takes a minute, and longer the first time, when geth is compiled. It removes all that it installs.

import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { fail, messageOf } from "./lib/check.mjs";
import { Children } from "./lib/children.mjs";
import { flowEnvironment } from "./lib/flow-environment.mjs";
import { InstalledNodeRed } from "./lib/installed-node-red.mjs";
import { SERVICE, startLocalService } from "./lib/local-service.mjs";
import { runNpm } from "./lib/npm-command.mjs";
import { root } from "./lib/paths.mjs";
import { HOST, nextFreePort } from "./lib/ports.mjs";
import { runQuickstart } from "./lib/run-quickstart.mjs";

/** @typedef {{ command: string, args: string[], cwd?: string }} Program */

const VERSIONS = { hardhat: "2", ganache: "7", geth: "v1.16.7" };
const READY_MS = 60_000;
const POLL_MS = 100;

/** Each with the program that runs it on a port. @type {Record<string, (port: string) => Promise<Program>>} */
const NODES = {
  anvil: async (port) => ({ command: await anvil(), args: ["--port", port] }),
  "Hardhat Network": async (port) => ({
    command: process.execPath,
    args: [join(folder, "node_modules/hardhat/internal/cli/bootstrap.js"), "node", "--port", port],
    cwd: folder,
  }),
  Ganache: async (port) => ({
    command: process.execPath,
    args: [join(folder, "node_modules/ganache/dist/node/cli.js"), "--server.port", port],
  }),
  "geth --dev": async (port) => geth(port, []),
  "geth --dev --dev.period 1": async (port) => geth(port, ["--dev.period", "1"]),
};

/** It makes a block only for a transaction, and finalizes it after 32 more: the service advises this option then. */
const OPTIONS = /** @type {Record<string, string[]>} */ ({ "geth --dev": ["--confidence", "latest"] });

const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), "crec-evm-nodes-"));
/** What was started for each of the nodes. @type {Set<Children>} */
const started = new Set();
/** @type {Set<import("node:child_process").ChildProcess>} */
const nodes = new Set();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => void cleanUp().then(() => process.exit(1)));
}

try {
  const hasGeth = await installAll();
  // All at once: they mostly wait for blocks.
  const names = Object.keys(NODES).filter((name) => hasGeth || !name.startsWith("geth"));
  await Promise.all(names.map(check));
} catch (error) {
  fail(`The nodes could not be tried: ${messageOf(error)}`);
} finally {
  await cleanUp();
}

/** @param {string} name */
async function check(name) {
  const begun = performance.now();
  const children = new Children((child, how) => process.stderr.write(`${child} ended by itself (${how}).\n`));
  started.add(children);
  const nodeRedName = `Node-RED on ${name}`;
  try {
    const node = await start(name);
    const data = join(folder, name.replaceAll(/\W/g, "-"));
    const args = ["--local", "--rpc-url", node.url, "--data-dir", data, ...(OPTIONS[name] ?? [])];
    const ready = await startLocalService(children, { port: 0, args });
    const nodeRed = new InstalledNodeRed(children, {
      name: nodeRedName,
      node: process.execPath,
      red: join(root, "node_modules/node-red/red.js"),
      settings: join(root, "scripts/node-red-settings.cjs"),
      userDir: join(data, "node-red"),
      env: { ...flowEnvironment(ready), CREC_SIGNER_KEY: randomBytes(32).toString("hex") },
    });
    await nodeRed.start();
    const what = await runQuickstart(nodeRed);
    process.stdout.write(`${name}: ${what} (${((performance.now() - begun) / 1000).toFixed(1)} s)\n`);
    await children.stop(nodeRedName);
    await children.stop(SERVICE);
    await end(node.child);
  } catch (error) {
    fail(`${name}: the quickstart does not run: ${messageOf(error)}`);
    for (const child of [nodeRedName, SERVICE]) if (children.runs(child)) await children.stop(child);
  }
}

/** @param {string} name */
async function start(name) {
  const port = String(await nextFreePort(0, HOST));
  const program = await NODES[name]?.(port);
  if (!program) throw new Error(`there is no node ${name}`);
  const child = spawn(program.command, program.args, { cwd: program.cwd, stdio: ["ignore", "pipe", "pipe"] });
  nodes.add(child);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      said = `${said}${chunk}`.slice(-2_000);
    });
  }
  const url = `http://${HOST}:${port}`;
  for (const deadline = performance.now() + READY_MS; !(await answers(url)); ) {
    if (child.exitCode !== null || performance.now() > deadline)
      throw new Error(`it does not answer: ${said}`);
    await sleep(POLL_MS);
  }
  return { child, url };
}

/** @param {string} url */
async function answers(url) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] });
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body }).catch(() => undefined);
  return response?.ok === true;
}

/** @returns {Promise<boolean>} whether geth is there: it needs Go */
async function installAll() {
  await writeFile(join(folder, "package.json"), '{ "private": true }\n');
  await writeFile(join(folder, "hardhat.config.js"), 'module.exports = { solidity: "0.8.28" };\n');
  const packages = [`hardhat@${VERSIONS.hardhat}`, `ganache@${VERSIONS.ganache}`];
  const quiet = ["--loglevel=error", "--no-audit", "--no-fund", "--no-update-notifier", "--ignore-scripts"];
  await runNpm(["install", ...packages, ...quiet], { cwd: folder });
  try {
    await run("go", ["version"]);
  } catch {
    const sentence = "geth was not tried: it is compiled, and Go is not installed. See https://go.dev/dl.";
    if (process.env.CI) fail(sentence);
    else process.stdout.write(`${sentence}\n`);
    return false;
  }
  await run("go", ["install", `github.com/ethereum/go-ethereum/cmd/geth@${VERSIONS.geth}`], {
    env: { ...process.env, GOBIN: folder, GOFLAGS: "" },
    maxBuffer: 2 ** 26,
  });
  return true;
}

/**
 * @param {string} port
 * @param {readonly string[]} more
 * @returns {Promise<Program>}
 */
async function geth(port, more) {
  const dataDir = await mkdtemp(join(folder, "geth-"));
  return {
    command: join(folder, process.platform === "win32" ? "geth.exe" : "geth"),
    args: [
      ...["--dev", ...more, "--datadir", dataDir, "--ipcdisable"],
      ...["--http", "--http.addr", HOST, "--http.port", port, "--port", "0", "--authrpc.port", "0"],
    ],
  };
}

/** The anvil of the local service. */
async function anvil() {
  const scope = join(root, "node_modules/@foundry-rs");
  const [name] = (await readdir(scope)).filter((each) => each.startsWith("anvil-"));
  if (name === undefined) throw new Error("there is no anvil; run npm install");
  return join(scope, name, "bin", process.platform === "win32" ? "anvil.exe" : "anvil");
}

/** @param {import("node:child_process").ChildProcess} child */
async function end(child) {
  nodes.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, "exit");
}

async function cleanUp() {
  await Promise.all([...started].map((children) => children.end()));
  await Promise.all([...nodes].map(end));
  // Files that Go puts there are read-only.
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

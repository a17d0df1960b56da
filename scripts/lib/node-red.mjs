// @ts-check
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { debuggerOption } from "./debugger.mjs";
import { unusedPalettes } from "./example-palettes.mjs";
import { dataDir, root } from "./paths.mjs";
import { HOST } from "./ports.mjs";
import { StartError } from "./say.mjs";

/** The example flows that a first start deploys, by the beginning of their file names. */
const QUICKSTART = "01-";
const POLL_MS = 50;

export const NODE_RED = "Node-RED";

/**
 * Starts Node-RED with our nodes and its own user directory. The first start deploys the quickstart.
 *
 * @param {import("./children.mjs").Children} children
 * @param {{ port: number, env: NodeJS.ProcessEnv, flags?: readonly string[] }} options `port` 0 means any; `env` is
 *   what flows find there; `flags` go to Node.js
 * @returns {Promise<string>} the address of the editor
 * @throws {StartError} when it ends before it is up, the quickstart cannot be deployed, or `CREC_PALETTES` is wrong
 */
export async function startNodeRed(children, { port, env, flags = [] }) {
  const userDir = join(dataDir(), "node-red");
  const isFirstStart = !existsSync(join(userDir, "flows.json"));
  const child = children.start(
    NODE_RED,
    [
      ...flags,
      join(root, "node_modules/node-red/red.js"),
      ...["--settings", join(root, "scripts/node-red-settings.cjs")],
      ...["--userDir", userDir],
      ...["--port", String(port)],
      ...["-D", `nodesExcludes=${JSON.stringify(unusedPalettes(userDir))}`],
      // Its editor has no login, and is for the person at this machine.
      ...["-D", "crec.approveWithoutLogin=true"],
    ],
    {
      env: {
        ...env,
        // The quickstart's signer: each installation has its own key for its local chain.
        CREC_SIGNER_KEY: readFileSync(secretFile(userDir, "signer-key"), "utf8"),
        CREC_CREDENTIAL_SECRET_FILE: secretFile(userDir, "credential-secret"),
      },
      stdout: "stderr",
      debug: await debuggerOption(),
    },
  );
  const listening = await new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", () => reject(new StartError(`${NODE_RED} ended before it was up.`)));
  });
  const editorUrl = `http://${HOST}:${listening.port}/`;
  await flowsLoaded(editorUrl);
  if (isFirstStart) await deploy(editorUrl, await quickstartFlows());
  return editorUrl;
}

/**
 * A file with 32 random bytes as hex: created once, readable only by its owner.
 *
 * @param {string} userDir
 * @param {string} name
 */
function secretFile(userDir, name) {
  const file = join(userDir, name);
  mkdirSync(userDir, { recursive: true });
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString("hex"), { mode: 0o600, flag: "wx" });
  return file;
}

/**
 * Node-RED listens a moment before it has read its flows. A deploy in between would be lost.
 *
 * @param {string} editorUrl
 */
export async function flowsLoaded(editorUrl) {
  while ((await (await admin(editorUrl, "GET")).json()) === null) await sleep(POLL_MS);
}

/** @returns {Promise<unknown[]>} the nodes of all quickstart flows */
export async function quickstartFlows() {
  const folder = join(root, "examples");
  const files = (await readdir(folder)).filter(
    (name) => name.startsWith(QUICKSTART) && name.endsWith(".json"),
  );
  const flows = await Promise.all(
    files.sort().map(async (name) => JSON.parse(await readFile(join(folder, name), "utf8"))),
  );
  return flows.flat();
}

/**
 * @param {string} editorUrl
 * @param {unknown[]} flows
 * @returns {Promise<string>} their revision
 */
export async function deploy(editorUrl, flows) {
  const response = await admin(editorUrl, "POST", { flows });
  if (response.ok) return (await response.json()).rev;
  throw new StartError(
    `Node-RED refused the quickstart flow (HTTP ${response.status}): ${await response.text()}`,
  );
}

/**
 * Version 2 of the flows API: only this version accepts the credentials in an example.
 *
 * @param {string} editorUrl
 * @param {"GET" | "POST"} method
 * @param {unknown} [body]
 */
function admin(editorUrl, method, body) {
  return fetch(new URL("flows", editorUrl), {
    method,
    headers: { "Content-Type": "application/json", "Node-RED-API-Version": "v2" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

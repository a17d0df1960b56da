// @ts-check
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { root } from "./paths.mjs";
import { StartError } from "./say.mjs";

const require = createRequire(join(root, "package.json"));

/**
 * Checks that this Node.js runs TypeScript directly, as the sources need. `npm install` puts such a version into
 * node_modules, where npm scripts find it first, unless npm is set to run no install scripts.
 *
 * @throws {StartError} when it does not
 */
export function checkNode() {
  if (process.features.typescript) return;
  const remedy = isInstalled("node") ? "npm rebuild node --ignore-scripts=false" : "npm install";
  throw new StartError(
    `This needs the Node.js 24 that "npm install" puts into node_modules, but runs on ${process.version}: ` +
      `run "${remedy}", then try again.`,
  );
}

/**
 * Checks that what a start needs has been installed, binaries included.
 *
 * @param {{ editor: boolean }} options `editor` asks for Node-RED and the build as well
 * @throws {StartError} when something is missing
 */
export function checkInstalled({ editor }) {
  const { arch, platform } = process;
  const missing = [];
  if (editor && !isInstalled(`@esbuild/${platform}-${arch}`)) missing.push("esbuild");
  if (editor && !isInstalled("node-red")) missing.push("Node-RED");
  if (!isInstalled("fastify")) missing.push("the local service's packages");
  if (!hasChain()) missing.push("anvil (or an EVM node of your own, in CREC_RPC_URL)");
  if (missing.length > 0) {
    throw new StartError(`Not installed: ${missing.join(", ")}. Run "npm install" again, then try again.`);
  }
}

/** Whether there is a chain to start or to use: anvil from npm, anvil on the PATH, or the user's own EVM node. */
function hasChain() {
  if (process.env.CREC_RPC_URL) return true;
  const arch = process.arch === "x64" ? "amd64" : process.arch;
  if (isInstalled(`@foundry-rs/anvil-${process.platform}-${arch}`)) return true;
  const folders = (process.env.PATH ?? "").split(delimiter);
  const executable = process.platform === "win32" ? "anvil.exe" : "anvil";
  // npm adds node_modules/.bin to the PATH. The anvil there is only a wrapper of the missing binary.
  return folders.some((folder) => !folder.endsWith(".bin") && existsSync(join(folder, executable)));
}

/** @param {string} name */
function isInstalled(name) {
  try {
    require.resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}

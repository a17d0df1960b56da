// @ts-check
import { join } from "node:path";
import { createInterface } from "node:readline";
import { dataDir } from "./paths.mjs";
import { StartError, say } from "./say.mjs";

/** The JSON object of the service's `ready` line. @typedef {import("../../service/src/start/types.ts").ReadyInfo} Ready */

const READY = "ready ";

/**
 * A small young generation. With the large default of a big machine, many dead objects are moved to the old generation,
 * which grows to several times the memory in use.
 */
const SMALL_YOUNG_GENERATION = "--max-semi-space-size=4";

/** It stops within two seconds, unless it has to save the state of a large chain. */
const SAVING_GRACE_MS = 600_000;

export const SERVICE = "The local service";

/**
 * Starts the local service, and with it the chain.
 *
 * @param {import("./children.mjs").Children} children
 * @param {{ port: number | undefined, args?: readonly string[], debug?: string | undefined }} options `port` 0 chooses
 *   a free one, and undefined leaves it to `args`, which are passed on; `debug` is the option that opens a debugger
 * @returns {Promise<Ready>}
 * @throws {StartError} when it ends before it is ready
 */
export function startLocalService(children, { port, args = [], debug }) {
  const child = children.start(SERVICE, [SMALL_YOUNG_GENERATION, "service/src/cli.ts", ...args], {
    env: {
      CREC_DATA_DIR: join(dataDir(), "service"),
      ...(port === undefined ? {} : { CREC_SERVICE_PORT: String(port) }),
    },
    stdout: "pipe",
    debug,
    graceMs: SAVING_GRACE_MS,
  });
  const { stdout } = child;
  if (stdout === null) throw new StartError("The local service has no output to read.");
  return new Promise((resolve, reject) => {
    child.once("exit", () => reject(new StartError(`${SERVICE} ended before it was ready.`)));
    createInterface({ input: stdout }).on("line", (line) => {
      if (line.startsWith(READY)) resolve(JSON.parse(line.slice(READY.length)));
      else say(`  ${line}`);
    });
  });
}

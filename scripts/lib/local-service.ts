import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ReadyInfo } from "../../service/src/start/types.ts";
import type { Children } from "./children.ts";
import { dataDir } from "./paths.mjs";
import { StartError, say } from "./say.mjs";

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
 * @param options `port` 0 chooses a free one, and undefined leaves it to `args`, which are passed on; `debug` is the
 *   option that opens a debugger
 * @throws {StartError} when it ends before it is ready
 */
export function startLocalService(
  children: Children,
  options: { port: number | undefined; args?: readonly string[]; debug?: string | undefined },
): Promise<ReadyInfo> {
  const { port, args = [], debug } = options;
  const ofPort = port === undefined ? {} : { CREC_SERVICE_PORT: String(port) };
  const child = children.start(SERVICE, [SMALL_YOUNG_GENERATION, "service/src/cli.ts", ...args], {
    env: { CREC_DATA_DIR: join(dataDir(), "service"), ...ofPort },
    ...{ stdout: "pipe", debug, graceMs: SAVING_GRACE_MS },
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

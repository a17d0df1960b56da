// @ts-check
import { join } from "node:path";
import { createInterface } from "node:readline";
import { dataDir } from "./paths.mjs";
import { StartError, say } from "./say.mjs";

/**
 * What the local service says when it is up.
 *
 * @typedef {{ base_url: string, graphql_url: string, api_key: string, org_id: string, workflow_owner: string,
 *   cre_tenant_id: string, valid_signers: string[], min_required_signatures: number, rpc_url: string,
 *   chain_selector: string, chain_id: string | number, contracts: Record<string, string> }} Ready
 */

const READY = "ready ";

/**
 * Small rooms for young objects: with the large ones of a big machine, much that is over moves on into the old heap,
 * which grows to several times what is in use.
 */
const SPARING = "--max-semi-space-size=4";

/** It ends within two seconds, save where it has a large chain to write to the disk. */
const SAVING_GRACE_MS = 600_000;

export const SERVICE = "The local service";

/**
 * Starts the local service, and with it the chain.
 *
 * @param {import("./children.mjs").Children} children
 * @param {{ port: number | undefined, args?: readonly string[], debug?: string | undefined }} options `port` 0 means any,
 *   undefined leaves it to `args`, which are passed on; `debug` is the option that opens a debugger
 * @returns {Promise<Ready>}
 * @throws {StartError} when it ends before it is up
 */
export function startLocalService(children, { port, args = [], debug }) {
  const child = children.start(SERVICE, [SPARING, "service/src/cli.ts", ...args], {
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
    child.once("exit", () => reject(new StartError(`${SERVICE} ended before it was up.`)));
    createInterface({ input: stdout }).on("line", (line) => {
      if (line.startsWith(READY)) resolve(JSON.parse(line.slice(READY.length)));
      else say(`  ${line}`);
    });
  });
}

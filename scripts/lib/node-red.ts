import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Children } from "./children.ts";
import { debuggerOption } from "./debugger.ts";
import { dataDir, root } from "./paths.mjs";
import { HOST } from "./ports.mjs";
import { StartError } from "./say.mjs";

/** The example flows that a first start deploys, by the beginning of their file names. */
const QUICKSTART = "01-";
const POLL_MS = 50;
/**
 * Palettes that few examples need, with the types of their nodes, as a file of flows has them. Node-RED would load them at
 * each start, as all that is in node_modules: 0.2 s of a processor and 17 MB, and 30 nodes that a newcomer does not need.
 */
const PALETTES = {
  "@flowfuse/node-red-dashboard": /"type":\s*"ui-/,
  "node-red-node-email": /"type":\s*"e-mail/,
};

export const NODE_RED = "Node-RED";

/**
 * Starts Node-RED with our nodes and its own user directory. The first start deploys the quickstart.
 *
 * @param options `port` 0 means any; `env` is what flows find there; `flags` go to Node.js
 * @returns the address of the editor
 * @throws {StartError} when it ends before it is up, the quickstart cannot be deployed, or `CREC_PALETTES` is wrong
 */
export async function startNodeRed(
  children: Children,
  { port, env, flags = [] }: { port: number; env: NodeJS.ProcessEnv; flags?: readonly string[] },
): Promise<string> {
  const userDir = join(dataDir(), "node-red");
  const isFirstStart = !existsSync(join(userDir, "flows.json"));
  const child = children.start(
    NODE_RED,
    [
      ...[...flags, join(root, "node_modules/node-red/red.js")],
      ...["--settings", join(root, "scripts/node-red-settings.cjs")],
      ...["--userDir", userDir, "--port", String(port)],
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
  const listening = await new Promise<{ port: number }>((resolve, reject) => {
    child.once("message", (message) => resolve(message as { port: number }));
    child.once("exit", () => reject(new StartError(`${NODE_RED} ended before it was up.`)));
  });
  const editorUrl = `http://${HOST}:${listening.port}/`;
  // Node-RED listens a moment before it has read its flows. A deploy in between would be lost.
  while ((await (await admin(editorUrl, "GET")).json()) === null) await sleep(POLL_MS);
  if (!isFirstStart) return editorUrl;
  const response = await admin(editorUrl, "POST", { flows: await quickstartFlows() });
  if (response.ok) return editorUrl;
  throw new StartError(
    `Node-RED refused the quickstart flow (HTTP ${response.status}): ${await response.text()}`,
  );
}

/** A file with 32 random bytes as hex: created once, readable only by its owner. */
function secretFile(userDir: string, name: string) {
  const file = join(userDir, name);
  mkdirSync(userDir, { recursive: true });
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString("hex"), { mode: 0o600, flag: "wx" });
  return file;
}

/**
 * The folders in node_modules that Node-RED does not load: those of palettes that no flow has a node of, that are not
 * installed in the user directory, and that `CREC_PALETTES` does not ask for.
 */
function unusedPalettes(userDir: string): string[] {
  const asked = process.env.CREC_PALETTES ?? "";
  if (asked === "all") return [];
  if (asked !== "") throw new StartError(`CREC_PALETTES is "${asked}": set it to "all", or remove it.`);
  const flowFile = join(userDir, "flows.json");
  const flows = existsSync(flowFile) ? readFileSync(flowFile, "utf8") : "";
  return Object.entries(PALETTES)
    .filter(([module, used]) => !used.test(flows) && !existsSync(join(userDir, "node_modules", module)))
    .map(([module]) => basename(module));
}

/** @returns the nodes of all quickstart flows */
export async function quickstartFlows(): Promise<unknown[]> {
  const folder = join(root, "examples");
  const files = (await readdir(folder)).filter((name) => name.startsWith(QUICKSTART)).sort();
  const flows = files.map(async (name) => JSON.parse(await readFile(join(folder, name), "utf8")));
  return (await Promise.all(flows)).flat();
}

/** Version 2 of the flows API: only this version accepts the credentials in an example. */
function admin(editorUrl: string, method: "GET" | "POST", body?: unknown) {
  return fetch(new URL("flows", editorUrl), {
    method,
    headers: { "Content-Type": "application/json", "Node-RED-API-Version": "v2" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

// What the launchers do: checks first, then processes that run together and end together.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { watchNpm } from "../../service/src/parents.mjs";
import type { ReadyInfo } from "../../service/src/start/types.ts";
import { Children } from "./children.ts";
import { root } from "./paths.mjs";
import { freePort } from "./ports.mjs";
import { StartError, say } from "./say.mjs";

/**
 * Runs a launcher: starts processes, runs until it is asked to end or one of them ends by itself, and leaves
 * nothing running. Exit code 0 when asked, 1 otherwise.
 */
export async function launch(start: (children: Children) => Promise<void>) {
  let stopping = false;

  async function stop(code: number, reason: string) {
    if (stopping) return;
    stopping = true;
    say(reason);
    await children.end();
    process.exit(code);
  }

  const children = new Children((name, how) => {
    stop(1, `${name} ended by itself (${how}), so everything else is ended too; what it said is above.`);
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stop(0, "\nEnding …"));
  // The reader of the output may end first. Ending in order is more important than reporting that.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  await watchNpm(() => stop(0, "npm is gone: ending …"));
  try {
    await start(children);
  } catch (error) {
    const unexpected = error instanceof Error ? error.stack : undefined;
    await stop(1, error instanceof StartError ? error.message : String(unexpected || error));
  }
}

/** Checks that everything needed for a start with Node-RED is there. @returns 0 means any free port */
export async function checkStart(): Promise<{ editorPort: number; servicePort: number }> {
  checkInstalled({ editor: true });
  const editorPort = await freePort("PORT", 1880, "the editor");
  const servicePort = await freePort("CREC_SERVICE_PORT", 8787, "the local service");
  if (editorPort === servicePort && editorPort !== 0)
    throw new StartError(
      `PORT and CREC_SERVICE_PORT are both ${editorPort}: set one of them to another port.`,
    );
  return { editorPort, servicePort };
}

/** Prints all addresses: for people, and in the one line that programs read. */
export function tellReady(editorUrl: string, ready: ReadyInfo) {
  say(
    `\nOpen ${editorUrl} in a browser. The service has a page at ${ready.base_url}. Press Ctrl-C to stop everything.\n`,
  );
  process.stdout.write(`ready ${JSON.stringify({ editor_url: editorUrl, ...ready })}\n`);
}

/**
 * Checks that what a start needs has been installed, binaries included.
 *
 * @param options `editor` asks for Node-RED and the build as well
 */
export function checkInstalled({ editor }: { editor: boolean }) {
  const needed = {
    ...(editor ? { esbuild: `@esbuild/${process.platform}-${process.arch}`, "Node-RED": "node-red" } : {}),
    "the local service's packages": "fastify",
  };
  const missing = Object.entries(needed).flatMap(([what, name]) => (isInstalled(name) ? [] : [what]));
  if (!hasChain()) missing.push("anvil (or an EVM node of your own, in CREC_RPC_URL)");
  if (missing.length > 0)
    throw new StartError(`Not installed: ${missing.join(", ")}. Run "npm install" again, then try again.`);
}

/** Whether there is a chain to start or to use: anvil from npm, anvil on the PATH, or the user's own EVM node. */
function hasChain() {
  if (process.env.CREC_RPC_URL) return true;
  const arch = process.arch === "x64" ? "amd64" : process.arch;
  if (isInstalled(`@foundry-rs/anvil-${process.platform}-${arch}`)) return true;
  const executable = process.platform === "win32" ? "anvil.exe" : "anvil";
  // npm adds node_modules/.bin to the PATH. The anvil there is only a wrapper of the missing binary.
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.endsWith(".bin"));
  return folders.some((folder) => existsSync(join(folder, executable)));
}

const require = createRequire(join(root, "package.json"));

function isInstalled(name: string) {
  try {
    return require.resolve(`${name}/package.json`) !== "";
  } catch {
    return false;
  }
}

import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { ServiceProblem } from "../../problem.ts";

/**
 * The platform's anvil from npm, else one on the PATH.
 *
 * @throws ServiceProblem when there is none.
 */
export function findAnvil(): string {
  const os = process.platform;
  const arch = process.arch === "x64" ? "amd64" : process.arch;
  const executable = process.platform === "win32" ? "anvil.exe" : "anvil";
  const candidates: string[] = [];
  try {
    const manifest = createRequire(import.meta.url).resolve(`@foundry-rs/anvil-${os}-${arch}/package.json`);
    candidates.push(join(dirname(manifest), "bin", executable));
  } catch {
    // Not installed for this platform.
  }
  for (const folder of (process.env.PATH ?? "").split(delimiter)) candidates.push(join(folder, executable));
  const found = candidates.find(isExecutable);
  if (found !== undefined) return found;
  throw new ServiceProblem(
    `The local chain needs anvil, and there is none for ${process.platform} ${process.arch}. Run "npm install" again with optional packages allowed, or install Foundry so that anvil is on the PATH, or name a node of your own with --rpc-url or CREC_RPC_URL.`,
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { ServiceProblem } from "../../errors.ts";

/** The platforms for which npm has one. The manifest of this package lists them. */
const ON_NPM: readonly string[] = [
  "darwin-amd64",
  "darwin-arm64",
  "linux-amd64",
  "linux-arm64",
  "win32-amd64",
];

/**
 * The platform's anvil from npm, else one on the PATH.
 *
 * @throws ServiceProblem when there is none.
 */
export function findAnvil({
  platform = process.platform,
  arch = process.arch,
  path = process.env.PATH,
} = {}): string {
  const executable = platform === "win32" ? "anvil.exe" : "anvil";
  const name = `${platform}-${arch === "x64" ? "amd64" : arch}`;
  const candidates: string[] = [];
  try {
    const manifest = createRequire(import.meta.url).resolve(`@foundry-rs/anvil-${name}/package.json`);
    candidates.push(join(dirname(manifest), "bin", executable));
  } catch {
    // Not installed for this platform.
  }
  for (const folder of (path ?? "").split(delimiter)) candidates.push(join(folder, executable));
  const found = candidates.find(isExecutable);
  if (found !== undefined) return found;
  throw new ServiceProblem(
    `The local chain needs anvil, which is not installed for ${platform} ${arch}. ${
      ON_NPM.includes(name)
        ? "Install again with optional packages allowed: npm has one for this platform. Or name"
        : "npm has no package for this platform. Name"
    } an EVM node of your own with --rpc-url or CREC_RPC_URL, or install Foundry so that anvil is on the PATH.`,
    "NO_CHAIN",
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

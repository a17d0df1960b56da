import { existsSync } from "node:fs";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { npm } from "../../../scripts/lib/npm.mjs";
import { packedIn, unpack } from "../../../scripts/packing/stage.ts";

/** What these packages ship was written by many compilers and tools, from Solidity 0.4 to 0.8. */
export const PACKAGES = [
  "@openzeppelin/contracts@5.7.0",
  "@openzeppelin/contracts@4.9.6",
  "@openzeppelin/contracts@3.4.2",
  "@openzeppelin/contracts-upgradeable@5.7.0",
  "@uniswap/v2-core@1.0.1",
  "@uniswap/v2-periphery@1.1.0-beta.0",
  "@uniswap/v3-core@1.0.1",
  "@uniswap/v3-periphery@1.4.4",
  "@uniswap/swap-router-contracts@1.3.1",
  "@pancakeswap/v3-core@1.0.2",
  "@safe-global/safe-contracts@1.4.1",
  "@gnosis.pm/safe-contracts@1.3.0",
  "@aave/core-v3@1.19.3",
  "@aave/periphery-v3@3.0.1",
  "@chainlink/contracts@1.5.0",
  "@chainlink/contracts-ccip@2.0.0",
  "@account-abstraction/contracts@0.8.0",
  "@layerzerolabs/lz-evm-protocol-v2@3.0.168",
  "@arbitrum/nitro-contracts@3.2.0",
  "@eth-optimism/contracts@0.6.0",
  "@axelar-network/axelar-gmp-sdk-solidity@6.2.0",
  "@thirdweb-dev/contracts@3.15.0",
  "@limitbreak/creator-token-contracts@1.1.2",
  "@balancer-labs/v2-deployments@3.2.0",
] as const;

/** The files of a package: paths in it, as its sources import them. */
export type Package = {
  name: string;
  version: string;
  folder: string;
  files: string[];
  /** The ranges of the packages that its sources import. */
  needs: Record<string, string>;
};

/** Downloads packages into a folder; those that are there already are read again. */
export async function fetchPackages(folder: string): Promise<Package[]> {
  const fetched: Package[] = [];
  for (const spec of PACKAGES) {
    const its = join(folder, spec.replaceAll("/", "+"));
    if (!existsSync(join(its, "package.json"))) await download(spec, its);
    fetched.push(await packageIn(its));
  }
  return fetched;
}

async function download(spec: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  try {
    const printed = await npm(["pack", spec, "--json"], { cwd: folder });
    await unpack(join(folder, packedIn(printed).filename), folder);
  } catch (cause) {
    throw new Error(`${spec} cannot be downloaded: run this test where the npm registry can be reached.`, {
      cause,
    });
  }
}

async function packageIn(folder: string): Promise<Package> {
  const described = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return {
    name: described.name,
    version: described.version,
    folder,
    files: paths.map((path) => path.slice(folder.length + 1)).sort(),
    needs: { ...described.devDependencies, ...described.peerDependencies, ...described.dependencies },
  };
}

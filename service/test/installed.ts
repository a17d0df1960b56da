import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stop } from "esbuild";
import { buildService } from "../../scripts/build-service.ts";
import { npm } from "../../scripts/lib/npm.mjs";
import { packedTexts } from "../../scripts/packing/packed-texts.ts";
import { packedIn, unpack } from "../../scripts/packing/stage.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export type Installed = {
  /** Of the package. */
  path: string;
  packed: { filename: string; size: number; files: string[] };
};

/** Builds and packs the service, and installs the packed files below a folder: without a chain, see `installChain`. */
export async function installService(folder: string): Promise<Installed> {
  // A copy: other tests read the folder of the service at the same time.
  const source = join(folder, "source");
  await cp(join(root, "service"), source, {
    recursive: true,
    filter: (path) => !/[/\\](node_modules|dist(-\d+)?)$/.test(path),
  });
  await buildService(join(source, "dist"));
  // Otherwise its process would count as one that the tests left running.
  await stop();
  for (const [file, text] of await packedTexts("service")) await writeFile(join(source, file), text);
  const packed = packedIn(await npm(["pack", "--json", "--pack-destination", folder], { cwd: source }));
  const path = join(folder, "node_modules/@crec-nodes/local-service");
  await unpack(join(folder, packed.filename), path);
  return { path, packed };
}

/** The chain of this platform, which npm installs beside the package. */
export async function installChain(folder: string): Promise<void> {
  await symlink(join(root, "node_modules/@foundry-rs"), join(folder, "node_modules/@foundry-rs"), "junction");
}

/** The command, as npm installs it for `npx` and for scripts. */
export async function installCommand(folder: string): Promise<void> {
  const bin = join(folder, "node_modules/.bin");
  await mkdir(bin, { recursive: true });
  await symlink("../@crec-nodes/local-service/bin/crec-service.cjs", join(bin, "crec-service"));
}

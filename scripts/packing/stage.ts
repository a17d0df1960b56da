// Makes packages from a folder of their own: nothing in the repository is touched, so tests and checks can do it at any
// time. The content is that of `npm pack`, which packs in place and sorts files by their names alone.
import { cp, mkdir, stat, writeFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import * as tar from "tar";
import { build } from "../build.ts";
import { buildClient } from "../build-client.ts";
import { buildService } from "../build-service.ts";
import { npm } from "../lib/npm.mjs";
import type { Owner } from "../lib/owner.mjs";
import { root } from "../lib/paths.mjs";
import { readJson } from "../lib/read-json.mjs";
import { packedTexts } from "./packed-texts.ts";

export type Packed = { name: string; version: string; filename: string; size: number; files: string[] };
/** The parts of package.json that these scripts read. */
export type Manifest = {
  name: string;
  version: string;
  private?: boolean;
  "node-red"?: { nodes?: Record<string, string>; plugins?: Record<string, string> };
  [kind: string]: unknown;
};
export type PackageOfRepository = { folder: string; manifest: Manifest };

/** The repository's packages by their folders from the root, and how each is built. "" is the one for Node-RED. */
const PACKAGES = {
  nodes: { folder: "", make: build },
  client: { folder: "client", make: buildClient },
  service: { folder: "service", make: buildService },
};

export function packages(): Promise<PackageOfRepository[]> {
  return Promise.all(
    Object.values(PACKAGES).map(async ({ folder }) => ({
      folder,
      manifest: await readJson(join(root, folder, "package.json")),
    })),
  );
}

/**
 * Copies what is packed of a built package.
 *
 * @param folder of the package, from the root
 * @param owner instead of the one in release/owner.json
 */
export async function stage(folder: string, target: string, owner?: Owner) {
  const source = join(root, folder);
  const { files } = packedIn(await npm(["pack", "--dry-run", "--json"], { cwd: source }));
  for (const file of files) {
    await mkdir(dirname(join(target, file)), { recursive: true });
    await cp(join(source, file), join(target, file));
  }
  for (const [file, text] of await packedTexts(folder, owner)) await writeFile(join(target, file), text);
}

/**
 * Packs as `npm pack` does, but in the order of kinds of files, and for each kind of folders: compression only sees what is
 * near, and the texts of a form in four languages have less in common than those of one language. A tenth smaller.
 *
 * @param staged a folder made by `stage`
 * @param destination where the file is written
 */
export async function pack(staged: string, destination: string): Promise<Packed> {
  await mkdir(destination, { recursive: true });
  const packed = packedIn(await npm(["pack", "--dry-run", "--json"], { cwd: staged }));
  const file = join(destination, packed.filename);
  const rank = (path: string) => [extname(path), path].join("\0");
  const files = packed.files.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
  // The moment that npm writes, so that a package depends on its content alone.
  const mtime = new Date("1985-10-26T08:15:00.000Z");
  await tar.create(
    { cwd: staged, file, gzip: { level: 9 }, mtime, portable: true, prefix: "package" },
    // What begins with @ would be an archive.
    files.map((one) => `./${one}`),
  );
  return { ...packed, size: (await stat(file)).size };
}

/** @param file made by `npm pack`. @param folder a new one, for the files of the package */
export async function unpack(file: string, folder: string) {
  await mkdir(folder, { recursive: true });
  await tar.extract({ file, cwd: folder, strip: 1 });
}

/** Builds packages, and packs them as they are published. @returns the packed file of each */
export async function packBuilt<Name extends keyof typeof PACKAGES>(
  target: string,
  names: readonly Name[],
): Promise<Record<Name, string>> {
  const files = names.map(async (name) => {
    const { folder, make } = PACKAGES[name];
    await make();
    const staged = join(target, `staged-${name}`);
    await stage(folder, staged);
    return [name, join(target, (await pack(staged, target)).filename)];
  });
  return Object.fromEntries(await Promise.all(files));
}

/** @param printed by `npm pack --json` */
export function packedIn(printed: string): Packed {
  // npm 12 prints an object by name, older versions a list.
  const [packed] = Object.values<Omit<Packed, "files"> & { files: Array<{ path: string }> }>(
    JSON.parse(printed),
  );
  if (packed === undefined) throw new Error("npm pack has said nothing.");
  return { ...packed, files: packed.files.map(({ path }) => path) };
}

// A hash of all files that each process of `npm run dev` runs from. When it changes, the process needs a restart.
// Source maps are part of it: a debugger must show the source that runs.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./paths.mjs";
import { readJson } from "./read-json.mjs";

/** What Node-RED reads from the package when it starts. It reads icons at each request. */
export async function nodesFingerprint() {
  const hash = createHash("sha256");
  const { "node-red": list } = await readJson(join(root, "package.json"));
  hash.update(JSON.stringify(list));
  const dist = join(root, "dist");
  const files = (await readdir(dist, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith("icons"))
    .map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.sort()) hash.update(file).update(await readFile(file));
  return hash.digest("hex");
}

/**
 * The files of the local service. It needs no build: the bundle only finds its files, and errors in them.
 *
 * @throws when it cannot run, with file and line
 */
export async function serviceFingerprint() {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["cli.ts", "chain/watchdog.ts"].map((file) => join(root, "service/src", file)),
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    sourcemap: "inline",
    outdir: "unwritten",
    write: false,
    logLevel: "silent",
  });
  const hash = createHash("sha256");
  for (const { contents } of outputFiles) hash.update(contents);
  const artifacts = join(root, "service/contracts/artifacts");
  for (const name of (await readdir(artifacts)).sort()) hash.update(await readFile(join(artifacts, name)));
  return hash.digest("hex");
}

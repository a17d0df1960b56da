// @ts-check
// What the processes of `npm run dev` run from, as a text: when that is another one than at its start, a process is
// to be started again. A change that reaches no process, such as that of a type, leaves it the same.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./paths.mjs";
import { readJson } from "./read-json.mjs";

/** What Node-RED reads from the package at its start, and keeps: all but icons, which it reads at each request. */
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
 * What the local service runs from: the source as it is, so that it is bundled here only to be read.
 *
 * @throws when it could not run, with file and line
 */
export async function serviceFingerprint() {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["service/src/cli.ts", "service/src/chain/watchdog.ts"],
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    // With the sources inside, comments too: a debugger shows those of the running process.
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

// npm run package [-- FOLDER]: packs the built packages into release/packed/, or into FOLDER, for `npm publish FILE`.
// npm pack would pack what is in the repository. Removes packed files of earlier runs there.
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fromRoot, root } from "./lib/paths.mjs";
import { pack, packages, stage } from "./packing/stage.ts";

const destination = resolve(process.argv[2] ?? join(root, "release/packed"));
/** What is in there may all be published: no file of an earlier version stays. */
if (existsSync(destination)) {
  const old = (await readdir(destination)).filter((name) => name.endsWith(".tgz"));
  for (const name of old) await rm(join(destination, name));
}
const temporary = await mkdtemp(join(tmpdir(), "crec-package-"));
try {
  for (const { folder, manifest } of await packages()) {
    if (manifest.private) continue;
    const staged = join(temporary, folder || "nodes");
    await stage(folder, staged);
    const { filename, size, files } = await pack(staged, destination);
    const shown = fromRoot(join(destination, filename));
    process.stdout.write(`${shown}: ${files.length} files, ${(size / 1e6).toFixed(2)} MB\n`);
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  await rm(temporary, { recursive: true, force: true, maxRetries: 3 });
}

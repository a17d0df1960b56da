// @ts-check
// `npm pack` and `npm publish` pack the files of the folder as they are. So before, prepack puts the packed texts in
// place, and afterwards postpack puts back those of the repository. They are kept beside them, where git ignores them,
// so that a run that was stopped in between can be put right by the next one.
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

/** @param {string} folder of the package */
const keptIn = (folder) => join(folder, ".cache", "packing");

/**
 * @param {string} folder of the package
 * @param {ReadonlyMap<string, string>} texts by file
 */
export async function swapIn(folder, texts) {
  await swapOut(folder);
  const kept = keptIn(folder);
  const half = `${kept}-${process.pid}`;
  await rm(half, { recursive: true, force: true });
  await mkdir(half, { recursive: true });
  for (const [file, text] of texts) {
    const own = await readFile(join(folder, file), "utf8");
    await mkdir(dirname(join(half, file)), { recursive: true });
    await writeFile(join(half, `${file}.json`), JSON.stringify({ own, packed: text }));
  }
  // From here on a run that stops can be put right: nothing has been changed before.
  await rename(half, kept);
  for (const [file, text] of texts) await writeFile(join(folder, file), text);
}

/**
 * Does nothing where nothing was swapped.
 *
 * @param {string} folder of the package
 */
export async function swapOut(folder) {
  const kept = keptIn(folder);
  if (!existsSync(kept)) return;
  for (const entry of await readdir(kept, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const name = relative(kept, join(entry.parentPath, entry.name));
    const file = name.replace(/\.json$/, "");
    const { own, packed } = JSON.parse(await readFile(join(kept, name), "utf8"));
    const now = await readFile(join(folder, file), "utf8").catch(() => packed);
    if (now !== own && now !== packed) {
      throw new Error(
        `${file} was changed after a run of npm pack had stopped halfway. What it was before is in ` +
          `${relative(process.cwd(), join(kept, name))}, as "own". Put your change there into ${file}, and remove ${relative(process.cwd(), kept)}.`,
      );
    }
    await writeFile(join(folder, file), own);
  }
  await rm(kept, { recursive: true, force: true, maxRetries: 3 });
}

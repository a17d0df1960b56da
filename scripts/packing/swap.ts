// `npm pack` packs the files of the folder as they are, and no tool changes them on the way. So before, prepack puts the
// packed texts in place, and afterwards postpack puts back those of the repository. They are kept beside them, where git
// ignores them, so that a run that was stopped in between can be put right by the next one.
//
//   node scripts/packing/swap.ts in | out    in the folder of the package
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { root } from "../lib/paths.mjs";
import { packedTexts } from "./packed-texts.ts";

type Swapped = Record<string, { own: string; packed: string }>;

/** @param folder of the package */
const keptIn = (folder: string) => join(folder, ".cache", "packing.json");

/** @param folder of the package. @param texts by file */
async function swapIn(folder: string, texts: ReadonlyMap<string, string>) {
  const kept = keptIn(folder);
  const swapped: Swapped = {};
  for (const [file, packed] of texts)
    swapped[file] = { own: await readFile(join(folder, file), "utf8"), packed };
  await mkdir(dirname(kept), { recursive: true });
  await writeFile(`${kept}-${process.pid}`, JSON.stringify(swapped));
  // From here on a run that stops can be put right: nothing has been changed before.
  await rename(`${kept}-${process.pid}`, kept);
  for (const [file, text] of texts) await writeFile(join(folder, file), text);
}

/** Does nothing where nothing was swapped. @param folder of the package */
async function swapOut(folder: string) {
  const kept = keptIn(folder);
  if (!existsSync(kept)) return;
  const swapped: Swapped = JSON.parse(await readFile(kept, "utf8"));
  for (const [file, { own, packed }] of Object.entries(swapped)) {
    const now = await readFile(join(folder, file), "utf8").catch(() => packed);
    if (now !== own && now !== packed)
      throw new Error(
        `${file} was changed after a run of npm pack had stopped halfway. What it was before is in ${kept}, as "own". Put your change there, and remove it when nothing is left.`,
      );
    await writeFile(join(folder, file), own);
  }
  await rm(kept);
}

const folder = process.cwd();
try {
  // First: the texts are read from the files.
  await swapOut(folder);
  if (process.argv[2] === "in") await swapIn(folder, await packedTexts(relative(root, folder)));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

// npm runs it before it packs, in the folder of the package: see scripts/packing/swap.ts.
import { relative } from "node:path";
import { root } from "./lib/paths.mjs";
import { packedTexts } from "./packing/packed-texts.ts";
import { swapIn, swapOut } from "./packing/swap.ts";

const folder = process.cwd();
try {
  // First: the texts are read from the files.
  await swapOut(folder);
  await swapIn(folder, await packedTexts(relative(root, folder)));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

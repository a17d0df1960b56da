// @ts-check
// npm runs it after it has packed, in the folder of the package: see scripts/packing/swap.mjs.
import { swapOut } from "./packing/swap.mjs";

try {
  await swapOut(process.cwd());
} catch (error) {
  process.stderr.write(`${/** @type {Error} */ (error).message}\n`);
  process.exitCode = 1;
}

// npm runs it after it has packed, in the folder of the package: see scripts/packing/swap.ts.
import { swapOut } from "./packing/swap.ts";

try {
  await swapOut(process.cwd());
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

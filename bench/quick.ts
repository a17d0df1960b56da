import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { makeServiceProgram, SERVICE_PROGRAM } from "../scripts/test/service-program.mjs";
import type { Bench } from "./benches.ts";
import { isSkipped, problemOf } from "./figures.ts";
import { QUICK } from "./sized.ts";

const CACHE = join(import.meta.dirname, "../node_modules/.cache/compiled");

/**
 * Makes the parts of these benchmarks small: they read their sizes when they are loaded. As for `npm test`, processes
 * start as soon as they can.
 */
export async function hurry(benches: readonly Bench[]): Promise<void> {
  process.env[QUICK] = "yes";
  process.env.NODE_COMPILE_CACHE ??= CACHE;
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
  if (benches.some(({ startsService }) => startsService))
    process.env[SERVICE_PROGRAM] ??= await makeServiceProgram();
}

/** One sentence for each part that has a problem; and what was skipped, by name. */
export type Checked = { problems: string[]; skipped: string[] };

/**
 * Runs all parts of a benchmark and checks their figures. They run at the same time, because nothing is measured here.
 *
 * @param print gets each line of the report
 */
export async function quickly(
  name: string,
  { parts }: Pick<Bench, "parts">,
  print: (line: string) => void,
): Promise<Checked> {
  const checked: Checked = { problems: [], skipped: [] };
  const checking = Object.entries(parts).map(async ([title, { run, figures }]) => {
    const begun = performance.now();
    const measured = await run().catch((error: unknown) => error);
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    if (!Array.isArray(measured)) {
      const { message, stack } = measured instanceof Error ? measured : new Error(String(measured));
      print(`\n${title}, ${seconds} s: failed\n${stack}`);
      checked.problems.push(`The part "${title}" of ${name} failed: ${message}`);
      return;
    }
    print(`\n${title}, ${seconds} s: ${measured.length} of ${figures.length} figures`);
    for (const { what, value } of measured) print(`  ${what.padEnd(56)}${value}`);
    checked.skipped.push(...measured.filter(isSkipped).map(({ what }) => `"${what.trim()}" of "${title}"`));
    const problem = problemOf(`the part "${title}" of ${name}`, figures, measured);
    if (problem !== undefined) checked.problems.push(problem);
  });
  await Promise.all(checking);
  return checked;
}

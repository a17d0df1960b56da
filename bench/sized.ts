/**
 * The environment variable that is `yes` where benchmarks only show that they still run, with little to do:
 * `npm run bench -- <name> --quick`. The processes that a benchmark starts inherit it.
 */
export const QUICK = "CREC_BENCH_QUICK";

/** The first of two sizes where something is measured, the second one where a benchmark only shows that it runs. */
export function sized<T>(full: T, quick: T): T {
  return process.env[QUICK] === "yes" ? quick : full;
}

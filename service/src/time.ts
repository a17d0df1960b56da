export { rfc3339 } from "../../src/timing/index.ts";

/** Now, in whole Unix seconds. */
export function now(): number {
  return Math.floor(Date.now() / 1000);
}

export { rfc3339 } from "../../src/timing/index.ts";

/** Now, in whole Unix seconds. */
export function now(): number {
  return Math.floor(Date.now() / 1000);
}

/** What `work` gives; undefined where that takes longer. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

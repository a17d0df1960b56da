import { rmSync } from "node:fs";
import { rename, rm } from "node:fs/promises";

/**
 * Makes a folder anew, beside the one that is there, and puts it in its place when it is complete: a program that runs
 * from it never sees half a build. Of several builds at once, the last one wins.
 *
 * @param make writes into `out`
 */
export async function makeWhole<T>(folder: string, make: (out: string) => Promise<T>): Promise<T> {
  const out = `${folder}-${process.pid}`;
  const removeHalfBuilt = () => rmSync(out, { recursive: true, force: true, maxRetries: 5 });
  process.once("exit", removeHalfBuilt);
  try {
    const made = await make(out);
    await swap(out, folder);
    return made;
  } finally {
    // When one part fails, others may still be writing: an error here must not hide the first one.
    await rm(out, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
    process.off("exit", removeHalfBuilt);
  }
}

async function swap(out: string, folder: string) {
  for (let attempt = 1; ; attempt += 1) {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    try {
      return await rename(out, folder);
    } catch (error) {
      if (attempt === 5) throw error;
    }
  }
}

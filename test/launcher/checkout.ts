import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What `npm start` builds and runs. */
const PARTS = ["package.json", "tsconfig.json", "scripts", "src", "nodes", "service", "icons", "examples"];

/**
 * A checkout of one's own, with the packages of this one: `npm start` builds, and other tests use what was built here.
 * Its path has a space and a letter beyond ASCII, as a user's may.
 */
export async function makeCheckout(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "crec launcher ü-"));
  for (const part of PARTS) await cp(join(root, part), join(path, part), { recursive: true });
  await symlink(join(root, "node_modules"), join(path, "node_modules"), "dir");
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 10 }) };
}

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "../../scripts/build.ts";

/** Sees to it that the nodes are built. */
export async function builtNodes(): Promise<void> {
  if (!existsSync(fileURLToPath(new URL("../../dist/run-time.js", import.meta.url)))) await build();
}

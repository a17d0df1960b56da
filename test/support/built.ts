import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "../../scripts/build.mjs";

const types = fileURLToPath(new URL("../../dist/types/index.d.mts", import.meta.url));

/** Sees to it that the package is built with its declarations: `npm start` builds without them. */
export async function builtWithTypes(): Promise<void> {
  if (!existsSync(types)) await build({ types: true });
}

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildClient } from "../../scripts/build-client.ts";

/** The folder of the package for programs. */
export const CLIENT = fileURLToPath(new URL("../../client", import.meta.url));

/** Sees to it that it is built: `npm start` does without. */
export async function builtClient(): Promise<void> {
  if (!existsSync(`${CLIENT}/dist/types/index.d.ts`)) await buildClient();
}

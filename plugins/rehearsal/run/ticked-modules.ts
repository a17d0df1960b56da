import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { invalidRequest } from "../../../nodes/common/admin/answer.ts";
import type { TickedModule } from "../../../rehearsal/shared/job.ts";

const NAME = /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*$/;

/**
 * Where the palettes are that a person ticked: in the user directory, or beside Node-RED.
 * @param folders from which they are found as Node.js does it
 * @throws INVALID_REQUEST
 */
export function tickedModules(names: readonly string[], folders: readonly string[]): TickedModule[] {
  return names.map((name) => {
    const found = NAME.test(name)
      ? folders.flatMap((from) => placesOf(name, from)).find(isPalette)
      : undefined;
    if (found) return { name, folder: found };
    return invalidRequest(`The palette ${name} was not found. Do not tick it, or install it first.`);
  });
}

function placesOf(name: string, from: string): string[] {
  const searched = createRequire(join(from, "any.js")).resolve.paths(name) ?? [];
  return searched.map((path) => join(path, ...name.split("/")));
}

/** A package with nodes. No other may be loaded by this. */
function isPalette(folder: string): boolean {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return false;
  return typeof (JSON.parse(readFileSync(file, "utf8")) as { "node-red"?: unknown })["node-red"] === "object";
}

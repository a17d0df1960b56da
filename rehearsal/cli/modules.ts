import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import type { TickedModule } from "../shared/job.ts";
import { CommandProblem } from "./problem.ts";

/** Installed palettes, as a module in the folder finds them. @throws CommandProblem when one is not installed */
export function modulesOf(names: readonly string[], folder: string): TickedModule[] {
  const folders = createRequire(join(resolve(folder), "any.js")).resolve;
  return names.map((name) => {
    const found = (folders.paths(name) ?? [])
      .map((path) => join(path, ...name.split("/")))
      .find((path) => existsSync(join(path, "package.json")));
    if (found !== undefined) return { name, folder: realpathSync(found) };
    throw new CommandProblem(
      `The palette ${name} is not installed. Install it in the project: npm install ${name}.`,
    );
  });
}

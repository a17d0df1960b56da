// Part of `npm run lint`: checks all types, once more those of code for Node.js 20, and those of the forms: the compiler has no
// one command for three configurations. The results are cached, so that the next run checks only what has changed.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./lib/paths.mjs";

const CONFIGURATIONS = ["tsconfig.json", "tsconfig.node20.json", "tsconfig.editor.json"];

// One checker: several check what they share once each, and lint runs beside the tests. They also collect garbage less often.
const SPARING = ["--checkers", "1"];
const env = { GOGC: "400", ...process.env };

const tsc = join(root, "node_modules/typescript/bin/tsc");

for (const name of CONFIGURATIONS) {
  const kept = join(root, "node_modules/.cache/types", `${name}.tsbuildinfo`);
  const args = [tsc, "-p", join(root, name), "--incremental", "--tsBuildInfoFile", kept, ...SPARING];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit", env });
  if (status !== 0) process.exit(1);
}

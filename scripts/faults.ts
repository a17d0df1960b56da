// npm run test:faults: every fault with every method of the client and every node, 10,000 odd messages into every node, and
// the tables of docs/faults.md. npm sets no variable for a script on every system. Twenty minutes on two busy processors; npm run test:wide does a sample.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./lib/paths.mjs";

const mocha = [
  join(root, "node_modules/mocha/bin/mocha.js"),
  "test/faults/*.test.ts",
  ...process.argv.slice(2),
];
for (const args of [[join(root, "scripts/build.ts")], mocha]) {
  const env = { ...process.env, CREC_FAULTS: "all" };
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit", env });
  if (status !== 0) process.exit(status ?? 1);
}

// npm run new-node NAME: the files of a new node, which finds networks until you change what it does. CONTRIBUTING.md
// says what to do with them.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { newNode } from "./lib/new-node.ts";
import { root } from "./lib/paths.mjs";

try {
  const name = process.argv[2] ?? "";
  const files = await newNode(name);
  // How lines break depends on the length of the name.
  const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
  const code = files.filter((file) => /\.(?:ts|json)$/.test(file));
  execFileSync(process.execPath, [biome, "check", "--write", ...code], { cwd: root, stdio: "pipe" });
  const list = files.map((file) => `  ${file}\n`).join("");
  process.stdout.write(
    `Made the node crec-${name}:\n${list}Change what it does, then run "npm run docs", and "npm run screenshots" for its picture.\n`,
  );
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

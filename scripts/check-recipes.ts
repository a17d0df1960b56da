// npm run check:recipes: runs the recipes of "In your own tests" in docs/local-service.md, as the page has them, with the
// packed service on Node.js 22 and 24: their tests pass, fail where what they expect is wrong, and leave nothing. On Node.js
// 20, `start` says what it needs. The packed command ends with the npx of npm 10, 11 and 12. No tool runs what a page says.
// Needs the registry; takes one to two minutes.
import { exec } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { installChain, installCommand, installService } from "../service/test/installed.ts";
import { COMMAND, isGone, startedBy } from "../service/test/under-npm.ts";
import { eventually } from "../test/support/eventually.ts";
import { checking, trying } from "./lib/check.ts";
import { installInto, installNode, withReleaseTools } from "./lib/installs.ts";
import { root } from "./lib/paths.mjs";

const PAGE = "docs/local-service.md";
/** What the tests of the recipes expect, and what is wrong. */
const [EXPECTED, WRONG] = ["201", "418"];

await checking("recipes", (folder) =>
  withReleaseTools(async (_, tools) => {
    await installService(tools);
    await installChain(tools);
    await installCommand(tools);
    await symlink(join(root, "node_modules/mocha"), join(tools, "node_modules/mocha"), "junction");
    await symlink("../mocha/bin/mocha.js", join(tools, "node_modules/.bin/mocha"));
    for (const version of ["22", "24"]) {
      const { node } = await installNode(folder, version);
      for (const { name, files, command } of await readRecipes()) {
        const project = join(tools, `${name.replace(":", "-")}-${version}`);
        await mkdir(project);
        await writeFile(join(project, "package.json"), '{ "private": true }\n');
        for (const [file, text] of files) await writeFile(join(project, file), text);
        for (const line of name === "mocha" ? [command, `${command} --parallel`] : [command]) {
          await trying(`${name} on Node.js ${version}: ${line}`, async () => {
            const { failed, printed, left } = await run(line, project, node);
            if (failed || left.length > 0)
              throw new Error(`it left ${left.join(", ")} and said:\n${printed}`);
            if (!/\b1 (passed|passing)\b|\bpass 1\b/.test(printed))
              throw new Error(`no test has passed:\n${printed}`);
          });
        }
        await trying(`${name} on Node.js ${version}, with a test that fails`, async () => {
          for (const [file, text] of files)
            await writeFile(join(project, file), text.replace(EXPECTED, WRONG));
          const { failed, printed, left } = await run(command, project, node);
          if (!failed || !printed.includes(WRONG)) throw new Error(`that is not noticed:\n${printed}`);
          if (left.length > 0) throw new Error(`it left ${left.join(", ")}`);
        });
      }
    }
    const { node: old } = await installNode(folder, "20");
    const told = ".then(console.log, ({ code, message }) => console.log(code, message));\n";
    await writeFile(
      join(tools, "old.mjs"),
      `import { start } from "@crec-nodes/local-service";\nstart()${told}`,
    );
    await writeFile(join(tools, "old.cjs"), `require("@crec-nodes/local-service").start()${told}`);
    for (const file of ["old.mjs", "old.cjs"]) {
      await trying(`start on Node.js 20, ${file}`, async () => {
        const { printed, left } = await run(`node ${file}`, tools, old);
        if (left.length > 0 || !/^NODE_TOO_OLD The local service needs Node\.js /.test(printed))
          throw new Error(`it left ${left.join(", ") || "nothing"} and said:\n${printed}`);
        return "says what it needs";
      });
    }
    for (const major of [10, 11, 12]) {
      await trying(`The end of the service with npx of npm ${major}`, async () => {
        const own = join(folder, `npm-${major}`);
        await installInto(own, [`npm@${major}`]);
        const program = join(own, "node_modules/npm/bin/npm-cli.js");
        for (const signal of ["SIGTERM", "SIGKILL"] as const) {
          const args = [program, "exec", "--no", "--call", COMMAND];
          const { child, ready } = await startedBy(tools, process.execPath, args);
          child.kill(signal);
          await eventually("it", () => isGone(ready));
        }
      });
    }
  }, "recipes"),
);

/** Each has files, whose first line is their name, and then a command. */
async function readRecipes() {
  const page = await readFile(join(root, PAGE), "utf8");
  const section = page.split("\n## In your own tests\n")[1]?.split("\n## ")[0] ?? "";
  const found = section.split("\n#### ").slice(1);
  const recipes = found.map((text) => {
    const blocks = [...text.matchAll(/^```(?:js\n\/\/ (\S+)|(text))\n([\s\S]*?)^```$/gm)];
    const files = blocks.flatMap(([, name, , code = ""]) => (name ? [[name, code] as const] : []));
    const command = blocks.find(([, , isText]) => isText)?.[3]?.trim() ?? "";
    return { name: text.split("\n", 1)[0] ?? "", files, command };
  });
  const names = recipes.map(({ name }) => name).join(", ");
  if (names !== "vitest, jest, mocha, node:test") throw new Error(`${PAGE} has the recipes ${names}.`);
  return recipes;
}

/** @param line of a shell. @param node the Node.js to use. @returns `left` is what it left in the temporary folder */
async function run(line: string, project: string, node: string) {
  const temporary = join(project, "temporary");
  await mkdir(temporary, { recursive: true });
  const env = {
    ...process.env,
    PATH: [dirname(node), process.env.PATH].join(delimiter),
    ...{ TMPDIR: temporary, TEMP: temporary, NO_COLOR: "1" },
  };
  const ended = await promisify(exec)(line, { cwd: project, env, maxBuffer: 2 ** 26 }).catch(
    (error: { stdout: string; stderr: string; code: number }) => error,
  );
  const left = (await readdir(temporary)).filter((name) => name.startsWith("crec-"));
  return { failed: "code" in ended, printed: `${ended.stdout}${ended.stderr}`, left };
}

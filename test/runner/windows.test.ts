import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { npmCommand } from "../../scripts/lib/npm-command.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("on Windows", () => {
  const system = (programs: string[], env: NodeJS.ProcessEnv = {}) => ({
    platform: "win32" as const,
    node: join("nodejs", "node.exe"),
    env,
    exists: (path: string) => programs.includes(path),
  });

  it("npm is run without its batch file, whose shell splits paths with spaces", () => {
    const own = join("Program Files", "npm-cli.js");
    should(npmCommand(["ci"], system([own], { npm_execpath: own }))).eql({
      command: join("nodejs", "node.exe"),
      args: [own, "ci"],
    });
    const beside = join("nodejs", "node_modules/npm/bin/npm-cli.js");
    should(npmCommand(["ci"], system([beside])).args).eql([beside, "ci"]);
    // Other package managers name programs that are not JavaScript.
    should(npmCommand(["ci"], system(["pm.exe", beside], { npm_execpath: "pm.exe" })).args).eql([
      beside,
      "ci",
    ]);
    should(() => npmCommand(["ci"], system([]))).throw(/npm run/);
    should(npmCommand(["ci"], { platform: "linux" })).eql({ command: "npm", args: ["ci"] });
  });

  for (const file of ["package.json", "service/package.json", "site/package.json"]) {
    it(`the scripts of ${file} run in its shell, too`, () => {
      const { scripts = {} } = JSON.parse(readFileSync(join(root, file), "utf8"));
      for (const [name, command] of Object.entries<string>(scripts)) {
        should(command).not.match(/'|;|\$|`|^\w+=|&& \w+=/, name);
        should(command).not.match(/\b(?:rm|cp|mv|cat|sh|bash|export)\b/, name);
      }
    });
  }
});

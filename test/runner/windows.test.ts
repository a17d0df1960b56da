import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { npmCommand } from "../../scripts/lib/npm-command.mjs";
import { commandLineOf } from "../../service/src/chain/anvil/processes.ts";
import { watchParents } from "../../service/src/parents.mjs";

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
    const found = npmCommand(["ci"], system([own], { npm_execpath: own }));
    should(found).eql({ command: join("nodejs", "node.exe"), args: [own, "ci"] });
    const beside = join("nodejs", "node_modules/npm/bin/npm-cli.js");
    should(npmCommand(["ci"], system([beside])).args).eql([beside, "ci"]);
    // Other package managers name programs that are not JavaScript.
    const otherwise = system(["pm.exe", beside], { npm_execpath: "pm.exe" });
    should(npmCommand(["ci"], otherwise).args).eql([beside, "ci"]);
    should(() => npmCommand(["ci"], system([]))).throw(/npm run/);
    should(npmCommand(["ci"], { platform: "linux" })).eql({ command: "npm", args: ["ci"] });
  });

  for (const gone of [20, 10]) {
    it(`a launcher ends when ${gone === 20 ? "its shell" : "npm above its shell"} has ended`, async () => {
      const there = new Set([10, 20]);
      const inspect = async (pid: number) => (pid === 20 ? { name: "cmd.exe", parent: 10 } : undefined);
      let looked = 0;
      const exists = (pid: number) => {
        looked += 1;
        // It keeps its own parent's id, and looks a few times before that one ends.
        if (looked === 6) there.delete(gone);
        return there.has(pid);
      };
      const system = { platform: "win32" as const, parentOfUs: () => 20, inspect, exists, intervalMs: 1 };
      const keepAlive = setInterval(() => {}, 1000);
      await new Promise<void>((resolve) => void watchParents(system, resolve));
      clearInterval(keepAlive);
      should(looked).be.within(6, 9);
    });
  }

  it("PowerShell tells the command line of a process", () => {
    const [program, args] = commandLineOf(42, "win32");
    should([program, args.at(-1)].join(" ")).match(/^powershell\.exe .*'ProcessId = 42'\)\.CommandLine$/);
  });

  it("the scripts of package.json run in its shell, too", () => {
    for (const file of ["package.json", "service/package.json", "site/package.json"]) {
      const { scripts = {} } = JSON.parse(readFileSync(join(root, file), "utf8"));
      for (const [name, command] of Object.entries<string>(scripts)) {
        should(command).not.match(/'|;|\$|`|^\w+=|&& \w+=/, name);
        should(command).not.match(/\b(?:rm|cp|mv|cat|sh|bash|export)\b/, name);
      }
    }
  });
});

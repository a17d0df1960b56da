import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import should from "should";
import { eventually } from "../../test/support/eventually.ts";
import { installChain, installCommand, installService } from "./installed.ts";
import { COMMAND, isGone, startedBy, startedByNpm } from "./under-npm.ts";

/** A service that ends with its parent does so within this time, in milliseconds. */
const ENDED_MS = 3_000;

/** npm passes SIGTERM on to its shell alone, and nothing can pass SIGKILL on. */
describe("the command of the local service", function () {
  this.timeout(120_000);
  let folder: string;

  before(async function () {
    // It has no signals. test/runner/windows.test.ts has what is different there.
    if (process.platform === "win32") this.skip();
    folder = await mkdtemp(join(tmpdir(), "crec-parents test "));
    await installService(folder);
    await installChain(folder);
    await installCommand(folder);
    const inBackground = (command: string) => `${command} & echo $! >pid; wait`;
    const files = {
      "package.json": JSON.stringify({
        private: true,
        scripts: {
          service: COMMAND,
          script: "sh script.sh",
          unwatched: inBackground(COMMAND.replace(" >", " --no-watch-parent >")),
          jobs: "bash jobs.sh",
        },
      }),
      // It does something after the command, so its shell stays between.
      "script.sh": `${COMMAND}\necho ended\n`,
      // As in a terminal, each command is a job.
      "jobs.sh": `set -m\n${inBackground(COMMAND)}\n`,
      "shell.sh": inBackground(COMMAND),
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  });
  after(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    for (const args of [
      ["exec", "--no", "--call", COMMAND],
      ["run", "service"],
      ["run", "script"],
    ]) {
      it(`ends with npm ${args.slice(0, 2).join(" ")} that gets ${signal}`, async () => {
        const { child, ready } = await startedByNpm(folder, ...args);
        child.kill(signal);
        await eventually("the end of the service and its chain", () => isGone(ready));
      });
    }
  }

  for (const [title, start] of [
    ["npm, with --no-watch-parent", () => startedByNpm(folder, "run", "unwatched")],
    ["a job of a shell below npm", () => startedByNpm(folder, "run", "jobs")],
    ["a shell", () => startedBy(folder, "sh", ["shell.sh"])],
  ] as const) {
    it(`stays when what started it has ended: ${title}`, async () => {
      const { child, ready } = await start();
      const pid = Number(await readFile(join(folder, "pid"), "utf8"));
      child.kill("SIGKILL");
      // Nothing is to happen in this time.
      await sleep(ENDED_MS);
      const gone = await isGone(ready);
      if (!gone) process.kill(pid, "SIGTERM");
      should(gone).be.false();
      await eventually("the end of the service and its chain", () => isGone(ready));
    });
  }
});

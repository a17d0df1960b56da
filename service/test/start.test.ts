import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import should from "should";
import { eventually } from "../../test/support/eventually.ts";
import { itWide } from "../../test/support/wide.ts";
import type { start as publishedStart, ReadyInfo, StartError, StartOptions } from "../src/start/types.ts";
import { installChain, installCommand, installService } from "./installed.ts";
import { Api } from "./support.ts";
import { COMMAND, isGone, startedByNpm } from "./under-npm.ts";

const older = fileURLToPath(new URL("../../test/support/older-node.cjs", import.meta.url));
const isWindows = process.platform === "win32";

/** As it is imported from the installed package. */
describe("start of the local service's package", function () {
  this.timeout(120_000);

  const { PATH } = process.env;
  const TEMPORARY = isWindows ? "TEMP" : "TMPDIR";
  const usual = process.env[TEMPORARY];
  let folder: string;
  let temporary: string;
  let entry: string;
  let start: typeof publishedStart;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "crec-start test "));
    const { path } = await installService(folder);
    await installChain(folder);
    if (!isWindows) await installCommand(folder);
    entry = pathToFileURL(join(path, "dist/start.js")).href;
    ({ start } = await import(entry));
    temporary = join(folder, "temporary");
    await mkdir(temporary);
    process.env[TEMPORARY] = temporary;
  });
  after(async () => {
    if (usual === undefined) delete process.env[TEMPORARY];
    else process.env[TEMPORARY] = usual;
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  afterEach(async () => should(await folders()).be.empty());

  /** Those of services. npm keeps compiled code beside them. */
  const folders = async () => (await readdir(temporary)).filter((name) => name.startsWith("crec-"));

  const problemOf = async (options: StartOptions): Promise<StartError> => {
    const started = await start(options).catch((error: StartError) => error);
    if ("code" in started) return started;
    await started.stop();
    throw new Error("It has started.");
  };

  it("gives a service with a faucet, and leaves nothing when it is stopped", async () => {
    const required = createRequire(entry)("@crec-nodes/local-service");
    should(required.start).equal(start);
    const lines: string[] = [];
    // A variable of the environment changes nothing.
    process.env.CREC_STRICT = "no idea";
    const { ready, stop } = await start({ blockTime: 100, log: (line) => lines.push(line) }).finally(() => {
      delete process.env.CREC_STRICT;
    });
    should(await folders()).have.length(1);
    await new Api(ready).ok("POST", "/local/faucet", { amount: "1" });
    should(lines).matchAny(/Starting the local chain/);
    await Promise.all([stop(), stop()]);
    await stop();
    should(await isGone(ready)).be.true();
  });

  it("says with a code why it cannot start, and what to do", async () => {
    const wrong = await problemOf({ port: 65_536 });
    should(wrong).be.an.Error().and.have.properties({ name: "StartError", code: "INVALID_OPTION" });
    should(wrong.message).match(/must be a whole number from 0 to 65535, not "65536"\.$/);
    should(wrong.log).matchAny(/FATAL: --port/);
    // Where it was called.
    should(wrong.stack).match(/start\.test\.ts/);
    const unknown = await problemOf({ datadir: folder } as StartOptions);
    should(unknown).have.properties({ code: "INVALID_OPTION", log: [] });
    should(unknown.message).match(/^There is no option datadir\. The options are port, dataDir,/);
    const others = [
      { signal: new AbortController() },
      { log: "yes" },
      { dataDir: {} },
      { org: "\0" },
      { strict: 1 },
    ];
    for (const options of others) {
      should(await problemOf(options as StartOptions)).have.properties({ code: "INVALID_OPTION", log: [] });
    }
    const reason = new Error("no more");
    const aborted = await problemOf({ signal: AbortSignal.abort(reason) });
    should(aborted).have.properties({ code: "ABORTED", cause: reason });
  });

  // Windows has no signals.
  (isWindows ? it.skip : it)("has a command that ends with the npx that runs it", async () => {
    const { child, ready } = await startedByNpm(folder, "exec", "--no", "--call", COMMAND);
    child.kill("SIGTERM");
    await eventually("the end of the service and its chain", () => isGone(ready));
  });

  itWide("names a taken port, a chain that is missing, and a folder that another service uses", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    should(await problemOf({ port })).have.property("code", "PORT_TAKEN");
    taken.close();
    should(await problemOf({ rpcUrl: "http://127.0.0.1:9" })).have.property("code", "NO_CHAIN");

    const dataDir = join(folder, "data");
    const first = await start({ dataDir });
    const second = await problemOf({ dataDir });
    should(second).have.property("code", "CANNOT_START");
    should(second.message).match(/^Another local service is using the data directory/);
    await first.stop();
    should(await readdir(dataDir)).containEql("service.sqlite");

    const chains = join(folder, "node_modules/@foundry-rs");
    await rename(chains, `${chains} away`);
    process.env.PATH = folder;
    const without = await problemOf({}).finally(async () => {
      process.env.PATH = PATH;
      await rename(`${chains} away`, chains);
    });
    should(without).have.property("code", "NO_CHAIN");
    should(without.message).match(/^The local chain needs anvil/);
  });

  itWide("says which Node.js it needs", async function (this: Mocha.Context) {
    // The stand-in for an older one is a shell script.
    if (isWindows) this.skip();
    const { execPath } = process;
    const node = join(folder, "node");
    await writeFile(node, `#!/bin/sh\nexec "${execPath}" --require "${older}" "$@"\n`);
    await chmod(node, 0o755);
    process.execPath = node;
    const problem = await problemOf({}).finally(() => {
      process.execPath = execPath;
    });
    should(problem).have.property("code", "NODE_TOO_OLD");
    should(problem.message).match(
      /^The local service needs Node\.js 22\.18\.0 or newer; this is 18\.20\.4\./,
    );
  });

  itWide("can be aborted at any moment of the start, and not later", async () => {
    for (const delay of [0, 50, 100, 200, 400]) {
      const problem = await problemOf({ signal: AbortSignal.timeout(delay) });
      should(problem).have.property("code", "ABORTED");
      should(problem.cause).have.property("name", "TimeoutError");
      should(await folders()).be.empty();
    }
    const controller = new AbortController();
    const { ready, stop } = await start({ signal: controller.signal });
    controller.abort();
    await new Api(ready).ok("GET", "/networks");
    await stop();
  });

  itWide("waits in stop for the chain of a service that was killed", async function (this: Mocha.Context) {
    // Its id is known as that of the parent of the chain's processes, which only Linux shows in a file.
    if (process.platform !== "linux") this.skip();
    const { ready, stop } = await start();
    const [name = ""] = await folders();
    const anvil = await readFile(join(temporary, name, "chain/anvil.pid"), "utf8");
    const stat = await readFile(`/proc/${anvil}/stat`, "utf8");
    process.kill(Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]), "SIGKILL");
    await stop();
    should(await isGone(ready)).be.true();
  });

  /** A program that starts the service, and then does this. */
  async function program(then: string) {
    const text = `import { start } from ${JSON.stringify(entry)};
      const { ready } = await start();
      console.log(JSON.stringify(ready));
      ${then}`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", text], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(child, "exit");
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    return { child, exited, ready: JSON.parse(String(line)) as ReadyInfo };
  }

  const leavesNothing = (ready: ReadyInfo) =>
    eventually(
      "the end of the service and its folder",
      async () => (await isGone(ready)) && (await folders()).length === 0,
    );

  itWide("keeps no program alive, and ends with it", async () => {
    const { exited, ready } = await program("");
    should(await exited).eql([0, null]);
    await leavesNothing(ready);
  });

  itWide("ends with a program that is killed", async () => {
    const { child, exited, ready } = await program("setInterval(() => {}, 1000);");
    child.kill("SIGKILL");
    await exited;
    await leavesNothing(ready);
  });
});

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import should from "should";
import { awaitPredecessor, isAlive, pidFile, record, startOf } from "../src/chain/anvil/processes.ts";
import { ServiceProblem } from "../src/errors.ts";
import { logTo, temporaryFolder } from "./support.ts";

describe("the processes of an earlier service, without ps", function () {
  this.timeout(20_000);
  const lines: string[] = [];
  const log = logTo((line) => lines.push(line));
  const path = process.env.PATH;
  let folder: ReturnType<typeof temporaryFolder>;
  let child: ChildProcess;
  let exited: Promise<unknown>;

  /** A process whose command line names the folder, as those of the chain do. */
  beforeEach(async () => {
    process.env.PATH = "";
    lines.length = 0;
    folder = temporaryFolder();
    const script = "process.stdout.write('runs'); setInterval(() => {}, 1e6);";
    child = spawn(process.execPath, ["-e", script, folder.path], { stdio: ["ignore", "pipe", "ignore"] });
    exited = once(child, "exit");
    await once(child.stdout as NonNullable<typeof child.stdout>, "data");
  });
  afterEach(async () => {
    process.env.PATH = path;
    child.kill("SIGKILL");
    await exited;
    folder.dispose();
  });

  const pid = () => child.pid as number;
  /** As if the recorded process had started at another time: its id was used again since. */
  const restart = (name: string) => {
    const file = join(folder.path, `${name}.start`);
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace(/\d+$/, (start) => String(Number(start) - 100)),
    );
  };

  it("are ended where they are an anvil, and left alone where only the id is that of one", async function () {
    if (startOf(pid()) === undefined) return this.skip();
    record(folder.path, "anvil", pid());
    restart("anvil");
    await awaitPredecessor(folder.path, log);
    isAlive(pid()).should.be.true();
    existsSync(pidFile(folder.path, "anvil")).should.be.false();

    record(folder.path, "anvil", pid());
    await awaitPredecessor(folder.path, log);
    isAlive(pid()).should.be.false();
    lines.should.eql([]);
  });

  it("are awaited where they save the chain, and not where only the id is that of a watchdog", async function () {
    if (startOf(pid()) === undefined) return this.skip();
    record(folder.path, "watchdog", pid());
    let isOver = false;
    const over = awaitPredecessor(folder.path, log).then(() => {
      isOver = true;
    });
    await new Promise(setImmediate);
    isOver.should.be.false();
    child.kill("SIGKILL");
    await over;

    record(folder.path, "watchdog", process.pid);
    restart("watchdog");
    await awaitPredecessor(folder.path, log);
  });

  it("stop a start when one may save the chain and the system does not show what it is", async () => {
    record(folder.path, "watchdog", pid());
    const unknown = { identityOf: () => "unknown" as const, unknownMs: 50 };
    const problem = await awaitPredecessor(folder.path, log, unknown).catch((error: unknown) => error);
    should(problem).be.instanceof(ServiceProblem);
    should((problem as Error).message).match(
      new RegExp(`^Process ${pid()} may still save .*remove .*watchdog\\.pid`),
    );
    existsSync(pidFile(folder.path, "watchdog")).should.be.true();

    writeFileSync(pidFile(folder.path, "watchdog"), "");
    record(folder.path, "anvil", pid());
    await awaitPredecessor(folder.path, log, unknown);
    isAlive(pid()).should.be.true();
    should(lines).match([new RegExp(`^Process ${pid()} may be the anvil`)]);
  });
});

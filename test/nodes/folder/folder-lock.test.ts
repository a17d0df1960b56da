import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { FolderLock, type FolderState, type LockTimes } from "../../../nodes/common/folder/folder-lock.ts";
import { holderIn, LockFile } from "../../../nodes/common/folder/lock-file.ts";
import { isGone, ownIdentity } from "../../../nodes/common/folder/process-identity.ts";
import { eventually } from "../../support/eventually.ts";

const CHILD = join(import.meta.dirname, "lock-child.ts");
/** A process that has the machine only now and then still shows itself in time. */
const TIMES: LockTimes = { heartbeatMs: 200, leaseMs: 2_000, lookMs: 50, staleMs: 4_000 };
/** Nobody takes a holder for gone because it is silent. */
const PATIENT: LockTimes = { ...TIMES, staleMs: 3_600_000 };
/** A holder shows itself only when it is told to. */
const BY_HAND: LockTimes = { ...PATIENT, heartbeatMs: 1_800_000, leaseMs: 1_800_000 };
/** Where it can be known for certain that a process is gone. */
const isLinux = process.platform === "linux";

type Said = { kind: string; pid?: number; lost?: boolean; isAlive?: boolean; message?: string };

/** A process that uses the folder. */
class User {
  readonly child: ChildProcess;
  readonly said: Said[] = [];
  #heard = Promise.withResolvers<void>();

  constructor(folder: string, name: string, times: LockTimes) {
    this.child = fork(CHILD, [folder, name, JSON.stringify(times)]);
    this.child.on("message", (said) => {
      this.said.push(said as Said);
      this.#heard.resolve();
      this.#heard = Promise.withResolvers();
    });
  }

  /** The next thing of this kind that it says, or said after so many others. */
  async says(kind: string, after = 0): Promise<Said> {
    for (;;) {
      const found = this.said.slice(after).find((said) => said.kind === kind);
      if (found) return found;
      await this.#heard.promise;
    }
  }

  async stop(): Promise<void> {
    const exit = once(this.child, "exit");
    this.child.send("stop");
    await exit;
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await exit;
  }
}

/** What keeps two Node-REDs on one user directory from reading the same events. */
describe("the lock of a folder", function () {
  this.timeout(60_000);

  let folder: string;
  const users: User[] = [];
  const locks: FolderLock[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "locked-"));
  });

  afterEach(async () => {
    await Promise.all(users.splice(0).map((user) => user.kill()));
    await Promise.all(locks.splice(0).map((lock) => lock.stop()));
    await rm(folder, { recursive: true, force: true });
  });

  const path = () => join(folder, ".in-use");
  const use = (name: string, times = TIMES) => {
    const user = new User(folder, name, times);
    users.push(user);
    return user;
  };
  /** A lock in this process, with all it has said. */
  const lockHere = (times = TIMES) => {
    const states: FolderState[] = [];
    const lock = new FolderLock(
      path(),
      (state) => {
        states.push(state);
      },
      times,
    );
    locks.push(lock);
    lock.start();
    const says = async (kind: FolderState["kind"]) => {
      await eventually(
        `the state ${kind}`,
        () => lock.state,
        (state) => state.kind === kind,
      );
      return lock.state;
    };
    return { lock, states, says };
  };
  /** Who took each step, in order. */
  const steps = async () =>
    (await readFile(join(folder, "work"), "utf8"))
      .trim()
      .split("\n")
      .map((line) => line.split(" ")[0]);
  /** Who worked, in order, each as often as it took over. */
  const turns = async () => (await steps()).filter((name, index, names) => name !== names[index - 1]);
  const workOf = async (name: string) => {
    await eventually(
      `a turn of ${name}`,
      () => turns().catch((): string[] => []),
      (names) => names.includes(name),
    );
  };
  /** A lock file of a process that shows nothing of where it lives. */
  const foreign = (more: object = {}) =>
    writeFile(path(), JSON.stringify({ id: "f0", host: "elsewhere", pid: 1, since: "2026-01-31", ...more }));

  it("has the second process wait, which says for whom, and go on when the first has ended", async () => {
    const first = use("first", PATIENT);
    await first.says("held");
    const second = use("second", PATIENT);
    should(await second.says("elsewhere")).have.properties({ pid: first.child.pid, lost: false });
    await workOf("first");
    await first.stop();
    await second.says("held");
    await workOf("second");
    should(await turns()).deepEqual(["first", "second"]);
  });

  it("says whether the other is known to be alive, or may have crashed", async () => {
    await lockHere(PATIENT).says("held");
    const waiting = use("waiting", PATIENT);
    await eventually(
      "a holder that is alive",
      () => waiting.said,
      (said) => said.some(({ isAlive }) => isAlive),
    );
    should(waiting.said.map(({ isAlive }) => isAlive)).deepEqual([false, true]);
  });

  it("has it go on at once after a crash, where it is certain that the process is gone", async function () {
    if (!isLinux) return this.skip();
    const first = use("first", PATIENT);
    await first.says("held");
    const second = use("second", PATIENT);
    await second.says("elsewhere");
    await first.kill();
    await second.says("held");
  });

  it("has it go on after a crash elsewhere once nothing has changed for long enough", async () => {
    await foreign();
    const began = performance.now();
    const { says, states } = lockHere({ ...TIMES, staleMs: 500 });
    await says("held");
    should(performance.now() - began).be.aboveOrEqual(500);
    should(states.map(({ kind }) => kind)).deepEqual(["elsewhere", "held"]);
    should(states[0]).containDeep({
      kind: "elsewhere",
      isAlive: false,
      holder: { host: "elsewhere", since: "2026-01-31" },
    });
  });

  it("stops one that was suspended as soon as it goes on, when another has taken over", async () => {
    const first = use("first");
    await workOf("first");
    first.child.kill("SIGSTOP");
    const second = use("second");
    await second.says("held");
    await workOf("second");
    first.child.kill("SIGCONT");
    should(await first.says("elsewhere")).have.properties({ pid: second.child.pid, lost: true });
    await first.says("worked");
    const names = await steps();
    const after = names.slice(names.indexOf("second")).filter((name) => name === "first");
    // It ends the step that it was suspended in.
    should(after.length).be.belowOrEqual(1);
    // It may get the folder before the end of the other is known here.
    const { length } = first.said;
    await second.stop();
    await first.says("held", length);
  });

  it("lets one that was suspended go on where nobody has taken over", async () => {
    const first = use("first");
    await workOf("first");
    first.child.kill("SIGSTOP");
    const leaseEnds = performance.now() + TIMES.leaseMs;
    await eventually(
      "the end of the lease",
      () => performance.now(),
      (now) => now > leaseEnds,
    );
    const before = (await readFile(join(folder, "work"), "utf8")).length;
    first.child.kill("SIGCONT");
    await eventually(
      "more work",
      async () => (await readFile(join(folder, "work"), "utf8")).length,
      (length) => length !== before,
    );
    should(first.said.map(({ kind }) => kind)).deepEqual(["held"]);
  });

  it("is got by one of many that wait, and never by two at a time", async () => {
    await foreign();
    const waiting = ["a", "b", "c", "d"].map((name) => use(name));
    const left = new Set(waiting);
    for (const _ of waiting) {
      const got = await Promise.race([...left].map((user) => user.says("held").then(() => user)));
      const before = (await steps().catch(() => [])).length;
      await eventually(
        "20 steps of the holder",
        async () => (await steps().catch(() => [])).length,
        (count) => count >= before + 20,
      );
      const holding = [...left].filter(({ said }) => said.some(({ kind }) => kind === "held"));
      should(holding).have.length(1);
      left.delete(got);
      await got.stop();
    }
    should((await turns()).length).be.belowOrEqual(waiting.length);
  });

  it("does not wait for a process that was killed while it took over", async () => {
    await foreign();
    await writeFile(`${path()}.after-f0`, "another");
    await lockHere({ ...TIMES, staleMs: 300 }).says("held");
  });

  it("waits for a file that it cannot read as for any other, and takes it over", async () => {
    await writeFile(path(), "");
    const { says, states } = lockHere({ ...TIMES, staleMs: 300 });
    await says("held");
    should(states[0]).have.properties({ kind: "elsewhere", holder: undefined });
  });

  it("is kept when somebody removes the file, and leaves nothing behind when it ends", async () => {
    const { lock, says, states } = lockHere();
    const state = await says("held");
    await rm(path());
    if (state.kind === "held") await state.lease.renew();
    should(holderIn(await readFile(path(), "utf8"))?.pid).equal(process.pid);
    await lock.stop();
    should(states.map(({ kind }) => kind)).deepEqual(["held", "looking"]);
    should(await readdir(folder)).be.empty();
  });

  it("is given back at the very end of the process too", async () => {
    const { lock, says } = lockHere();
    await says("held");
    lock.stopNow();
    should(await readdir(folder)).be.empty();
  });

  it("is not taken from another at the end, and a late beat does not bring it back", async () => {
    const { lock, says } = lockHere(BY_HAND);
    const state = await says("held");
    if (state.kind !== "held") return;
    const text = await readFile(path(), "utf8");
    const holder = { id: "0a", host: "other", pid: 2, since: "2026-01-31" };
    const taken = await LockFile.replace(path(), holder, { text, insist: false });
    should.exist(taken);
    await should(state.lease.renew()).be.rejectedWith({ code: "FOLDER_IN_USE" });
    should(state.lease.over.aborted).be.true();
    await should(state.lease.confirm()).be.rejectedWith({ code: "FOLDER_IN_USE" });
    lock.stopNow();
    await lock.stop();
    should(holderIn(await readFile(path(), "utf8"))).deepEqual(holder);
    await taken?.remove();
  });

  it("says what to do where the folder cannot be written to, and goes on when it can", async () => {
    const blocked = join(folder, "blocked");
    await writeFile(blocked, "no folder");
    const states: FolderState[] = [];
    const held = Promise.withResolvers<void>();
    const lock = new FolderLock(
      join(blocked, ".in-use"),
      (state) => {
        states.push(state);
        if (state.kind === "error") void rm(blocked).then(() => mkdir(blocked));
        if (state.kind === "held") held.resolve();
      },
      TIMES,
    );
    locks.push(lock);
    lock.start();
    await held.promise;
    const [failure] = states;
    if (failure?.kind !== "error") throw new Error(`It said ${failure?.kind}.`);
    should(failure.error).have.property("code", "FOLDER_NOT_LOCKED");
    should(failure.error.message).match(
      /cannot be written \(ENOTDIR\)\. A part of its path is a file.*blocked$/,
    );
  });
});

describe("whether a process is gone", () => {
  it("is not so of this one", async () => {
    const own = await ownIdentity();
    should(own !== undefined).equal(isLinux);
    if (own !== undefined) should(await isGone(own)).be.false();
  });

  it("is known by the number of the process and by when it started, and only within one space of numbers", async function () {
    const own = await ownIdentity();
    if (own === undefined) return this.skip();
    should(await isGone({ ...own, started: `${own.started}0` })).be.true();
    should(await isGone({ ...own, started: `${own.started}0`, space: "of another container" })).be.false();
    const child = spawn(process.execPath, ["--version"]);
    const { pid = 0 } = child;
    await once(child, "exit");
    should(await isGone({ ...own, pid })).be.true();
    should(await isGone({ ...own, pid, space: "of another container" })).be.false();
  });
});

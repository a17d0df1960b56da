import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import should from "should";
import { FolderLock, type FolderState } from "../../../nodes/common/folder/folder-lock.ts";
import { migrateState } from "../../../nodes/common/folder/migrate-state.ts";
import type { StateFolder } from "../../../nodes/common/folder/state-folder.ts";
import { type CursorState, FileCursorStore } from "../../../src/index.ts";
import { eventually } from "../../support/eventually.ts";

const CHILD = join(import.meta.dirname, "state-child.ts");
/** A folder in memory, which is another disk than that of temporary files. */
const OTHER_DISK = "/dev/shm";

type Said = { line?: string; kind?: string };

class Copy {
  readonly said: Said[] = [];
  readonly #child: ChildProcess;

  constructor(userDir: string, stateDir: string) {
    this.#child = fork(CHILD, [userDir], { env: { ...process.env, CREC_STATE_DIR: stateDir } });
    this.#child.on("message", (said) => {
      this.said.push(said as Said);
    });
  }

  get moved(): string[] {
    return this.said.flatMap(({ line }) => (line?.includes("state-moved") ? [line] : []));
  }

  async is(kind: string): Promise<void> {
    await eventually(
      `the word ${kind}`,
      () => this.said,
      (all) => all.some((said) => said.kind === kind),
    );
  }

  async end(how: "kill" | "stop"): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, "exit");
    if (how === "kill") this.#child.kill("SIGKILL");
    else this.#child.send("stop");
    await exit;
  }
}

/** State that lies in the user directory, and another folder is chosen. */
describe("state in a former place", function () {
  this.timeout(60_000);

  const folders: string[] = [];
  const copies: Copy[] = [];
  let userDir: string;
  let near: string;

  const folderIn = async (parent: string) => {
    const made = await mkdtemp(join(parent, "crec-take-over-"));
    folders.push(made);
    return made;
  };
  beforeEach(async () => {
    [userDir, near] = [await folderIn(tmpdir()), await folderIn(tmpdir())];
  });
  afterEach(async () => {
    for (const copy of copies.splice(0)) await copy.end("kill");
    for (const one of folders.splice(0)) await rm(one, { recursive: true, force: true, maxRetries: 5 });
  });

  const places = (path: string): StateFolder => ({ path, chosenBy: "environment", former: [userDir] });
  const take = (path: string) =>
    migrateState(places(path), { signal: new AbortController().signal, onWait: () => {} });
  const start = (stateDir: string) => {
    const copy = new Copy(userDir, stateDir);
    copies.push(copy);
    return copy;
  };
  const cursor = (consumer: string, delivered: number): CursorState => ({
    version: 1,
    identity: { consumer, channelId: "channel", service: "https://example.com" },
    ...{ cursor: 700, floor: -1, handedOut: 700 },
    delivered: Array.from({ length: delivered }, (_, offset) => [offset, `event-${offset}`]),
  });
  const CURSORS: Record<string, number> = { small: 3, large: 700 };
  /** Files beside the cursors, of each kind. */
  const OTHERS: Record<string, string> = {
    "crec-cursors/small.json.damaged-01234567": "a copy",
    "crec-seen/node.log": "keys\n",
    "crec-alerts/node.log": "alerts\n",
    "crec-waits/node/operation-1.json": '{"version":1}',
  };
  const fill = async (folder: string) => {
    for (const [name, delivered] of Object.entries(CURSORS)) {
      const store = new FileCursorStore({ path: join(folder, "crec-cursors", `${name}.json`) });
      await store.save(cursor(name, delivered), "now");
    }
    for (const [name, text] of Object.entries(OTHERS)) {
      await mkdir(join(folder, name, ".."), { recursive: true });
      await writeFile(join(folder, name), text);
    }
  };
  /** All of it is there, cursors as they were: not like those of a backup. */
  const isWhole = async (folder: string) => {
    for (const [name, delivered] of Object.entries(CURSORS)) {
      const store = new FileCursorStore({ path: join(folder, "crec-cursors", `${name}.json`) });
      should(await store.load()).deepEqual(cursor(name, delivered));
    }
    for (const [name, text] of Object.entries(OTHERS)) {
      should(await readFile(join(folder, name), "utf8")).equal(text);
    }
  };
  const otherDisk = async (test: Mocha.Context) => {
    const isOther = existsSync(OTHER_DISK) && statSync(OTHER_DISK).dev !== statSync(tmpdir()).dev;
    return isOther ? folderIn(OTHER_DISK) : test.skip();
  };
  const FILES = Object.keys(OTHERS).length + Object.keys(CURSORS).length + 1;

  it("is moved, and nothing of it is left", async () => {
    await fill(userDir);
    should(await take(near)).deepEqual([{ from: userDir, moved: FILES, left: [] }]);
    await isWhole(near);
    should(await readdir(userDir)).be.empty();
    should(await take(near)).be.empty();
  });

  it("is moved to another disk", async function () {
    const far = await otherDisk(this);
    await fill(userDir);
    should(await take(far)).deepEqual([{ from: userDir, moved: FILES, left: [] }]);
    await isWhole(far);
    should(await readdir(userDir)).be.empty();
  });

  it("stays where the new folder has a file of the same name, and that one is used", async () => {
    await fill(userDir);
    await mkdir(join(near, "crec-seen"));
    await writeFile(join(near, "crec-seen/node.log"), "newer\n");
    const left = join(userDir, "crec-seen/node.log");
    should(await take(near)).deepEqual([{ from: userDir, moved: FILES - 1, left: [left] }]);
    should(await readFile(join(near, "crec-seen/node.log"), "utf8")).equal("newer\n");
    should(await readFile(left, "utf8")).equal("keys\n");
  });

  it("is not moved when both are the same folder", async () => {
    await fill(userDir);
    await symlink(userDir, join(near, "link"));
    should(await take(join(near, "link"))).be.empty();
    await isWhole(userDir);
  });

  it("is moved once where the state folder is one of its folders", async () => {
    await fill(userDir);
    const inside = join(userDir, "crec-cursors");
    await start(inside).is("held");
    await isWhole(inside);
    should(await take(inside)).be.empty();
    await isWhole(inside);
  });

  it("is used where a folder in one place is a link to that of the other", async () => {
    for (const [one, other] of [
      [userDir, near],
      [near, userDir],
    ] as const) {
      await mkdir(join(one, "crec-cursors"));
      await writeFile(join(one, "crec-cursors/alerts.json"), "a cursor");
      await symlink(join(one, "crec-cursors"), join(other, "crec-cursors"));
      await mkdir(join(userDir, "crec-seen"), { recursive: true });
      await writeFile(join(userDir, "crec-seen/node.log"), "keys\n");
      await start(near).is("held");
      should(await readFile(join(near, "crec-cursors/alerts.json"), "utf8")).equal("a cursor");
      should(await readFile(join(near, "crec-seen/node.log"), "utf8")).equal("keys\n");
      for (const copy of copies.splice(0)) await copy.end("stop");
      await rm(join(near, "crec-seen"), { recursive: true });
      for (const folder of [other, one]) await rm(join(folder, "crec-cursors"), { recursive: true });
    }
  });

  it("is not touched while another process uses it", async () => {
    await fill(userDir);
    const isHeld = Promise.withResolvers<void>();
    const lock = new FolderLock(
      join(userDir, "crec-cursors/.in-use"),
      ({ kind }) => kind === "held" && isHeld.resolve(),
    );
    lock.start();
    await isHeld.promise;
    const waits = Promise.withResolvers<FolderState>();
    const taken = migrateState(places(near), { signal: new AbortController().signal, onWait: waits.resolve });
    should((await waits.promise).kind).equal("elsewhere");
    await isWhole(userDir);
    await lock.stop();
    should((await taken)[0]?.moved).equal(FILES);
    await isWhole(near);
  });

  it("is moved by one of two processes that start at once", async () => {
    await fill(userDir);
    const both = [start(near), start(near)];
    await Promise.race(both.map((copy) => copy.is("held")));
    await isWhole(near);
    const [first, second] = both[0]?.said.some(({ kind }) => kind === "held") ? both : both.reverse();
    await first?.end("stop");
    await second?.is("held");
    should(first?.moved).have.length(1);
    should(second?.moved).be.empty();
    await isWhole(near);
  });

  it("is whole after the process was killed in the middle of a move to another disk", async function () {
    const far = await otherDisk(this);
    await fill(userDir);
    const many = Array.from({ length: 500 }, (_, index) => `wait-${index}.json`);
    await mkdir(join(userDir, "crec-waits/many"));
    for (const name of many) await writeFile(join(userDir, "crec-waits/many", name), name);
    const there = () => readdir(join(far, "crec-waits/many")).catch(() => []);
    for (const count of [1, 100]) {
      const copy = start(far);
      // biome-ignore lint/plugin: the kill must come at once, in the middle of the move
      while ((await there()).length < count) await sleep(1);
      await copy.end("kill");
      should(await there()).not.have.length(many.length);
    }
    await start(far).is("held");
    await isWhole(far);
    should((await there()).sort()).deepEqual([...many].sort());
    for (const name of many) should(await readFile(join(far, "crec-waits/many", name), "utf8")).equal(name);
    should(await readdir(userDir)).be.empty();
  });
});

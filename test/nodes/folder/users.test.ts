import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import should from "should";
import { eventually } from "../../support/eventually.ts";
import { letOthersEnter } from "../../support/postgres.ts";
import { itWide } from "../../support/wide.ts";

const CHILD = join(import.meta.dirname, "user-child.ts");
/** For packages that are CommonJS. */
const REQUIRE = `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`;
const [ANNA, BERT, GROUP] = [54_001, 54_002, 54_003];
const KINDS = ["cursor", "waits", "claims", "alerts", "seen", "marks", "issues"];

type Said = { kind?: string; message?: string; used?: Record<string, unknown>; refusals?: string[] };
type Refused = { code: string; message: string };

class Copy {
  readonly said: Said[] = [];
  readonly #child: ChildProcess;

  constructor(program: string, uid: number, gid: number, options: Record<string, string>) {
    const { userDir, stateDir, umask } = options;
    const env = { ...process.env, ...(stateDir ? { CREC_STATE_DIR: stateDir } : {}) };
    this.#child = fork(program, [userDir ?? "", umask ?? "022"], { uid, gid, env });
    this.#child.on("message", (said: Said) => {
      this.said.push(said);
    });
  }

  async is(kind: string): Promise<Said> {
    const now = () => this.said.findLast((said) => said.kind !== undefined);
    await eventually(`the state ${kind}`, now, (said) => said?.kind === kind);
    return now() as Said;
  }

  async use(): Promise<Required<Pick<Said, "used" | "refusals">>> {
    const before = this.said.length;
    const found = () => this.said.slice(before).find(({ used }) => used);
    this.#child.send("use");
    await eventually("what came of it", found, (said) => said !== undefined);
    return found() as Required<Said>;
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exit;
  }
}

/** Containers of one volume, each with a user id of its own. */
describe("a state folder that processes of several users have", function () {
  this.timeout(60_000);

  const copies: Copy[] = [];
  let programs: string;
  let program: string;
  let root: string;
  let stateDir: string;

  before(async function () {
    // Only root can start processes of other users.
    if (process.getuid?.() !== 0) return this.skip();
    await letOthersEnter(tmpdir());
    programs = mkdtempSync(join(tmpdir(), "crec-user-program-"));
    chmodSync(programs, 0o755);
    // The compile cache is of one user: for others, one file takes a fifth of the time of its modules.
    program = join(programs, "user-child.mjs");
    await build({
      ...{ entryPoints: [CHILD], outfile: program, logLevel: "silent" },
      ...{ bundle: true, platform: "node", format: "esm", banner: { js: REQUIRE } },
    });
  });
  after(() => {
    if (programs) rmSync(programs, { recursive: true, force: true });
  });
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "crec-users-"));
    chmodSync(root, 0o755);
    stateDir = folder("state", { mode: 0o2770 });
  });
  afterEach(async () => {
    for (const copy of copies.splice(0)) await copy.kill();
    rmSync(root, { recursive: true, force: true });
  });

  const folder = (name: string, { uid = 0, gid = GROUP, mode = 0o700 }) => {
    const path = join(root, name);
    mkdirSync(path);
    chownSync(path, uid, gid);
    chmodSync(path, mode);
    return path;
  };
  const start = (uid: number, { gid = GROUP, umask = "022", userDir = "", in: dir = stateDir } = {}) => {
    const home = userDir || join(root, `home-of-${uid}`);
    if (!lstatSync(home, { throwIfNoEntry: false })) folder(`home-of-${uid}`, { uid, gid });
    const copy = new Copy(program, uid, gid, { userDir: home, stateDir: dir, umask });
    copies.push(copy);
    return copy;
  };
  const modeOf = (path: string) => (lstatSync(path).mode & 0o7777).toString(8);
  /** Of all files and folders in a folder. */
  const all = (path: string) =>
    readdirSync(path, { recursive: true, withFileTypes: true }).map((entry) => ({
      name: entry.name,
      isFolder: entry.isDirectory(),
      mode: modeOf(join(entry.parentPath, entry.name)),
      gid: lstatSync(join(entry.parentPath, entry.name)).gid,
    }));
  const runs = (command: string) => execFileSync("sh", ["-c", command.replaceAll("sudo ", "")]);
  const commandOf = (message = "") => /Correct it with: (.*)$/.exec(message)?.[1] ?? "";

  for (const [setgid, umask, inTier] of [
    [0o2000, "077", it],
    [0, "027", itWide],
  ] as const)
    inTier(`the second continues where the first ended; a folder of the group, umask ${umask}`, async () => {
      chmodSync(stateDir, 0o770 | setgid);
      const anna = start(ANNA, { umask });
      await anna.is("held");
      const first = await anna.use();
      should(first.used).deepEqual({
        ...{ cursor: 0, waits: [], claims: String(ANNA), seen: "new", issues: [] },
      });
      const bert = start(BERT, { umask });
      await bert.is("elsewhere");
      await anna.kill();
      await bert.is("held");
      const { used, refusals } = await bert.use();
      should(used).deepEqual({
        ...{ cursor: 10, waits: [String(ANNA)], claims: String(ANNA), alerts: String(ANNA), seen: "seen" },
        ...{ marks: ANNA, issues: [String(ANNA)] },
      });
      should(refusals).be.empty();
      for (const one of all(stateDir)) {
        const mode = one.isFolder ? (0o770 | setgid).toString(8) : "660";
        should(one).have.properties({ mode, gid: GROUP });
      }
      for (const uid of [ANNA, BERT])
        should(modeOf(join(root, `home-of-${uid}`, "crec-keys.json"))).equal("600");
      // And back: what the second has written is not its own alone.
      await bert.kill();
      const again = start(ANNA);
      await again.is("held");
      should((await again.use()).used).have.properties({ cursor: 20, marks: BERT });
    });

  for (const [what, chosen] of Object.entries({
    "others may write to it": () => ({ in: folder("open", { mode: 0o777 }) }),
    "it is the user directory": () => {
      const userDir = folder("shared-home", { mode: 0o770 });
      return { userDir, in: userDir };
    },
    "it is not chosen by the variable": () => ({ userDir: folder("shared-home", { mode: 0o770 }), in: "" }),
  }))
    itWide(`is for its owner alone where ${what}`, async () => {
      const options = chosen();
      const dir = options.in || join(root, "shared-home");
      const anna = start(ANNA, options);
      await anna.is("held");
      await anna.use();
      for (const { isFolder, mode } of all(dir)) should(mode).equal(isFolder ? "755" : "600");
    });

  it("says who owns what another user has, for each kind of file, and the command corrects it", async () => {
    const plain = folder("plain", { uid: ANNA, mode: 0o755 });
    const anna = start(ANNA, { in: plain });
    await anna.is("held");
    await anna.use();
    await anna.kill();
    const bert = start(BERT, { in: plain });
    const { message = "" } = await bert.is("error");
    should(message).match(
      /^This process may not use the state folder\. \S+\/\.in-use belongs to user id 54001, group id 54003; this process runs as user id 54002, group id 54003 \(EACCES\)\. /,
    );
    const command = commandOf(message);
    should(command).equal(`sudo chown -R ${BERT}:${GROUP} '${plain}'`);
    const { used, refusals } = await bert.use();
    for (const kind of ["cursor", "waits", "claims", "alerts", "seen"]) {
      should(used[kind]).have.property("code", "STATE_NOT_PERMITTED");
      should(commandOf((used[kind] as Refused).message)).equal(command);
    }
    const named = KINDS.map((kind) => refusals.some((one) => one.includes(NAMED[kind] ?? "")));
    should(named).deepEqual(KINDS.map(() => true));
    runs(command);
    await bert.is("held");
    const after = await bert.use();
    should(after.used).have.properties({
      cursor: 10,
      claims: String(ANNA),
      seen: "seen",
      alerts: String(ANNA),
    });
    should(after.refusals).be.empty();
  });

  itWide("names group 0 where the user id is arbitrary, and a folder that is to be made", async () => {
    const volume = folder("volume", { uid: ANNA, gid: 0, mode: 0o755 });
    const arbitrary = start(BERT, { gid: 0, in: volume });
    const command = commandOf((await arbitrary.is("error")).message);
    should(command).equal(`sudo chgrp -R 0 '${volume}' && sudo chmod -R g+rwX '${volume}'`);
    runs(command);
    await arbitrary.is("held");
    const missing = join(volume, "it's new");
    chmodSync(volume, 0o755);
    const other = start(ANNA + 10, { in: missing });
    const make = commandOf((await other.is("error")).message);
    const quoted = `'${join(volume, "it'\\''s new")}'`;
    should(make).equal(`sudo mkdir -p ${quoted} && sudo chown ${ANNA + 10}:${GROUP} ${quoted}`);
    runs(make);
    await other.is("held");
  });

  itWide("needs no other user where the folder is its own, and only its mode is wrong", async () => {
    const closed = folder("closed", { uid: ANNA, mode: 0o500 });
    const anna = start(ANNA, { in: closed });
    const command = commandOf((await anna.is("error")).message);
    should(command).equal(`chmod -R u+rwX '${closed}'`);
    runs(command);
    await anna.is("held");
  });

  itWide(
    "says that a former place cannot be changed, not the chosen one, and the commands correct it",
    async () => {
      const userDir = folder("former", { uid: ANNA, mode: 0o755 });
      const files = [join(userDir, "crec-cursors", "old.json"), join(userDir, "crec-seen", "old.log")];
      for (const path of files) {
        mkdirSync(dirname(path));
        writeFileSync(path, "", { mode: 0o600 });
      }
      const anna = start(ANNA, { userDir });
      for (const path of files) {
        const isOf = ({ kind, message = "" }: Said) =>
          kind === "error" && message.includes(` ${dirname(path)}`);
        const found = () => anna.said.find(isOf);
        await eventually(`an error for ${path}`, found, (said) => said !== undefined);
        const { message = "" } = found() as Said;
        should(message).startWith(
          `The previous state is in ${userDir} and cannot be moved to the state folder, ${stateDir}. No event is sent until it is moved, so that none is sent twice; it is tried again. ${dirname(path)}`,
        );
        should(commandOf(message)).equal(`sudo chown -R ${ANNA}:${GROUP} '${dirname(path)}'`);
        runs(commandOf(message));
      }
      await anna.is("held");
      should(files.map((path) => existsSync(path.replace(userDir, stateDir)))).deepEqual([true, true]);
    },
  );

  itWide("old files are corrected by their owner at the start, and nothing behind a link", async () => {
    const waits = join(stateDir, "crec-waits");
    const [own, others, secret] = [join(waits, "own"), join(waits, "others"), join(root, "secret")];
    mkdirSync(waits);
    for (const path of [own, others, secret]) writeFileSync(path, "", { mode: 0o600 });
    symlinkSync(secret, join(waits, "link"));
    symlinkSync(root, join(waits, "folder-link"));
    writeFileSync(join(root, "second-name"), "", { mode: 0o600 });
    linkSync(join(root, "second-name"), join(waits, "second"));
    for (const path of [waits, own, secret, join(root, "second-name")]) chownSync(path, ANNA, ANNA);
    chownSync(others, BERT, GROUP);
    // Only who is in the group can give it files.
    chownSync(waits, ANNA, GROUP);
    chownSync(own, ANNA, GROUP);
    await start(ANNA).is("held");
    should([waits, own, others].map(modeOf)).deepEqual(["2770", "660", "600"]);
    for (const path of [secret, join(root, "second-name")]) {
      should(modeOf(path)).equal("600");
      should(statSync(path).gid).equal(ANNA);
    }
  });
});

/** In the sentence of each kind. */
const NAMED: Record<string, string> = {
  ...{ cursor: "reader.json", waits: "crec-waits/node", claims: "crec-signing" },
  ...{ alerts: "rule.log", seen: "verify.log", marks: "crec-started", issues: "crec-monitor" },
};

import { open, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import should from "should";
import { eventually } from "../support/eventually.ts";
import { type FolderState, PRESENT } from "./code.ts";
import { filesOf } from "./dump.ts";
import { folderWith, RECORDS } from "./records.ts";
import { nodeRedIn } from "./things.ts";

const OWN = "crec-cursors/.in-use";
const isLinux = process.platform === "linux";

/** Copies of two versions may use one folder while they are updated: each has to see the lock of the other. */
for (const { commit, locks } of RECORDS) {
  const { owner, ...files } = locks;
  const waits = `crec-waits/.in-use-${owner}`;

  describe(`the locks of a state folder, with a process of ${commit}`, () => {
    it("are refused to that one while this one has them: they have its names and its form", async () => {
      const { path, remove } = await folderWith({});
      const RED = nodeRedIn(path);
      const states: FolderState[] = [];
      const leave = PRESENT.takeFolder(RED, (state) => states.push(state));
      await eventually("the folder", () => states.at(-1)?.kind === "held");
      const owners = PRESENT.waitOwners(RED);
      await owners.beAlive(() => {});
      const made = await filesOf(path);
      const nameNow = `crec-waits/.in-use-${PRESENT.owner}`;
      should(Object.keys(made).sort()).deepEqual([OWN, nameNow]);
      for (const [then, now] of [
        [OWN, OWN],
        [waits, nameNow],
      ] as const) {
        should(formOf(made[now])).deepEqual(formOf(files[then]));
        // That is how each version takes a lock.
        await should(open(join(path, now), "wx")).rejectedWith({ code: "EEXIST" });
      }
      owners.close();
      leave();
      await remove();
    });

    it("are free at once when that one has ended on this machine", async function () {
      if (!isLinux) return this.skip();
      const other = await folderWith({});
      const states: FolderState[] = [];
      const look = (state: FolderState) => states.push(state);
      const leave = [PRESENT.takeFolder(nodeRedIn(other.path), look)];
      await eventually("a folder", () => states.at(-1)?.kind === "held");
      const { process: here } = JSON.parse((await filesOf(other.path))[OWN] ?? "");
      // Its number may be that of another process by now.
      const text = String(files[OWN]).replace("another boot", here.space);
      const { path, remove } = await folderWith({ [OWN]: text });
      states.length = 0;
      leave.push(PRESENT.takeFolder(nodeRedIn(path), look));
      // Else it would be watched for 15 s.
      await eventually("the folder", () => states.at(-1)?.kind === "held", { withinMs: 8_000 });
      for (const one of leave) one();
      await Promise.all([remove(), other.remove()]);
    });

    it("are that one's while it shows that it is alive, and this one is the standby", async () => {
      const { path, remove } = await folderWith({ [OWN]: String(files[OWN]), [waits]: String(files[waits]) });
      const RED = nodeRedIn(path);
      const beat = async (count: number) => {
        for (const file of [OWN, waits])
          await writeFile(
            join(path, file),
            String(files[file]).replace(/\d{12}/, String(count).padStart(12, "0")),
          );
      };
      const states: FolderState[] = [];
      const leave = PRESENT.takeFolder(RED, (state) => states.push(state));
      const owners = PRESENT.waitOwners(RED);
      let isTaken = false;
      const seen = owners.whenGone(owner, async () => {
        isTaken = true;
      });
      await eventually("that it is seen", () => states.at(-1)?.kind === "elsewhere");
      await beat(1);
      await seen;
      const isSeen = (state: FolderState | undefined) => state?.kind === "elsewhere" && state.isAlive;
      await eventually("that it is seen to be alive", () => isSeen(states.at(-1)));
      const { id, host, pid, since } = JSON.parse(String(files[OWN]));
      should(states.at(-1)).match({ kind: "elsewhere", lost: false, holder: { id, host, pid, since } });
      should(isTaken).be.false();
      should(await readFile(join(path, OWN), "utf8")).containEql(id);
      should(await readdir(join(path, "crec-cursors"))).deepEqual([".in-use"]);
      owners.close();
      leave();
      await remove();
    });
  });
}

/** The names and types of what a lock file says. */
function formOf(text: string | undefined): unknown {
  const shape = (value: unknown): unknown =>
    typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shape(one)]))
      : typeof value;
  const { process: identity, ...holder } = JSON.parse(text ?? "{}");
  // Only Linux shows whether a process is gone.
  return [shape(holder), isLinux && shape(identity), text?.endsWith('"}\n')];
}

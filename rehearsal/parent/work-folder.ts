import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { renameOver } from "../../src/storage/durable-files.ts";

// A rehearsal has a folder of its own: `work`, in which its process runs, and beside it a note of whose it is, and the file
// of its report.

/** Who uses a folder. Unix milliseconds. */
type Owner = { parent: number; child?: number; endsBefore: number };

type WorkFolder = {
  /** Where the process runs. It stays empty. Absolute. */
  path: string;
  /** The folder around it, which the process cannot read. */
  around: string;
  /** Notes the process, which a later start ends if it is still there. */
  note(child: number): Promise<void>;
  remove(): Promise<void>;
};

const PREFIX = "rehearsal-";
const OWNER = "owner.json";
/** How long a folder may be without an owner while another process makes it. */
const MAKING_MS = 60_000;

/** Makes a folder in `root`, and removes what rehearsals of processes that are gone left there. */
export async function makeWorkFolder(root: string, timeMs: number): Promise<WorkFolder> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  await removeLeftovers(root);
  const folder = await mkdtemp(join(root, PREFIX));
  const path = join(folder, "work");
  await mkdir(path, { mode: 0o700 });
  const owner: Owner = { parent: process.pid, endsBefore: Date.now() + 2 * timeMs };
  const write = (value: Owner) => writeOwner(folder, value);
  await write(owner);
  return {
    path,
    around: folder,
    note: (child) => write({ ...owner, child }),
    remove: () => removeFolder(folder),
  };
}

/** At once, since another process may read it at any time. */
async function writeOwner(folder: string, owner: Owner): Promise<void> {
  const unfinished = join(folder, `${OWNER}.new`);
  await writeFile(unfinished, JSON.stringify(owner));
  await renameOver(unfinished, join(folder, OWNER));
}

async function removeLeftovers(root: string): Promise<void> {
  const names = (await readdir(root)).filter((name) => name.startsWith(PREFIX));
  await Promise.all(names.map((name) => removeIfLeft(join(root, name))));
}

async function removeIfLeft(folder: string): Promise<void> {
  const owner = await ownerOf(folder);
  if (owner === undefined ? await isBeingMade(folder) : isInUse(owner)) return;
  if (owner?.child !== undefined && (await isOurs(owner.child, folder))) kill(owner.child);
  await removeFolder(folder);
}

/** A process has one rehearsal at a time, so a folder of this one is left over: a container gives the same id again. */
function isInUse({ parent, endsBefore }: Owner): boolean {
  return parent !== process.pid && Date.now() < endsBefore && isAlive(parent);
}

async function isBeingMade(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs < MAKING_MS;
}

async function ownerOf(folder: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, OWNER), "utf8")) as Owner;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Whether a process is the one of this folder: its id may have been given to another since. Only Linux says it. */
async function isOurs(pid: number, folder: string): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return command.includes(folder);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

/** What cannot be removed now goes at the next start. */
async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
}

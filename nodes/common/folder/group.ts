import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  openSync,
  readdirSync,
  statSync,
} from "node:fs";
import { dirname, join, sep } from "node:path";
import { processWide } from "../process-wide.ts";

/** The group that shares a state folder. `setgid`: its bit of the mode, where the folder gives its group to what is in it. */
type Group = { id: number; setgid: number };
/** A state folder of this process. Without a group, it is for its owner alone. */
type Place = { path: string; group: Group | undefined };

const GROUP_MAY_WRITE = 0o020;
const OTHERS_MAY_WRITE = 0o002;
const SETGID = 0o2000;

const places = processWide("state-places", () => new Map<string, Place>());

/** From now on, `placeOf` knows this state folder. The group of a folder is decided once. */
export function addPlace(path: string, group: Group | undefined): void {
  places.set(path, { path, group });
}

/** The state folder that a file or folder is in, or that it is. */
export function placeOf(path: string): Place | undefined {
  return [...places.values()].find((place) => `${path}${sep}`.startsWith(`${place.path}${sep}`));
}

/**
 * The group that is to share a folder: its own, where that may write and others may not, and this process belongs to it.
 * Never of the user directory, which has more in it than state. Windows has no such groups.
 */
export function groupOf(path: string, userDir: string): Group | undefined {
  const ids = [process.getegid?.(), ...(process.getgroups?.() ?? [])];
  try {
    const [folder, home] = [statSync(path), statSync(userDir)];
    const isUserDir = folder.ino === home.ino && folder.dev === home.dev;
    const isForGroup = (folder.mode & (GROUP_MAY_WRITE | OTHERS_MAY_WRITE)) === GROUP_MAY_WRITE;
    if (isUserDir || !isForGroup || !(ids.includes(folder.gid) || process.geteuid?.() === 0))
      return undefined;
    return { id: folder.gid, setgid: folder.mode & SETGID };
  } catch {
    return undefined;
  }
}

/** Gives an open file or folder of this user to the group. Where that is not permitted, it stays the owner's alone. */
export function shareOpen(fd: number, group: Group): void {
  try {
    const stat = fstatSync(fd);
    // A file with another name as well may belong somewhere else.
    if (stat.uid !== process.geteuid?.() || (stat.isFile() && stat.nlink > 1)) return;
    const mode = stat.isDirectory() ? 0o770 | group.setgid : stat.isFile() ? 0o660 : undefined;
    if (mode === undefined || (stat.gid === group.id && (stat.mode & 0o7777) === mode)) return;
    if (stat.gid !== group.id) fchownSync(fd, stat.uid, group.id);
    fchmodSync(fd, mode);
  } catch {}
}

/** The same with all that is in a folder. No link is followed. */
export function shareAll(path: string, group: Group): void {
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      shareOpen(fd, group);
      if (!fstatSync(fd).isDirectory()) return;
      // Others of the group may put a link in its place meanwhile. Linux has a path of what is open.
      const opened = `/proc/self/fd/${fd}`;
      const folder = existsSync(opened) ? opened : path;
      for (const name of readdirSync(folder)) shareAll(join(folder, name), group);
    } finally {
      closeSync(fd);
    }
  } catch {}
}

/** Shares new folders: from the first that was made to the last one in it. */
export function shareFolders(first: string, last: string, group: Group): void {
  for (let path = last; path.length >= first.length; path = dirname(path)) shareAll(path, group);
}

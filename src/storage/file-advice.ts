const TOO_MANY_OPEN =
  "Too many files are open: look for what opens them, or raise the limit (ulimit -n) and start the process again";
const NO_SPACE = "The disk, or the quota of the user, is full: free some space";
const NOT_PERMITTED = "Correct its owner and permissions, and those of its folder";

/** By the codes of the operating system. */
const BY_CODE: Readonly<Record<string, string>> = {
  EACCES: NOT_PERMITTED,
  EPERM: NOT_PERMITTED,
  ENOSPC: NO_SPACE,
  EDQUOT: NO_SPACE,
  EROFS:
    "The file system is read-only: mount it writable. If it was writable before, look in the log of the machine: the disk may have failed",
  EMFILE: TOO_MANY_OPEN,
  ENFILE: TOO_MANY_OPEN,
  EIO: "The disk reports an error: look in the log of the machine",
  ENOENT: "Its folder is missing: create it, or mount its volume",
  ENOTDIR: "A part of its path is a file, and not a folder: correct that",
  EISDIR: "There is a folder of this name: move it away",
};

/** What to do first about a file or folder that cannot be used, without a full stop. */
export function fileAdvice(cause: unknown): string {
  const code = String((cause as { code?: unknown } | undefined)?.code);
  const known = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
  return known ?? "Check its owner, its permissions and the free space";
}

import fs from "node:fs";
import tty from "node:tty";
import { closeAll, closeAllAsync, closed, refusal, replace } from "./close.ts";

// A rehearsal reads files and writes none. The permission model of Node.js refuses the paths, but has had gaps, such as
// a copied folder of links. So everything that could write is closed as well: all functions but those that are named
// here, also those that a later Node.js adds.

/** `read` cannot write, whatever is given to it. `open` opens a file, for what its flags say. `write` is closed. */
type Functions = Record<"read" | "open" | "write", readonly string[]>;

const READ = ["access", "glob", "lstat", "opendir", "readdir", "readlink", "realpath", "stat", "statfs"];
const READ_OPEN_FILE = ["close", "fstat", "read", "readv"];
const WRITE = [
  ...["appendFile", "chmod", "chown", "copyFile", "cp", "lchmod", "lchown", "link", "lutimes", "mkdir"],
  ...["mkdtemp", "rename", "rm", "rmdir", "symlink", "truncate", "unlink", "utimes", "writeFile"],
];
const WRITE_OPEN_FILE = [
  ...["fchmod", "fchown", "fdatasync", "fsync", "ftruncate", "futimes", "write", "writev"],
];

/** @internal What each function of the modules and of an open file can do. */
export const FILE_FUNCTIONS: Readonly<Record<"fs" | "promises" | "FileHandle", Functions>> = {
  fs: {
    read: [
      ...withSync([...READ, ...READ_OPEN_FILE, "exists", "openAsBlob"]),
      ...["unwatchFile", "watch", "watchFile", "Dir", "Dirent", "Stats", "_toUnixTimestamp"],
    ],
    open: [...withSync(["open", "readFile"]), "createReadStream", "FileReadStream", "ReadStream"],
    write: [
      ...withSync([...WRITE, ...WRITE_OPEN_FILE, "mkdtempDisposable"]),
      ...["createWriteStream", "FileWriteStream", "WriteStream", "Utf8Stream"],
    ],
  },
  promises: {
    read: [...READ, "watch"],
    open: ["open", "readFile"],
    write: [...WRITE, "mkdtempDisposable"],
  },
  FileHandle: {
    read: [
      ...["constructor", "createReadStream", "getAsyncId", "read", "readFile", "readLines", "readv"],
      ...["readableWebStream", "stat"],
    ],
    open: [],
    write: [
      ...["appendFile", "chmod", "chown", "createWriteStream", "datasync", "sync", "truncate", "utimes"],
      ...["write", "writeFile", "writev"],
    ],
  },
};

/** graceful-fs copies the module, and defines the streams of its copy. */
const WRITING_STREAMS = ["FileWriteStream", "WriteStream"];

/** Of `open`. Others create, change or empty a file. */
const READING: ReadonlySet<unknown> = new Set([undefined, null, "r", "rs", "sr", fs.constants.O_RDONLY]);

/** @param program a file that may be read */
export async function closeFiles(program: string): Promise<void> {
  const { fs: ofModule, promises, FileHandle } = FILE_FUNCTIONS;
  const file = await fs.promises.open(program);
  closeAllAsync(Object.getPrototypeOf(file) as object, "FileHandle", FileHandle.read);
  await file.close();
  closeAll(fs, "fs", [...ofModule.read, ...ofModule.open, ...WRITING_STREAMS]);
  closeAllAsync(fs.promises, "fs.promises", [...promises.read, ...promises.open]);
  replace(fs, "fs", ofModule.open, onlyReading, true);
  replace(fs, "fs", WRITING_STREAMS, closed, true);
  replace(fs.promises, "fs.promises", promises.open, onlyReadingAsync);
  // Its streams write to any descriptor.
  closeAll(tty, "tty", ["isatty"]);
}

/** A flow may replace these. */
const { apply, construct } = Reflect;

/** The function or class, which opens a file for reading only. */
function onlyReading(name: string, was: unknown): unknown {
  return new Proxy(was as new (...args: unknown[]) => object, {
    apply: (original, self, args) => apply(original as never, self, reading(name, args)),
    construct: (original, args, target) => construct(original, reading(name, args), target),
  });
}

function onlyReadingAsync(name: string, was: unknown): unknown {
  return async (...args: unknown[]) => apply(was as never, undefined, reading(name, args));
}

/** The arguments, where they do not say otherwise. */
function reading(name: string, [path, options, ...others]: unknown[]): unknown[] {
  if (typeof options === "object" && options !== null) {
    // A copy: a getter could give something else the second time.
    const copy: { flag?: unknown; flags?: unknown } = { ...options };
    if (READING.has(copy.flag) && READING.has(copy.flags)) return [path, copy, ...others];
  } else {
    // Others are given an encoding or a callback there.
    const isFlag = /\bopen(?:Sync)?$/.test(name) && typeof options !== "function";
    if (!isFlag || READING.has(options)) return [path, options, ...others];
  }
  throw refusal(name);
}

function withSync(names: readonly string[]): string[] {
  return names.flatMap((name) => [name, `${name}Sync`]);
}

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

const { O_RDONLY } = fs.constants;

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

/** A flow may replace these, and everything else that is called by name. */
const { apply, construct } = Reflect;

/** Streams are classes; all others are given as functions of their own, which lead to nothing else. */
const STREAMS = ["createReadStream", "FileReadStream", "ReadStream"];

/** The function or class, which opens a file for reading only. */
function onlyReading(name: string, was: unknown): unknown {
  const reading = readingFor(name);
  if (!STREAMS.some((stream) => name.endsWith(`.${stream}`)))
    return (...args: unknown[]) => apply(was as never, undefined, reading(args));
  // They open the file by `fs.open`.
  return new Proxy(was as new (...args: unknown[]) => object, {
    apply: (original, self, args) => apply(original as never, self, reading(args)),
    construct: (original, args, target) => construct(original, reading(args), target),
  });
}

function onlyReadingAsync(name: string, was: unknown): unknown {
  const reading = readingFor(name);
  return async (...args: unknown[]) => apply(was as never, undefined, reading(args));
}

/** Gives the arguments, where they open a file for reading. */
function readingFor(name: string): (args: unknown[]) => unknown[] {
  // Others are given an encoding or a callback in place of flags.
  const isOpen = /\bopen(?:Sync)?$/.test(name);
  return (args) => {
    const options = args[1];
    if (typeof options === "object" && options !== null) {
      // A copy that inherits nothing: a getter could give something else the second time.
      const copy = { __proto__: null, ...options } as { flag?: unknown; flags?: unknown };
      if (!isReading(copy.flag) || !isReading(copy.flags)) throw refusal(name);
      args[1] = copy;
    } else if (isOpen && typeof options !== "function" && !isReading(options)) throw refusal(name);
    return args;
  };
}

/** Whether flags of `open` only read. Others create, change or empty a file. */
function isReading(flags: unknown): boolean {
  return (
    flags === undefined ||
    flags === null ||
    flags === "r" ||
    flags === "rs" ||
    flags === "sr" ||
    flags === O_RDONLY
  );
}

function withSync(names: readonly string[]): string[] {
  return names.flatMap((name) => [name, `${name}Sync`]);
}

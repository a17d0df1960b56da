import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Attempt } from "./attempts.ts";

// Attempts to change files through links: `links` is a folder that a rehearsal may read, and its links lead to `canary`,
// a folder that it may not even see.

/** The body of a function with `fs` and `at`, the folder of links. `call` is a function of fs in one of its forms. */
type Attack = { name: string; code: string };

/** The functions of fs that are given a path, with what they are given. Each has three forms. */
const BY_PATH: ReadonlyArray<[name: string, args: string]> = [
  ["appendFile", "at + '/file', 'x'"],
  ["chmod", "at + '/file', 0o600"],
  ["chown", "at + '/file', 7, 7"],
  ["copyFile", "at + '/own', at + '/file'"],
  ["lchown", "at + '/folder/inner', 7, 7"],
  ["link", "at + '/folder/inner', at + '/folder/hard'"],
  ["lutimes", "at + '/folder/inner', 1, 1"],
  ["mkdir", "at + '/folder/made'"],
  ["mkdtemp", "at + '/folder/made-'"],
  ["mkdtempDisposable", "at + '/folder/made-'"],
  ["rename", "at + '/folder/inner', at + '/folder/renamed'"],
  ["rm", "at + '/folder/inner'"],
  ["rmdir", "at + '/folder/empty'"],
  ["symlink", "'nowhere', at + '/folder/link'"],
  ["truncate", "at + '/file', 1"],
  ["unlink", "at + '/folder/inner'"],
  ["utimes", "at + '/file', 1, 1"],
  ["writeFile", "at + '/file', 'x'"],
  // By each kind of link.
  ...["relative", "chain", "folder/inner", "relative-folder/inner", "node_modules/workspace/inner"].map(
    (link): [string, string] => ["writeFile", `at + '/${link}', 'x'`],
  ),
  ["writeFile", "at + '/dangling', 'x'"],
];

/** Of a descriptor, or the open file of a promise. */
const BY_FILE: ReadonlyArray<[name: string, args: string]> = [
  ["chmod", "0o600"],
  ["chown", "7, 7"],
  ["truncate", "1"],
  ["utimes", "1, 1"],
  ["write", "'x'"],
  ["writev", "[Buffer.from('x')]"],
];
const ONLY_OF_HANDLES: ReadonlyArray<[name: string, args: string]> = [
  ["appendFile", "'x'"],
  ["writeFile", "'x'"],
];

/** Without changing anything themselves. */
export const HARMLESS = ["datasync", "fdatasync", "fsync", "sync", "lchmod"];

const FLAGS = ["r+", "a", "w"];
const done = "(error) => error ? no(error) : yes()";
const promised = (code: string) => `await new Promise((yes, no) => { ${code} });`;

const inThreeForms = ([name, args]: [name: string, args: string]): Attack[] => [
  { name: `${name}Sync(${args})`, code: `fs.${name}Sync(${args});` },
  { name: `${name}(${args})`, code: promised(`fs.${name}(${args}, ${done});`) },
  { name: `promises.${name}(${args})`, code: `await fs.promises.${name}(${args});` },
];

const byDescriptor = ([name, args]: [name: string, args: string]): Attack[] =>
  ["r", ...FLAGS].flatMap((flag) => {
    const of = name.startsWith("write") ? name : `f${name}`;
    const open = `const file = fs.openSync(at + '/file', '${flag}');`;
    return [
      { name: `${of}Sync, ${flag}`, code: `${open} fs.${of}Sync(file, ${args});` },
      { name: `${of}, ${flag}`, code: `${open} ${promised(`fs.${of}(file, ${args}, ${done});`)}` },
    ];
  });

const byHandle = ([name, args]: [name: string, args: string]): Attack[] =>
  ["r", ...FLAGS].map((flag) => ({
    name: `FileHandle.${name}, ${flag}`,
    code: `const file = await fs.promises.open(at + '/file', '${flag}'); await file.${name}(${args});`,
  }));

/** A copied folder of links, and what then goes through the copy. */
const BY_COPY: readonly Attack[] = [
  ["cpSync", "fs.cpSync(at, copy, { recursive: true });"],
  ["cp", promised(`fs.cp(at, copy, { recursive: true }, ${done});`)],
  ["promises.cp", "await fs.promises.cp(at, copy, { recursive: true });"],
].flatMap(([name, copies]) =>
  [
    ["appendFileSync", "fs.appendFileSync(copy + '/file', 'x');"],
    ["chmodSync", "fs.chmodSync(copy + '/file', 0o600);"],
    ["renameSync", "fs.renameSync(copy + '/folder/inner', copy + '/folder/renamed');"],
    ["openSync, r+", "fs.writeSync(fs.openSync(copy + '/file', 'r+'), 'x');"],
  ].map(([then, code]) => ({ name: `${name}, then ${then}`, code: `${copies} ${code}` })),
);

const STREAM = "stream.on('error', no).on('close', yes).end('x');";
const BY_STREAM: readonly Attack[] = FLAGS.flatMap((flag) => [
  ...["fs.createWriteStream", "new fs.WriteStream", "new fs.FileWriteStream"].map((make) => ({
    name: `${make}, ${flag}`,
    code: promised(`const stream = ${make}(at + '/file', { flags: '${flag}' }); ${STREAM}`),
  })),
  {
    name: `FileHandle.createWriteStream, ${flag}`,
    code: `const file = await fs.promises.open(at + '/file', '${flag}'); ${promised(`const stream = file.createWriteStream(); ${STREAM}`)}`,
  },
  {
    name: `Utf8Stream, ${flag}`,
    code: `const stream = new fs.Utf8Stream({ dest: at + '/file', sync: true, append: ${flag === "a"} }); stream.write('x'); stream.end();`,
  },
]);

/** They read, but for their flags. */
const BY_FLAG: readonly Attack[] = [
  { name: "readFileSync, w+", code: "fs.readFileSync(at + '/file', { flag: 'w+' });" },
  { name: "readFile, w+", code: promised(`fs.readFile(at + '/file', { flag: 'w+' }, ${done});`) },
  { name: "promises.readFile, w+", code: "await fs.promises.readFile(at + '/file', { flag: 'w+' });" },
  { name: "openSync, wx", code: "fs.openSync(at + '/folder/made', 'wx');" },
  {
    name: "openSync, truncated",
    code: "fs.openSync(at + '/file', fs.constants.O_RDONLY | fs.constants.O_TRUNC);",
  },
  {
    name: "createReadStream, w+",
    code: promised(
      "fs.createReadStream(at + '/file', { flags: 'w+' }).on('error', no).on('close', yes).resume();",
    ),
  },
  ...Object.entries({ openSync: "'w'", open: `'w', ${done}`, readFile: `{ flag: 'w' }, ${done}` }).map(
    ([name, args]) => ({
      name: `the original of ${name}`,
      code: promised(`fs.${name}.prototype.constructor(at + '/folder/made', ${args}); setTimeout(yes, 200);`),
    }),
  ),
  {
    name: "the original of createReadStream",
    code: promised(
      "fs.createReadStream.prototype.constructor(at + '/folder/made', { flags: 'w' }).on('error', no).on('close', yes).resume();",
    ),
  },
  {
    name: "other collections",
    code: "const { Set: Sets, RegExp: Patterns } = Buffer.constructor('return globalThis')(); Sets.prototype.has = () => true; Patterns.prototype.test = () => false; fs.openSync(at + '/folder/made', 'w');",
  },
  {
    name: "flags of a getter",
    code: "let asked = 0; fs.readFileSync(at + '/file', { get flag() { asked += 1; return asked === 1 ? 'r' : 'w+'; } });",
  },
];

export const FILE_ATTACKS: readonly Attack[] = [
  ...BY_PATH.flatMap(inThreeForms),
  ...BY_FILE.flatMap(byDescriptor),
  ...[...BY_FILE, ...ONLY_OF_HANDLES].flatMap(byHandle),
  ...BY_COPY,
  ...BY_STREAM,
  ...BY_FLAG,
];

/** A folder for each attack: one with links, which may be read, and the canary that they lead to. */
export type Canaries = { readable: string; attempts: Attempt[]; canaries: ReadonlyMap<string, string> };

export async function makeCanaries(folder: string): Promise<Canaries> {
  const readable = join(folder, "readable");
  const made = await Promise.all(
    FILE_ATTACKS.map(async ({ name, code }, index) => {
      const [at, canary] = [join(readable, String(index)), join(folder, "canaries", String(index))];
      await makeCanary(canary);
      await makeLinks(at, canary, `../../canaries/${index}`);
      const where = `const [at, copy] = ${JSON.stringify([at, join(folder, "work", `copy-${index}`)])};`;
      const fs = "const fs = Buffer.constructor('return process')().getBuiltinModule('fs');";
      return { attempt: { name, reach: "file", code: `${fs} ${where} ${code}` } as Attempt, canary };
    }),
  );
  return {
    readable,
    attempts: made.map(({ attempt }) => attempt),
    canaries: new Map(made.map(({ attempt, canary }) => [attempt.name, canary])),
  };
}

async function makeCanary(folder: string): Promise<void> {
  await mkdir(join(folder, "folder", "empty"), { recursive: true });
  await writeFile(join(folder, "file"), "the canary", { mode: 0o640 });
  await writeFile(join(folder, "folder", "inner"), "inside", { mode: 0o640 });
}

async function makeLinks(folder: string, canary: string, relative: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "own"), "what a rehearsal may read");
  await symlink(join(canary, "file"), join(folder, "file"));
  await symlink(join(canary, "folder"), join(folder, "folder"));
  await symlink(`${relative}/file`, join(folder, "relative"));
  await symlink(`${relative}/folder`, join(folder, "relative-folder"));
  await symlink("relative", join(folder, "chain"));
  // As npm links a package of a workspace.
  await mkdir(join(folder, "node_modules"));
  await symlink(`../${relative}/folder`, join(folder, "node_modules", "workspace"));
  await symlink(join(canary, "not-there"), join(folder, "dangling"));
}

/** All that a change would show: content, mode, owner, times and names. */
export async function stateOf(folder: string): Promise<string> {
  const names = (await readdir(folder, { recursive: true })).sort();
  const all = await Promise.all(
    ["", ...names].map(async (name) => {
      const path = join(folder, name);
      const { mode, uid, gid, mtimeMs, nlink, size } = await lstat(path);
      const content = await readFile(path).catch(() => readlink(path).catch(() => ""));
      const hash = createHash("sha256").update(content).digest("hex");
      return [name, mode, uid, gid, mtimeMs, nlink, size, hash].join(" ");
    }),
  );
  return all.join("\n");
}

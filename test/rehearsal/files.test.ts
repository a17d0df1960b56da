import fs from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { FILE_FUNCTIONS } from "../../rehearsal/child/doors/files.ts";
import { permissionFlags } from "../../rehearsal/parent/installed-node-red.ts";
import { itWide } from "../support/wide.ts";
import { type Canaries, FILE_ATTACKS, HARMLESS, makeCanaries, stateOf } from "./support/file-attacks.ts";
import { attempt, bundled, flagsOf, otherNode } from "./support/hostile.ts";
import type { Tried } from "./support/hostile-child.ts";

const REFUSED = /^(?:REHEARSAL_CLOSED|ERR_ACCESS_DENIED)$/;
/** Of a function that only newer versions have. */
const NOT_THERE = /is not a (?:function|constructor)$/;
/** They may do something else than write: what counts is that nothing changes. */
const TRICKS = /^(?:flags of a getter|the original of )/;
/** A file that is opened for reading takes no bytes. */
const NEVER_REACHES =
  /^(?:(?:f?truncate|FileHandle\.(?:truncate|appendFile|write)|write)\w*, r|flags of a getter)$/;

describe("rehearsal: files behind links", function () {
  this.timeout(120_000);
  let folder: string;
  let program: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "crec-files-"));
    await mkdir(join(folder, "work"));
    program = await bundled(join(folder, "work"), "hostile-child");
  });

  after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

  /** Makes all attacks on new canaries. `closed`: by the permission model, and by the list of functions. */
  const attack = async (
    node: string,
    closed: { model: boolean; list: boolean },
  ): Promise<{ tried: Tried[]; changed: string[] }> => {
    const own = await mkdtemp(join(folder, "canaries-"));
    await mkdir(join(own, "work"));
    const { readable, attempts, canaries } = await makeCanaries(own);
    const before = await statesOf(canaries);
    const work = join(own, "work");
    const nodeRed = { version: "", runtime: "", util: "", nodes: "", readable: [readable] };
    const allowed = {
      nodeRed,
      packageFolder: "/none",
      workFolder: work,
      modules: [],
      program: join(folder, "work"),
    };
    const flags = closed.model ? permissionFlags(allowed, flagsOf(node)) : [];
    const target = { tcp: 0, udp: 0, dns: 0, pipe: "", outside: "", pid: process.pid };
    const tried = await attempt({ folder: own, target }, attempts, {
      node,
      flags,
      program,
      isOpen: !closed.list,
    });
    const after = await statesOf(canaries);
    return { tried, changed: [...before.keys()].filter((name) => after.get(name) !== before.get(name)) };
  };

  for (const [which, find, test] of [
    ["this", () => process.execPath, it],
    ["another", otherNode, itWide],
  ] as const) {
    test(`are as they were on ${which} version of Node.js, whatever a flow calls`, async function (this: Mocha.Context) {
      const node = find();
      if (node === undefined) return this.skip();
      const { tried, changed } = await attack(node, { model: true, list: true });
      should(changed).eql([]);
      const through = tried.filter(
        ({ name, code = "", message = "" }) =>
          !TRICKS.test(name) && !REFUSED.test(code) && !NOT_THERE.test(message),
      );
      should(through).eql([]);
      should(tried).have.length(FILE_ATTACKS.length);
    });
  }

  itWide("are as they were also by the list of functions alone", async () => {
    const { changed } = await attack(process.execPath, { model: false, list: true });
    should(changed).eql([]);
  });

  itWide("are changed by each of these calls where nothing is closed", async function (this: Mocha.Context) {
    // Only root may give a file to another.
    if (process.getuid?.() !== 0) return this.skip();
    const { tried, changed } = await attack(process.execPath, { model: false, list: false });
    const without = tried.filter(
      ({ name, message = "" }) => !changed.includes(name) && !NOT_THERE.test(message),
    );
    should(without.filter(({ name }) => !NEVER_REACHES.test(name))).eql([]);
  });

  it("are kept from each function of Node.js that could change a file", async () => {
    const file = await fs.promises.open(program);
    const handle = Object.getPrototypeOf(file) as object;
    await file.close();
    const owners = { fs, promises: fs.promises, FileHandle: handle };
    for (const [name, owner] of Object.entries(owners)) {
      const { read, open, write } = FILE_FUNCTIONS[name as keyof typeof owners];
      const unknown = functionsOf(owner).filter((each) => ![...read, ...open, ...write].includes(each));
      should(unknown).eql([], `of ${name}: say in files.ts what they can do, and attack those that write`);
    }
  });

  it("are attacked by each function that writes", () => {
    const all = FILE_ATTACKS.map(({ code }) => code).join("\n");
    const { fs: module, promises, FileHandle } = FILE_FUNCTIONS;
    const calls = [
      ...module.write.map((name) => `fs.${name}(`),
      ...promises.write.map((name) => `fs.promises.${name}(`),
      ...FileHandle.write.map((name) => `file.${name}(`),
    ];
    const without = calls.filter(
      (call) => !all.includes(call) && !HARMLESS.some((name) => call.includes(name)),
    );
    should(without).eql([]);
  });
});

async function statesOf(canaries: Canaries["canaries"]): Promise<Map<string, string>> {
  const all = [...canaries].map(async ([name, folder]) => [name, await stateOf(folder)] as const);
  return new Map(await Promise.all(all));
}

/** Also those behind a getter. */
function functionsOf(owner: object): string[] {
  return Object.getOwnPropertyNames(owner).filter((name) => {
    try {
      return typeof (owner as Record<string, unknown>)[name] === "function";
    } catch {
      return false;
    }
  });
}

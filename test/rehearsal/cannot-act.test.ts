import { isBuiltin } from "node:module";
import { join } from "node:path";
import should from "should";
import { permissionFlags } from "../../rehearsal/parent/installed-node-red.ts";
import { inVariants } from "../support/variants.ts";
import { ATTEMPTS } from "./support/attempts.ts";
import { attempt, bundled, flagsOf, otherNode, Reachable, SECRET } from "./support/hostile.ts";
import type { Tried } from "./support/hostile-child.ts";

const REFUSED = /^(?:REHEARSAL_CLOSED|ERR_ACCESS_DENIED)$/;
/** What ends in another way: it is not there, or cannot be put back. */
const OTHERWISE: Readonly<Record<string, RegExp>> = {
  "a descriptor": /^Cannot redefine property/,
  "a native module": /^Cannot find module/,
  "a report": /^Cannot read properties of undefined/,
  "the class of the output": /^The _write\(\) method is not implemented/,
  "the handle of the error output": /^Cannot read properties of undefined/,
  internalBinding: /^Cannot find module 'internal/,
  IPC: /^process.send is not a function/,
  // Older versions do not have these.
  WebSocket: /^global.WebSocket is not a constructor/,
  "hooks in its own thread": /^it.registerHooks is not a function/,
  "a database": /^Cannot read properties of undefined/,
  "another program in its place": /^not there/,
};
const NOTHING_SEEN = { tcp: 0, udp: 0, dns: 0, pipe: 0, signal: 0 };

describe("rehearsal: a process that cannot act", function () {
  this.timeout(180_000);
  let to: Reachable;
  let program: string;

  before(async () => {
    to = await Reachable.open();
    program = await bundled(join(to.folder, "work"), "hostile-child");
  });

  after(() => to.close());

  const flagsFor = (known: ReadonlySet<string>) => {
    const workFolder = join(to.folder, "work");
    const nodeRed = { version: "", runtime: "", util: "", nodes: "", readable: [] };
    return permissionFlags(
      { nodeRed, packageFolder: "/none", workFolder, modules: [], program: workFolder },
      known,
    );
  };

  it("lets nothing out, whatever a function node reaches", async () => {
    const flags = flagsFor(process.allowedNodeEnvironmentFlags);
    should(flags[0]).match(/permission$/);
    check(await attempt(to, ATTEMPTS, { node: process.execPath, flags, program }));
    should(await to.written()).eql([]);
    should(to.seen).eql(NOTHING_SEEN);
  });

  it("lets nothing out on another version of Node.js", async function () {
    const node = otherNode();
    if (node === undefined) return this.skip();
    check(await attempt(to, ATTEMPTS, { node, flags: flagsFor(flagsOf(node)), program }));
    should(await to.written()).eql([]);
    should(to.seen).eql(NOTHING_SEEN);
  });

  it("lets no packet out and starts no program where Node.js has no permission model", async () => {
    const attempts = ATTEMPTS.filter(
      ({ reach, code }) => reach !== "read" && !/\bfs(?:\/promises)?"/.test(code),
    );
    check(await attempt(to, attempts, { node: process.execPath, flags: [], program }));
    should(await to.written()).eql([]);
    should(to.seen).eql(NOTHING_SEEN);
  });

  it("is seen to let something out", () => {
    const refused = { name: "a file", code: "ERR_ACCESS_DENIED" };
    should(throughOf([refused, { name: "its environment", result: "{}" }])).eql([]);
    for (const through of [
      { name: "a file", result: "written" },
      { name: "a socket", code: "ECONNREFUSED", message: "connect ECONNREFUSED" },
      { name: "IPC", message: "sent" },
      { name: "its environment", result: '{"SECRET":"x"}' },
    ])
      should(throughOf([refused, through])).eql([through]);
  });

  inVariants(() => {
    it("tries what would get through with open doors", async () => {
      const attempts = ATTEMPTS.filter(({ reach }) => reach !== "nothing");
      const tried = await attempt(to, attempts, { node: process.execPath, flags: [], program, isOpen: true });
      for (const kind of ["tcp", "udp", "dns", "pipe", "signal"] as const)
        should(to.seen[kind]).above(0, kind);
      const database = isBuiltin("node:sqlite") ? ["db"] : [];
      should(await to.written()).containDeep([
        ...["constructor", "exec", "file", "loader", "own-hooks", "realm", "script", "spawn", "worker"],
        ...database,
      ]);
      should(tried.filter(({ result }) => result?.includes(SECRET)).length).equal(4);
    });
  });
});

/** Each attempt was refused. */
function check(all: readonly Tried[]): void {
  should(throughOf(all)).eql([]);
  should(all.length).above(30);
}

function throughOf(all: readonly Tried[]): Tried[] {
  return all.filter(({ name, code = "", result, message = "" }) => {
    if (name === "its environment") return result !== "{}";
    return !REFUSED.test(code) && OTHERWISE[name]?.test(message) !== true;
  });
}

import { randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Node, NodeAPI, NodeDef } from "node-red";
import should from "should";
import { nodeContext } from "../../nodes/common/context.ts";
import type { Connection } from "../../nodes/common/fields/config-nodes.ts";
import { onInput, type Task } from "../../nodes/common/fields/input.ts";
import { FolderLock } from "../../nodes/common/folder/folder-lock.ts";
import type { CrecMessage } from "../../nodes/common/messages/message.ts";
import { WalletLines } from "../../nodes/common/signing/wallet-lines.ts";
import { OWNER } from "../../nodes/common/tasks/task-owners.ts";
import { eventually } from "../support/eventually.ts";

const connection = { baseUrl: "https://service.example/v1" } as Connection;

/** A node that waits for the operation in `msg.id`, in a Node-RED of its own. */
describe("a node that waits", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "crec-waits-"));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  type Waiting = { msg: CrecMessage; end: () => void };
  /** Of one wallet, with what was sent. */
  type Line = { lines: WalletLines; sent: unknown[] };
  class Deployed {
    readonly events = new EventEmitter();
    readonly node: EventEmitter;
    readonly waiting: Waiting[] = [];
    /** When it began to wait for each. */
    readonly begun: number[] = [];
    readonly sent: CrecMessage[] = [];
    readonly errors: unknown[] = [];
    readonly warnings: string[] = [];
    flow: Array<{ id: string; type: string }> = [];

    /** With a line, it does not wait for an answer: it sends what it is given. */
    constructor(id = "node", { alias, line }: { alias?: string; line?: Line } = {}) {
      this.flow = [{ id, type: "crec-test" }];
      const node = new EventEmitter();
      const receive = (msg: CrecMessage) => {
        const send = ([first]: Array<CrecMessage | null>) => first && this.sent.push(first);
        const done = (error?: unknown) => {
          if (error) this.errors.push(error);
        };
        node.emit("input", msg, send, done);
      };
      const silent = () => {};
      const error = (thrown: unknown) => this.errors.push(thrown);
      this.node = Object.assign(node, {
        ...{ id, _alias: alias, receive, error, status: silent, log: silent, debug: silent },
        warn: (text: string) => this.warnings.push(text),
      });
      const RED = {
        settings: { userDir: folder },
        events: this.events,
        nodes: { eachNode: (call: (one: object) => void) => this.flow.forEach(call) },
        util: { cloneMessage: structuredClone },
        _: (key: string, { why = key }: { why?: string } = {}) => why,
      };
      const def = { id, type: "crec-test" } as NodeDef;
      const work = (task: Task) => (line ? this.#sendIn(line, task) : this.#work(task));
      onInput(nodeContext(RED as unknown as NodeAPI, node as unknown as Node), def, work, {
        resumes: () => true,
        ...(line && { reserve: (number, signal) => line.lines.join("wallet", signal, number, true) }),
      });
    }

    async #sendIn({ lines, sent }: Line, { msg, arrivedAt, signal, kept }: Task): Promise<void> {
      const place = lines.join("wallet", signal, arrivedAt, kept !== undefined);
      await place.turn(60_000);
      sent.push(msg.name);
      place.leave();
    }

    async #work({ msg, send, signal, kept, keep }: Task): Promise<void> {
      const required = msg.isRequired === true ? ({ isRequired: true } as const) : {};
      await keep({ id: kept?.id ?? String(msg.id), connection, about: {}, ...required });
      await new Promise<void>((resolve, reject) => {
        // Like an answer that has arrived already: the signal is too late for it.
        this.waiting.push({ msg, end: resolve });
        this.begun.push(performance.now());
        if (msg.isDeaf === true) return;
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener("abort", () => reject(signal.reason));
      });
      send(msg);
    }

    give(msg: CrecMessage): void {
      (this.node as unknown as Node).receive(msg);
    }

    start(): void {
      this.events.emit("flows:started");
    }

    async until(isTrue: () => boolean): Promise<void> {
      await eventually(String(isTrue), isTrue);
    }

    /** Waits until it waits for so many. */
    untilWaiting(count: number): Promise<void> {
      return this.until(() => this.waiting.length >= count);
    }

    endAll(): void {
      for (const { end } of this.waiting) end();
    }

    stop(removed = false): Promise<void> {
      return new Promise((resolve) => this.node.emit("close", removed, resolve));
    }
  }

  const files = (id = "node"): Promise<string[]> => readdir(join(folder, "crec-waits", id)).catch(() => []);
  /** The next deploy of the node, after it has waited for these messages. */
  const deployedWith = async (...messages: CrecMessage[]): Promise<Deployed> => {
    const before = new Deployed();
    for (const msg of messages) before.give(msg);
    await before.untilWaiting(messages.length);
    await before.stop();
    should(await files()).have.length(messages.length);
    return new Deployed();
  };
  const about = (id: string, name: string, crec: Record<string, unknown> = {}): CrecMessage => ({
    ...{ _msgid: name, id, name, crec },
  });
  const names = (messages: readonly CrecMessage[]) => messages.map(({ name }) => name).sort();

  it("sends nothing after it was stopped, but after the deploy", async () => {
    const before = new Deployed();
    before.give({ ...about("operation", "late"), isDeaf: true });
    await before.untilWaiting(1);
    const stopped = before.stop();
    before.endAll();
    await stopped;
    should(before.sent).be.empty();
    const after = new Deployed();
    after.start();
    await after.untilWaiting(1);
    after.endAll();
    await after.until(() => after.sent.length > 0);
    should(after.sent[0]).match({ name: "late", _msgid: "late", crec: { resumed: true } });
  });

  it("resumes every message about an operation, and one that arrives again replaces one of them", async () => {
    const key = { operationKey: "order 1" };
    const after = await deployedWith(about("same", "a", key), about("same", "b", key));
    after.start();
    await after.untilWaiting(2);
    after.give(about("same", "again", key));
    await after.untilWaiting(3);
    after.endAll();
    await after.until(() => after.sent.length === 2);
    should(names(after.sent)).containEql("again");
    await eventually("no file", files, (names) => names.length === 0);
    should(after.errors).be.empty();
    should(after.sent).have.length(2);
  });

  it("does not replace the message of another event about the same operation", async () => {
    const after = await deployedWith(about("same", "first", { eventId: "1" }));
    after.start();
    await after.untilWaiting(1);
    after.give(about("same", "second", { eventId: "2" }));
    await after.untilWaiting(2);
    after.endAll();
    await after.until(() => after.sent.length === 2);
    should(names(after.sent)).deepEqual(["first", "second"]);
  });

  it("does not resume a wait whose message arrived again before, even if that one is done", async () => {
    const after = await deployedWith(about("same", "first", { eventId: "1" }));
    after.give(about("same", "again", { eventId: "1" }));
    await after.untilWaiting(1);
    after.endAll();
    await after.until(() => after.sent.length === 1);
    after.start();
    await eventually("no file", files, (names) => names.length === 0);
    should(after.waiting).have.length(1);
    should(names(after.sent)).deepEqual(["again"]);
  });

  it("resumes many waits a few at a time, and the rest after the next deploy if it is stopped", async () => {
    const many = Array.from({ length: 25 }, (_, index) => about(`operation ${index}`, `${index}`));
    const after = await deployedWith(...many);
    after.start();
    await after.untilWaiting(10);
    await after.stop();
    const begun = after.waiting.length;
    should(begun).be.below(25);
    const last = new Deployed();
    last.start();
    await last.untilWaiting(25);
    const pauses = last.begun.slice(1).map((at, index) => at - (last.begun[index] ?? 0));
    for (const pause of [pauses[9], pauses[19]]) should(pause).be.above(200);
    should(after.waiting).have.length(begun);
    last.endAll();
    await last.until(() => last.sent.length === 25);
    should(names(last.sent)).deepEqual(names(many));
  });

  it("does not begin without its file, where that is required", async () => {
    // A file in the place of the folder: nothing can be written.
    await writeFile(join(folder, "crec-waits"), "");
    const node = new Deployed();
    node.give({ ...about("operation", "a"), isRequired: true });
    await node.until(() => node.errors.length > 0);
    should(node.errors[0]).match({ code: "WAIT_NOT_STORED", message: /nobody was asked to sign it/ });
    should(node.waiting).be.empty();
    node.give(about("operation", "b"));
    await node.untilWaiting(1);
    node.endAll();
    await node.stop(true);
  });

  it("waits with any value as operation key", async () => {
    const node = new Deployed();
    node.give(about("operation", "a", { operationKey: 1n }));
    node.give(about("operation", "b", { operationKey: Object.create(null) }));
    await node.untilWaiting(2);
    node.endAll();
    await node.until(() => node.sent.length === 2);
    should(node.errors).be.empty();
    await node.stop(true);
  });

  it("gets its messages again in the order of their arrival, also after the next deploy", async () => {
    const arrived = ["d", "b", "e", "a", "c"];
    const first = await deployedWith(...arrived.map((name) => about(`operation-${name}`, name)));
    for (const node of [first, new Deployed()]) {
      node.start();
      await node.untilWaiting(arrived.length);
      should(node.waiting.map(({ msg }) => msg.name)).deepEqual(arrived);
      await node.stop(node !== first);
    }
  });

  it("sends what is kept before what is new, with the pauses between and over several nodes", async () => {
    const kept = Array.from({ length: 25 }, (_, index) => index + 1);
    const ids = ["node", "second"];
    const before = ids.map((id) => new Deployed(id));
    for (const name of kept) before[name % 2]?.give({ ...about(`operation ${name}`, `${name}`), name });
    await Promise.all(before.map((node, index) => node.untilWaiting(12 + index)));
    await Promise.all(before.map((node) => node.stop()));
    const line: Line = { lines: new WalletLines({ most: 27, holdMs: 30_000 }), sent: [] };
    const after = ids.map((id) => new Deployed(id, { line }));
    const [first, second] = after;
    first?.give({ ...about("new", "new"), name: 100 });
    for (const node of after) node.start();
    await eventually("the first is sent", () => line.sent.length > 0);
    second?.give({ ...about("newer", "newer"), name: 101 });
    await eventually("all are sent", () => line.sent.length === 27);
    should(line.sent).deepEqual([...kept, 100, 101]);
    await Promise.all(after.map((node) => node.stop(true)));
  });

  it("does not spread a text that an earlier version kept in place of msg.crec", async () => {
    const after = await deployedWith(about("operation", "a"));
    const [file = ""] = (await files()).map((name) => join(folder, "crec-waits", "node", name));
    const text = await readFile(file, "utf8");
    should(text).containEql('"crec":{}');
    await writeFile(file, text.replace('"crec":{}', '"crec":"abc"'));
    after.start();
    await after.untilWaiting(1);
    should(after.waiting[0]?.msg.crec).deepEqual({ resumed: true });
    after.endAll();
    await after.stop(true);
  });

  it("leaves a wait of a newer version as it is, and says so; one that is damaged, too", async () => {
    const after = await deployedWith(about("operation", "a"), about("another", "b"), about("third", "c"));
    const [newer = "", damaged = ""] = (await files()).map((name) =>
      join(folder, "crec-waits", "node", name),
    );
    await writeFile(newer, JSON.stringify({ version: 2, waits: [] }));
    await writeFile(damaged, "{");
    after.start();
    await after.until(() => after.warnings.length === 2);
    await after.untilWaiting(1);
    const [text] = after.warnings.filter((one) => one !== "common.warning.wait-unreadable");
    should(text).startWith(`The file ${newer} was written by a newer version of this package. Install`);
    should(await readFile(newer, "utf8")).containEql("waits");
    after.endAll();
    await after.stop(true);
  });

  it("removes what a crash left half written, but nothing of its own", async () => {
    const after = await deployedWith(about("operation", "a"));
    await writeFile(join(folder, "crec-waits", "node", `half.${OWNER}.json.tmp`), '{"version":1');
    after.give(about("another", "b"));
    after.start();
    await after.untilWaiting(2);
    should(await files()).have.length(2);
    should((await files()).join()).not.containEql("half");
  });

  /** As if another process had written them. */
  const givenTo = async (owner: string, names?: string[]) => {
    for (const name of names ?? (await files())) {
      const path = join(folder, "crec-waits", "node", name);
      await rename(path, path.replace(`.${OWNER}`, owner));
    }
  };

  /** One that waits for some of these files, and is alive until its lock is stopped. */
  const anotherProcess = async (names: string[]): Promise<FolderLock> => {
    const owner = randomUUID();
    await givenTo(`.${owner}`, names);
    const isHeld = Promise.withResolvers<void>();
    const lock = new FolderLock(
      join(folder, "crec-waits", `.in-use-${owner}`),
      ({ kind }) => kind === "held" && isHeld.resolve(),
    );
    lock.start();
    await isHeld.promise;
    return lock;
  };

  it("does not resume what another process waits for, until that one ends", async () => {
    const after = await deployedWith(about("operation", "a"), about("another", "b"), about("third", "c"));
    const [first = "", ...rest] = await files();
    const [ending, staying] = [await anotherProcess([first]), await anotherProcess(rest)];
    after.start();
    after.give(about("own", "own"));
    await after.untilWaiting(1);
    should(names(after.waiting.map(({ msg }) => msg))).deepEqual(["own"]);
    await ending.stop();
    // It has looked at both locks again and again until then.
    await after.untilWaiting(2);
    should(after.waiting).have.length(2);
    await staying.stop();
    await after.untilWaiting(4);
    should(names(after.waiting.map(({ msg }) => msg))).deepEqual(["a", "b", "c", "own"]);
    after.endAll();
    await after.until(() => after.sent.length === 4);
    await eventually("no file", files, (names) => names.length === 0);
    await after.stop(true);
  });

  it("resumes what an earlier version has kept", async () => {
    const after = await deployedWith(about("operation", "a"));
    await givenTo("");
    after.start();
    await after.untilWaiting(1);
    after.endAll();
    await after.until(() => after.sent.length === 1);
    await eventually("no file", files, (names) => names.length === 0);
    await after.stop(true);
  });

  it("has a folder of its own, whatever its id", async () => {
    await writeFile(join(folder, "flows.json"), "[]");
    for (const id of [".", "..", "../.."]) {
      const node = new Deployed(id);
      node.give(about("operation", "a"));
      await node.untilWaiting(1);
      node.flow = [];
      await node.stop(true);
      should(await readFile(join(folder, "flows.json"), "utf8")).equal("[]");
    }
    // But for the lock of this process.
    should(await readdir(join(folder, "crec-waits"))).deepEqual([`.in-use-${OWNER}`]);
  });

  it("keeps its waits in a subflow that is disabled, and drops them with the instance", async () => {
    const instance = { id: "instance", type: "subflow:made" };
    const made = { id: "inner", type: "crec-test" };
    for (const [flow, left] of [
      [[instance, made], 1],
      [[made], 0],
    ] as const) {
      const node = new Deployed("instance-inner", { alias: "inner" });
      node.give(about("operation", "a"));
      await node.untilWaiting(1);
      node.flow = [...flow];
      await node.stop(true);
      should(await files("instance-inner")).have.length(left);
    }
  });
});

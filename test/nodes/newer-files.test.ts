import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import should from "should";
import { fileNameOf } from "../../nodes/common/fields/file-name.ts";
import { bindKey, boundTo } from "../../nodes/common/keys/binding.ts";
import { fileClaims } from "../../nodes/common/signing/claims.ts";
import { TaskStore } from "../../nodes/common/tasks/task-store.ts";
import { ConsumerMemory } from "../../nodes/events-in/consumer-memory.ts";
import { ContextCursorStore } from "../../nodes/events-in/context-store.ts";
import { Ignored } from "../../plugins/monitor/issues/ignored.ts";
import { readExpectations, readReport } from "../../rehearsal/cli/files.ts";
import { readEventFile } from "../../rehearsal/parent/events/event-file.ts";
import { FileAlertStore, FileCursorStore, FileDedupeStore } from "../../src/index.ts";
import { checksumOf } from "../../src/storage/checksum.ts";
import { stateFrom } from "../../src/storage/cursor/cursor-state.ts";

const IDENTITY = { consumer: "a", channelId: "c", service: "https://example.com" };
const line = (value: unknown): string => `${checksumOf(JSON.stringify(value))} ${JSON.stringify(value)}\n`;

/** A file as a later version may write it, how it is read, and what is lost without it. */
type Kind = {
  file: string;
  text: string;
  lost: RegExp;
  use: (path: string, RED: NodeAPI) => Promise<unknown>;
};

const NEWER = { version: 2 };
const started = fileNameOf(JSON.stringify([IDENTITY.consumer, IDENTITY.channelId, IDENTITY.service]));
const memory = (RED: NodeAPI) => new ConsumerMemory(RED, {} as Node, IDENTITY);
const claim = { digest: "d", deadline: 0 };
const cursorOf = (state: object) => JSON.stringify({ format: "crec-cursor", checksum: "", state });
const key = { id: "one", stored: "secret", addresses: ["https://here.example"] };

const KINDS: Readonly<Record<string, Kind>> = {
  "a cursor": {
    file: "crec-cursors/a.json",
    text: cursorOf({ ...stateFrom(IDENTITY, 1), ...NEWER }),
    lost: /the cursor is lost/,
    use: (path) => new FileCursorStore({ path }).load(),
  },
  "a cursor of another form": {
    file: "crec-cursors/b.json",
    text: JSON.stringify({ format: "crec-cursor", ...NEWER, parts: [] }),
    lost: /the cursor is lost/,
    use: (path) => new FileCursorStore({ path }).load(),
  },
  "delivered events": {
    file: "crec-cursors/c.json.delivered",
    text: line({ ...NEWER, delivered: [] }),
    lost: /may come once more/,
    use: async (path) => {
      const cursor = { state: stateFrom(IDENTITY, 1), more: true };
      const text = JSON.stringify({
        format: "crec-cursor",
        checksum: checksumOf(JSON.stringify(cursor)),
        ...cursor,
      });
      const of = path.replace(/\.delivered$/, "");
      await writeFile(of, text);
      return new FileCursorStore({ path: of }).load();
    },
  },
  "the mark of a consumer": {
    file: `crec-started/${started}.json`,
    text: JSON.stringify({ ...IDENTITY, ...NEWER }),
    lost: /not known that the consumer has run/,
    use: async (_path, RED) => {
      await memory(RED).note({ epoch: 4 });
      return memory(RED).recall();
    },
  },
  "the position of a shared cursor": {
    file: `crec-started/${started}.json`,
    text: JSON.stringify({ ...IDENTITY, epoch: 3, position: { ...stateFrom(IDENTITY, 1), ...NEWER } }),
    lost: /not known that the consumer has run/,
    use: (_path, RED) => memory(RED).recall(),
  },
  "a wait": {
    file: "crec-waits/node/x-1.json",
    text: JSON.stringify({ ...NEWER, id: "x", message: {} }),
    lost: /operation that waits in it is not reported/,
    use: async (_path, RED) => {
      const { record, error } = await new TaskStore(RED, "node", "").read("x-1.json");
      should(record).be.undefined();
      throw error;
    },
  },
  "a claim": {
    file: "crec-signing/id/1.json",
    text: JSON.stringify({ ...NEWER, digests: [] }),
    lost: /may be signed a second time/,
    use: (_path, RED) => fileClaims(RED).claim("id", claim),
  },
  "the end of a claim": {
    file: "crec-signing/id/1.json",
    text: JSON.stringify({ ...NEWER, ...claim }),
    lost: /may be signed a second time/,
    use: (_path, RED) => fileClaims(RED).release("id", "d"),
  },
  "bound keys": {
    file: "crec-keys.json",
    text: JSON.stringify({ ...NEWER, keys: [] }),
    lost: /not known where API keys may be sent/,
    use: async (path) => bindKey(path, key),
  },
  "bound keys, for the form": {
    file: "crec-keys.json",
    text: JSON.stringify({ ...NEWER, keys: [] }),
    lost: /not known where API keys may be sent/,
    use: async (path) => boundTo(path, "one"),
  },
  "the keys of each event once": {
    file: "crec-seen/a.log",
    text: line(["key", "delivery"]) + line({ ...NEWER, key: "other" }),
    lost: /may be processed once more/,
    use: (path) => new FileDedupeStore({ path }).load(),
  },
  "alert records": {
    file: "crec-alerts/a.log",
    text: line(["", 1, { v: 2, since: 0 }]),
    lost: /alerts may be missed or repeated/,
    use: (path) => new FileAlertStore({ path }).keys(),
  },
  "alert records of another form": {
    file: "crec-alerts/b.log",
    text: line(NEWER),
    lost: /alerts may be missed or repeated/,
    use: (path) => new FileAlertStore({ path }).write("a", 0, {}),
  },
  "ignored issues": {
    file: "crec-monitor/ignored-issues.json",
    text: JSON.stringify({ ...NEWER, ids: ["a"] }),
    lost: /ignored are shown again/,
    use: async (_path, RED) => {
      const ignored = new Ignored(RED);
      should([...(await ignored.ids())]).be.empty();
      await ignored.set("b", true);
    },
  },
};

describe("a file that a newer version of this package wrote", () => {
  let userDir: string;
  let RED: NodeAPI;
  before(async () => {
    userDir = await mkdtemp(join(tmpdir(), "crec-newer-"));
    RED = { settings: { userDir }, log: { warn: () => {} }, _: String } as unknown as NodeAPI;
  });
  after(() => rm(userDir, { recursive: true, force: true, maxRetries: 5 }));

  for (const [kind, { file, text, lost, use }] of Object.entries(KINDS)) {
    it(`is named, with what is lost without it, and stays as it is: ${kind}`, async () => {
      const path = join(userDir, file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
      const error = await use(path, RED).then(
        () => undefined,
        (thrown: unknown) => thrown as Error & { code: string },
      );
      should(error?.code).equal(file === "crec-keys.json" ? "KEY_NEEDS_CONFIRMATION" : "STATE_FILE_NEWER");
      should(error?.message)
        .containEql(path)
        .and.match(/was written by a newer version of this package\. /);
      should(error?.message)
        .match(/Install that version again; or move it away.*: then /)
        .and.match(lost);
      should(await readFile(path, "utf8")).equal(text);
      await rm(path);
    });
  }

  it("is named: a cursor in a context store", async () => {
    const found = { ...stateFrom(IDENTITY, 1), ...NEWER };
    const get = (_key: string, _store: string, done: (error: null, value: unknown) => void) =>
      done(null, found);
    const node = { context: () => ({ global: { get } }) } as unknown as Node;
    const store = new ContextCursorStore(node, "a", "disk", { onOtherWriter: () => {} });
    await should(store.load()).rejectedWith({ code: "STATE_FILE_NEWER", message: /context store "disk"/ });
  });

  for (const [kind, { format, read }] of Object.entries({
    expectations: { format: "crec-expectations", read: readExpectations },
    "a report": { format: "crec-rehearsal", read: readReport },
    events: { format: "crec-events", read: readEventFile },
  })) {
    it(`is told of a rehearsal: ${kind}`, async () => {
      const path = join(userDir, `${format}.json`);
      const write = (version: unknown) => writeFile(path, JSON.stringify({ format, version, events: [] }));
      await write(2);
      await should(read(path)).rejectedWith({ message: /written by a newer version.* Install that version/ });
      await write(0);
      await should(read(path)).rejectedWith({ message: /has no known version/ });
    });
  }
});

import * as files from "node:fs/promises";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { FileAlertStore, FileCursorStore, FileDedupeStore } from "../../src/index.ts";
import { DedupeFile } from "../../src/storage/dedupe/file-dedupe-store.ts";
import { eventually } from "../support/eventually.ts";

const SENTENCE = "It belongs to user id 7. Correct it with: chown";

/** File operations that know more of a refusal than the disk says. */
describe("a store whose files are refused", () => {
  const refused = () => Promise.reject(Object.assign(new Error(SENTENCE), { code: "STATE_NOT_PERMITTED" }));
  const unreadable = { ...files, readFile: refused } as typeof files;
  const unwritable = { ...files, open: refused } as typeof files;
  const sentence = { code: "STATE_NOT_PERMITTED", message: SENTENCE };
  let folder: string;
  const path = () => join(folder, "file");

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "crec-refused-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("says so where it reads, and that it can be tried again", async () => {
    const reads = [
      () => new FileCursorStore({ path: path(), files: unreadable }).load(),
      () => new FileAlertStore({ path: path(), files: unreadable }).read("key"),
      () => new FileDedupeStore({ path: path(), files: unreadable }).load(),
      () => new DedupeFile(path(), unreadable).read(),
    ];
    for (const read of reads) await should(read()).rejectedWith({ ...sentence, retryable: true });
  });

  it("says so where it writes a cursor", async () => {
    const store = new FileCursorStore({ path: path(), files: unwritable });
    const identity = { consumer: "reader", channelId: "channel", service: "https://service.test" };
    const state = { version: 1, identity, cursor: 1, floor: -1, handedOut: 1, delivered: [] } as const;
    await should(store.save({ ...state, delivered: [] }, "now")).rejectedWith(sentence);
  });

  it("warns with that sentence where it writes what alerts count, and keys", async () => {
    const warned: string[] = [];
    const options = { path: path(), files: unwritable, onWarning: (text: string) => warned.push(text) };
    const alerts = new FileAlertStore(options);
    await alerts.write("key", 0, 1);
    await alerts.close();
    const seen = new FileDedupeStore(options);
    await seen.load();
    seen.accept("key");
    await seen.close();
    await eventually(
      "both warnings",
      () => warned,
      ({ length }) => length === 2,
    );
    should(warned).deepEqual([SENTENCE, SENTENCE]);
  });
});

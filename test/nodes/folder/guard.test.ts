import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { guarded, guardedFiles } from "../../../nodes/common/folder/folder-lease.ts";
import { nodeError } from "../../../nodes/common/shared/errors.ts";
import { ALONE } from "../../../nodes/events-in/hold.ts";
import { stateFrom } from "../../../src/storage/cursor/cursor-state.ts";
import { FileCursorStore } from "../../../src/storage/index.ts";

/** What a node that was suspended may still do after another process has taken its folder over. */
describe("a node without its folder", () => {
  const identity = { consumer: "late", channelId: "channel", service: "http://service.test" };
  const ours = { isSure: true, confirm: async () => {} };
  const lost = {
    isSure: false,
    confirm: () => Promise.reject(nodeError("FOLDER_IN_USE", "Another has it.")),
  };

  it("does not write its old place over that of the other, and leaves nothing behind", async () => {
    const folder = await mkdtemp(join(tmpdir(), "guarded-"));
    try {
      const path = join(folder, "late.json");
      let folderLease: typeof ours | typeof lost = ours;
      const confirm = () => folderLease.confirm();
      const suspended = new FileCursorStore({ path, minIntervalMs: 0, files: guardedFiles({ confirm }) });
      await suspended.save(stateFrom(identity, 10), "now");
      folderLease = lost;
      const other = new FileCursorStore({ path });
      await other.save(stateFrom(identity, 20), "now");
      await suspended.save(stateFrom(identity, 11), "soon");
      await should(suspended.close()).be.rejectedWith({ code: "CURSOR_NOT_SAVED" });
      should((await other.load())?.cursor).equal(19);
      should(await readdir(folder)).deepEqual(["late.json"]);
      should((await suspended.load())?.cursor).equal(19);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("sends nothing; with it, or where none is needed, it sends at once", async () => {
    const sent: string[] = [];
    const send = (text: string) => void sent.push(text);
    await should(Promise.resolve(guarded(lost, send)("lost"))).be.rejectedWith({ code: "FOLDER_IN_USE" });
    guarded(ours, send)("ours");
    ALONE.guard(send)("free");
    should(sent).deepEqual(["ours", "free"]);
  });

  it("looks whether it still has it before it sends, when it was suspended", async () => {
    const sent: string[] = [];
    const looking = Promise.withResolvers<void>();
    const unsure = { isSure: false, confirm: () => looking.promise };
    const sending = guarded(unsure, (text: string) => void sent.push(text))("after a look");
    should(sent).be.empty();
    looking.resolve();
    await sending;
    should(sent).deepEqual(["after a look"]);
  });
});

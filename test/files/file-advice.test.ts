import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { FileCursorStore } from "../../src/storage/cursor/file-store.ts";
import { fileAdvice } from "../../src/storage/file-advice.ts";

/** Most of these disks are not at hand: what the operating system says of them is. */
describe("what to do about a file that cannot be used", () => {
  it("begins with the cause that the operating system names, and never with another one", () => {
    for (const [code, says] of [
      ["EACCES", /^Correct its owner and permissions/],
      ["ENOSPC", /is full: free some space$/],
      ["EDQUOT", /quota of the user, is full/],
      ["EROFS", /^The file system is read-only: mount it writable\. .* disk may have failed$/],
      ["EMFILE", /^Too many files are open.*ulimit/],
      ["EIO", /^The disk reports an error/],
      ["ENOENT", /^Its folder is missing: .* mount its volume$/],
      ["EUNKNOWN", /^Check its owner, its permissions and the free space$/],
      ["toString", /^Check its owner/],
    ] as const) {
      should(fileAdvice(Object.assign(new Error("failed"), { code }))).match(says, code);
    }
    should(fileAdvice(undefined)).match(/^Check/);
  });

  it("is in the sentence of a cursor that cannot be stored", async () => {
    const folder = await mkdtemp(join(tmpdir(), "crec-advice-"));
    try {
      await writeFile(join(folder, "file"), "");
      const store = new FileCursorStore({ path: join(folder, "file", "cursor.json") });
      await should(store.load()).be.rejectedWith({
        code: "CURSOR_NOT_READ",
        message: /\(ENOTDIR\)\. A part of/,
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
